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

/** The words of lists of entries, with the weight of the places where they are. */
const VOCABULARIES = new WeakMap();
function vocabulary(entries) {
  if (!VOCABULARIES.has(entries)) {
    const words = new Map();
    const add = (texts, weight) => {
      for (const word of texts.flatMap(text => [...wordsOf(text), squashed(text)]))
        if (word.length > 3) words.set(word, (words.get(word) || 0) + weight);
    };
    for (const { names, keywords, words: more, summary } of entries)
      add(names, 100), add(keywords, 20), add([summary, ...more].flatMap(wordsOf), 1);
    VOCABULARIES.set(entries, words);
  }
  return VOCABULARIES.get(entries);
}

/** How many letters are added, left out, replaced or exchanged with their neighbour between two words. */
function distance(one, other) {
  let before = [], last = [], row = [...Array(other.length + 1).keys()];
  for (let i = 1; i <= one.length; i++) {
    [before, last, row] = [last, row, [i]];
    for (let j = 1; j <= other.length; j++) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (one[i - 1] !== other[j - 1]));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
    }
  }
  return row[other.length];
}

/** The known word that a word is most like: the nearest, of these the one that names most; or the word itself. */
function respelled(entries, word) {
  const name = word.toLowerCase();
  const most = Math.min(2, Math.floor(name.length / 4)); // one letter of four, two of eight
  let best = word, least = [most + 0.75, 0];
  for (const [known, weight] of vocabulary(entries)) {
    if (Math.abs(known.length - name.length) > most) continue;
    const found = [distance(name, known) + (name[0] === known[0] ? 0 : 0.5), -weight];
    if (found[0] < least[0] || (found[0] === least[0] && found[1] < least[1])) [best, least] = [known, found];
  }
  return best;
}

/** A query whose words that nothing is found by are replaced by those that they are most like. */
function corrected(entries, query) {
  if (!ITEMS.has(entries)) ITEMS.set(entries, entries.map(prepared));
  const items = ITEMS.get(entries);
  if (items.some(item => naming(item, asked(query.trim())) >= SURE)) return query;
  return query.replace(/[a-z]{4,}/gi, (word, at) => {
    const around = `${query[at - 1]}${query[at + word.length]}`;
    const isPart = /\d/.test(around) || (/_/.test(around) && word === word.toUpperCase()); // bfloat16, IROPS_DISABLE
    const isKnown = EMPTY.has(word.toLowerCase()) || items.some(item => describing(item, asked(word)));
    return isPart || isKnown ? word : respelled(entries, word);
  });
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

const made = (parent, tag, text = "") => {
  const child = parent.appendChild(document.createElement(tag));
  child.textContent = text;
  return child;
};

/** Show the groups in an element of the page. */
function show(groups, element) {
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

if (typeof module !== "undefined") module.exports = { ranked, corrected };
if (typeof ENTRIES !== "undefined") {
  const query = new URLSearchParams(location.search).get("q") || "";
  const place = document.getElementById("named-results");
  const spelled = query.trim() ? corrected(ENTRIES, query) : "";
  const groups = spelled ? ranked(ENTRIES, spelled) : [];
  if (spelled !== query && groups.length) made(place, "p", `No name has a word of “${query}”; these are found by “${spelled}”:`);
  show(groups, place);
}
