/* The table of ops shows the rows that have all words that are typed and all that is chosen. */
"use strict";

/** Whether a row is wanted. cells: its texts; words: typed; chosen: by the number of the column */
function isWanted(cells, words, chosen) {
  const text = cells.join(" ").toLowerCase();
  return words.every(word => text.includes(word)) && Object.entries(chosen).every(([k, value]) => cells[k] === value);
}

function makeFilter(place) {
  const table = [...document.querySelectorAll("article table")].find(
    table => place.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  const rows = [...table.tBodies[0].rows].map(row => [row, [...row.cells].map(cell => cell.textContent.trim())]);
  const titles = [...table.tHead.rows[0].cells].map(cell => cell.textContent.trim());
  const words = Object.assign(document.createElement("input"), { type: "search", placeholder: "Filter", ariaLabel: "Filter" });
  const selects = place.dataset.choices.split(" ").map(title => {
    const column = titles.indexOf(title);
    const select = Object.assign(document.createElement("select"), { ariaLabel: title });
    const values = [...new Set(rows.map(([, cells]) => cells[column]))].filter(Boolean);
    select.append(new Option(`${title}: all`, ""), ...values.map(value => new Option(value, value)));
    return [column, select];
  });
  const count = document.createElement("output");
  const show = () => {
    const typed = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = Object.fromEntries(selects.filter(([, s]) => s.value).map(([column, s]) => [column, s.value]));
    rows.forEach(([row, cells]) => { row.hidden = !isWanted(cells, typed, chosen); });
    count.textContent = `${rows.filter(([row]) => !row.hidden).length} of ${rows.length}`;
  };
  place.append(words, ...selects.map(([, select]) => select), count);
  place.addEventListener("input", show);
  show();
}

if (typeof document !== "undefined") {
  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".filtered").forEach(makeFilter));
}
if (typeof module !== "undefined") module.exports = { isWanted };
