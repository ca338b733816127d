"""Word tasks and probes on the report page: every figure with its interval and what the vectors knew of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmark.explore.neighbours import can_be_looked_up, stand_in
from benchmark.reports.sections import Section
from benchmark.reports.tables import WordRow, word_row
from benchmark.shipped.without import why_without
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import correlation, grouped, percent
from tasks.base import Task
from tasks.figures import AnalogyFigures, IntrusionFigures, PrimingFigures, QvecFigures
from tasks.results import Report, TaskResult
from tasks.suites import SUITES

GROUPS = {
    "similarity": "Word similarity",
    "analogy": "Analogies",
    "qvec": "Alignment with linguistic properties",
    "qvec-cca": "Alignment with linguistic properties",
    "odd-one-out": "Word groups",
    "intrusion": "Word intrusion",
    "priming": "Semantic priming",
    "newsgroups": "Linear probes",
    "mean-vector-probe": "Linear probes",
    "metaphor": "Linear probes",
}
ABOUT = {
    "Word similarity": "Spearman's ρ of cosines and people's scores, over pairs with both words in the vocabulary; "
    "95 % intervals after Bonett & Wright (2000).",
    "Analogies": "Precision at 1 in per cent by 3CosAdd over the whole vocabulary, of questions with four known words; "
    "95 % intervals resample the word pairs in the questions.",
    "Alignment with linguistic properties": "QVEC sums each dimension's largest correlation with a property; QVEC-CCA "
    "is the mean canonical correlation. Compare them only between files with the same number of dimensions that "
    "cover about as many of the oracle's words.",
    "Word groups": "Share of trials, in per cent, in which a word of another group has the smallest mean cosine with "
    "four words of a group; chance 20 %. 95 % intervals resample the groups.",
    "Word intrusion": "Mean distance of an intruder from five words that a dimension puts first, over their mean "
    "distance from each other; ten seeded runs. 1: nothing distinguishes the intruder.",
    "Semantic priming": "Minus Spearman's ρ of cosines and mean reaction times, test pairs of partition P1; 95 % "
    "intervals after Bonett & Wright (2000).",
    "Linear probes": "Accuracy in per cent of a classifier over mean vectors (metaphor: both words' vectors).",
}


@dataclass(frozen=True)
class FigureGroup:
    title: str
    about: str
    rows: tuple[WordRow, ...]


def build(report: Report, submission: Submission) -> dict[str, object] | None:
    """The figures by group, of the tasks that are for these vectors' language."""
    suite = SUITES.get(submission.suite)
    tasks = [task for task in suite.tasks if task.family.id in GROUPS] if suite else []
    if not any(report.result(task.id) for task in tasks):
        return None
    mine = [task for task in tasks if task.applies_to(submission.language)]
    groups = [
        FigureGroup(title, ABOUT[title], tuple(_row(report, task) for task in mine if GROUPS[task.family.id] == title))
        for title in dict.fromkeys(GROUPS.values())
    ]
    return {
        "groups": [group for group in groups if group.rows],
        "categories": _categories(report, mine),
        "examples": intruded["examples"] if (intruded := report.figures("intrusion", IntrusionFigures)) else [],
        "partitions": _partitions(report, mine),
        "similarity_sets": _similarity_sets(report, mine),
        "has_dimensions": any((found := report.figures(t.id, QvecFigures)) and found.get("dimensions") for t in mine),
        "has_map": report.result("map") is not None,
        "can_be_looked_up": can_be_looked_up(submission),
        "excerpt": stand_in(submission),
        "why_without": "" if submission.file_key else why_without(submission),
    }


def _row(report: Report, task: Task) -> WordRow:
    result, row = report.result(task.id), word_row(report, task)
    return replace(row, score=replace(row.score, beside=(*row.score.beside, *_parts(result)))) if result else row


def _parts(result: TaskResult) -> list[str]:
    """Semantic and syntactic analogies, where there are both."""
    figures = result.secondary
    return [
        f"{percent(share)} {key}" for key in ("semantic", "syntactic") if isinstance(share := figures.get(key), float)
    ]


def _categories(report: Report, tasks: Sequence[Task]) -> list[tuple[str, str, str, str]]:
    """Category, right, known and precision of the Google questions."""
    named = any(task.id == "analogy-google" for task in tasks)
    figures = report.figures("analogy-google", AnalogyFigures) if named else None
    counts = figures["categories"] if figures else {}
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
        figures = report.figures(task.id, PrimingFigures)
        if figures and (parts := figures.get("partitions")):
            found.append((task.title, [_minus(part["rho"]) for part in parts.values()]))
    return found


def _minus(rho: float | None) -> str:
    return correlation(None if rho is None else -rho)


def _similarity_sets(report: Report, tasks: Sequence[Task]) -> list[tuple[str, int, list[str]]]:
    """Similarity set, shared pairs, then ρ with the times of each condition (a fact about the data alone)."""
    primed = [figures for task in tasks if (figures := report.figures(task.id, PrimingFigures))]
    tables = [table for figures in primed if (table := figures.get("similarity_sets"))]
    names = list(tables[0]) if len(tables) == 4 else []
    return [
        (name, tables[0][name]["pairs"], [correlation(table[name]["rho"]) for table in tables])
        for name in names
        if all(name in table for table in tables)
    ]


SECTION = Section("word-tasks", "Word tasks in detail", build, "reports/sections/intrinsic.html")
