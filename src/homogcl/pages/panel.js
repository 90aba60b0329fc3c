"use strict";
// The panel beside the map: the selected node, its neighbors and the nodes that are most like it.

const LISTED = 12;

// A list of nodes with a value each; a click moves to the node.
function rows(items, note) {
  return element("ul", { className: "rows" }, ...items.map(({ node, value }) => {
    const filled = element("i");
    filled.style.width = 100 * Math.max(0, value) + "%";
    const text = note(node);
    const button = element("button", { type: "button", attributes: { "data-node": node } }, mark(node),
      element("span", { className: "id" }, idOf(node), ...(text ? [" ", element("small", { textContent: text })] : [])),
      element("span", { className: "track" }, filled), element("output", { textContent: value.toFixed(3) }));
    button.addEventListener("click", () => select(node, true));
    return element("li", {}, button);
  }));
}

function hints() {
  return ["Click a node, or search it, to see its neighbors with the saliency of each edge, and the nodes with the most similar embeddings.",
    "Drag to move, scroll or pinch to zoom, / to search, Escape to let go. A click in the legend shows one group alone.",
  ].map((textContent) => element("p", { className: "hint", textContent }));
}

function drawPanel() {
  const i = state.selected;
  if (i < 0) return panel.replaceChildren(...hints());
  const fact = (name, value) => element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value }));
  const facts = element("dl", {}, ...(data.labels ? [fact("Class", data.labels[i] < 0 ? "–" : names.classes[data.labels[i]])] : []),
    fact("Cluster", String(data.clusters[i])), fact("Degree", data.degrees[i].toLocaleString("en")),
    ...(coloring.numbers && coloring.by.startsWith(FEATURE) ? [fact(coloring.numbers.name, shortNumber(coloring.numbers.values[i]))] : []));
  const around = neighborsOf(i), linked = new Set(around.map(({ node }) => node));
  if (state.lowFirst) around.reverse();
  const more = element("button", { type: "button", className: "more", textContent: `show all ${around.length}` });
  more.addEventListener("click", () => { state.all = true; drawPanel(); });
  const cut = data.degrees[i] > around.length ? ` (${around.length} of ${data.degrees[i].toLocaleString("en")} are on this page)` : "";
  const turn = element("button", { type: "button", textContent: state.lowFirst ? "highest first" : "lowest first" });
  turn.addEventListener("click", () => { state.lowFirst = !state.lowFirst; drawPanel(); });
  const table = element("button", { type: "button", className: "more", id: "save-node", textContent: "save as CSV" });
  table.addEventListener("click", () => saveNode(i));
  return panel.replaceChildren(
    element("h3", {}, mark(i), " ", idOf(i)), facts,
    element("h4", {}, "Neighbors", element("small", { textContent: "saliency" + cut }), around.length > 1 ? turn : ""),
    around.length ? rows(state.all ? around : around.slice(0, LISTED), className) : element("p", { className: "hint", textContent: data.degrees[i] ? "None on this page." : "No neighbors." }),
    around.length > LISTED && !state.all ? more : "",
    element("h4", {}, "Nearest nodes", element("small", { textContent: "cosine of the embeddings" })),
    rows(nearestOf(i), (node) => [className(node), linked.has(node) ? "neighbor" : ""].filter(Boolean).join(" · ")), table);
}
