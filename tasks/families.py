"""The families of tasks and where each is implemented."""

from __future__ import annotations

from tasks.base import Family

WINDOW = Family("window", 2, "tasks.extrinsic.window:evaluate")
SENTENCE = Family("sentence", 2, "tasks.extrinsic.texts:evaluate_sentence")
PAIR = Family("pair", 2, "tasks.extrinsic.texts:evaluate_pair")
SIMILARITY = Family("similarity", 1, "tasks.intrinsic.similarity:evaluate")
ANALOGY = Family("analogy", 1, "tasks.intrinsic.analogy:evaluate")
QVEC = Family("qvec", 2, "tasks.intrinsic.qvec:evaluate")
QVEC_CCA = Family("qvec-cca", 2, "tasks.intrinsic.qvec:evaluate_cca")
INTRUSION = Family("intrusion", 1, "tasks.intrinsic.intrusion:evaluate")
PRIMING = Family("priming", 2, "tasks.intrinsic.priming:evaluate")
NEWSGROUPS = Family("newsgroups", 1, "tasks.probes.newsgroups:evaluate")
MEAN_VECTOR_PROBE = Family("mean-vector-probe", 1, "tasks.probes.sentences:evaluate")
METAPHOR = Family("metaphor", 1, "tasks.probes.metaphor:evaluate")
WORD_MAP = Family("word-map", 1, "tasks.intrinsic.word_map:evaluate")
POLITICAL = Family("political", 2, "tasks.political.measure:evaluate")
POLITICAL_EVERY_WORD = Family("political-every-word", 1, "tasks.political.measure:evaluate_every_word")
POLITICAL_HUMAN = Family("political-human", 2, "tasks.political.measure:evaluate_human")
STABILITY = Family("stability", 1, "tasks.political.measure:evaluate_stability")
SEPARABILITY = Family("separability", 1, "tasks.political.measure:evaluate_separability")
