"""What the demo suite measures: files that gensim carries, and small generated sets. Needs no download."""

from __future__ import annotations

from tasks.datasets.dataset import DataFile, DataSet
from tasks.datasets.readers.paragraphs import wikipedia_dump_paragraphs
from tasks.datasets.readers.word_tasks import Analogies, ScoredPairs
from tasks.datasets.recipes import Packaged


def _packaged(name: str, size: int, sha256: str) -> DataFile:
    path = f"test/test_data/{name}"
    return DataFile(path, size, sha256, Packaged("gensim", path))


_WORDSIM = _packaged("wordsim353.tsv", 7_186, "f92a022fc2537793a15bc3a8c162ebcd74990e033a228bb6388cb71e4c0b1e1d")
_SIMLEX = _packaged("simlex999.txt", 18_126, "d5e0501971478a511430ee880bd0121e94ac701ba86d90544d83e6d2ba3db05d")
_QUESTIONS = _packaged("questions-words.txt", 603_955, "8c29b3332afc46f3fb8be04cb5297bf96f39aa7131272dff57869b4485b22a36")
_DUMP = _packaged(
    "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2",
    1_695_871,
    "a53f4648dec40467ebdcbc7a1307eddb51fe6e28e9309f6ebde81ba0d04bea2d",
)

DEMO_WORDSIM = DataSet(
    id="demo-wordsim",
    title="WordSim-353, as gensim carries it",
    version="gensim 4",
    files=(_WORDSIM,),
    licence="freely distributed for research by its authors; carried by gensim (LGPL-2.1)",
    citation="Finkelstein et al. (2001), Placing Search in Context: The Concept Revisited, WWW 2001",
    reader=ScoredPairs({"all": _WORDSIM.path}, comments=True),
)

DEMO_SIMLEX = DataSet(
    id="demo-simlex",
    title="SimLex-999, as gensim carries it",
    version="gensim 4",
    files=(_SIMLEX,),
    licence="freely distributed for research by its authors; carried by gensim (LGPL-2.1)",
    citation="Hill, Reichart & Korhonen (2015), SimLex-999, Computational Linguistics 41(4)",
    reader=ScoredPairs({"all": _SIMLEX.path}, comments=True),
)

DEMO_ANALOGY = DataSet(
    id="demo-analogy",
    title="Google analogy questions, as gensim carries them",
    version="gensim 4",
    files=(_QUESTIONS,),
    licence="published with word2vec (Apache-2.0); carried by gensim (LGPL-2.1)",
    citation="Mikolov, Chen, Corrado & Dean (2013), Efficient Estimation of Word Representations in Vector Space",
    reader=Analogies({"questions-words": _QUESTIONS.path}),
)

DEMO_CORPUS = DataSet(
    id="demo-corpus",
    title="Excerpt of an English Wikipedia dump, as gensim carries it",
    version="gensim 4",
    files=(_DUMP,),
    licence="CC BY-SA 3.0 (Wikipedia text); carried by gensim (LGPL-2.1)",
    citation="Wikipedia contributors, English Wikipedia",
    paragraphs=wikipedia_dump_paragraphs,
    notes="About half a million tokens: enough for a first look, too little for good vectors.",
)

DATASETS = (DEMO_WORDSIM, DEMO_SIMLEX, DEMO_ANALOGY, DEMO_CORPUS)
