"""A page shows at most twenty terms that a newcomer doesn't know, outside its folded parts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.test_shipped_board import IDS, TITLES, pytestmark, web
from tests.web import ROOT

__all__ = ["pytestmark", "web"]
MOST = 20
COMMON = {"leaderboard", "rank", "report", "task"}
"""Headwords of the glossary that everyone knows."""
MORE = """
accuracy, alignment|aligned, analogies, arrowhead, association test, BLESS, bootstrap, CBOW, CC BY, chunking, corpus,
correlation, cosine, CSLS, dimensions?|\\d d\\b, EVALution, F1, fastText, floor, GloVe, Google analogies, gold,
hollow, human judgements, interpolated, (95 % )?interval, iterations, lexical inference, linear probes?, McNemar, mean
rank, MC-30, MEN, model card, MSR, MTurk-\\d+, named entit(y|ies), NPZ, outcomes?, p, paired test, Pearson, Penn
Treebank, phrase inference, points, poles?|axes, precision, prescribed corpus, priming, question classification,
QVEC-CCA, QVEC(?!-), Rare words, raters?, raw scores?, RG-65, sentiment, SHA-256, significan\\w+, SimLex-999,
SimVerb-3500, skip-gram, Spearman|ρ, standard (error|deviation), subwords?, supersenses?, SVG, t-tests?, tagging,
tokens?, track, uncertainty, vectors?, Verb-143, vocabular(y|ies), WEAT, whiskers?, window, word embeddings?, word
intrusion, word pieces?, word relations, WordLlama, WordSim-353, YP-130
"""
PAGES = {
    "board": "/", "report": "/r/{skip}", "compare": "/compare?e={skip}&e={cbow}", "find": "/find", "study": "/study",
}  # fmt: skip
UNSEEN = ".hidden, code, option:not(:checked)"
"""Not read: text for screen readers alone, text to copy, and choices of a closed list."""
TEXT = f"main => {{ main.querySelectorAll('{UNSEEN}').forEach(part => part.remove()); return main.innerText }}"


def terms() -> list[re.Pattern[str]]:
    """Headwords of the glossary, without common ones, and more."""
    headwords = re.findall("(?m)^## (.+)$", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))
    glossary = {re.sub(" (task|correction|metric|variance)$", "", word.lower()) for word in headwords} - COMMON
    patterns = {term.strip() for term in MORE.replace("\n", " ").split(", ")} | glossary
    return [re.compile(rf"\b(?:{term})(?!\w)" if term[0].isalnum() else term, re.IGNORECASE) for term in patterns]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_few_terms_that_a_newcomer_does_not_know(visit: Callable[..., Page], name: str) -> None:
    chosen = {"skip": "skip-gram-w5-d100", "cbow": "cbow-w5-d50"}
    page = visit(PAGES[name].format(**{key: IDS.get(TITLES[entry], "") for key, entry in chosen.items()}))
    text = " ".join(page.locator("main").evaluate(TEXT).split())
    shown = sorted({term.pattern for term in terms() if term.search(text)})
    assert len(shown) <= MOST, shown
