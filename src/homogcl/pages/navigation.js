"use strict";
// How one moves in a map: one pointer drags, two pinch, a press that stays where it was selects.

const REACH = 12; // pixels around a node within which a pointer means it

const fitAll = (scatter) => { scatter.stop(); scatter.fit(); };

function navigate(scatter, hover, select) {
  const stage = scatter.stage, pointers = new Map();
  let pressed = null;
  const at = (event) => {
    const box = stage.getBoundingClientRect();
    return [event.clientX - box.left - stage.clientLeft, event.clientY - box.top - stage.clientTop];
  };
  stage.addEventListener("pointerdown", (event) => {
    stage.setPointerCapture(event.pointerId);
    scatter.stop();
    pointers.set(event.pointerId, at(event));
    pressed = pointers.size === 1 ? at(event) : null;
  });
  stage.addEventListener("pointermove", (event) => {
    const now = at(event), before = pointers.get(event.pointerId);
    if (!before) return hover(scatter.pick(...now, REACH));
    const other = [...pointers].find(([id]) => id !== event.pointerId);
    pointers.set(event.pointerId, now);
    if (pressed && Math.hypot(now[0] - pressed[0], now[1] - pressed[1]) > 4) pressed = null;
    if (pressed) return undefined;
    hover(-1);
    stage.classList.add("drag");
    if (!other) return scatter.pan(now[0] - before[0], now[1] - before[1]);
    const apart = (one) => Math.hypot(one[0] - other[1][0], one[1] - other[1][1]) || 1;
    return scatter.zoom(apart(now) / apart(before), (now[0] + other[1][0]) / 2, (now[1] + other[1][1]) / 2);
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    stage.addEventListener(kind, (event) => {
      if (kind === "pointerup" && pressed) select(scatter.pick(...pressed, REACH));
      pressed = null;
      pointers.delete(event.pointerId);
      stage.classList.remove("drag");
    });
  }
  stage.addEventListener("pointerleave", () => hover(-1));
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    scatter.stop();
    hover(-1);
    scatter.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 16 : 1) * 0.0016), ...at(event));
  }, { passive: false });
  const keys = {
    ArrowLeft: () => scatter.pan(60, 0), ArrowRight: () => scatter.pan(-60, 0), ArrowUp: () => scatter.pan(0, 60),
    ArrowDown: () => scatter.pan(0, -60), "+": () => scatter.zoom(1.4), "=": () => scatter.zoom(1.4),
    "-": () => scatter.zoom(1 / 1.4), 0: () => fitAll(scatter),
  };
  stage.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    scatter.stop();
    keys[event.key]();
  });
}

// Show what is said of a node beside it, inside the map.
function placeTip(scatter, tip, i, title, text) {
  scatter.stage.classList.toggle("over", i >= 0);
  tip.hidden = i < 0;
  if (i < 0) return;
  tip.replaceChildren(element("b", { textContent: title }), element("span", { textContent: text }));
  const [left, up] = scatter.pixelOf(i);
  tip.style.left = Math.max(4, Math.min(left + 12, scatter.width - tip.offsetWidth - 4)) + "px";
  tip.style.top = (up > tip.offsetHeight + 16 ? up - tip.offsetHeight - 12 : up + 14) + "px";
}

function drawRing(scatter, pen, i, radius, width, color) {
  pen.beginPath();
  pen.arc(...scatter.pixelOf(i), radius, 0, 7);
  pen.lineWidth = width;
  pen.strokeStyle = color;
  pen.stroke();
}
