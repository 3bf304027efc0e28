"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const view = document.getElementById("view");
const picture = view.querySelector("svg");
const panel = document.getElementById("panel");
const search = document.getElementById("search");
const count = document.getElementById("count");
const boxes = [...picture.querySelectorAll(".box")];
let x = 0, y = 0, scale = 1, matches = [], at = -1;

function apply() {
  picture.style.transform = `translate(${x}px,${y}px) scale(${scale})`;
}
function zoom(factor, left, top) {
  const next = Math.min(6, Math.max(0.02, scale * factor));
  x = left - (left - x) * next / scale;
  y = top - (top - y) * next / scale;
  scale = next;
  apply();
}
function zoomMiddle(factor) {
  zoom(factor, view.clientWidth / 2, view.clientHeight / 2);
}
function fit() {
  const wide = picture.viewBox.baseVal.width;
  scale = Math.min(1, view.clientWidth / wide);
  x = Math.max(0, (view.clientWidth - wide * scale) / 2);
  y = 0;
  apply();
}
function show(box) {
  const frame = box.querySelector(":scope > .frame").getBoundingClientRect();
  const around = view.getBoundingClientRect();
  x += around.left + around.width / 2 - (frame.left + frame.width / 2);
  y += around.top + around.height / 2 - (frame.top + Math.min(frame.height, around.height * 0.8) / 2);
  apply();
}
function add(parent, tag, text, kind) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  parent.append(element);
  return element;
}
function table(title, rows, kind) {
  if (!rows || !rows.length) return;
  add(panel, "h3", title);
  const body = add(panel, "table", undefined, kind);
  for (const row of rows) {
    const line = add(body, "tr");
    row.forEach((cell, index) => add(line, "td", cell, index ? "code" : ""));
  }
}
function pathOf(box) {
  return box.closest(".scene").dataset.path;
}
function foldedOf(box) {
  const names = data.folded[pathOf(box)] || {};
  return (box.dataset.folded || "").split(" ").filter(Boolean).map(id => names[id] || [`layer ${id}`, "", ""]);
}
function explain(box) {
  panel.replaceChildren();
  add(panel, "button", "Close").id = "close";
  const layer = data.layers[`${pathOf(box)}|${box.dataset.layer}`];
  if (layer) {
    add(panel, "h2", layer.op);
    add(panel, "p", layer.name);
    add(panel, "p", layer.location, "code");
    const definition = data.definitions[layer.op];
    if (definition) {
      add(panel, "h3", `definition (${definition.category})`);
      add(panel, "p", definition.summary);
      if (definition.formula) add(panel, "p", definition.formula, "code");
    }
    table("inputs", layer.inputs);
    table("outputs", layer.outputs);
    table("attributes", layer.attributes);
    if (definition) table("requirements", definition.constraints);
  } else {
    add(panel, "h2", box.querySelector(":scope > .op").textContent);
  }
  table(layer ? "layers in this box" : "layers that are not drawn", foldedOf(box).slice(0, 300), "names");
  panel.hidden = false;
}
function choose(box) {
  for (const old of picture.querySelectorAll(".chosen, .near")) old.classList.remove("chosen", "near");
  if (!box) { panel.hidden = true; return; }
  box.classList.add("chosen");
  const number = box.dataset.box;
  for (const link of box.parentElement.querySelectorAll(":scope > .link")) {
    if (link.dataset.from === number || link.dataset.to === number) link.classList.add("near");
  }
  explain(box);
  const frame = box.querySelector(":scope > .frame").getBoundingClientRect(), around = view.getBoundingClientRect();
  if (frame.top > around.bottom || frame.left > around.right) show(box); // the panel covers it now
}
function textOf(box) {
  const own = [...box.querySelectorAll(":scope > text, :scope > title")].map(line => line.textContent);
  const layer = data.layers[`${pathOf(box)}|${box.dataset.layer}`];
  return [...own, layer ? `${layer.name} ${layer.op}` : "", ...foldedOf(box).map(row => row.join(" "))]
    .join("\n").toLowerCase();
}
const texts = boxes.map(textOf);
function find() {
  const wanted = search.value.trim().toLowerCase();
  matches = wanted ? boxes.filter((box, index) => texts[index].includes(wanted)) : [];
  boxes.forEach(box => box.classList.toggle("match", matches.includes(box)));
  at = -1;
  count.textContent = wanted ? `${matches.length} found` : "";
}
function next(step) {
  if (!matches.length) return;
  at = (at + step + matches.length) % matches.length;
  count.textContent = `${at + 1} of ${matches.length}`;
  choose(matches[at]);
  show(matches[at]);
}

const touches = new Map(); // two fingers zoom
let from = null, moved = false, spread = 0;
view.addEventListener("pointerdown", event => {
  touches.set(event.pointerId, event);
  from = [event.clientX - x, event.clientY - y, event.clientX, event.clientY];
  moved = touches.size > 1;
  spread = 0;
});
window.addEventListener("pointermove", event => {
  if (!from) return;
  if (touches.has(event.pointerId)) touches.set(event.pointerId, event);
  if (touches.size > 1) return pinch(...touches.values());
  moved ||= Math.hypot(event.clientX - from[2], event.clientY - from[3]) > 4;
  if (!moved) return;
  view.classList.add("dragging");
  x = event.clientX - from[0];
  y = event.clientY - from[1];
  apply();
});
function pinch(one, other) {
  const place = view.getBoundingClientRect();
  const distance = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  if (spread) {
    zoom(distance / spread, (one.clientX + other.clientX) / 2 - place.left, (one.clientY + other.clientY) / 2 - place.top);
  }
  spread = distance;
}
for (const end of ["pointerup", "pointercancel"]) {
  window.addEventListener(end, event => {
    touches.delete(event.pointerId);
    from = null;
    view.classList.remove("dragging");
  });
}
view.addEventListener("click", event => { if (!moved) choose(event.target.closest(".box:not(.exit)")); });
view.addEventListener("wheel", event => {
  event.preventDefault();
  const place = view.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - place.left, event.clientY - place.top);
}, { passive: false });
panel.addEventListener("click", event => { if (event.target.id === "close") choose(null); });
search.addEventListener("input", find);
search.addEventListener("keydown", event => { if (event.key === "Enter") next(event.shiftKey ? -1 : 1); });
document.getElementById("in").addEventListener("click", () => zoomMiddle(1.3));
document.getElementById("out").addEventListener("click", () => zoomMiddle(1 / 1.3));
document.getElementById("fit").addEventListener("click", fit);
window.addEventListener("keydown", event => {
  if (event.key === "Escape") choose(null);
  if (event.target === search) return;
  if (event.key === "/") { event.preventDefault(); search.focus(); }
  if (event.key === "+") zoomMiddle(1.3);
  if (event.key === "-") zoomMiddle(1 / 1.3);
  if (event.key === "0") fit();
});
fit();
