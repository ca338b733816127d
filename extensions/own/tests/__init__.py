"""A report written by hand, and the texts that it quotes, for pages."""

from __future__ import annotations

from typing import Any

from extensions.own.measure.report import DISAGREEMENTS, REPORT, Disagreements, OwnReport

MARK = "confidentialword"
FLOOR = "words alone (TF-IDF)"


def figures(accuracy: float) -> list[dict[str, Any]]:
    return [
        {"name": "accuracy", "unit": "%", "value": accuracy, "interval": [accuracy - 2, accuracy + 2]},
        {"name": "macro-F1", "unit": "%", "value": accuracy - 3, "interval": None},
    ]


def score(name: str, accuracy: float) -> dict[str, Any]:
    known = None if name == FLOOR else 0.97
    size = None if name == FLOOR else 100
    more = {"dimensions": size, "known": known, "without_words": size and 2, "seconds": 3.2}
    return {"name": name, "figures": figures(accuracy)} | more


def comparison(new: str, old: str, difference: float, half: float) -> dict[str, Any]:
    lower, upper = difference - half, difference + half
    verdict = "not inferior" if lower > -1 else "inferior" if upper < -1 else "can't tell"
    known = {"new": new, "old": old, "difference": difference, "lower": lower, "upper": upper, "verdict": verdict}
    return known | {"more": 400 if verdict == "can't tell" else None, "sentence": f"{new} − {old}: {verdict}."}


def made_report(sets: tuple[tuple[str, float], ...] = (("GloVe", 83.0), ("WordLlama", 90.0))) -> OwnReport:
    """Words alone at 84 %, and these sets."""
    (first, level), *others = sets
    against = [comparison(name, first, accuracy - level, 1.5) for name, accuracy in others]
    against += [comparison(name, FLOOR, accuracy - 84.0, 1.5) for name, accuracy in sets]
    return REPORT.validate_python(
        {
            "kind": "labelled",
            "data": {
                "sentence": "5,452 texts, 6 labels; 5-fold cross-validation, 2 times", "texts": 5452, "tested": 5452,
                "labels": 6, "divisions": 10, "queries": None, "judgements": None, "left_out": 1,
                "reasons": [f"Document {MARK} has no word."],
            },
            "margin": 1.0,
            "scores": [score(FLOOR, 84.0), *(score(*one) for one in sets)],
            "comparisons": against,
            "seconds": 64.0,
        }
    )  # fmt: skip


def made_differing(rows: int = 60) -> Disagreements:
    """Texts on which the two sets differ."""
    found = [
        {
            "text": f"text number {nth} with a {MARK}", "gold": "place" if nth % 2 else "person",
            "answers": [
                {"answer": "place", "right": nth % 2}, {"answer": "person", "right": 1 - nth % 2},
                {"answer": "=thing", "right": 0.5 if nth % 3 else 0},
            ],
        }
        for nth in range(rows)
    ]  # fmt: skip
    return DISAGREEMENTS.validate_python({"sets": [FLOOR, "GloVe", "WordLlama"], "total": rows, "rows": found})
