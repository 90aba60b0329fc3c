"use strict";
// What nodes are colored by: groups with a hue each, or numbers along a ramp.

const CLASSES = "labels", CLUSTERS = "clusters", DEGREE = "degrees", SALIENCY = "saliency", SEARCH = "search", FEATURE = "feature:";
// A group is a number; -1 is that of nodes without a label.
const GROUPED = {
  [CLASSES]: { of: (i) => data.labels[i], name: (group) => group < 0 ? "no label" : classNames[group] },
  [CLUSTERS]: { of: (i) => data.clusters[i], name: (group) => "cluster " + group },
};
const coloring = { by: "", numbers: null };

const shortNumber = (value) => Math.abs(value) >= 1e6 || (value && Math.abs(value) < 1e-3) ? value.toExponential(2)
  : value.toLocaleString("en", { maximumSignificantDigits: Math.abs(value) >= 1000 ? 7 : 4 });

// Numbers of the nodes, their range, and what they are called; a node without one has NaN.
function numbersOf(by) {
  if (by === DEGREE) return ranged(data.degrees, "neighbors (logarithmic)", { low: 0, log: true });
  if (by === SALIENCY) return { ...ranged(data["mean-saliency"], "mean saliency of a node's edges, colored by rank"), parts: ranks(data["mean-saliency"]) };
  const column = Number(by.slice(FEATURE.length)), [rest, low, high] = data["feature-ranges"].subarray(3 * column, 3 * column + 3);
  const values = new Float32Array(count).fill(rest);
  for (let at = data["feature-offsets"][column]; at < data["feature-offsets"][column + 1]; at++) {
    values[data["feature-nodes"][at]] = low + (high - low) * data["feature-levels"][at] / 255;
  }
  return { values, low, high, name: names.features[column] };
}
function ranged(values, name, { low = Infinity, log = false } = {}) {
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { values, name, low, high: high > -Infinity ? high : low, log };
}
// The share of the values that are below each one: many are nearly equal, and a ramp would not tell them apart.
function ranks(values) {
  const sorted = Float32Array.from(values).filter((value) => !Number.isNaN(value)).sort(), first = new Map();
  sorted.forEach((value, at) => { if (!first.has(value)) first.set(value, at / Math.max(1, sorted.length - 1)); });
  return Float32Array.from(values, (value) => first.has(value) ? first.get(value) : NaN);
}
function warmth({ values, low, high, log, parts }, i) {
  if (parts) return parts[i];
  if (Number.isNaN(values[i])) return NaN;
  const at = log ? Math.log1p : (value) => value;
  return high > low ? (at(values[i]) - at(low)) / (at(high) - at(low)) : 0.5;
}
function heat(part) {
  if (Number.isNaN(part)) return colors.none;
  const at = Math.max(0, Math.min(part * 4, 3.999)), low = Math.floor(at);
  return colors.ramp[low].map((value, k) => Math.round(value + (colors.ramp[low + 1][k] - value) * (at - low)));
}

function look(i) {
  if (coloring.by === SEARCH) return [searched.has(i) ? colors.hues[0] : colors.none, 0];
  if (coloring.numbers) return [heat(warmth(coloring.numbers, i)), 0];
  const group = GROUPED[coloring.by].of(i);
  return [hue(group), shape(group)];
}
const mark = (i) => dot(...look(i));

// Whether a node steps back: it is of no picked group, or does not match what is searched.
function isBack(i) {
  if (coloring.by === SEARCH) return searched.size > 0 && !searched.has(i);
  const grouped = GROUPED[coloring.by];
  return Boolean(grouped) && state.picked.size > 0 && !state.picked.has(grouped.of(i));
}

function drawLegend() {
  const legend = byId("legend"), grouped = GROUPED[coloring.by];
  if (grouped) {
    const groups = Array.from({ length: count }, (_, i) => grouped.of(i));
    drawGroups(legend, groupSizes(groups), grouped.name, state.picked, () => colorBy(coloring.by));
    return;
  }
  legend.classList.remove("picked");
  if (coloring.by === SEARCH) {
    const text = search.value.trim();
    legend.replaceChildren(dot(colors.hues[0], 0), text ? `${searched.size.toLocaleString("en")} of ${count.toLocaleString("en")} nodes match “${text}”`
      : "Type into the search box: nodes whose id or class holds the text are colored.");
    return;
  }
  const { low, high, name } = coloring.numbers, bar = element("span", { className: "ramp" });
  bar.style.background = `linear-gradient(90deg, ${colors.ramp.map(css).join(", ")})`;
  legend.replaceChildren(shortNumber(low), bar, shortNumber(high), element("span", { className: "what", textContent: name }));
}

function colorBy(by) {
  if (by !== coloring.by) {
    state.picked.clear();
    coloring.numbers = GROUPED[by] || by === SEARCH ? null : numbersOf(by);
  }
  coloring.by = by;
  byId("colors").value = by;
  drawLegend();
  paintPoints(scatter, look, isBack);
  drawPanel();
  drawEdges();
}

function offerColors() {
  const option = (value, textContent) => element("option", { value, textContent });
  const columns = names.features.map((name, k) => option(FEATURE + k, name));
  const simple = [...(data.labels ? [option(CLASSES, "Class")] : []), option(CLUSTERS, "Cluster"), option(DEGREE, "Degree"),
    ...(data["mean-saliency"] ? [option(SALIENCY, "Saliency")] : []), option(SEARCH, "Search")];
  byId("colors").replaceChildren(...simple, ...(columns.length ? [element("optgroup", { label: "Features" }, ...columns)] : []));
  byId("colors").addEventListener("change", (event) => colorBy(event.target.value));
}
