"use strict";
// How the search orders results: Sphinx's points, and more for pages that a word of the query names.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([page, title, , , score]) => {
    const query = new URLSearchParams(location.search).get("q") || "";
    const words = query.toLowerCase().split(/\s+/);
    const isCommand = page.startsWith("commands/"); // whose title is "irops" and its name
    const name = isCommand ? page.slice("commands/".length) : title.split(/ > | /)[0];
    const [, type, version] = name.toLowerCase().match(/^(.*?)(?:-(\d+))?$/);
    const isReference = /^(ops|rules|commands)\//.test(page);
    if (isReference && words.includes(name.toLowerCase())) score += 40; // Reverse-1, IR401
    else if (isReference && words.includes(type)) score += 30 + Number(version || 0) / 100; // Reverse
    if (/^(guide\/|writing-an-op$|ci$)/.test(page)) score += 10;
    if (/^(differences|decisions|comparisons)\/|^ops\/[a-z]+-|^changelog/.test(page)) score -= 4;
    return score;
  },
};
