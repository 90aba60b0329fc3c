"use strict";
// What is on the page as files: the view as a picture, nodes and edges as tables.

function save(name, blob) {
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// A table of RFC 4180: cells with a comma, a quote or a line break are quoted.
const cell = (value) => /[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
const csv = (lines) => lines.map((line) => line.map(cell).join(",") + "\r\n").join("");
const saveTable = (name, lines) => save(name, new Blob([csv(lines)], { type: "text/csv" }));

// The nodes that do not step back, with what the map shows of them.
function nodeTable() {
  const scores = data["mean-saliency"], numbers = coloring.by.startsWith(FEATURE) ? coloring.numbers : null;
  const lines = [["id", ...(data.labels ? ["class"] : []), "cluster", "degree", ...(scores ? ["mean_saliency"] : []), "x", "y", ...(numbers ? [numbers.name] : [])]];
  const short = (value) => Number.isNaN(value) ? "" : String(Number(value.toPrecision(6)));
  for (let i = 0; i < count; i++) {
    if (isBack(i)) continue;
    lines.push([idOf(i), ...(data.labels ? [data.labels[i] < 0 ? "" : names.classes[data.labels[i]]] : []), data.clusters[i], data.degrees[i],
      ...(scores ? [short(scores[i])] : []), short(data.points[2 * i]), short(data.points[2 * i + 1]), ...(numbers ? [short(numbers.values[i])] : [])]);
  }
  return lines;
}
function saveNode(i) {
  const labeled = data.labels ? ["class"] : [], class_ = (node) => data.labels ? [data.labels[node] < 0 ? "" : names.classes[data.labels[node]]] : [];
  const part = (kind, items) => items.map(({ node, value }) => [idOf(i), kind, idOf(node), ...class_(node), value.toFixed(4)]);
  saveTable("node.csv", [["node", "kind", "other", ...labeled, "value"], ...part("neighbor", neighborsOf(i)), ...part("nearest", nearestOf(i))]);
}
const edgeTable = () => [["source", "target", "saliency"], ...lowestEdges.map(({ ends, value }) => [...ends.map(idOf), value.toFixed(4)])];

// The view with its title and legend on one canvas.
function picture() {
  const ratio = scatter.ratio, pad = 14, line = 20, font = "13px system-ui, sans-serif";
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
  pen.font = font;
  const entries = legendEntries(), places = [];
  let left = 0, down = 0;
  for (const { text, rgb } of entries) {
    const wide = pen.measureText(text).width + (rgb ? 18 : 0) + 14;
    if (left && left + wide > scatter.width) [left, down] = [0, down + line];
    places.push([left, down]);
    left += wide;
  }
  const head = pad + 26, legend = entries.length ? down + line + 6 : 0;
  canvas.width = (scatter.width + 2 * pad) * ratio;
  canvas.height = (head + legend + scatter.height + pad) * ratio;
  pen.scale(ratio, ratio);
  pen.fillStyle = colors.card;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.textBaseline = "middle";
  pen.fillStyle = colors.ink;
  pen.font = "600 15px system-ui, sans-serif";
  pen.fillText(document.title, pad, pad + 8, scatter.width);
  pen.font = font;
  entries.forEach(({ text, rgb }, k) => {
    const [x, y] = [pad + places[k][0], head + places[k][1] + line / 2];
    if (rgb) {
      pen.fillStyle = css(rgb);
      pen.beginPath();
      pen.arc(x + 6, y, 5, 0, 7);
      pen.fill();
    }
    pen.fillStyle = colors.ink;
    pen.fillText(text, x + (rgb ? 18 : 0), y);
  });
  scatter.draw(); // a WebGL canvas can be copied only in the frame that it was drawn in
  for (const layer of [scatter.canvas, scatter.top.canvas]) pen.drawImage(layer, pad, head + legend, scatter.width, scatter.height);
  return canvas;
}
function legendEntries() {
  const grouped = GROUPED[coloring.by];
  if (coloring.by === SEARCH) return [{ text: byId("legend").textContent, rgb: colors.hues[0] }];
  if (!grouped) {
    const { low, high, name } = coloring.numbers, at = (part) => low + part * (high - low);
    return coloring.numbers.log || coloring.numbers.parts ? [{ text: `${name}: ${shortNumber(low)} to ${shortNumber(high)}`, rgb: null }]
      : [{ text: name + ":", rgb: null }, ...[0, 0.5, 1].map((part) => ({ text: shortNumber(at(part)), rgb: heat(part) }))];
  }
  const groups = [...new Set(Array.from({ length: count }, (_, i) => grouped.of(i)))].filter((group) => !state.picked.size || state.picked.has(group));
  return groups.sort((a, b) => (a < 0) - (b < 0) || a - b).map((group) => ({ text: grouped.name(group), rgb: hue(group) }));
}

byId("save-view").addEventListener("click", () => picture().toBlob((blob) => save("map.png", blob)));
byId("save-nodes").addEventListener("click", () => saveTable("nodes.csv", nodeTable()));
byId("save-edges").addEventListener("click", () => saveTable("lowest-edges.csv", edgeTable()));
