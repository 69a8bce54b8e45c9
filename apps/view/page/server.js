// The requests to the program, and what they send back.

const session = crypto.randomUUID();

const kinds = {
  float32: Float32Array,
  int32: Int32Array,
  uint8: Uint8Array
};

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// {facts, arrays: {name: {data, shape}}} of the program's bundles (apps/view/reply.hpp).
function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const facts = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let offset = 4 + length;
  const arrays = {};
  for (const {name, dtype, shape} of facts.arrays) {
    const count = shape.reduce((product, side) => product * side, 1);
    const data = new kinds[dtype](buffer, offset, count);
    arrays[name] = {data, shape};
    offset += Math.ceil(data.byteLength / 4) * 4;
  }
  return {facts, arrays};
}

export const timings = {};  // by route: milliseconds of work of the last answer

export async function ask(route, body, name = "") {
  const bytes = body instanceof Blob ? body : JSON.stringify(body);
  let response;
  try {
    response = await fetch(route + (name && `?name=${encodeURIComponent(name)}`), {
      method: "POST",
      headers: {"Content-Type": "application/octet-stream", "X-Session": session},
      body: bytes,
    });
  } catch {
    throw new Refused(0, "the program does not answer; is it still running?");
  }
  if (!response.ok) throw new Refused(response.status, (await response.json()).error);
  const timing = response.headers.get("Server-Timing")?.match(/work;dur=([\d.]+)/);
  if (timing) timings[route] = Number(timing[1]);
  return unpack(await response.arrayBuffer());
}

// One request of a kind at a time; of those that come meanwhile only the newest is made.
export class Latest {
  #running = false;
  #next = null;

  // Whether `work` was done: false where a newer one took its place.
  run(work) {
    this.#next?.done(false);
    const result = new Promise((done) => {
      this.#next = {work, done};
    });
    if (!this.#running) this.#drain();
    return result;
  }

  async #drain() {
    this.#running = true;
    while (this.#next) {
      const {work, done} = this.#next;
      this.#next = null;
      await work();
      done(true);
    }
    this.#running = false;
  }
}

export async function activity() { return (await fetch("activity")).json(); }
