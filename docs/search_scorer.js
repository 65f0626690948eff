/* Scores of search results. Guide and tutorial pages come first, and decision pages come last. The gallery contains all
   words of the scene files, so that the gallery gets no bonus. */
const GUIDE_BONUS = 6; // more than the score of a word in a text, less than the score of a word in a title
const LAST_MALUS = 1000; // more than any score

var Scorer = {
  score: ([page, , , , score]) => {
    if (page.startsWith("decisions/")) {
      return score - LAST_MALUS;
    }
    const isGuide = page.startsWith("tutorial/") || (!page.includes("/") && page !== "shipped-scenes");
    return isGuide ? score + GUIDE_BONUS : score;
  },

  // The other scores are the default scores of Sphinx.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
