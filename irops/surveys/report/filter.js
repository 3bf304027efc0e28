/* What is shown, in which order, and which model is open: the state of the page, kept in the hash of its URL. */
const EMPTY = { text: "", task: "", rule: "", op: "", at: "", sort: "", model: "" };
const state = { ...EMPTY, status: new Set(), change: new Set() };
const names = { status: data.statuses, change: data.changes };

function readHash() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  for (const key in EMPTY) state[key] = parameters.get(key) || "";
  for (const key in names) {
    const wanted = (parameters.get(key) || "").split(",");
    state[key] = new Set(Object.keys(names[key]).filter(letter => wanted.includes(names[key][letter][0])));
  }
}
function hash() {
  const parameters = new URLSearchParams();
  for (const key in EMPTY) if (state[key]) parameters.set(key, state[key]);
  for (const key in names) {
    if (state[key].size) parameters.set(key, [...state[key]].map(letter => names[key][letter][0]).join(","));
  }
  return parameters.toString() || "text=";
}
function writeHash() {
  history.replaceState(null, "", `#${hash()}`);
}
/* For each set of numbers, whether it has one of those whose names match: the equal one, else those with the text. */
function setsWith(wanted, labels, sets) {
  const text = wanted.trim().toLowerCase();
  if (!text) return null;
  const equal = labels.map(label => label.some(part => part.toLowerCase() === text));
  const hits = equal.includes(true) ? equal : labels.map(label => label.some(part => part.toLowerCase().includes(text)));
  return sets.map(set => set.some(number => hits[number]));
}
function selected() {
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  const codes = setsWith(state.rule, data.codes.map(code => code.slice(0, 2)), data.codeSets);
  const ops = setsWith(state.op, data.ops.map(op => [op]), data.opSets);
  const faults = state.at === "findings" ? ops : null;
  const looked = state.task ? columns.filter((_, index) => tasks[index] === state.task) : columns;
  const byCell = state.task || state.status.size || state.change.size || codes || faults;
  const isCell = (column, row) =>
    column.letters[row] + (column.changes ? column.changes[row] : ABSENT) !== ABSENT + ABSENT &&
    (!state.status.size || state.status.has(column.letters[row])) &&
    (!state.change.size || (column.changes && state.change.has(column.changes[row]))) &&
    (!codes || codes[column.codes[row]]) && (!faults || faults[column.faults[row]]);
  const rows = [];
  for (let row = 0; row < models.length; row++) {
    if (ops && !faults && !ops[data.modelOps[row]]) continue;
    if (byCell && !looked.some(column => isCell(column, row))) continue;
    if (words.length && !words.every(word => textOf(row).includes(word))) continue;
    rows.push(row);
  }
  return sorted(rows);
}
function sorted(rows) {
  const key = sortKey(state.sort.replace(/^-/, ""));
  if (!key) return rows;
  const sign = state.sort.startsWith("-") ? -1 : 1;
  return rows.sort((a, b) => sign * (key(a) - key(b)) || a - b);
}
/* A number by which models are sorted; undefined for an unknown key. */
function sortKey(name) {
  const index = tasks.indexOf(name.replace(/^task /, ""));
  if (name.startsWith("task ") && index >= 0) return row => STATUSES.indexOf(columns[index].letters[row]);
  const keys = { name: row => row, worst: row => worst[row], findings: row => findings[row],
    seconds: row => seconds[row], change: row => -changed[row] };
  return Object.hasOwn(keys, name) ? keys[name] : undefined;
}
