"""Word tasks and probes on the report page: every figure with its interval and what the vectors knew of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.leaderboard.columns import KINDS, WRITERS
from benchmark.reports.sections import Section
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import correlation, grouped, percent
from tasks.base import Task
from tasks.results import Report, TaskResult
from tasks.suites import SUITES

ROOMS = ("intrinsic", "probes")
GROUPS = {
    "similarity": "Word similarity",
    "analogy": "Analogies",
    "qvec": "Alignment with linguistic properties",
    "qvec-cca": "Alignment with linguistic properties",
    "intrusion": "Word intrusion",
    "priming": "Semantic priming",
    "newsgroups": "Linear probes",
    "mean-vector-probe": "Linear probes",
    "metaphor": "Linear probes",
}
ABOUT = {
    "Word similarity": "Spearman's ρ of cosines and people's scores, over the pairs of which both words are known.",
    "Analogies": "Precision at 1 in per cent by 3CosAdd over the whole vocabulary, of questions with four known words.",
    "Alignment with linguistic properties": "QVEC sums each dimension's largest correlation with a property; QVEC-CCA "
    "is the mean canonical correlation. Both compare within one number of dimensions only.",
    "Word intrusion": "Mean distance of an intruder from five words that a dimension puts first, over their mean "
    "distance from each other; ten seeded runs. 1: nothing tells the intruder apart.",
    "Semantic priming": "Minus Spearman's ρ of cosines and mean reaction times, test pairs of partition P1.",
    "Linear probes": "Accuracy in per cent of a classifier over mean vectors (metaphor: both words' vectors).",
}


@dataclass(frozen=True)
class Row:
    """One figure; ``reason`` says why it is blank, ``beside`` are second figures in words."""

    id: str
    title: str
    shows: str
    note: str = ""
    score: str = "–"
    spread: str = ""
    interval: str = ""
    baseline: str = ""
    known: str = ""
    coverage: float | None = None
    beside: tuple[tuple[str, str], ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Group:
    title: str
    about: str
    rows: tuple[Row, ...]


def build(report: Report, submission: Submission) -> dict[str, Any] | None:
    """The figures by group; tasks that are not for these vectors' language are named in one line."""
    suite = SUITES.get(submission.suite)
    tasks = [task for task in suite.tasks if task.family.id in GROUPS] if suite else []
    if not any(report.result(task.id) for task in tasks):
        return None
    mine = [task for task in tasks if task.applies_to(submission.language)]
    groups = [
        Group(title, ABOUT[title], tuple(_row(report, task) for task in mine if GROUPS[task.family.id] == title))
        for title in dict.fromkeys(GROUPS.values())
    ]
    return {
        "groups": [group for group in groups if group.rows],
        "foreign": [task.title for task in tasks if task not in mine],
        "categories": _categories(report, mine),
        "examples": _secondary(report, "intrusion").get("examples", []),
        "partitions": _partitions(report, mine),
        "similarity_sets": _similarity_sets(report, mine),
        "has_dimensions": any(_secondary(report, task.id).get("dimensions") for task in mine),
        "has_map": report.result("map") is not None,
    }


def _row(report: Report, task: Task) -> Row:
    result = report.result(task.id)
    if result is None:
        reason = next((item.reason for item in report.unavailable if item.task == task.id), "This was not measured.")
        return Row(task.id, task.title, task.shows, task.note, reason=reason)
    write = _writer(task)
    return Row(
        task.id,
        task.title,
        task.shows,
        task.note,
        write(result.score),
        spread=f"± {write(result.sd)}" if result.sd is not None else "",
        interval=f"{write(result.interval[0])} to {write(result.interval[1])}" if result.interval else "",
        baseline=write(result.baseline) if result.baseline is not None else "",
        known=_known(result),
        coverage=result.coverage.types,
        beside=tuple(_beside(result, write)),
    )


def _writer(task: Task) -> Callable[[float | None], str]:
    write: Callable[[float | None], str] = WRITERS[KINDS.get(task.metric, "correlation")]  # type: ignore[assignment]
    return write


def _known(result: TaskResult) -> str:
    figures = result.secondary
    of = next((figures[key] for key in ("pairs", "questions", "words") if isinstance(figures.get(key), int)), None)
    return f"{grouped(result.n)} of {grouped(of)}" if of is not None and "known" in figures else grouped(result.n)


def _beside(result: TaskResult, write: Callable[[float | None], str]) -> list[tuple[str, str]]:
    figures = result.secondary
    found = []
    for key, words in (("unknown_as_zero", "unknown as zero"), ("strict", "unknown = wrong")):
        if isinstance(figures.get(key), float):
            found.append((words, write(figures[key])))
    for key in ("semantic", "syntactic"):
        if isinstance(figures.get(key), float):
            found.append((key, write(figures[key])))
    if isinstance(figures.get("cosmul"), dict):
        found.append(("3CosMul", write(figures["cosmul"]["total"])))
    return found


def _secondary(report: Report, task: str) -> Any:
    result = report.result(task)
    return result.secondary if result else {}


def _categories(report: Report, tasks: Sequence[Task]) -> list[tuple[str, str, str, str]]:
    """Category, right, known and precision of the Google questions."""
    counts = next((_secondary(report, t.id).get("categories", {}) for t in tasks if t.id == "analogy-google"), {})
    return [
        (
            name,
            grouped(count["correct"]),
            f"{grouped(count['known'])} of {grouped(count['questions'])}",
            percent(count["correct"] / count["known"]) if count["known"] else "–",
        )
        for name, count in counts.items()
    ]


def _partitions(report: Report, tasks: Sequence[Task]) -> list[tuple[str, list[str]]]:
    """Condition, then -ρ of dev and test of P1 and of dev, test and train of P2."""
    found = []
    for task in tasks:
        parts = _secondary(report, task.id).get("partitions", {})
        if parts:
            found.append((task.title, [_minus(part["rho"]) for part in parts.values()]))
    return found


def _minus(rho: float | None) -> str:
    return correlation(None if rho is None else -rho)


def _similarity_sets(report: Report, tasks: Sequence[Task]) -> list[tuple[str, int, list[str]]]:
    """Similarity set, shared pairs, then ρ with the times of each condition (a fact about the data alone)."""
    tables = [t for task in tasks if (t := _secondary(report, task.id).get("similarity_sets"))]
    names = list(tables[0]) if len(tables) == 4 else []
    return [
        (name, tables[0][name]["pairs"], [correlation(table[name]["rho"]) for table in tables])
        for name in names
        if all(name in table for table in tables)
    ]


SECTION = Section("word-tasks", "Word tasks in detail", build, "reports/sections/intrinsic.html")
