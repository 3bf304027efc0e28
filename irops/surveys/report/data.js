"use strict";
const byId = id => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const { models, tasks, columns } = data;
const STATUSES = Object.keys(data.statuses), CHANGES = Object.keys(data.changes);
const ABSENT = ".", SAME = "=";
const isCompared = columns.some(column => column.changes);

function add(parent, tag, text, kind) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  parent.append(element);
  return element;
}
function count(number) {
  return number.toLocaleString("en-US");
}
function time(seconds) {
  if (seconds < 0) return "";
  return seconds < 1 ? `${+(seconds * 1000).toPrecision(3)} ms` : `${count(+seconds.toPrecision(3))} s`;
}
/* The rank of the worst status of a model, its findings, its seconds, and the first of its changes. */
const worst = new Int8Array(models.length).fill(-1);
const findings = new Float64Array(models.length);
const seconds = new Float64Array(models.length);
const changed = new Int8Array(models.length).fill(CHANGES.length);
for (const column of columns) {
  for (let row = 0; row < models.length; row++) {
    worst[row] = Math.max(worst[row], STATUSES.indexOf(column.letters[row]));
    seconds[row] += Math.max(column.seconds[row], 0);
    const change = column.changes ? CHANGES.indexOf(column.changes[row]) : -1;
    if (change >= 0) changed[row] = Math.min(changed[row], change);
  }
  for (const row in column.totals) findings[row] += column.totals[row];
}

/* A note of a cell is the number of a text, or a finding: code, whether it is an error, message, layer, op, line. */
const texts = [];
function textOf(row) {
  if (texts[row] === undefined) {
    const parts = [models[row]];
    for (const column of columns) {
      for (const note of column.notes[row] || []) {
        if (Array.isArray(note)) parts.push(...note.slice(2, 5).map(number => data.texts[number]));
        else parts.push(data.texts[note]);
      }
    }
    texts[row] = parts.join("\n").toLowerCase();
  }
  return texts[row];
}
