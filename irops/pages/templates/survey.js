"use strict";
const byId = id => document.getElementById(id);
const { statuses, changes, tasks, rules, findings, models } = JSON.parse(byId("data").textContent);
const form = byId("controls"), grid = byId("grid"), body = grid.tBodies[0], panel = byId("panel");
const STEP = 500;
let order = [], shown = STEP;

/* A cell is a status, the number of findings, its rules, the findings that are listed, a change, the status before. */
const asCell = cell => cell && { status: cell[0], total: cell[1] || 0, rules: cell[2] || [], notes: cell[3] || [],
  change: cell[4] ?? -1, before: cell[5] ?? -1 };
const rows = models.map(([name, stored], index) => {
  const cells = stored.map(asCell), total = cells.reduce((sum, cell) => sum + (cell ? cell.total : 0), 0);
  return { name, index, cells, total };
});
const KEYS = new Map([["name", row => row.index], ["findings", row => row.total]]);
tasks.forEach((task, index) => KEYS.set(`task ${task}`, row => row.cells[index] ? row.cells[index].status : -1));

function add(parent, tag, text, kind) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  parent.append(element);
  return element;
}
function mark(parent, kind, entry) {
  if (entry) add(parent, "span", `${entry[1]} ${entry[0]}`, `${kind} ${entry[0]}`);
}
function textOf(row) {
  if (row.text === undefined) {
    const noted = row.cells.flatMap(cell => cell ? cell.notes : []).flatMap(note => findings[note].slice(2, 5));
    row.text = [row.name, ...noted].join("\n").toLowerCase();
  }
  return row.text;
}
/* The numbers of the rules that a text names: the equal one, else those with the text in their code or name. */
function rulesNamed(text) {
  const has = test => rules.flatMap((rule, number) => rule.some(part => test(part.toLowerCase())) ? [number] : []);
  const equal = has(part => part === text);
  return equal.length ? equal : has(part => part.includes(text));
}
function selected() {
  const wanted = new FormData(form), [status, change] = ["status", "change"].map(key => wanted.getAll(key));
  const words = wanted.get("text").toLowerCase().split(/\s+/).filter(Boolean);
  const task = tasks.indexOf(wanted.get("task")), rule = wanted.get("rule").trim().toLowerCase();
  const named = rule && rulesNamed(rule);
  const isWanted = cell => cell && (!rule || cell.rules.some(number => named.includes(number))) &&
    (!status.length || (cell.status >= 0 && status.includes(statuses[cell.status][0]))) &&
    (!change.length || (cell.change >= 0 && change.includes(changes[cell.change][0])));
  const found = rows.filter(row => (task < 0 ? row.cells : [row.cells[task]]).some(isWanted) &&
    words.every(word => textOf(row).includes(word)));
  const sort = wanted.get("sort"), key = KEYS.get(sort.replace(/^-/, "")), sign = sort.startsWith("-") ? -1 : 1;
  return key ? found.sort((a, b) => sign * (key(a) - key(b)) || a.index - b.index) : found;
}
function lineOf(row) {
  const line = document.createElement("tr"), name = add(line, "th", undefined, "name");
  name.scope = "row";
  const button = add(name, "button");
  button.type = "button";
  button.title = row.name;
  add(button, "bdi", row.name);
  for (const cell of row.cells) {
    const place = add(line, "td");
    if (!cell) continue;
    mark(place, "status", statuses[cell.status]);
    const [change, symbol] = changes[cell.change] || [];
    if (change) add(place, "span", symbol, `change ${change}`).title = change;
  }
  add(line, "td", row.total ? row.total.toLocaleString("en-US") : "", "number");
  line.addEventListener("click", () => { if (!String(getSelection())) choose(row.name); });
  return line;
}
function draw() {
  body.replaceChildren(...order.slice(0, shown).map(lineOf));
  byId("more").hidden = order.length <= shown;
}
function fill() {
  order = selected();
  shown = STEP;
  byId("count").textContent = `${order.length.toLocaleString("en-US")} of ${rows.length.toLocaleString("en-US")} models`;
  const sort = form.elements.sort.value || "name";
  for (const cell of grid.tHead.rows[0].cells) {
    cell.removeAttribute("aria-sort");
    if (cell.dataset.sort === sort) cell.setAttribute("aria-sort", "ascending");
    if (`-${cell.dataset.sort}` === sort) cell.setAttribute("aria-sort", "descending");
  }
  draw();
  showPanel();
}
/* The findings of the chosen model, beside the matrix. */
function showPanel() {
  const row = rows.find(one => one.name === form.elements.model.value);
  panel.replaceChildren();
  panel.hidden = !row;
  [...body.rows].forEach((line, position) => line.classList.toggle("chosen", order[position] === row));
  if (!row) return;
  const close = add(panel, "button", "Close");
  close.type = "button";
  close.id = "close";
  close.addEventListener("click", () => choose(""));
  add(add(panel, "h3"), "bdi", row.name);
  row.cells.forEach((cell, index) => { if (cell) showTask(tasks[index], cell); });
}
function showTask(task, cell) {
  const title = add(panel, "h4", `${task} `), listed = cell.notes.filter(note => findings[note][0] >= 0).length;
  mark(title, "status", statuses[cell.status]);
  mark(title, "change", changes[cell.change]);
  if (cell.before >= 0) add(title, "span", ` before: ${statuses[cell.before][0]}`, "faint");
  const list = cell.notes.length ? add(panel, "ul", undefined, "findings") : null;
  for (const note of cell.notes) showNote(list, ...findings[note]);
  if (cell.total > listed) {
    const counted = `${(cell.total - listed).toLocaleString("en-US")} more finding${cell.total - listed === 1 ? "" : "s"}`;
    add(panel, "p", `${counted}: see results.json`, "faint");
  }
}
function showNote(list, rule, severity, message, layer, op, line) {
  const item = add(list, "li", undefined, severity);
  if (rule >= 0) {
    add(item, "b", rules[rule][0]);
    item.append(` ${rules[rule][1]}, ${severity}: `);
  }
  add(item, "bdi", message);
  const place = add(item, "div", undefined, "faint"), parts = [line && `line ${line}`, layer && `layer ${layer}`, op];
  for (const part of parts.filter(Boolean)) {
    if (place.textContent) place.append(", ");
    add(place, "bdi", part);
  }
}
/* The state of the page is that of its form, and is kept in the hash of the URL. */
function keep() {
  const fields = [...new FormData(form)].filter(([, value]) => value);
  history.replaceState(null, "", `#${new URLSearchParams(fields)}`);
}
function restore() {
  const hash = location.hash.slice(1), wanted = new URLSearchParams(hash);
  if (hash && !hash.includes("=")) return; // the heading of a section
  for (const field of [...form.elements].filter(one => one.name)) {
    if (field.type === "checkbox") field.checked = wanted.getAll(field.name).includes(field.value);
    else field.value = wanted.get(field.name) || "";
  }
  fill();
  if (hash) byId("matrix").scrollIntoView();
}
function choose(name) {
  form.elements.model.value = name;
  showPanel();
  keep();
}
function changed() {
  fill();
  keep();
}
form.addEventListener("submit", event => event.preventDefault());
form.addEventListener("input", changed);
byId("clear").addEventListener("click", () => {
  form.reset(); // hidden fields keep their values: order and model
  changed();
});
byId("more").addEventListener("click", () => { shown += STEP; draw(); });
grid.tHead.addEventListener("click", event => {
  const heading = event.target.closest("th"), sort = form.elements.sort;
  if (!heading) return;
  const key = heading.dataset.sort, [first, second] = key === "name" ? [key, `-${key}`] : [`-${key}`, key];
  sort.value = (sort.value || "name") === first ? second : first;
  changed();
});
window.addEventListener("keydown", event => {
  if (event.key === "Escape" && !panel.hidden) choose("");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.matches("input, select")) return;
  event.preventDefault();
  byId("text").focus();
});
window.addEventListener("hashchange", restore);
for (const id of ["controls", "frame"]) byId(id).hidden = false;
restore();
if (!order.length) fill();
document.documentElement.dataset.ready = "true";
