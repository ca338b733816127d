"""A report written by hand, for pages."""

from __future__ import annotations

from typing import Any

from extensions.sufficiency.measure.report import REPORT, SufficiencyReport


def estimate(mean: float, half: float | None = 0.02) -> dict[str, Any]:
    return {"mean": mean, "interval": None if half is None else [mean - half, mean + half]}


def candidate(id: str, kind: str, title: str, **changes: Any) -> dict[str, Any]:
    known = {"id": id, "title": title, "kind": kind, "dimensions": 100, "window": None, "share": None}
    return known | {"licence": "not stated", "missing": None} | changes


def made_report(cues: int = 60) -> SufficiencyReport:
    """Pre-trained vectors, local ones of three windows, and à la carte vectors."""
    words = [f"word{nth}" for nth in range(cues)]
    decided = [("glove", "slightly-better", -0.018, 0.009), ("glove-alc", "undecided", -0.02, 0.04)]
    curve = [
        ("local", tokens, auc) for tokens, auc in ((34_000, 0.66), (69_000, 0.71), (104_000, 0.74), (138_000, 0.76))
    ]
    return REPORT.validate_python(
        {
            "version": 1,
            "sentence": "GloVe suffices for speeches. The largest area is that of the local vectors: 0.760.",
            "corpus": {
                "title": "speeches", "documents": 58, "groups": 39, "group_by": "speaker", "tokens": 138_000,
                "words": 9_012, "left_out": 2,
            },
            "candidates": [
                candidate("glove", "pre-trained", "GloVe 6B, 100 d", share=0.981),
                candidate("glove-alc", "a-la-carte", "GloVe 6B, à la carte"),
                candidate("local", "local", "Local vectors", window=6),
                candidate("local-2", "local", "Local vectors, window 2", window=2),
                candidate("local-12", "local", "Local vectors, window 12", window=12),
            ],
            "decisions": [
                {
                    "candidate": id, "verdict": verdict, "difference": estimate(mean, half),
                    "tokens_to_decide": 400_000 if verdict == "undecided" else None,
                    "sentence": f"The verdict on {id} in a sentence.",
                }
                for id, verdict, mean, half in decided
            ],
            "curve": [
                *({"candidate": id, "tokens": tokens, "auc": estimate(auc)} for id, tokens, auc in curve),
                {"candidate": "glove", "tokens": 0, "auc": estimate(0.742, 0.01)},
            ],
            "overtakes": {"glove": 107_000},
            "settings": [
                {
                    "candidate": id, "tokens": 138_000, "auc": estimate(auc, 0.01),
                    "difference": estimate(auc - 0.777, 0.006 if id != "local" else None),
                }
                for id, auc in (("local-2", 0.736), ("local", 0.777), ("local-12", 0.79))
            ],
            "cues": [
                {
                    "cue": word, "is_own": nth < 3, "occurrences": 40 + nth,
                    "auc": {"glove": 0.7 + nth / 1000, "local": 0.75, "glove-alc": 0.72},
                    "difference": {
                        "glove": estimate(nth / 1000 - 0.05, 0.02 if nth % 2 else None), "glove-alc": estimate(-0.03)
                    },
                }
                for nth, word in enumerate(words)
            ],
            "people": [{"title": "Words that people name", "cues": 20, "auc": {"glove": 0.93, "local": 0.86}}],
            "seconds": 640.0,
        }
    )  # fmt: skip
