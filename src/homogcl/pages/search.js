"use strict";
// Search: equal ids first, then those that begin with what was typed, then those that hold it.
function find(text) {
  const query = text.trim().toLowerCase(), ranks = [[], [], []];
  for (let i = 0; query && i < count; i++) {
    const id = idOf(i).toLowerCase();
    const rank = id === query ? 0 : id.startsWith(query) ? 1 : id.includes(query) ? 2 : 3;
    if (rank < 3 && ranks[rank].length < SHOWN) ranks[rank].push(i);
  }
  return ranks.flat().slice(0, SHOWN);
}
const SHOWN = 8;
let offered = [], active = 0;
function offer() {
  const open = search.value.trim() !== "";
  offered = find(search.value);
  active = 0;
  matches.hidden = !open;
  search.setAttribute("aria-expanded", String(open));
  matches.replaceChildren(...offered.map((node, k) => {
    const option = element("li", { id: "match-" + k, textContent: idOf(node), attributes: { role: "option" } });
    option.addEventListener("pointerdown", (event) => { event.preventDefault(); choose(k); });
    return option;
  }));
  if (!offered.length) matches.replaceChildren(element("li", { className: "none", textContent: "no such node" }));
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
  if (offered[k] === undefined) return;
  select(offered[k], true);
  search.value = idOf(offered[k]);
  close();
}
search.addEventListener("input", offer);
search.addEventListener("blur", close);
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") choose(active);
  else if (event.key === "ArrowDown") point(active + 1);
  else if (event.key === "ArrowUp") point(active - 1);
  else if (event.key === "Escape" && search.value) { search.value = ""; close(); }
  else if (event.key === "Escape") { search.blur(); select(-1); }
  else return;
  event.preventDefault();
});
