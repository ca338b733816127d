"""A report written by hand, for pages."""

from __future__ import annotations

from typing import Any

from extensions.front.measure.report import REPORT, FrontReport


def figures(name: str, size: int, difference: float, verdict: str | None) -> dict[str, Any]:
    mean = {
        "task": "mean of the probes", "new": 73 + difference, "old": 73.0, "difference": difference,
        "lower": difference - 0.8, "upper": difference + 0.8, "verdict": verdict or "can't tell",
    }  # fmt: skip
    words, dimensions, precision = name.split(", ")
    return {
        "name": name, "words": int(words.split()[0].replace(",", "")), "dimensions": int(dimensions.split()[0]),
        "precision": precision, "bytes": size, "loss": 0.01, "sha256": f"{size:064}", "mean": mean,
        "probes": [mean | {"task": "senti"}, mean | {"task": "20ng"}], "trained": [], "verdict": verdict,
    }  # fmt: skip


def made_report(verdict: str = "not inferior") -> FrontReport:
    """Vectors of 83 MB, of which 3 MB are as good, or the first ones tested aren't."""
    chosen = "100,000 words, 50 d, int4"
    return REPORT.validate_python({
        "name": "GloVe 6B", "sentence": "An answer.", "budget": 5_000_000, "margin": 1.0, "verdict": verdict,
        "chosen": chosen,
        "variants": [
            figures("400,000 words, 50 d, float32", 83_360_000, 0.0, None),
            figures(chosen, 3_510_000, 0.1, verdict),
            figures("50,000 words, 50 d, int8", 3_000_000, -0.7, "can't tell" if verdict == "not inferior" else None),
            figures("10,000 words, 12 d, int4", 160_000, -9.7, None),
        ],
        "warnings": ["The words are in alphabetical order."],
    })  # fmt: skip
