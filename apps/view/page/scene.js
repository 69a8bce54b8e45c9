// What is looked at: one image, its Gaussian's maps, and what the user has put down.

import {setColourMaps} from "./colours.js";
import {ask, Latest} from "./server.js";

const kNormal95 = 1.6448536269514722;

export class Scene extends EventTarget {
  quantity = "depth";
  points = [];    // {pixel, depth, on, distance}: of the user
  measured = [];  // {pixel, depth, on}: of the scan or ground truth
  regions = [];   // {x, y, width, height}
  noise = 0.02;   // relative
  pixel = null;   // whose correlation is shown
  showMeasured = true;
  proposals = [];  // pixels to measure next
  position = 0;    // among the samples: between two of them, on the circle of their noises
  maps = {};       // mean, logitStd, sample: logits; std: of stdQuantity; correlation
  #latest = Object.fromEntries(
      ["field", "samples", "correlation", "regions", "next"].map((kind) => [kind, new Latest()]));
  #open = 0;        // requests under way
  #opening = null;  // the newest image asked for
  #drawn = {};      // samples given what is known, by number

  tell(what) { this.dispatchEvent(new CustomEvent("change", {detail: what})); }
  fail(error) {
    if (error.status === 409 && /newer|another image/.test(error.message)) return;
    this.dispatchEvent(new CustomEvent("fault", {detail: error.message}));
  }

  // Opens an image: nothing of the one before stays, and of two that are opened at once the later.
  async open(index) {
    const opening = this.#opening = {};
    await this.#whileOpen(async () => {
      const {facts, arrays} = await ask("open", {index});
      const members = facts.members ? await ask("members", {}) : null;
      if (opening !== this.#opening) return;
      Object.assign(this, {facts, points: [], regions: [], proposals: [], maps: {}, results: null});
      this.size = {width: facts.width, height: facts.height};
      setColourMaps(arrays);
      this.rgb = arrays.rgb?.data ?? null;
      this.members = members?.arrays.members.data ?? null;
      this.pixel = Math.floor(0.62 * facts.height) * facts.width + Math.floor(facts.width / 2);
      this.setMeasured(arrays);
      this.tell("image");
      await this.know();
    });
  }

  setMeasured(arrays) {
    const {measured_pixels: pixels, measured_depths: depths} = arrays;
    this.measured =
        Array.from(pixels.data, (pixel, i) => ({pixel, depth: depths.data[i], on: false}));
    this.measuredAt = new Map(this.measured.map((point) => [point.pixel, point]));
  }

  load(file) {
    return this.#whileOpen(async () => {
      this.setMeasured((await ask("measurements", file, file.name)).arrays);
      await this.know();
    });
  }

  // Counts what `work` asks for as under way until all of it is there, and shows its faults.
  async #whileOpen(work) {
    ++this.#open;
    try {
      await work();
    } catch (error) {
      this.fail(error);
    } finally {
      --this.#open;
    }
  }

  // --- what is known, and all that follows from it

  get known() {
    const on = new Map();
    for (const {pixel, depth} of this.measured.filter((p) => p.on)) on.set(pixel, depth);
    for (const {pixel, depth} of this.points.filter((p) => p.on)) on.set(pixel, depth);
    return on;
  }

  get #knowledge() {
    const {width} = this.size;
    return {
      points: Array.from(
          this.known,
          ([pixel, depth]) => ({x: pixel % width, y: Math.floor(pixel / width), depth})),
      noise_metres: 0,
      noise_relative: this.noise,
    };
  }

  // Whether nothing is asked for at the moment.
  get idle() { return this.#open === 0; }

  // Runs a request of the image that is looked at now; what comes after another was opened is
  // dropped.
  async #ask(latest, route, body, take) {
    ++this.#open;
    const isDone = await latest.run(async () => {
      const {facts} = this;
      try {
        const answer = await ask(route, body());
        if (facts === this.facts) take(answer);
      } catch (error) {
        this.fail(error);
      }
    });
    --this.#open;
    return isDone;
  }

  // Mean, std, samples, correlation and regions anew, in the order in which they are looked at.
  async know() {
    this.proposals = [];
    this.tell("points");
    let quantity = "";
    const question = () => {
      quantity = this.quantity;
      return {quantity, ...this.#knowledge};
    };
    const isNewest = await this.#ask(
        this.#latest.field, "field", question, ({facts, arrays: {mean, logit_std, std}}) => {
          Object.assign(
              this.maps,
              {mean: mean.data, logitStd: logit_std.data, std: std.data, stdQuantity: quantity});
          this.scores = facts.scores;
          this.distances = new Map(facts.points.map(({pixel, distance}) => [pixel, distance]));
          this.#drawn = {};
          this.tell("field");
        });
    if (!isNewest) return;
    await this.showSample();
    await Promise.all([this.correlate(this.pixel), this.measureRegions()]);
  }

  // Samples k and k + 1 and what lies between: μ + cos θ (s − μ) + sin θ (s' − μ) is a sample too,
  // of the noises' combination by the same angle.
  async showSample() {
    const drawn = this.#drawn, first = Math.floor(this.position);
    if (!drawn[first] || !drawn[first + 1]) {
      await this.#ask(
          this.#latest.samples, "samples", () => ({first, count: 2, ...this.#knowledge}),
          ({arrays}) => {
            const {data} = arrays.samples, pixels = this.size.width * this.size.height;
            for (const k of [0, 1]) drawn[first + k] = data.subarray(k * pixels, (k + 1) * pixels);
          });
    }
    this.#mixSample();
    this.tell("sample");
  }

  #mixSample() {
    const first = Math.floor(this.position);
    const a = this.#drawn[first], b = this.#drawn[first + 1], mean = this.maps.mean;
    if (!a || !b || !mean) return;
    const angle = (this.position - first) * Math.PI / 2;
    const c = Math.cos(angle), s = Math.sin(angle), rest = 1 - c - s;
    const sample = new Float32Array(mean.length);
    for (let i = 0; i < sample.length; ++i) sample[i] = c * a[i] + s * b[i] + rest * mean[i];
    this.maps.sample = sample;
  }

  async correlate(pixel) {
    this.pixel = pixel;
    this.tell("marks");
    const {width} = this.size;
    await this.#ask(
        this.#latest.correlation, "correlation",
        () => ({x: this.pixel % width, y: Math.floor(this.pixel / width), ...this.#knowledge}),
        ({arrays}) => {
          this.maps.correlation = arrays.correlation.data;
          this.tell("correlation");
        });
  }

  async measureRegions() {
    if (!this.regions.length) {
      this.results = null;
      return this.tell("regions");
    }
    await this.#ask(
        this.#latest.regions, "regions",
        () => ({
          regions: this.regions.map(({x, y, width, height}) => ({x, y, width, height})),
          ...this.#knowledge
        }),
        ({arrays}) => {
          this.results =
              Object.fromEntries(Object.entries(arrays).map(([name, {data}]) => [name, data]));
          this.tell("regions");
        });
  }

  propose(count = 5) {
    return this.#ask(this.#latest.next, "next", () => ({count, ...this.#knowledge}), ({arrays}) => {
      this.proposals = Array.from(arrays.pixels.data);
      this.tell("marks");
    });
  }

  async setQuantity(quantity) {
    this.quantity = quantity;
    this.tell("quantity");
    await this.know();
  }

  // --- numbers

  get inMetres() { return this.quantity === "depth" && this.facts.scale !== null; }
  // The std in the quantity that is shown; while another is asked for there is none.
  get std() { return this.maps.stdQuantity === this.quantity ? this.maps.std : null; }
  get unit() { return this.quantity === "logit" ? "logit" : this.inMetres ? "m" : "relative"; }

  disparity(logit) {
    const {min_disparity: low, max_disparity: high} = this.facts;
    return low + (high - low) / (1 + Math.exp(-logit));
  }
  depth(logit) { return (this.facts.scale ?? 1) / this.disparity(logit); }
  // The nearest depth that some logit expresses.
  possible(depth) {
    const {min_disparity: low, max_disparity: high} = this.facts, scale = this.facts.scale ?? 1;
    return Math.min(scale / low * 0.9999, Math.max(scale / high * 1.0001, depth));
  }
  value(logit) {
    if (this.quantity === "logit") return logit;
    return this.quantity === "depth" ? this.depth(logit) : this.disparity(logit);
  }
  values(logits) {
    if (this.quantity === "logit") return logits;
    const {min_disparity: low, max_disparity: high} = this.facts, scale = this.facts.scale ?? 1;
    const isDepth = this.quantity === "depth", values = new Float32Array(logits.length);
    for (let i = 0; i < values.length; ++i) {
      const disparity = low + (high - low) / (1 + Math.exp(-logits[i]));
      values[i] = isDepth ? scale / disparity : disparity;
    }
    return values;
  }
  // Median, and ends of the central 90 %.
  interval(mean, std) {
    const ends = [this.value(mean - kNormal95 * std), this.value(mean + kNormal95 * std)].sort(
        (a, b) => a - b);
    return {median: this.value(mean), low: ends[0], high: ends[1]};
  }
  // The image's pixel in the middle of a pixel of the maps, which the other programs count.
  imagePlace(pixel) {
    const {width, height, image_width, image_height} = this.facts;
    const x = pixel % width, y = Math.floor(pixel / width);
    return {
      x: Math.floor((2 * x + 1) * image_width / (2 * width)),
      y: Math.floor((2 * y + 1) * image_height / (2 * height)),
    };
  }
}
