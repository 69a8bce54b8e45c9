// The map as points in space, by WebGL: a pinhole camera whose focal length is 0.58 of the image's
// width, as KITTI's; another camera's scene looks stretched along the view.

const kFocal = 0.58;

const kVertex = `
  attribute vec3 position; attribute vec3 colour;
  uniform mat4 view; uniform float size; varying vec3 shade;
  void main() { gl_Position = view * vec4(position, 1.0); gl_PointSize = clamp(size / gl_Position.w, 1.0, 9.0); shade = colour; }`;
const kFragment =
    `precision mediump float; varying vec3 shade; void main() { gl_FragColor = vec4(shade, 1.0); }`;

function product(a, b) {  // 4 × 4, by columns
  const c = new Float32Array(16);
  for (let i = 0; i < 4; ++i) {
    for (let j = 0; j < 4; ++j) {
      for (let k = 0; k < 4; ++k) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
    }
  }
  return c;
}

export class Cloud {
  yaw = 0.32;
  pitch = 0.22;
  distance = 1.25;
  count = 0;

  constructor() {
    this.canvas = document.createElement("canvas");
    this.canvas.className = "cloud";
    this.canvas.title = "drag: turn; wheel: nearer or farther; click: mean or sample, image or std";
    this.gl = this.canvas.getContext("webgl", {antialias: true, preserveDrawingBuffer: true});
    if (this.works) this.#compile();
    this.#listen();
  }

  get works() { return this.gl !== null; }

  #compile() {
    const {gl} = this;
    this.program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, kVertex], [gl.FRAGMENT_SHADER, kFragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    gl.useProgram(this.program);
    gl.enable(gl.DEPTH_TEST);
    for (const [name, kind, normalised] of [
             ["position", gl.FLOAT, false], ["colour", gl.UNSIGNED_BYTE, true]]) {
      this[name] = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, this[name]);
      const place = gl.getAttribLocation(this.program, name);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, kind, normalised, 0, 0);
    }
  }

  #listen() {
    let from = null, moved = false;
    this.canvas.addEventListener("pointerdown", (event) => {
      from = [event.clientX, event.clientY];
      moved = false;
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      this.yaw += (event.clientX - from[0]) / 250;
      this.pitch = Math.max(-0.4, Math.min(1.5, this.pitch + (event.clientY - from[1]) / 250));
      moved ||= Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 2;
      from = [event.clientX, event.clientY];
      this.draw();
    });
    this.canvas.addEventListener("pointerup", () => {
      from = null;
      if (!moved) this.canvas.dispatchEvent(new CustomEvent("choose", {bubbles: true}));
    });
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.distance = Math.max(0.2, Math.min(5, this.distance * Math.exp(event.deltaY / 700)));
      this.draw();
    }, {passive: false});
  }

  resize(width, height) {
    this.canvas.width = Math.max(1, Math.round(width));
    this.canvas.height = Math.max(1, Math.round(height));
    this.draw();
  }

  // depths and colours (three bytes a pixel) of the map; what is farther than `farthest` is left
  // out.
  set(depths, colours, {width, height}, farthest) {
    const {gl} = this;
    const places = new Float32Array(3 * depths.length), shades = new Uint8Array(3 * depths.length);
    const sorted = [];
    let count = 0;
    for (let i = 0; i < depths.length; ++i) {
      const z = depths[i];
      if (!(z < farthest)) continue;
      const x = (i % width + 0.5 - width / 2) / (kFocal * width) * z;
      const y = (Math.floor(i / width) + 0.5 - height / 2) / (kFocal * width) * z;
      places.set([x, -y, -z], 3 * count);
      shades.set(colours.subarray(3 * i, 3 * i + 3), 3 * count);
      ++count;
      if (i % 97 === 0) sorted.push(z);
    }
    sorted.sort((a, b) => a - b);
    this.middle = sorted[Math.floor(0.6 * sorted.length)] ?? 1;
    this.count = count;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.position);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.DYNAMIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colour);
    gl.bufferData(gl.ARRAY_BUFFER, shades, gl.DYNAMIC_DRAW);
    this.draw();
  }

  draw() {
    const {gl} = this;
    if (!gl || !this.count) return;
    const {width, height} = this.canvas;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0.07, 0.075, 0.095, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const far = 60 * this.middle, near = this.middle / 100, zoom = 1.6;
    const aspect = width / height;
    const lens = new Float32Array([
      zoom / aspect * 1.6, 0, 0, 0, 0, zoom * 1.6, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0,
      0, -2 * far * near / (far - near), 0
    ]);
    const [c, s, d, t] =
        [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    const turned =
        new Float32Array([c, s * t, -s * d, 0, 0, d, t, 0, s, -c * t, c * d, 0, 0, 0, 0, 1]);
    const move = (z) => new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, z, 1]);
    const view = product(
        lens, product(move(-this.distance * this.middle), product(turned, move(this.middle))));
    gl.uniformMatrix4fv(gl.getUniformLocation(this.program, "view"), false, view);
    gl.uniform1f(gl.getUniformLocation(this.program, "size"), 0.006 * width * this.middle);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }
}
