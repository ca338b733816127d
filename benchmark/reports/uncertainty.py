"""How sure the error reductions are: their intervals, and what each source of uncertainty adds to them."""

from __future__ import annotations

from dataclasses import dataclass

from benchmark.templatetags.figures import BLANK, between, percent, signed_percent
from tasks.results import Errors, Interval, Report
from tasks.suite import Suite

BOTH = "95 % intervals over test examples and training seeds"
EXAMPLES_ALONE = "95 % intervals over test examples; variance between training seeds is not published for this suite"


@dataclass(frozen=True)
class ErrorRow:
    """A mean or a cell: its error reduction, and standard errors in points by source."""

    title: str
    value: str
    interval: str
    examples: str
    seeds: str


def intervals_in_words(report: Report) -> str:
    """What the intervals of the error reductions include."""
    errors = [result.relative_error_reduction_errors for result in report.results]
    return BOTH if any("seeds" in own for own in errors) else EXAMPLES_ALONE


def rows(report: Report, suite: Suite) -> list[ErrorRow]:
    """The means, then every cell that has an interval."""
    means = report.aggregates
    found = [
        _row(title, getattr(means, name), means.intervals[name], means.errors[name])
        for title, name in (("Fixed", "fixed"), ("Fine-tuned", "fine_tuned"), ("Overall", "overall"))
        if name in means.errors
    ]
    found += [
        _row(
            f"{suite.title_of(result.task)}, {result.mode}",
            result.relative_error_reduction,
            result.relative_error_reduction_interval,
            result.relative_error_reduction_errors,
        )
        for result in report.results
        if result.relative_error_reduction_errors
    ]
    return found


def _row(title: str, value: float | None, interval: Interval | None, errors: Errors) -> ErrorRow:
    return ErrorRow(title, signed_percent(value), between(interval), percent(errors["examples"]), _seeds(errors))


def _seeds(errors: Errors) -> str:
    return percent(errors["seeds"]) if "seeds" in errors else BLANK
