/* The findings of one model, beside the matrix. */
const panel = byId("panel");

function statusMark(parent, letter) {
  const [name, symbol] = data.statuses[letter] || ["absent", ""];
  return add(parent, "span", `${symbol} ${name}`.trim(), `status ${name}`);
}
function changeMark(parent, letter) {
  const entry = data.changes[letter];
  if (entry) add(parent, "span", `${entry[1]} ${entry[0]}`, `change ${entry[0]}`);
}
function noteLine(list, note) {
  const line = add(list, "li");
  if (!Array.isArray(note)) {
    add(line, "bdi", data.texts[note]);
    return;
  }
  const [code, isError, message, layer, op, at] = note;
  line.className = isError ? "error" : "warning";
  const [label, name] = data.codes[code];
  add(line, "b", label);
  line.append(` ${name}, ${isError ? "error" : "warning"}: `);
  add(line, "bdi", data.texts[message]);
  const place = add(line, "div", at ? `line ${at}` : "", "place");
  if (data.texts[layer]) {
    place.append(at ? ", layer " : "layer ");
    add(place, "bdi", data.texts[layer]);
  }
  if (data.texts[op]) place.append(place.textContent ? `, ${data.texts[op]}` : data.texts[op]);
}
function taskPart(task, column, row) {
  const letter = column.letters[row], change = column.changes ? column.changes[row] : SAME;
  if (letter === ABSENT && change === ABSENT) return;
  const title = add(panel, "h4", `${task} `);
  statusMark(title, letter);
  changeMark(title, change);
  const isChanged = CHANGES.includes(change) && column.before[row] !== ABSENT;
  const facts = [isChanged ? `before: ${data.statuses[column.before[row]][0]}` : "", time(column.seconds[row])];
  add(title, "span", ` ${facts.filter(Boolean).join(", ")}`, "facts");
  const notes = column.notes[row] || [];
  if (notes.length) {
    const list = add(panel, "ul", undefined, "findings");
    for (const note of notes) noteLine(list, note);
  }
  const more = (column.totals[row] || 0) - notes.filter(Array.isArray).length;
  if (more > 0) add(panel, "p", `and ${count(more)} more finding${more === 1 ? "" : "s"}`, "faint");
}
function showPanel(row) {
  panel.replaceChildren();
  panel.hidden = row < 0;
  if (row < 0) return;
  const close = add(panel, "button", "Close");
  close.type = "button";
  close.id = "close";
  add(add(panel, "h3"), "bdi", models[row]);
  if (data.pages[row]) {
    const link = add(add(panel, "p"), "a", "Report of this model");
    link.href = `models/${encodeURIComponent(data.pages[row])}`;
  } else {
    add(panel, "p", "This model has no page.", "faint");
  }
  tasks.forEach((task, index) => taskPart(task, columns[index], row));
  panel.scrollTop = 0;
}
