"use strict";
// What every page needs: its data, elements, colors and legends. Every name is set as text.

const KINDS = { Float32: Float32Array, Int32: Int32Array, Uint32: Uint32Array, Uint16: Uint16Array, Int16: Int16Array, Uint8: Uint8Array };
const HUES = 8, SHAPES = 5;
const byId = (id) => document.getElementById(id);

function read(name) {
  const block = byId("array-" + name);
  if (!block) return null;
  const text = block.textContent;
  block.textContent = "";
  if (Uint8Array.fromBase64) return new KINDS[block.dataset.kind](Uint8Array.fromBase64(text).buffer);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new KINDS[block.dataset.kind](bytes.buffer);
}

function element(tag, options = {}, ...inside) {
  const { attributes = {}, ...properties } = options;
  const node = Object.assign(document.createElement(tag), properties);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...inside);
  return node;
}

function theme() {
  const style = getComputedStyle(document.documentElement);
  const rgb = (name) => [1, 3, 5].map((at) => parseInt(style.getPropertyValue(name).trim().slice(at, at + 2), 16));
  return {
    ink: style.getPropertyValue("--ink"), card: style.getPropertyValue("--card"), accent: style.getPropertyValue("--accent"),
    hues: Array.from({ length: HUES }, (_, k) => rgb("--c" + k)),
    ramp: Array.from({ length: 5 }, (_, k) => rgb("--r" + k)), none: rgb("--none"),
  };
}
let colors = theme();

// A group is a number; -1 is that of nodes without a label.
const css = (rgb) => `rgb(${rgb.join(" ")})`;
const hue = (group) => group < 0 ? colors.none : colors.hues[group % HUES];
const shape = (group) => group < 0 ? 0 : Math.floor(group / HUES) % SHAPES;

function dot(rgb, form) {
  const mark = element("i", { className: "mark s" + form });
  mark.style.background = css(rgb);
  return mark;
}

function groupSizes(groups) {
  const sizes = new Map();
  for (const group of groups) sizes.set(group, (sizes.get(group) || 0) + 1);
  return sizes;
}

// One button for each group, with its size where that is known; a click sets other groups back.
function drawGroups(legend, sizes, name, picked, change) {
  legend.classList.toggle("picked", picked.size > 0);
  legend.replaceChildren(...[...sizes.keys()].sort((a, b) => (a < 0) - (b < 0) || a - b).map((group) => {
    const size = sizes.get(group) === null ? "" : element("small", { textContent: sizes.get(group).toLocaleString("en") });
    const button = element("button", { type: "button", title: "Show only this group",
      attributes: { "aria-pressed": String(picked.has(group)), "data-group": group } },
      dot(hue(group), shape(group)), element("span", { textContent: name(group) }), size);
    button.addEventListener("click", () => {
      if (!picked.delete(group)) picked.add(group);
      change();
      legend.querySelector(`[data-group="${group}"]`).focus();
    });
    return button;
  }));
}

// Give each point of a map its color and shape; a point steps back where `isBack` says so.
function paintPoints(scatter, look, isBack) {
  for (let i = 0; i < scatter.count; i++) {
    const [rgb, form] = look(i);
    scatter.looks.set(rgb, 4 * i);
    scatter.looks[4 * i + 3] = form + (isBack(i) ? 8 : 0);
  }
  scatter.recolor();
}

const onThemeChange = (draw) => matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  colors = theme();
  draw();
});
