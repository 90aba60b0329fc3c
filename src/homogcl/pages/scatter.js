"use strict";
// Points by the hundred thousand: WebGL, or a plain canvas where there is none.

const VERTEX = `
attribute vec2 position;
attribute vec4 look; // red, green, blue, and the shape, plus 8 where a point steps back
uniform vec2 center, zoom;
uniform float size;
varying vec3 color;
varying float shape, strength, width;
void main() {
  float style = floor(look.a * 255.0 + 0.5);
  strength = style >= 8.0 ? 0.1 : 0.85;
  shape = mod(style, 8.0);
  color = look.rgb;
  gl_Position = vec4((position - center) * zoom, 0.0, 1.0);
  gl_PointSize = width = size;
}`;

const FRAGMENT = `
precision mediump float;
varying vec3 color;
varying float shape, strength, width;
void main() {
  vec2 p = gl_PointCoord * 2.0 - 1.0, a = abs(p);
  float edge = length(p) - 0.8; // a circle
  if (shape > 3.5) edge = min(max(a.x - 0.3, a.y - 0.9), max(a.y - 0.3, a.x - 0.9)); // a plus
  else if (shape > 2.5) edge = max(a.x * 0.87 - p.y * 0.5 - 0.45, p.y - 0.7); // a triangle
  else if (shape > 1.5) edge = (a.x + a.y - 1.0) * 0.7; // a diamond
  else if (shape > 0.5) edge = max(a.x, a.y) - 0.7; // a square
  float cover = clamp(0.5 - edge * width * 0.5, 0.0, 1.0) * strength;
  gl_FragColor = vec4(color * cover, cover);
}`;

class Scatter {
  // `points` holds x and y in turn; `looks` four bytes a point, as the vertex shader reads them.
  constructor(stage, points) {
    this.stage = stage;
    this.points = points;
    this.count = points.length / 2;
    this.looks = new Uint8Array(4 * this.count);
    this.canvas = stage.appendChild(document.createElement("canvas"));
    this.top = stage.appendChild(document.createElement("canvas")).getContext("2d");
    this.drawTop = () => {};
    this.frames = 0;
    this.gl = this.canvas.getContext("webgl", { antialias: false });
    this.flat = this.gl ? null : this.canvas.getContext("2d");
    if (this.gl) this.prepare();
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => { this.prepare(); this.draw(); });
    this.extent();
    this.index();
    new ResizeObserver(() => this.resize()).observe(stage);
    this.resize();
  }

  prepare() {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.uniform = Object.fromEntries(["center", "zoom", "size"].map(
      (name) => [name, gl.getUniformLocation(program, name)]));
    const attribute = (name, width, kind, normalized) => {
      const buffer = gl.createBuffer(), place = gl.getAttribLocation(program, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, width, kind, normalized, 0, 0);
      return buffer;
    };
    attribute("position", 2, gl.FLOAT, false);
    gl.bufferData(gl.ARRAY_BUFFER, this.points, gl.STATIC_DRAW);
    this.lookBuffer = attribute("look", 4, gl.UNSIGNED_BYTE, true);
    gl.bufferData(gl.ARRAY_BUFFER, this.looks, gl.DYNAMIC_DRAW);
  }

  recolor() {
    if (this.gl) {
      this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.lookBuffer);
      this.gl.bufferData(this.gl.ARRAY_BUFFER, this.looks, this.gl.DYNAMIC_DRAW);
    }
    this.redraw();
  }

  extent() {
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    this.points.forEach((value, i) => {
      if (value < low[i & 1]) low[i & 1] = value;
      if (value > high[i & 1]) high[i & 1] = value;
    });
    this.low = this.count ? low : [0, 0];
    this.span = this.count ? [high[0] - low[0] || 1, high[1] - low[1] || 1] : [1, 1];
  }

  // Points by the cell of a grid, so that the one under the pointer is found without a search.
  index() {
    this.side = Math.max(1, Math.min(512, Math.ceil(Math.sqrt(this.count / 2))));
    const cells = new Uint32Array(this.count);
    this.starts = new Uint32Array(this.side * this.side + 1);
    for (let i = 0; i < this.count; i++) {
      cells[i] = this.cell(0, this.points[2 * i]) + this.side * this.cell(1, this.points[2 * i + 1]);
      this.starts[cells[i] + 1]++;
    }
    for (let c = 0; c < this.side * this.side; c++) this.starts[c + 1] += this.starts[c];
    const next = this.starts.slice();
    this.members = new Uint32Array(this.count);
    for (let i = 0; i < this.count; i++) this.members[next[cells[i]]++] = i;
  }

  cell(axis, value) {
    const place = Math.floor((value - this.low[axis]) / this.span[axis] * this.side);
    return Math.max(0, Math.min(this.side - 1, place));
  }

  // The point nearest to a place of the stage, at most `reach` pixels away, or -1.
  pick(left, up, reach) {
    const [x, y] = this.place(left, up), r = reach / this.scale;
    let best = -1, least = r * r;
    for (let row = this.cell(1, y - r); row <= this.cell(1, y + r); row++) {
      const from = this.starts[this.cell(0, x - r) + this.side * row];
      const to = this.starts[this.cell(0, x + r) + this.side * row + 1];
      for (let at = from; at < to; at++) {
        const i = this.members[at], dx = this.points[2 * i] - x, dy = this.points[2 * i + 1] - y;
        if (dx * dx + dy * dy <= least) [best, least] = [i, dx * dx + dy * dy];
      }
    }
    return best;
  }

  place(left, up) {
    return [this.x + (left - this.width / 2) / this.scale, this.y - (up - this.height / 2) / this.scale];
  }

  pixelOf(i) {
    return [this.width / 2 + (this.points[2 * i] - this.x) * this.scale,
            this.height / 2 - (this.points[2 * i + 1] - this.y) * this.scale];
  }

  // Diameter in pixels: what the number of points leaves room for, growing slowly as one zooms in.
  get size() {
    const room = Math.sqrt(this.width * this.height / Math.max(this.count, 1));
    const base = Math.max(2.6, Math.min(9, 0.55 * room));
    return Math.min(18, base * Math.pow(this.scale / this.fitScale, 0.35));
  }

  resize() {
    const first = this.width === undefined, before = this.fitScale;
    [this.width, this.height] = [Math.max(1, this.stage.clientWidth), Math.max(1, this.stage.clientHeight)];
    this.ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.top.canvas]) {
      canvas.width = Math.round(this.width * this.ratio);
      canvas.height = Math.round(this.height * this.ratio);
    }
    this.fitScale = 0.94 * Math.min(this.width / this.span[0], this.height / this.span[1]);
    if (first) this.fit();
    else this.scale *= this.fitScale / before;
    this.draw();
  }

  fit() {
    [this.x, this.y] = [0, 1].map((axis) => this.low[axis] + this.span[axis] / 2);
    this.scale = this.fitScale;
    this.redraw();
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
    this.redraw();
  }

  zoom(factor, left = this.width / 2, up = this.height / 2) {
    const [x, y] = this.place(left, up);
    this.scale = Math.max(this.fitScale / 2, Math.min(this.fitScale * 2000, this.scale * factor));
    const [nx, ny] = this.place(left, up);
    this.x += x - nx;
    this.y += y - ny;
    this.redraw();
  }

  // Bring a point, or the middle between two, to the center: near enough to tell one from others,
  // far enough to show both.
  moveTo(i, other = -1) {
    const from = [this.x, this.y, this.scale], start = performance.now(), j = other < 0 ? i : other;
    const [apart, middle] = [(a, b) => Math.abs(a - b), (a, b) => (a + b) / 2].map((of) => (
      [0, 1].map((axis) => of(this.points[2 * i + axis], this.points[2 * j + axis]))));
    const room = 0.8 * Math.min(this.width / (apart[0] || 1e-9), this.height / (apart[1] || 1e-9));
    const to = [...middle, Math.min(room, Math.max(this.scale, 2.5 * this.fitScale))];
    const time = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 300;
    const turn = this.turn = {};
    const step = (now) => {
      if (turn !== this.turn) return;
      const part = time ? Math.max(0, Math.min(1, (now - start) / time)) : 1;
      const ease = part * part * (3 - 2 * part);
      [this.x, this.y, this.scale] = from.map((value, k) => value + (to[k] - value) * ease);
      this.draw();
      if (part < 1) requestAnimationFrame(step);
    };
    step(start);
  }

  stop() { this.turn = null; }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  draw() {
    if (this.gl) this.drawPoints();
    else this.drawFlat();
    this.top.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.top.clearRect(0, 0, this.width, this.height);
    this.drawTop(this.top);
    this.frames++;
  }

  drawPoints() {
    const gl = this.gl;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.uniform.center, this.x, this.y);
    gl.uniform2f(this.uniform.zoom, 2 * this.scale / this.width, 2 * this.scale / this.height);
    gl.uniform1f(this.uniform.size, this.size * this.ratio);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }

  drawFlat() {
    const pen = this.flat, size = this.size, looks = this.looks;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    for (let i = 0; i < this.count; i++) {
      const [left, up] = this.pixelOf(i);
      pen.globalAlpha = looks[4 * i + 3] >= 8 ? 0.1 : 0.85;
      pen.fillStyle = `rgb(${looks[4 * i]} ${looks[4 * i + 1]} ${looks[4 * i + 2]})`;
      pen.fillRect(left - size / 2, up - size / 2, size, size);
    }
    pen.globalAlpha = 1;
  }
}
