"use strict";
// How the search in the text of pages orders results: Sphinx's points, and more for guides. static/search.js ranks names.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([page, , , , score]) => {
    if (/^(guide\/|writing-an-op$|ci$)/.test(page)) score += 10;
    if (/^(differences|decisions)\/|^ops\/[a-z]+-|^changelog/.test(page)) score -= 4;
    return score;
  },
};
