"use strict";
// The edges with the lowest saliency: a click shows an edge on the map.

const FIRST = 12;
let listsAll = false;

function drawEdges() {
  const list = byId("lowest");
  byId("lowest-part").hidden = !lowestEdges.length;
  list.replaceChildren(...lowestEdges.slice(0, listsAll ? undefined : FIRST).map(({ ends, value }, k) => {
    const [from, to] = ends, classes = [...new Set(ends.map(className))].join(" – ");
    const button = element("button", { type: "button", attributes: { "data-edge": k } },
      element("span", { className: "pair" }, mark(from), element("span", { className: "id", textContent: idOf(from) }),
        "–", mark(to), element("span", { className: "id", textContent: idOf(to) })),
      element("output", { textContent: value.toFixed(3) }), element("small", { textContent: classes }));
    button.addEventListener("click", () => selectEdge(k));
    return element("li", {}, button);
  }));
  byId("more-edges").hidden = listsAll || lowestEdges.length <= FIRST;
  byId("more-edges").textContent = `show all ${lowestEdges.length}`;
  markEdges();
}

function selectEdge(k) {
  select(lowestEdges[k].ends[0], true, lowestEdges[k].ends[1]);
  stage.scrollIntoView({ block: "nearest" });
}

// Show which of the listed edges is selected.
function markEdges() {
  for (const button of byId("lowest").querySelectorAll("button")) {
    const [from, to] = lowestEdges[button.dataset.edge].ends;
    button.setAttribute("aria-pressed", String(from === state.selected && to === state.other));
  }
}

byId("more-edges").addEventListener("click", () => {
  listsAll = true;
  drawEdges();
});
