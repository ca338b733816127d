"""The families of tasks and where each is implemented."""

from __future__ import annotations

from tasks.base import Family

WINDOW = Family("window", 1, "tasks.extrinsic.window:evaluate")
SENTENCE = Family("sentence", 1, "tasks.extrinsic.texts:evaluate_sentence")
PAIR = Family("pair", 1, "tasks.extrinsic.texts:evaluate_pair")
SIMILARITY = Family("similarity", 1, "tasks.intrinsic.similarity:evaluate")
ANALOGY = Family("analogy", 1, "tasks.intrinsic.analogy:evaluate")
