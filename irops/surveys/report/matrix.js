/* The matrix. Only rows in view, and some around them, are in the document. */
const HEIGHT = 30, AROUND = 12, MAX_PRINTED = 2000;
const scroller = byId("scroller"), grid = byId("grid"), body = grid.tBodies[0];
const FIXED = [["worst", "worst"], ["findings", "findings"], ["seconds", "time"]].slice(tasks.length > 1 ? 0 : 1);
let order = [], current = -1, from = 0, to = 0;

function buildHead() {
  const columnGroup = grid.querySelector("colgroup"), line = add(grid.tHead, "tr");
  const heading = (key, label, kind) => {
    add(columnGroup, "col", undefined, kind);
    const cell = add(line, "th");
    cell.scope = "col";
    cell.dataset.sort = key;
    const button = add(cell, "button");
    for (const part of label.split(/(?<=[:,])/)) {
      button.append(part);
      add(button, "wbr");
    }
    button.type = "button";
    button.title = `sort by ${label}`;
    return cell;
  };
  heading("name", "model", "name");
  for (const task of tasks) heading(`task ${task}`, task, "task");
  if (isCompared) heading("change", "change", "small");
  for (const [key, label] of FIXED) heading(key, label, "small").className = key === "worst" ? "" : "number";
}
function markSorted() {
  for (const cell of grid.tHead.rows[0].cells) {
    const isSorted = (state.sort || "name").replace(/^-/, "") === cell.dataset.sort;
    const direction = state.sort.startsWith("-") ? "descending" : "ascending";
    if (isSorted) cell.setAttribute("aria-sort", direction);
    else cell.removeAttribute("aria-sort");
  }
}
function sortBy(key) {
  const first = key === "name" ? key : `-${key}`, second = key === "name" ? `-${key}` : key;
  state.sort = (state.sort || "name") === first ? second : first;
}
function nameCell(line, row) {
  const cell = add(line, "th", undefined, "name"), name = models[row];
  cell.scope = "row";
  cell.title = name;
  add(cell, "bdi", name);
}
function makeRow(position) {
  const row = order[position], line = document.createElement("tr");
  line.id = `row-${position}`;
  line.dataset.position = position;
  line.setAttribute("aria-rowindex", position + 2);
  line.setAttribute("aria-selected", position === current);
  nameCell(line, row);
  for (const column of columns) {
    const cell = add(line, "td");
    if (column.letters[row] !== ABSENT) statusMark(cell, column.letters[row]);
    if (column.changes && CHANGES.includes(column.changes[row])) {
      const [name, symbol] = data.changes[column.changes[row]];
      add(cell, "span", symbol, `change ${name}`).title = name;
    }
  }
  if (isCompared) changeMark(add(line, "td"), CHANGES[changed[row]]);
  if (tasks.length > 1) statusMark(add(line, "td"), STATUSES[worst[row]]);
  add(line, "td", findings[row] ? count(findings[row]) : "", "number");
  add(line, "td", time(seconds[row]), "number");
  return line;
}
function spacer(rows) {
  const line = document.createElement("tr");
  line.setAttribute("aria-hidden", "true");
  line.style.height = `${rows * HEIGHT}px`;
  return line;
}
/* Rows that are drawn already are moved rather than made again. */
function draw(first, last, force) {
  if (force) body.replaceChildren(spacer(0), spacer(0));
  const before = force ? [0, 0] : [from, to], lines = [...body.rows].slice(1, -1), end = body.rows[body.rows.length - 1];
  from = Math.max(0, first);
  to = Math.min(order.length, last);
  for (const line of lines) if (line.dataset.position < from || line.dataset.position >= to) line.remove();
  const isKept = position => position >= before[0] && position < before[1];
  const above = document.createDocumentFragment(), below = document.createDocumentFragment();
  for (let position = from; position < to; position++) {
    if (!isKept(position)) (position < before[0] ? above : below).append(makeRow(position));
  }
  body.rows[0].after(above);
  end.before(below);
  body.rows[0].style.height = `${from * HEIGHT}px`;
  end.style.height = `${(order.length - to) * HEIGHT}px`;
  if (current >= from && current < to) grid.setAttribute("aria-activedescendant", `row-${current}`);
  else grid.removeAttribute("aria-activedescendant");
}
function drawInView(force) {
  const first = Math.floor(scroller.scrollTop / HEIGHT), shown = Math.ceil(scroller.clientHeight / HEIGHT);
  const isDrawn = (first - 2 >= from || from === 0) && (first + shown + 2 <= to || to === order.length);
  if (force || !isDrawn) draw(first - AROUND, first + shown + AROUND, force);
}
function fill() {
  order = selected();
  current = order.indexOf(models.indexOf(state.model));
  byId("count").textContent = `${count(order.length)} of ${count(models.length)} models`;
  grid.setAttribute("aria-rowcount", order.length + 1);
  markSorted();
  drawInView(true);
  showPanel(state.model ? models.indexOf(state.model) : -1);
}
function choose(position) {
  if (!order.length) return;
  current = Math.max(0, Math.min(order.length - 1, position));
  const top = current * HEIGHT, head = grid.tHead.offsetHeight;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  const bottom = top + HEIGHT + head - scroller.clientHeight;
  if (bottom > scroller.scrollTop) scroller.scrollTop = bottom;
  drawInView(true);
  if (!panel.hidden) open();
}
function open() {
  if (current < 0) return;
  state.model = models[order[current]];
  showPanel(order[current]);
  writeHash();
}
function closePanel() {
  state.model = "";
  showPanel(-1);
  writeHash();
  grid.focus({ preventScroll: true });
}
