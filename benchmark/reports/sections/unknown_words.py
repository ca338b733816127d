"""Out-of-vocabulary test words, by task."""

from __future__ import annotations

from benchmark.reports.sections import ReportPage, Section
from tasks.secondary import TrainedFigures


def build(page: ReportPage) -> dict[str, object] | None:
    """None where nothing was trained. Both modes have the same words; the first is used."""
    rows: dict[str, dict[str, object]] = {}
    for result in page.report.results:
        missed = result.figures(TrainedFigures).get("unknown_words")
        if missed is not None and result.task not in rows:
            words = ", ".join(
                f"{word}\N{NO-BREAK SPACE}({count})" if count != 1 else str(word) for word, count in missed["commonest"]
            )
            title = page.suite.title_of(result.task)
            rows[result.task] = {"title": title, "coverage": result.coverage, "types": missed["types"], "words": words}
    return {"rows": list(rows.values())} if rows else None


SECTION = Section(
    "unknown-words", "Out-of-vocabulary words", build, "reports/sections/unknown_words.html", place="downstream"
)
