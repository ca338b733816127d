"""The top of a report: means with their ranks, strengths judged by intervals, and the sources of uncertainty.

In a language without downstream tasks, the mean rank on its board replaces the means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.leaderboard.columns import MEAN_RANK
from benchmark.leaderboard.table import current, place_in_words, ranks_of
from benchmark.reports.charts import has_means
from benchmark.submissions.models import Report as StoredReport
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import BLANK, between, bibtex, percent, signed_percent, tex
from tasks.results import Errors, Interval, Report, TaskResult
from tasks.suite import Suite

MOST_NAMED = 3
NO_MEAN_RANK = "The mean rank compares the entries on the board; this one is not ranked there."


@dataclass(frozen=True)
class Headline:
    """A mean with its interval and place on the board as text.

    ``equal`` is the mean relative to the baseline with equal dimensions, if there is one.
    """

    title: str
    value: str
    interval: str
    place: str
    reason: str
    unit: str = ""
    equal: float | None = None


def headlines(report: Report, submission: Submission, stored: StoredReport, suite: Suite) -> list[Headline]:
    """Fixed, fine-tuned and overall mean, or the mean rank; ranks are the current ones."""
    if not has_means(report, suite):
        return [_mean_rank(report, submission, stored)]
    places = ranks_of(stored.pk, submission.suite, report.suite["version"])
    found = []
    for title, name in (("Fixed", "fixed"), ("Fine-tuned", "fine_tuned"), ("Overall", "overall")):
        value = getattr(report.aggregates, name)
        found.append(
            Headline(
                title,
                signed_percent(value),
                between(report.aggregates.intervals.get(name)),
                place_in_words(places.get(name.replace("_", "-"))),
                report.aggregates.reasons.get(name, ""),
                "" if value is None else "%",
                getattr(report.equal_dimensions, name, None),
            )
        )
    return found


def _mean_rank(report: Report, submission: Submission, stored: StoredReport) -> Headline:
    table, _ = current(submission.suite, report.suite["version"])
    score = table.score(stored.pk, MEAN_RANK.key)
    if score is None:
        row = table.row_of.get(stored.pk)
        reasons = {} if row is None else table.reasons[row]
        return Headline(MEAN_RANK.title, MEAN_RANK.write(None), "", "", reasons.get(MEAN_RANK.key, NO_MEAN_RANK))
    value, *bounds = score
    place = place_in_words(table.place(table.row_of[stored.pk], MEAN_RANK.key))
    interval = "" if None in bounds else between(bounds, MEAN_RANK.write)
    return Headline(MEAN_RANK.title, MEAN_RANK.write(value), interval, place, "")


def sentences(report: Report, suite: Suite) -> list[str]:
    """Two sentences about significant strengths and weaknesses."""
    compared = [result for result in report.results if result.relative_error_reduction_interval is not None]
    if not compared:
        return []
    better = [result for result in compared if _bounds(result)[0] > 0]
    worse = [result for result in compared if _bounds(result)[1] < 0]
    better.sort(key=lambda result: -_bounds(result)[0])
    worse.sort(key=lambda result: _bounds(result)[1])
    good = f"of {len(compared)} downstream cells (task and mode)"
    bad = f"of {len(compared)}"
    return [
        f"Significantly better than the baseline on {_counted(better, good, suite)}.",
        f"Significantly worse on {_counted(worse, bad, suite)}.",
    ]


def _counted(results: Sequence[TaskResult], of: str, suite: Suite) -> str:
    if not results:
        return f"none {of}"
    which = "; most clearly" if len(results) > MOST_NAMED else ":"
    return f"{len(results)} {of}{which} {_named(results, suite)}"


def trained_seeds(report: Report) -> int:
    """Seeds per trained task; 0 if nothing was trained."""
    return max((result.seeds for result in report.results if result.mode is not None), default=0)


def seeds_in_words(report: Report, suite: Suite) -> str:
    """Seeds of trained tasks, then of word tasks with several draws."""
    trained = trained_seeds(report)
    drawn = [result for result in report.results if result.mode is None and result.seeds > 1]
    words = [f"{trained} for trained tasks, numbered from 0"] if trained else []
    words += [f"{suite.title_of(result.task).lower()} draws {result.seeds}" for result in drawn]
    return "; ".join(words)


def citation(submission: Submission, report: Report, suite: Suite, address: str) -> str:
    """BibTeX entry of this report."""
    when = submission.finished_at.date().isoformat() if submission.finished_at else ""
    title = f"{{{tex(submission.display_name)}}}: word embeddings measured on {tex(suite.title)}"
    return bibtex(
        f"vecboard-{submission.pk}",
        author=tex(submission.display_owner) or "Vecboard",
        title=f"{title}, version {report.suite['version']}",
        year=when[:4],
        howpublished=f"Vecboard report, {when}" if when else "Vecboard report",
        url=address,
        note=f"suite {report.suite['hash']}, vectors {report.vectors['sha256'][:16]}",
    )


def _bounds(result: TaskResult) -> tuple[float, float]:
    assert result.relative_error_reduction_interval is not None
    return result.relative_error_reduction_interval


def _named(results: Sequence[TaskResult], suite: Suite) -> str:
    parts = [
        f"{suite.title_of(result.task).lower()} {result.mode} ({between(_bounds(result))}\N{NO-BREAK SPACE}%)"
        for result in results[:MOST_NAMED]
    ]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


BOTH = "95 % intervals over test examples and training seeds"
EXAMPLES_ALONE = "95 % intervals over test examples; variance between training seeds is not published for this suite"


@dataclass(frozen=True)
class ErrorRow:
    """Error reduction of a mean or a cell, and standard errors in points by source."""

    title: str
    value: str
    interval: str
    examples: str
    seeds: str


def intervals_in_words(report: Report) -> str:
    """Sources of uncertainty that the intervals include, as text."""
    errors = [result.relative_error_reduction_errors for result in report.results]
    return BOTH if any("seeds" in own for own in errors) else EXAMPLES_ALONE


def uncertainty_rows(report: Report, suite: Suite) -> list[ErrorRow]:
    """The means, then every cell with an interval."""
    means = report.aggregates
    found = [
        _error_row(title, getattr(means, name), means.intervals[name], means.errors[name])
        for title, name in (("Fixed", "fixed"), ("Fine-tuned", "fine_tuned"), ("Overall", "overall"))
        if name in means.errors
    ]
    found += [
        _error_row(
            f"{suite.title_of(result.task)}, {result.mode}",
            result.relative_error_reduction,
            result.relative_error_reduction_interval,
            result.relative_error_reduction_errors,
        )
        for result in report.results
        if result.relative_error_reduction_errors
    ]
    return found


def _error_row(title: str, value: float | None, interval: Interval | None, errors: Errors) -> ErrorRow:
    seeds = percent(errors["seeds"]) if "seeds" in errors else BLANK
    return ErrorRow(title, signed_percent(value), between(interval), percent(errors["examples"]), seeds)
