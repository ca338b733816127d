"""Sets that only the operator can supply: licence-bound treebanks, and a dump that is too large to pin."""

from __future__ import annotations

from tasks.datasets.dataset import DataFile, DataSet
from tasks.datasets.readers.columns import Columns
from tasks.datasets.readers.wikipedia import dump_paragraphs
from tasks.datasets.readers.wsj import TreebankPos
from tasks.datasets.recipes import Licensed

_SECTIONS = {"train": range(19), "dev": range(19, 22), "test": range(22, 25)}
_WSJ_WHERE = Licensed(
    "it is licensed by the Linguistic Data Consortium (LDC99T42, Treebank-3). Put the .pos files of "
    "tagged/pos/wsj below "
    "the data directory as wsj-pos/00/wsj_0001.pos to wsj-pos/24/wsj_2454.pos; see docs/data.md."
)
_CONLL_WHERE = Licensed(
    "its text (Reuters Corpus RCV1) is licensed by NIST. Put eng.train, eng.testa and eng.testb below the data "
    "directory "
    "as conll2003/eng.train and so on; see docs/data.md."
)
_WIKIPEDIA_WHERE = Licensed(
    "the dump of 2008-03-01 is no longer offered for download. Put enwiki-20080301-pages-articles.xml.bz2 (or another "
    "name that ends in -pages-articles.xml.bz2) into wikipedia-2008/ below the data directory; see docs/data.md."
)

WSJ_POS = DataSet(
    id="wsj-pos",
    title="Wall Street Journal part-of-speech tags (Penn Treebank 3)",
    version="LDC99T42",
    files=tuple(DataFile(f"wsj-pos/{section:02d}/*.pos", None, None, _WSJ_WHERE) for section in range(25)),
    licence="LDC User Agreement (Treebank-3, LDC99T42); not redistributable",
    citation="Marcus, Santorini & Marcinkiewicz (1993), Building a Large Annotated Corpus of English, Computational "
    "Linguistics 19(2); universal tags: Petrov, Das & McDonald (2012), LREC",
    reader=TreebankPos(
        {part: [f"wsj-pos/{section:02d}/*.pos" for section in sections] for part, sections in _SECTIONS.items()},
    ),
    notes="Sections 0-18, 19-21 and 22-24 are train, dev and test. Tags are mapped to the 12 universal ones.",
    homepage="https://catalog.ldc.upenn.edu/LDC99T42",
    revision=2,
)

CONLL_2003 = DataSet(
    id="conll2003",
    title="CoNLL-2003 named entities, English",
    version="2003",
    files=tuple(
        DataFile(f"conll2003/{name}", None, None, _CONLL_WHERE) for name in ("eng.train", "eng.testa", "eng.testb")
    ),
    licence="Reuters Corpus agreement with NIST (text); not redistributable",
    citation="Tjong Kim Sang & De Meulder (2003), Introduction to the CoNLL-2003 Shared Task: "
    "Language-Independent Named "
    "Entity Recognition, CoNLL 2003",
    reader=Columns(
        {"train": ["conll2003/eng.train"], "dev": ["conll2003/eng.testa"], "test": ["conll2003/eng.testb"]},
        count=4,
        word=0,
        tag=3,
        separator=" ",
        skip="-DOCSTART-",
        iob1=True,
    ),
    notes="Four columns: word, POS, chunk, entity. Tags are converted from IOB1 to IOB2; -DOCSTART- lines are not "
    "tokens.",
    homepage="https://www.clips.uantwerpen.be/conll2003/ner/",
)

WIKIPEDIA_2008 = DataSet(
    id="wikipedia-2008",
    title="English Wikipedia of 2008-03-01, XML dump",
    version="2008-03-01",
    files=(DataFile("wikipedia-2008/*-pages-articles.xml.bz2", None, None, _WIKIPEDIA_WHERE),),
    licence="GFDL 1.2",
    citation="Wikipedia contributors, English Wikipedia",
    paragraphs=dump_paragraphs,
    notes="The corpus of veceval-2016.",
)

DATASETS = (WSJ_POS, CONLL_2003, WIKIPEDIA_2008)
