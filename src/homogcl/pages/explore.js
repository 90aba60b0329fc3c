"use strict";
// The page of a run: what is drawn over the map, and how its parts answer each other.

function hover(i) {
  if (i === state.hovered && i < 0) return;
  state.hovered = i;
  const value = i >= 0 && coloring.numbers && coloring.by !== DEGREE ? `${coloring.numbers.name} ${shortNumber(coloring.numbers.values[i])}` : "";
  const facts = i < 0 ? [] : [className(i), "cluster " + data.clusters[i], "degree " + data.degrees[i], value];
  placeTip(scatter, tip, i, i < 0 ? "" : idOf(i), facts.filter(Boolean).join(" · "));
  scatter.redraw();
}

function drawLine(pen, from, node) {
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...scatter.pixelOf(node));
  pen.stroke();
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
      drawLine(pen, from, node);
    }
    pen.globalAlpha = 1;
    pen.setLineDash([]);
    for (const { node } of around) ring(node, radius - 1, 0.5 + 0.8 * ease, colors.ink);
    if (state.other >= 0) {
      Object.assign(pen, { strokeStyle: colors.accent, lineWidth: 3 });
      drawLine(pen, from, state.other);
      ring(state.other, radius + 2, 2.5, colors.accent);
    }
    ring(state.selected, radius + 2, 5, colors.card);
    ring(state.selected, radius + 2, 2.5, colors.accent);
  }
  if (state.hovered >= 0) ring(state.hovered, radius, 2, colors.ink);
};

navigate(scatter, hover, select);
document.addEventListener("keydown", (event) => {
  if (event.target === search) return;
  if (event.key === "/") {
    event.preventDefault();
    search.focus();
  } else if (event.key === "Escape" && event.target.tagName !== "SELECT") select(-1);
});
byId("zoom-in").addEventListener("click", () => scatter.zoom(1.6));
byId("zoom-out").addEventListener("click", () => scatter.zoom(1 / 1.6));
byId("zoom-fit").addEventListener("click", () => fitAll(scatter));
window.addEventListener("hashchange", readAddress);

onThemeChange(() => colorBy(coloring.by));
byId("training").hidden = !byId("training").querySelector("figure");
byId("verdict").hidden = !byId("verdict").querySelector("dd, li");
offerColors();
colorBy(data.labels ? CLASSES : CLUSTERS);
readAddress();

// For scripts and tests: where a node lies on the stage, what is selected, how often was drawn.
window.explorer = {
  count, select, pixelOf: (i) => scatter.pixelOf(i), draw: () => scatter.draw(),
  get selected() { return state.selected; }, get frames() { return scatter.frames; },
  get webgl() { return Boolean(scatter.gl); },
};
