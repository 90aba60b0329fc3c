"use strict";
// The page around the map: colors, search, the selected node. Every name is set as text.

const LISTED = 12;
const names = JSON.parse(byId("names").textContent);
const data = Object.fromEntries(["points", "clusters", "degrees", "offsets", "targets", "saliency", "nearest",
  "cosines", "labels"].map((name) => [name, read(name)]));
const count = data.degrees.length, perNode = count ? data.nearest.length / count : 0;
const idOf = (i) => names.ids ? names.ids[i] : String(i);
const stage = byId("stage"), tip = byId("tip"), panel = byId("panel"), search = byId("search"), matches = byId("matches");
const scatter = new Scatter(stage, data.points);
const state = { by: data.labels ? "labels" : "clusters", picked: new Set(), selected: -1, hovered: -1, lowFirst: false, all: false };

// Classes that are just numbers are called so.
const numbered = names.classes.every((name, group) => name === String(group));
// What nodes are colored by. A group is a number; -1 is that of nodes without a label.
const GROUPED = {
  labels: { of: (i) => data.labels[i], name: (group) => group < 0 ? "no label" : numbered ? "class " + group : names.classes[group] },
  clusters: { of: (i) => data.clusters[i], name: (group) => "cluster " + group },
};
const className = (i) => data.labels ? GROUPED.labels.name(data.labels[i]) : "";
const topDegree = data.degrees.reduce((most, degree) => Math.max(most, degree), 1);
const warmth = (i) => Math.log1p(data.degrees[i]) / Math.log1p(topDegree);

function heat(part) {
  const at = Math.min(part * 4, 3.999), low = Math.floor(at);
  return colors.ramp[low].map((value, k) => Math.round(value + (colors.ramp[low + 1][k] - value) * (at - low)));
}
function look(i) {
  if (state.by === "degrees") return [heat(warmth(i)), 0];
  const group = GROUPED[state.by].of(i);
  return [hue(group), shape(group)];
}
const mark = (i) => dot(...look(i));

function paint() {
  const grouped = GROUPED[state.by];
  paintPoints(scatter, look, (i) => grouped && state.picked.size && !state.picked.has(grouped.of(i)));
}

function drawLegend() {
  const legend = byId("legend"), grouped = GROUPED[state.by];
  if (grouped) {
    const groups = Array.from({ length: count }, (_, i) => grouped.of(i));
    drawGroups(legend, groupSizes(groups), grouped.name, state.picked, () => colorBy(state.by));
    return;
  }
  const bar = element("span", { className: "ramp" });
  bar.style.background = `linear-gradient(90deg, ${colors.ramp.map(css).join(", ")})`;
  legend.classList.remove("picked");
  legend.replaceChildren("0", bar, topDegree.toLocaleString("en") + " neighbors (logarithmic)");
}

function colorBy(by) {
  if (by !== state.by) state.picked.clear();
  state.by = by;
  for (const button of byId("colors").children) {
    button.hidden = button.dataset.by === "labels" && !data.labels;
    button.setAttribute("aria-pressed", String(button.dataset.by === by));
  }
  drawLegend();
  paint();
  drawPanel();
}

const neighborsOf = (i) => Array.from({ length: data.offsets[i + 1] - data.offsets[i] }, (_, k) => {
  const at = data.offsets[i] + k;
  return { node: data.targets[at], value: data.saliency[at] / 65535 };
});
const nearestOf = (i) => Array.from({ length: perNode }, (_, k) => (
  { node: data.nearest[i * perNode + k], value: data.cosines[i * perNode + k] / 32767 }));

// A list of nodes with a value each; a click moves to the node.
function rows(items, note) {
  return element("ul", { className: "rows" }, ...items.map(({ node, value }) => {
    const filled = element("i");
    filled.style.width = 100 * Math.max(0, value) + "%";
    const said = note(node);
    const button = element("button", { type: "button", attributes: { "data-node": node } }, mark(node),
      element("span", { className: "id", title: idOf(node) }, idOf(node), said ? element("small", { textContent: said }) : ""),
      element("span", { className: "track" }, filled), element("output", { textContent: value.toFixed(3) }));
    button.addEventListener("click", () => select(node, true));
    return element("li", {}, button);
  }));
}

function drawPanel() {
  const i = state.selected;
  if (i < 0) {
    panel.replaceChildren(element("p", { className: "hint",
      textContent: "Click a node, or find one by its id, to see its neighbors with the saliency of each edge, and the nodes with the most similar embeddings." }),
      element("p", { className: "hint", textContent: "Drag to move, scroll or pinch to zoom, / to search, Escape to let go. A click in the legend shows one group alone." }));
    return;
  }
  const fact = (name, ...value) => element("div", {}, element("dt", { textContent: name }), element("dd", {}, ...value));
  const facts = element("dl", {}, ...(data.labels ? [fact("Class", data.labels[i] < 0 ? "–" : names.classes[data.labels[i]])] : []),
    fact("Cluster", String(data.clusters[i])), fact("Degree", data.degrees[i].toLocaleString("en")));
  const around = neighborsOf(i), linked = new Set(around.map(({ node }) => node));
  if (state.lowFirst) around.reverse();
  const more = element("button", { type: "button", className: "more", textContent: `show all ${around.length}` });
  more.addEventListener("click", () => { state.all = true; drawPanel(); });
  const cut = data.degrees[i] > around.length ? ` (${around.length} of ${data.degrees[i].toLocaleString("en")}, the highest and lowest)` : "";
  const turn = element("button", { type: "button", textContent: state.lowFirst ? "highest first" : "lowest first" });
  turn.addEventListener("click", () => { state.lowFirst = !state.lowFirst; drawPanel(); });
  panel.replaceChildren(
    element("h3", {}, mark(i), " ", idOf(i)), facts,
    element("h4", {}, "Neighbors", element("small", { textContent: "saliency S" + cut }), around.length > 1 ? turn : ""),
    around.length ? rows(state.all ? around : around.slice(0, LISTED), className) : element("p", { className: "hint", textContent: "No neighbors." }),
    around.length > LISTED && !state.all ? more : "",
    element("h4", {}, "Nearest nodes", element("small", { textContent: "cosine of the embeddings" })),
    rows(nearestOf(i), (node) => [className(node), linked.has(node) ? "neighbor" : ""].filter(Boolean).join(" · ")));
}

function select(i, move = false) {
  state.selected = i;
  state.all = false;
  panel.scrollTop = 0;
  drawPanel();
  if (move && i >= 0) scatter.moveTo(i);
  else scatter.redraw();
}

function hover(i) {
  if (i === state.hovered && i < 0) return;
  state.hovered = i;
  const said = i < 0 ? [] : [className(i), "cluster " + data.clusters[i], "degree " + data.degrees[i]];
  placeTip(scatter, tip, i, i < 0 ? "" : idOf(i), said.filter(Boolean).join(" · "));
  scatter.redraw();
}

scatter.drawTop = (pen) => {
  const ring = (...look) => drawRing(scatter, pen, ...look);
  const radius = scatter.size / 2 + 3;
  if (state.selected >= 0) {
    const from = scatter.pixelOf(state.selected), around = neighborsOf(state.selected);
    const ease = Math.min(1, 5 / Math.sqrt(around.length)); // many lines are thin, else they hide the map
    pen.strokeStyle = colors.ink;
    for (const { node, value } of around) {
      pen.globalAlpha = (0.35 + 0.4 * value) * Math.max(ease, 0.45);
      pen.lineWidth = 0.5 + 1.5 * value * ease;
      pen.setLineDash(value < 0.5 ? [4, 4] : []);
      pen.beginPath();
      pen.moveTo(...from);
      pen.lineTo(...scatter.pixelOf(node));
      pen.stroke();
    }
    pen.globalAlpha = 1;
    pen.setLineDash([]);
    for (const { node } of around) ring(node, radius - 1, 0.5 + 0.8 * ease, colors.ink);
    ring(state.selected, radius + 2, 5, colors.card);
    ring(state.selected, radius + 2, 2.5, colors.accent);
  }
  if (state.hovered >= 0) ring(state.hovered, radius, 2, colors.ink);
};

navigate(scatter, hover, select);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && event.target !== search) {
    event.preventDefault();
    search.focus();
  } else if (event.key === "Escape" && event.target !== search) select(-1);
});
byId("zoom-in").addEventListener("click", () => scatter.zoom(1.6));
byId("zoom-out").addEventListener("click", () => scatter.zoom(1 / 1.6));
byId("zoom-fit").addEventListener("click", () => fitAll(scatter));
for (const button of byId("colors").children) button.addEventListener("click", () => colorBy(button.dataset.by));

onThemeChange(() => colorBy(state.by));
byId("training").hidden = !byId("training").querySelector("figure");
colorBy(state.by);

// For scripts and tests: where a node lies on the stage, what is selected, how often was drawn.
window.explorer = {
  count, select, pixelOf: (i) => scatter.pixelOf(i), draw: () => scatter.draw(),
  get selected() { return state.selected; }, get frames() { return scatter.frames; },
  get webgl() { return Boolean(scatter.gl); },
};
