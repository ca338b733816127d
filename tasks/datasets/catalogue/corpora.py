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
    notes="3,785 articles, 120,825 paragraphs, 9,526,890 tokens, from 60 of 400 extract files, evenly spaced. HTML "
    "entities are decoded; tags (at most 200 characters) become blanks; brackets around nothing but white space and a "
    "run of commas, semicolons and colons are removed; white space is collapsed. Lines stay that have at least 8 "
    "words, end a sentence somewhere (. ! or ?, then closing quotes or brackets, then white space or the line's end), "
    "consist of letters by at least 60 %, contain no [[ ]] {{ }} or ||, do not begin with | and have not occurred "
    "before. Titles are dropped, and articles with fewer than 40 words left. Some numbers and units are missing inside "
    "sentences, as the extraction dropped templates.",
)

DATASETS = (WIKI_CORPUS,)
