/* Search: pages of the book before the reference of the library, titles before text. */
"use strict";
var Scorer = {
  score: ([page, , , , score, , kind]) => page.startsWith("api/") ? score / 100
    : page.startsWith("docs/glossary") ? score + 20 : kind === "title" ? score + 10 : score,
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
