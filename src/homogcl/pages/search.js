"use strict";
// Search: classes, features and nodes by name; equal names first, then those that begin with what
// was typed, then those that hold it. Of nodes, all that match can be colored.

const SHOWN = 8, FEW = 3;
let offered = [], active = 0, searched = new Set();

const rankOf = (name, query) => name === query ? 0 : name.startsWith(query) ? 1 : name.includes(query) ? 2 : 3;

// Numbers below `length` whose names match, best first, at most so many.
function ranked(length, nameOf, query, most) {
  const ranks = [[], [], []];
  for (let i = 0; query && i < length; i++) {
    const rank = rankOf(nameOf(i).toLowerCase(), query);
    if (rank < 3 && ranks[rank].length < most) ranks[rank].push(i);
  }
  return ranks.flat().slice(0, most);
}

function find(text) {
  const query = text.trim().toLowerCase(), nodes = ranked(count, idOf, query, SHOWN);
  const sizes = groupSizes(data.labels || []);
  const options = [
    ...ranked(classNames.length, (group) => classNames[group], query, FEW).map((group) => ({
      text: classNames[group], note: `class of ${(sizes.get(group) || 0).toLocaleString("en")} nodes`, go: () => pickClass(group) })),
    ...ranked(names.features.length, (k) => names.features[k], query, FEW).map((k) => ({
      text: names.features[k], note: "feature: color by it", go: () => colorBy(FEATURE + k) })),
    ...nodes.map((node) => ({ text: idOf(node), note: className(node), go: () => select(node, true) })),
  ];
  // What is called exactly so comes first, a node before others.
  const exact = nodes.length && idOf(nodes[0]).toLowerCase() === query ? options.splice(options.length - nodes.length, 1) : [];
  return [...exact, ...options].slice(0, SHOWN);
}

// Nodes whose id or class holds the text.
function matching(text) {
  const query = text.trim().toLowerCase(), fits = classNames.map((name) => name.toLowerCase().includes(query));
  const nodes = new Set();
  for (let i = 0; query && i < count; i++) {
    if (idOf(i).toLowerCase().includes(query) || (data.labels && fits[data.labels[i]])) nodes.add(i);
  }
  return nodes;
}

function pickClass(group) {
  if (coloring.by !== CLASSES) colorBy(CLASSES);
  state.picked.clear();
  state.picked.add(group);
  colorBy(CLASSES);
}

function offer() {
  const open = search.value.trim() !== "";
  offered = find(search.value);
  searched = matching(search.value);
  if (searched.size > 1) offered.push({ text: `color all ${searched.size.toLocaleString("en")} matching nodes`, note: "", go: () => colorBy(SEARCH) });
  if (coloring.by === SEARCH) colorBy(SEARCH);
  active = 0;
  matches.hidden = !open;
  search.setAttribute("aria-expanded", String(open));
  matches.replaceChildren(...offered.map(({ text, note }, k) => {
    const option = element("li", { id: "match-" + k, attributes: { role: "option" } }, text, ...(note ? [" ", element("small", { textContent: note })] : []));
    option.addEventListener("pointerdown", (event) => { event.preventDefault(); choose(k); });
    return option;
  }));
  if (!offered.length) matches.replaceChildren(element("li", { className: "none", textContent: "no such node, class or feature" }));
  point(0);
}
function point(k) {
  active = offered.length ? (k + offered.length) % offered.length : 0;
  [...matches.children].forEach((option, n) => option.setAttribute("aria-selected", String(n === active && offered.length > 0)));
  search.setAttribute("aria-activedescendant", offered.length ? "match-" + active : "");
}
function close() {
  matches.hidden = true;
  search.setAttribute("aria-expanded", "false");
}
function choose(k) {
  if (!offered[k]) return;
  offered[k].go();
  close();
}
function clearSearch() {
  search.value = "";
  offer();
}

search.addEventListener("input", offer);
search.addEventListener("blur", close);
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") choose(active);
  else if (event.key === "ArrowDown") point(active + 1);
  else if (event.key === "ArrowUp") point(active - 1);
  else if (event.key === "Escape" && search.value) clearSearch();
  else if (event.key === "Escape") { search.blur(); select(-1); }
  else return;
  event.preventDefault();
});
