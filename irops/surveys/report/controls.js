/* Controls, keys, and the hash of the URL. */
const FIELDS = ["text", "task", "rule", "op", "at"];

function chips(key) {
  for (const [letter, [name, symbol]] of Object.entries(names[key])) {
    const letters = columns.map(column => key === "status" ? column.letters : column.changes).join("");
    const total = letters.split(letter).length - 1;
    if (!total) continue;
    const label = add(byId(key), "label", undefined, `${key} ${name}`);
    const box = add(label, "input");
    box.type = "checkbox";
    box.value = letter;
    label.append(` ${symbol} ${name} `);
    add(label, "span", count(total), "total");
  }
}
function options(list, values) {
  for (const value of values) add(byId(list), "option", list === "task" ? value : undefined).value = value;
}
function showControls() {
  for (const field of FIELDS) if (byId(field).value !== state[field]) byId(field).value = state[field];
  for (const box of byId("controls").querySelectorAll("[type=checkbox]")) {
    box.checked = state[box.closest("fieldset").id].has(box.value);
  }
}
function readControls() {
  for (const field of FIELDS) state[field] = byId(field).value;
  for (const key in names) {
    state[key] = new Set([...byId(key).querySelectorAll(":checked")].map(box => box.value));
  }
  refill();
}
function refill() {
  scroller.scrollTop = 0;
  fill();
  writeHash();
}
function fromHash() {
  if (location.hash && !location.hash.includes("=")) return; // the heading of a section
  readHash();
  showControls();
  scroller.scrollTop = 0;
  fill();
  if (current >= 0) choose(current);
  if (location.hash) byId("matrix").scrollIntoView();
}
const MOVES = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity };
grid.addEventListener("keydown", event => {
  if (event.target !== grid) return;
  if (event.key in MOVES) choose(current + MOVES[event.key]);
  else if (event.key === "Enter") open();
  else return;
  event.preventDefault();
});
window.addEventListener("keydown", event => {
  if (event.key === "Escape" && !panel.hidden) closePanel();
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.matches("input, select")) return;
  event.preventDefault();
  byId("text").focus();
});
grid.addEventListener("click", event => {
  const line = event.target.closest("tr[data-position]"), heading = event.target.closest("th[data-sort]");
  if (heading) {
    sortBy(heading.dataset.sort);
    refill();
  } else if (line && !String(getSelection())) {
    current = +line.dataset.position;
    panel.hidden = false;
    choose(current);
  }
});
panel.addEventListener("click", event => { if (event.target.id === "close") closePanel(); });
scroller.addEventListener("scroll", () => drawInView(false), { passive: true });
window.addEventListener("resize", () => drawInView(true));
window.addEventListener("hashchange", fromHash);
window.addEventListener("beforeprint", () => draw(0, MAX_PRINTED, true));
window.addEventListener("afterprint", () => drawInView(true));
byId("controls").addEventListener("submit", event => event.preventDefault());
byId("controls").addEventListener("input", readControls);
byId("clear").addEventListener("click", () => {
  Object.assign(state, EMPTY, { sort: state.sort, model: state.model, status: new Set(), change: new Set() });
  showControls();
  refill();
});
options("task", tasks);
options("rule-names", data.codes.map(code => code[0]));
options("op-names", data.ops);
chips("status");
chips("change");
byId("change").hidden = !isCompared;
for (const id of ["controls", "frame", "keys"]) byId(id).hidden = false;
buildHead();
fromHash();
document.documentElement.dataset.ready = "true";
