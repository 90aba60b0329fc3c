"use strict";
// What the page holds of the nodes, and which node or edge is selected. Every name is set as text.

const names = JSON.parse(byId("names").textContent);
const data = Object.fromEntries(["points", "clusters", "degrees", "offsets", "targets", "saliency", "nearest",
  "cosines", "labels", "mean-saliency", "lowest-ends", "lowest-saliency", "feature-ranges", "feature-offsets",
  "feature-nodes", "feature-levels"].map((name) => [name, read(name)]));
const count = data.degrees.length, perNode = count ? data.nearest.length / count : 0;
const idOf = (i) => names.ids ? names.ids[i] : String(i);
const stage = byId("stage"), tip = byId("tip"), panel = byId("panel"), search = byId("search"), matches = byId("matches");
const scatter = new Scatter(stage, data.points);
const state = { picked: new Set(), selected: -1, other: -1, hovered: -1, lowFirst: false, all: false };

// Classes that are just numbers are called so.
const numbered = names.classes.every((name, group) => name === String(group));
const classNames = names.classes.map((name) => numbered ? "class " + name : name);
const className = (i) => !data.labels ? "" : data.labels[i] < 0 ? "no label" : classNames[data.labels[i]];

const neighborsOf = (i) => Array.from({ length: data.offsets[i + 1] - data.offsets[i] }, (_, k) => {
  const at = data.offsets[i] + k;
  return { node: data.targets[at], value: data.saliency[at] / 65535 };
});
const nearestOf = (i) => Array.from({ length: perNode }, (_, k) => (
  { node: data.nearest[i * perNode + k], value: data.cosines[i * perNode + k] / 32767 }));
const lowestEdges = Array.from({ length: data["lowest-saliency"].length }, (_, k) => (
  { ends: [...data["lowest-ends"].subarray(2 * k, 2 * k + 2)], value: data["lowest-saliency"][k] / 65535 }));

// Select a node, -1 for none; `other` is the far end of an edge that is looked at.
function select(i, move = false, other = -1) {
  Object.assign(state, { selected: i, other, all: false });
  panel.scrollTop = 0;
  drawPanel();
  markEdges();
  writeAddress(i);
  if (move && i >= 0) scatter.moveTo(i, other);
  else scatter.redraw();
}

// The selected node stands in the address, so that it can be sent, and the browser's Back returns to it.
const ADDRESS = "#node=";
const addressOf = (i) => i < 0 ? "" : ADDRESS + encodeURIComponent(idOf(i));
function writeAddress(i) {
  if (nodeInAddress() === i) return;
  if (i >= 0) location.hash = addressOf(i);
  else history.replaceState(null, "", location.pathname + location.search);
}
function nodeInAddress() {
  if (!location.hash.startsWith(ADDRESS)) return -1;
  let id = location.hash.slice(ADDRESS.length);
  try {
    id = decodeURIComponent(id);
  } catch { /* a half-written escape is looked for as it stands */ }
  for (let i = 0; i < count; i++) if (idOf(i) === id) return i;
  return -1;
}
function readAddress() {
  const i = nodeInAddress();
  if (i !== state.selected) select(i, true);
  else if (i < 0 && location.hash.startsWith(ADDRESS)) panel.prepend(element("p", { className: "hint", textContent: "The address names a node that is not on this page." }));
}
