"""Plain text collections: what baselines are trained on."""

from __future__ import annotations

from tasks.datasets.dataset import DataFile, DataSet, github
from tasks.datasets.formats import NamedParagraphs
from tasks.datasets.recipes import Assembled

_WIKI = github("jason-feng/wikiVisual", "1c0fac92f29f17c1603bfffbe864e0dfdff66897", "text")
_WIKI_FILES = ("03", "10", "16", "23", "30", "36", "43", "50", "56", "63", "70", "76", "83", "90", "96")

WIKI_CORPUS = DataSet(
    id="wiki-corpus",
    title="English Wikipedia sample, plain text (2015 extract)",
    version="2015",
    files=(
        DataFile(
            "wiki-corpus/wiki-sample.txt.gz",
            59_350_663,
            "2ea737567059f237ddf3c46cf982809cbbe0ec558ffba53b5e5a58d6a4721278",
            Assembled(
                tuple(
                    f"{_WIKI}/{folder}/wiki_{number}" for folder in ("AA", "AB", "AC", "AD") for number in _WIKI_FILES
                ),
                "wiki-sample",
            ),
        ),
    ),
    licence="CC BY-SA 3.0 (Wikipedia text)",
    citation="Wikipedia contributors, English Wikipedia, extract of 2015 (WikiExtractor format)",
    paragraphs=NamedParagraphs("readers.paragraphs:plain_paragraphs"),
    notes="3,785 articles, 120,825 paragraphs, 9,526,890 tokens. Taken from 60 of 400 extract files, evenly spaced; "
    "titles, headings, lines under 8 words, lines without a sentence end, left-over markup, duplicate paragraphs "
    "and articles "
    "under 40 words were dropped. Some numbers and units are missing inside sentences, as the extraction dropped "
    "templates.",
)

DATASETS = (WIKI_CORPUS,)
