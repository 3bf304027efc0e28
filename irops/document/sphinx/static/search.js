/* The names that the search finds: of ops, rules, commands, Python and pages. Sphinx searches their text.

ranked(entries, query) is a pure function, which tests run in Node. The entries are SearchEntry of site.py. */
"use strict";

const KINDS = { op: "Ops", rule: "Rules", command: "Commands", python: "Python", page: "Pages" };
const EMPTY = new Set(
  ("a an and are as at be by can do does for from how i in is it its mean meaning my not of on or that the this to " +
    "use used what when where which why with irops openvino").split(" "),
);
/** Points of an exact name, or of an exact name that people use. */
const SURE = 80;
/** Lines of a group; what is beyond is linked in one line. */
const MOST = 6;

/** Letters and digits: reverse_sequence, "reverse sequence" and ReverseSequence are one name; >> stays. */
const squashed = text => text.toLowerCase().replace(/[^a-z0-9]+/g, "") || text.trim();
const lastPart = text => squashed(text.split(/[./]/).pop());
const wordsOf = text =>
  text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/).filter(Boolean);
/** A word without the ending of a plural, a verb or a noun. */
const stem = word => (word.length > 3 ? word.replace(/(ences?|ations?|ions?|ings?|ed|es|s|e)$/, "") : word);
const initials = name => (name.replace(/-.*/, "").match(/[A-Z]/g) || []).join("").toLowerCase();

/** The items of lists of entries, made once for each. */
const ITEMS = new WeakMap();

/** What an entry is found by, in the forms in which texts of queries are compared. */
function prepared(entry) {
  const stems = texts => new Set(texts.flatMap(wordsOf).map(stem));
  const options = entry.keywords.filter(word => word.startsWith("-"));
  const keywords = entry.keywords.filter(word => !word.startsWith("-"));
  return {
    entry,
    names: new Set(entry.names.map(squashed)),
    lastNames: new Set(entry.names.map(lastPart)),
    initials: new Set(entry.names.map(initials)),
    keywords: new Set(keywords.map(squashed)),
    lastKeywords: new Set(keywords.map(lastPart)),
    options: new Set(options),
    bareOptions: new Set(options.map(squashed)),
    words: new Set(entry.words.map(squashed)),
    text: squashed([...entry.words, entry.summary].join(" ")),
    places: [[stems(entry.names), 58], [stems(keywords), 54], [stems([entry.summary]), 44], [stems(entry.words), 30]],
  };
}

/** A query, or one word of it, in the forms that are compared. */
function asked(text) {
  const name = squashed(text);
  const last = lastPart(text);
  const old = last.replace(/v\d$/, ""); // ReverseV2 of TensorFlow
  return { text, name, shorter: [last, old].filter(form => form !== name), ends: wordsOf(text).map(stem) };
}

/** How well what is asked names an entry: 100 points for its exact name. */
function naming(item, { text, name, shorter, ends }) {
  if (text.startsWith("-")) return item.options.has(text) ? 100 : 0;
  if (item.names.has(name)) return 100;
  if (item.keywords.has(name)) return item.initials.has(name) ? 99 : 96; // NMS: first NonMaxSuppression
  if (item.lastNames.has(name)) return 92;
  if (item.lastKeywords.has(name)) return 90;
  if (shorter.some(form => item.names.has(form) || item.lastKeywords.has(form))) return 84;
  if (item.bareOptions.has(name)) return 78;
  if (name.length < 2) return 0;
  let points = item.words.has(name) ? 60 : 0;
  if (ends.length > 1 && name.length > 7 && item.text.includes(name)) points = Math.max(points, 46);
  for (const [names, most] of [[item.names, 76], [item.lastNames, 72], [item.keywords, 66]])
    for (const one of names)
      if (one.startsWith(name)) points = Math.max(points, most - Math.min(9, (one.length - name.length) / 2));
  return points;
}

/** How well one word of a query describes an entry. */
function describing(item, word) {
  const place = item.places.find(([stems]) => word.ends.length && word.ends.every(end => stems.has(end)));
  const points = naming(item, word);
  return Math.max(points < SURE ? points * 0.7 : points, place ? place[1] : 0);
}

/** The points of each item for the words of a query, of which rare ones count more than common ones. */
function described(items, words) {
  const total = items.map(() => 0);
  let weights = 0;
  for (const word of words.map(asked)) {
    const points = items.map(item => describing(item, word));
    const weight = Math.log(1 + items.length / (1 + points.filter(Boolean).length));
    weights += weight;
    points.forEach((count, k) => (total[k] += weight * count));
  }
  return total.map(sum => (0.9 * sum) / weights);
}

/** The entries that a query finds, with their points, the best first. */
function found(entries, query) {
  if (!ITEMS.has(entries)) ITEMS.set(entries, entries.map(prepared));
  const items = ITEMS.get(entries);
  const words = query.split(/[\s,;:?!()"']+/).filter(word => squashed(word) && !EMPTY.has(word.toLowerCase()));
  const [all, whole] = [asked(query), asked(words.join(" "))];
  const parts = words.length > 1 ? described(items, words) : items.map(item => describing(item, whole));
  const spoken = new Set(wordsOf(query));
  const scored = items.map((item, k) => {
    const { dialect, older, page, names } = item.entry;
    let points = naming(item, all);
    if (words.length) points = Math.max(points, naming(item, whole), parts[k]);
    else if (points < SURE) points = 0; // "the" is in the words of an entry
    if (dialect && !spoken.has(dialect)) points *= 0.8;
    if (older && !names.slice(0, 2).some(id => all.name.includes(squashed(id)))) points *= 0.7;
    if (/^(decisions|changelog)/.test(page)) points *= 0.7;
    return { ...item.entry, points };
  });
  const least = Math.max(12, 0.5 * Math.max(0, ...scored.map(entry => entry.points)));
  const order = Object.keys(KINDS);
  const newestFirst = (a, b) => (a.older && b.older ? b.title.localeCompare(a.title, "en", { numeric: true }) : 0);
  return scored
    .filter(entry => entry.points >= least)
    .sort((a, b) => b.points - a.points || order.indexOf(a.kind) - order.indexOf(b.kind) || newestFirst(a, b));
}

/** The groups of what a query finds, the best first: their title, the entries of a line each, and others. */
function ranked(entries, query) {
  const all = found(entries, query.trim());
  const sure = new Set(all.filter(entry => entry.points >= SURE).map(entry => entry.kind));
  const least = sure.size > 1 ? SURE : 0; // nothing less stands between exact names of several kinds
  return [...new Set(all.map(entry => entry.kind))].map(kind => {
    const own = all.filter(entry => entry.kind === kind);
    const lines = own.filter(entry => entry.points >= least).slice(0, MOST);
    return { title: KINDS[kind], lines, others: own.filter(entry => !lines.includes(entry)) };
  });
}

/** Show the groups in an element of the page. */
function show(groups, element) {
  const made = (parent, tag, text = "") => {
    const child = parent.appendChild(document.createElement(tag));
    child.textContent = text;
    return child;
  };
  const link = (parent, { page, title, summary }) => {
    const [path, anchor] = page.split("#");
    const child = made(parent, "a", title);
    child.href = `${document.documentElement.dataset.content_root}${path}.html${anchor ? `#${anchor}` : ""}`;
    child.title = summary;
  };
  for (const { title, lines, others } of groups) {
    made(element, "h2", title);
    const list = made(element, "ul");
    for (const entry of lines) {
      const item = made(list, "li");
      link(item, entry);
      if (entry.summary) made(item, "span", ` ${entry.summary}`);
    }
    if (!others.length) continue;
    const rest = made(list, "li", lines.length ? "Also " : "");
    others.slice(0, 4 * MOST).forEach((entry, k) => {
      if (k) rest.append(", ");
      link(rest, entry);
    });
  }
}

if (typeof module !== "undefined") module.exports = { ranked };
if (typeof ENTRIES !== "undefined") {
  const query = new URLSearchParams(location.search).get("q") || "";
  if (query.trim()) show(ranked(ENTRIES, query), document.getElementById("named-results"));
}
