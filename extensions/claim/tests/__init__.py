"""A corpus with a planted claim as a file, and a report written by hand, for pages."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from extensions.claim.measure.report import REPORT
from research.claim import SPEAKERS, X, corpus_of

LETTERS = str.maketrans("0123456789", "abcdefghij")
"""Corpora are read with every digit as 0."""


def spelled(words: Sequence[str]) -> list[str]:
    """Words of the simulation as they are in ``speeches``."""
    return [word.translate(LETTERS) for word in words]


def speeches(strength: float = 2.0) -> str:
    """JSON lines with two speeches by each of 24 speakers of two parties, in the language of the simulation."""
    tokens, group_of = corpus_of(20_000, strength, len(X), np.random.default_rng(3))
    rows = []
    for speaker in range(SPEAKERS):
        ids = tokens.ids[tokens.documents == speaker].reshape(-1, 20)
        lines = [" ".join(spelled([tokens.types[i] for i in line])) for line in ids.tolist()]
        fields = {"party": f"p{group_of[speaker]}", "who": f"s{speaker}"}
        rows += [json.dumps(fields | {"text": "\n".join(lines[half::2])}) for half in (0, 1)]
    return "\n".join(rows) + "\n"


def made_report() -> dict[str, object]:
    """A finding that isn't shown: two windows, two numbers of dimensions, and eight samples."""
    draw = np.random.default_rng(1)
    analyses = [
        ["local", window, size, sample, without, float(draw.normal(window / 10, 0.4))]
        for window in (2, 10) for size in (50, 100) for sample in range(9) for without in ("", "she", "mother")
    ]  # fmt: skip
    levels = [("window", "2", 0.21, 0.66), ("window", "10", 0.98, 0.99), ("lists", "without she", 0.6, 0.9)]
    report = REPORT.validate_python(
        {
            "answer": {
                "verdict": "not shown", "kind": "association", "effect": 0.61, "interval": [-0.01, 1.4], "p": 0.225,
                "sentence": "The finding isn't shown: in 92 of 108 analyses (18 models) the sign is the same.",
                "chances": {"words": 0.225}, "same": 92, "analyses": 108, "models": 18, "missing_words": ["maid"],
                "missing_settings": [],
                "levels": [
                    {"choice": choice, "option": option, "analyses": 54, "effect": effect, "same": same}
                    for choice, option, effect, same in levels
                ],
            },
            "corpus": {"words": 412_000, "units": 14, "unit": "president", "left_out": 1, "reasons": ["Line 3."]},
            "analyses": sorted(analyses, key=lambda row: row[-1]),
        }
    )  # fmt: skip
    written: dict[str, object] = REPORT.dump_python(report, mode="json")
    return written
