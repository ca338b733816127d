"""The task families: their implementations, and the constants that their code reads."""

from __future__ import annotations

from tasks.base import Family

_PAIRS = {"least known": 10}
"""With fewer known pairs (or words) there is no score."""

WINDOW = Family(
    "window", 2, "tasks.extrinsic.families:evaluate_window", "Downstream", {"width": 5, "hidden": 50, "dropout": 0.5}
)
SENTENCE = Family("sentence", 2, "tasks.extrinsic.families:evaluate_sentence", "Downstream", {"dropout": 0.5})
PAIR = Family("pair", 2, "tasks.extrinsic.families:evaluate_pair", "Downstream", {"hidden": 50, "dropout": 0.5})
SHARED_PAIR = Family(
    "shared-pair", 1, "tasks.extrinsic.families:evaluate_shared_pair", "Downstream", {"hidden": 50, "dropout": 0.5}
)
SIMILARITY = Family("similarity", 1, "tasks.intrinsic.similarity:evaluate", "Intrinsic", _PAIRS)
ANALOGY = Family("analogy", 2, "tasks.intrinsic.analogy:evaluate", "Intrinsic", {"epsilon": 0.001})
QVEC = Family("qvec", 2, "tasks.intrinsic.qvec:evaluate", "Intrinsic", _PAIRS)
QVEC_CCA = Family("qvec-cca", 2, "tasks.intrinsic.qvec:evaluate_cca", "Intrinsic", _PAIRS)
INTRUSION = Family("intrusion", 1, "tasks.intrinsic.intrusion:evaluate", "Intrinsic")
ODD_ONE_OUT = Family("odd-one-out", 1, "tasks.intrinsic.odd_one_out:evaluate", "Intrinsic", {"least groups": 3})
PRIMING = Family("priming", 3, "tasks.intrinsic.priming:evaluate", "Intrinsic", _PAIRS, also_reads=("word-sim",))
NEWSGROUPS = Family("newsgroups", 1, "tasks.probes:evaluate_newsgroups", "Probes")
MEAN_VECTOR_PROBE = Family("mean-vector-probe", 1, "tasks.probes:evaluate_sentences", "Probes")
METAPHOR = Family("metaphor", 2, "tasks.probes:evaluate_metaphor", "Probes")
WORD_MAP = Family(
    "word-map", 1, "tasks.intrinsic.word_map:evaluate", "Intrinsic", {"least known": 50, "neighbours": 10}
)
POLITICAL = Family("political", 2, "tasks.political.measure:evaluate", "Political")
POLITICAL_EVERY_WORD = Family("political-every-word", 1, "tasks.political.measure:evaluate_every_word", "Political")
POLITICAL_HUMAN = Family("political-human", 3, "tasks.political.measure:evaluate_human", "Political")
STABILITY = Family(
    "stability", 1, "tasks.political.measure:evaluate_stability", "Political", takes_runs=True, needs_runs=True
)
SEPARABILITY = Family(
    "separability", 1, "tasks.political.measure:evaluate_separability", "Political", _PAIRS, needs_tags=True
)
ASSOCIATION = Family("association", 1, "tasks.associations.measure:evaluate", "Associations", takes_runs=True)
