"use strict";
// Maps side by side: one coloring, one legend, and the node under the pointer marked in all of them.

const maps = [...document.querySelectorAll("#maps .stage")].map((stage, k) => ({
  scatter: new Scatter(stage, read("points-" + k)), tip: stage.querySelector(".tip"),
  labels: read("labels-" + k), clusters: read("clusters-" + k),
}));
const state = { by: "labels", picked: new Set(), hovered: -1 };
const WORDS = { labels: "class", clusters: "cluster" };
const groupName = (by, group) => group < 0 ? "no label" : WORDS[by] + " " + group;

function colorBy(by) {
  if (by !== state.by) state.picked.clear();
  state.by = by;
  for (const button of byId("colors").children) button.setAttribute("aria-pressed", String(button.dataset.by === by));
  const sizes = groupSizes(maps.flatMap((map) => [...map[by]]));
  // Nodes have the same classes in every map, but each method has clusters of its own.
  for (const [group, size] of sizes) sizes.set(group, by === "labels" ? size / maps.length : null);
  drawGroups(byId("legend"), sizes, (group) => groupName(by, group), state.picked, () => colorBy(state.by));
  for (const map of maps) {
    const groups = map[by];
    paintPoints(map.scatter, (i) => [hue(groups[i]), shape(groups[i])], (i) => state.picked.size > 0 && !state.picked.has(groups[i]));
  }
}

function hover(map, i) {
  if (i === state.hovered && i < 0) return;
  state.hovered = i;
  const text = i < 0 ? "" : ["labels", "clusters"].map((by) => groupName(by, map[by][i])).join(" · ");
  placeTip(map.scatter, map.tip, i, "node " + i, text);
  for (const each of maps) each.scatter.redraw();
}

for (const map of maps) {
  navigate(map.scatter, (i) => hover(map, i), () => {});
  map.scatter.drawTop = (pen) => {
    const i = state.hovered, radius = map.scatter.size / 2 + 3;
    if (i < 0 || i >= map.scatter.count) return;
    drawRing(map.scatter, pen, i, radius + 1, 5, colors.card);
    drawRing(map.scatter, pen, i, radius + 1, 2.5, colors.ink);
  };
}
for (const button of byId("colors").children) button.addEventListener("click", () => colorBy(button.dataset.by));
byId("zoom-fit").addEventListener("click", () => maps.forEach((map) => fitAll(map.scatter)));
for (const section of document.querySelectorAll("section.pictures")) section.hidden = !section.querySelector("figure");
onThemeChange(() => colorBy(state.by));
colorBy(state.by);

// For scripts and tests.
window.comparison = { maps, get hovered() { return state.hovered; } };
