// The six panels: a map with its colour bar, and the marks over it.

import {paint, place, quantile, short, ticks, valueAt, channel} from "./colours.js";
import {Cloud} from "./cloud.js";
import {drawMarks} from "./marks.js";

const kStart = ["image", "mean", "std", "sample", "correlation", "cloud"];
const kFarthest = 80;  // metres; the sky would leave the road black

// The bars stay while points come and go, so that colours mean the same before and after.
export class Bars {
  constructor(scene) { this.scene = scene; }
  reset() { this.values = this.spread = null; }
  // Makes the bars that are missing as soon as their maps are there; whether any is new.
  update() {
    const {scene} = this;
    if (this.spread || !scene.maps.mean) return false;
    const mean = scene.values(scene.maps.mean);
    const isDepth = scene.quantity === "depth";
    const near = (values) =>
        (scene.inMetres ? values.filter((_, i) => mean[i] < kFarthest) : values);
    const bar = (values, map) => {
      const shown = near(values);
      const used = shown.length ? shown : values;
      const low = quantile(used, 0.01), high = Math.max(quantile(used, 0.99), low * 1.01 + 1e-9);
      return {map, low, high, kind: isDepth && low > 0 ? "log" : "linear", unit: scene.unit};
    };
    this.values = bar(mean, isDepth ? "magma_reversed" : "magma");  // near is bright
    this.spread = scene.std && bar(scene.std, "viridis");
    return true;
  }
}

const kCorrelationBar = {
  map: "red_blue",
  low: -1,
  high: 1,
  kind: "root",
  unit: ""
};

// What a panel can show: its values, their bar, a note.
export function contentOf(kind, scene, bars) {
  const {maps} = scene;
  switch (kind) {
    case "mean":
      return maps.mean && {values: scene.values(maps.mean), bar: bars.values, note: scene.unit};
    case "std":
      return scene.std && {values: scene.std, bar: bars.spread, note: `exact, ${scene.unit}`};
    case "sample":
      return maps.sample && {
        values: scene.values(maps.sample),
        bar: bars.values,
        note: `number ${scene.position.toFixed(2)}, ${scene.unit}`
      };
    case "correlation": {
      const {width} = scene.size;
      return maps.correlation && {
        values: maps.correlation,
        bar: kCorrelationBar,
        note: `of pixel ${scene.pixel % width}, ${Math.floor(scene.pixel / width)}`
      };
    }
    case "error":
      return maps.mean && scene.measured.length &&
          {...errors(scene), bar: bars.spread, sparse: true};
    default: {
      const member = kind.match(/^member (\d+)$/);
      if (!member || !scene.members) return null;
      const pixels = scene.size.width * scene.size.height, k = Number(member[1]) - 1;
      return {
        values: scene.values(scene.members.subarray(k * pixels, (k + 1) * pixels)),
        bar: bars.values,
        note: scene.unit
      };
    }
  }
}

// |mean − measured| in squares of 3 × 3 pixels around what was measured.
function errors(scene) {
  const {width, height} = scene.size;
  const values = new Float32Array(width * height).fill(NaN);
  const measured = (depth) => {
    const disparity = (scene.facts.scale ?? 1) / depth;
    if (scene.quantity === "depth") return depth;
    if (scene.quantity === "disparity") return disparity;
    const {min_disparity: low, max_disparity: high} = scene.facts;
    return Math.log((disparity - low) / (high - disparity));
  };
  for (const {pixel, depth} of scene.measured) {
    const error = Math.abs(scene.value(scene.maps.mean[pixel]) - measured(depth));
    const x = pixel % width, y = Math.floor(pixel / width);
    for (let j = Math.max(0, y - 1); j <= Math.min(height - 1, y + 1); ++j) {
      for (let i = Math.max(0, x - 1); i <= Math.min(width - 1, x + 1); ++i)
        values[j * width + i] = error;
    }
  }
  return {values, note: `|mean − measured|, ${scene.unit}`};
}

export class Panel {
  constructor(number, scene, bars) {
    Object.assign(this, {number, scene, bars, kind: kStart[number]});
    this.element = document.createElement("article");
    this.element.className = "panel";
    this.element.innerHTML = `<header><select aria-label="what panel ${number + 1} shows"></select>
      <span class="note"></span></header><div class="stage"><canvas class="map"></canvas>
      <canvas class="marks"></canvas><span class="empty"></span></div>
      <div class="bar" hidden><canvas width="256" height="1"></canvas><div></div></div>`;
    const find = (selector) => this.element.querySelector(selector);
    this.select = find("select");
    this.note = find(".note");
    this.stage = find(".stage");
    this.map = find(".map");
    this.marks = find(".marks");
    this.empty = find(".empty");
    this.bar = find(".bar");
    this.select.addEventListener("change", () => this.show(this.select.value));
    find("header").addEventListener(
        "dblclick", (event) => event.target !== this.select && this.enlarge());
  }

  get isCloud() { return this.kind === "cloud"; }

  enlarge() {
    const main = this.element.parentElement;
    const large = main.classList.contains("large") && this.element.classList.contains("is-large");
    for (const panel of main.children) panel.classList.remove("is-large");
    main.classList.toggle("large", !large);
    this.element.classList.toggle("is-large", !large);
  }

  setKinds(kinds) {
    if (!kinds.includes(this.kind)) this.kind = kStart[this.number];
    this.select.replaceChildren(
        ...kinds.map((kind) => new Option(kind === "cloud" ? "point cloud" : kind, kind)));
    this.select.value = this.kind;
  }

  show(kind) {
    this.kind = kind;
    this.select.value = kind;
    this.layout();
    this.draw();
  }

  // The canvases fill the stage as far as the map's shape allows.
  layout() {
    const {size} = this.scene;
    if (!size) return;
    this.bar.hidden = this.isCloud || this.kind === "image";
    const box = this.stage.getBoundingClientRect();
    const scale = Math.min(box.width / size.width, box.height / size.height);
    const fit = (canvas, width, height) => {
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    };
    fit(this.map, size.width * scale, size.height * scale);
    fit(this.marks, size.width * scale, size.height * scale);
    this.scale = scale;
    const ratio = window.devicePixelRatio;
    this.marks.width = Math.round(size.width * scale * ratio);
    this.marks.height = Math.round(size.height * scale * ratio);
    this.map.hidden = this.marks.hidden = this.isCloud;
    if (this.isCloud && !this.cloud) {
      this.cloud = new Cloud();
      this.stage.append(this.cloud.canvas);
    }
    if (this.cloud) {
      this.cloud.canvas.hidden = !this.isCloud;
      fit(this.cloud.canvas, box.width, box.height);
      this.cloud.resize(box.width * ratio, box.height * ratio);
    }
  }

  draw() {
    const {scene} = this;
    if (!scene.size) return;
    this.content =
        this.isCloud || this.kind === "image" ? null : contentOf(this.kind, scene, this.bars);
    this.empty.textContent = "";
    this.note.textContent = this.content?.note ?? "";
    if (this.isCloud)
      this.drawCloud();
    else
      this.drawMap();
    this.drawBar();
    this.drawMarks();
  }

  drawCloud() {
    const logits = this.scene.maps[this.scene.cloudOf ?? "mean"];
    if (!this.cloud.works) this.empty.textContent = "this browser has no WebGL";
    if (!logits || !this.bars.spread || !this.cloud.works) return;
    const {rgb} = this.scene;
    const isStd = this.scene.cloudColours === "std" || !rgb;
    let colours = rgb;
    if (isStd) {
      colours = new Uint8Array(3 * logits.length);
      for (let i = 0; i < logits.length; ++i)
        colours.set(channel("viridis", place(this.bars.spread, this.scene.std[i])), 3 * i);
    }
    const farthest = this.scene.facts.scale ? kFarthest : Infinity;
    this.cloud.set(
        logits.map((logit) => this.scene.depth(logit)), colours, this.scene.size, farthest);
    this.note.textContent =
        `${this.scene.cloudOf ?? "mean"}, coloured by ${isStd ? "std" : "image"}`;
  }

  drawMap() {
    const {scene, map} = this;
    const {width, height} = scene.size;
    map.width = width;
    map.height = height;
    const context = map.getContext("2d");
    const image = context.createImageData(width, height);
    const under = scene.rgb;
    const isSparse = this.content?.sparse;
    if ((this.kind === "image" || isSparse) && under) {
      const share = isSparse ? 0.35 : 1;
      for (let i = 0; i < width * height; ++i) {
        for (let c = 0; c < 3; ++c) image.data[4 * i + c] = share * under[3 * i + c];
        image.data[4 * i + 3] = 255;
      }
      context.putImageData(image, 0, 0);
    } else if (this.kind === "image") {
      this.empty.textContent = "no image";
      return;
    }
    if (!this.content?.values || !this.content.bar) {
      if (this.kind === "error") this.empty.textContent = "nothing is measured here";
      return;
    }
    const layer = new OffscreenCanvas(width, height);
    const options = isSparse ? {sparse: true} : {under, share: scene.blend ?? 0};
    paint(image.data, this.content.values, this.content.bar, options);
    layer.getContext("2d").putImageData(image, 0, 0);
    context.drawImage(layer, 0, 0);
  }

  drawBar() {
    const bar = this.content?.bar;
    if (!bar) return;
    const [canvas, labels] = this.bar.children;
    const context = canvas.getContext("2d");
    const image = context.createImageData(256, 1);
    paint(image.data, Float32Array.from({length: 256}, (_, i) => valueAt(bar, i / 255)), bar);
    context.putImageData(image, 0, 0);
    const steps = ticks(bar);
    labels.replaceChildren(...steps.map((value, i) => {
      const label = document.createElement("span");
      label.style.left = `${100 * place(bar, value)}%`;
      label.textContent = short(value) + (i === steps.length - 1 && bar.unit ? ` ${bar.unit}` : "");
      return label;
    }));
  }

  drawMarks() {
    if (!this.isCloud) drawMarks(this.marks, this.scene, this.scale, this.bars);
  }

  // The pixel under a pointer's event.
  pixelAt(event) {
    const box = this.marks.getBoundingClientRect();
    const {width, height} = this.scene.size;
    const inside = (value, length) => Math.max(0, Math.min(length - 1, Math.floor(value)));
    const x = inside((event.clientX - box.left) / this.scale, width);
    const y = inside((event.clientY - box.top) / this.scale, height);
    return y * width + x;
  }
}

export function kindsOf(scene) {
  const members = Array.from({length: scene.facts.members}, (_, k) => `member ${k + 1}`);
  return ["image", "mean", "std", "sample", "correlation", "error", "cloud", ...members];
}
