"""From a report to the figures of the board: the one place that decides which number goes in which column."""

from __future__ import annotations

from tasks.results import AGGREGATES, EQUAL, MODES, Report, TaskResult, cell_key

Figure = list[float | None]
"""[value, low, high, coverage]: the interval's ends and the share of known tokens, None where there is none."""
NOT_MEASURED = "This entry was not evaluated on this task."


def figures_of(report: Report) -> tuple[dict[str, Figure], dict[str, str]]:
    """Figures and reasons by column key; every cell of the report is in exactly one of the two."""
    figures: dict[str, Figure] = {}
    reasons: dict[str, str] = {}
    for prefix, means in (("", report.aggregates), (EQUAL, report.equal_dimensions)):
        if means is None:
            continue
        for key in AGGREGATES:
            name = key.replace("-", "_")
            value = getattr(means, name)
            if value is None:
                reasons[prefix + key] = means.reasons.get(name, NOT_MEASURED)
            else:
                figures[prefix + key] = [value, *(means.intervals.get(name) or (None, None)), None]
    for item in report.unavailable:
        for mode in (None, *MODES) if item.mode is None else (item.mode,):
            reasons[cell_key(item.task, mode)] = item.reason
    for result in report.results:
        key = cell_key(result.task, result.mode)
        value, interval = _value(result)
        if value is None:
            reasons[key] = result.why_no_reduction
        else:
            figures[key] = [value, *(interval or (None, None)), result.coverage.tokens]
    return figures | _of_the_file(report), {key: why for key, why in reasons.items() if key not in figures}


def _value(result: TaskResult) -> tuple[float | None, tuple[float, float] | None]:
    if result.mode is None:
        return result.score, result.interval
    return result.relative_error_reduction, result.relative_error_reduction_interval


def _of_the_file(report: Report) -> dict[str, Figure]:
    """Dimensions, words, and the mean share of test tokens that the file knows."""
    shares = [result.coverage.tokens for result in report.results if result.mode == "fixed"]
    found: dict[str, float | None] = {
        "dimensions": report.vectors.get("dimensions"),
        "words": report.vectors.get("words"),
        "coverage": sum(shares) / len(shares) if shares else None,
    }
    return {key: [value, None, None, None] for key, value in found.items() if value is not None}
