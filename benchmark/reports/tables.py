"""The report as rows for people: raw scores, word tasks, data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmark.leaderboard.columns import KINDS, UNITS, WRITERS
from benchmark.templatetags.figures import correlation, grouped, percent
from tasks.datasets import REGISTRY
from tasks.results import MODES, Mode, Report, TaskResult
from tasks.suite import Suite

SEMANTIC_CATEGORIES = 5
ROOMS = ("intrinsic", "probes")
NAMES = {"spearman": "Spearman ρ", "pearson": "Pearson r"}
BESIDE = {
    "token_accuracy": "token accuracy",
    "span_f1": "span F1",
    "unknown_as_zero": "unknown pairs as 0",
    "strict": "unknown = wrong",
    "cosmul": "3CosMul",
}


@dataclass(frozen=True)
class Score:
    """One cell of the raw score table; ``reason`` when it is blank."""

    text: str
    baseline: str = ""
    spread: str = ""
    interval: str = ""
    coverage: float | None = None
    beside: tuple[tuple[str, str], ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class TaskRow:
    id: str
    title: str
    metric: str
    shows: str
    note: str
    scores: tuple[Score, ...]

    @property
    def coverage(self) -> float | None:
        return next((score.coverage for score in self.scores if score.coverage is not None), None)


@dataclass(frozen=True)
class WordRow:
    id: str
    title: str
    shows: str
    score: Score
    metric: str
    known: str


@dataclass(frozen=True)
class DataRow:
    id: str
    title: str
    licence: str
    citation: str
    sha256: str
    tasks: str


def task_rows(report: Report, suite: Suite) -> list[TaskRow]:
    """Every extrinsic task with its fixed and fine-tuned score."""
    return [
        TaskRow(
            task.id,
            task.title,
            task.metric,
            task.shows,
            task.note,
            tuple(score_of(report, task.id, mode) for mode in MODES),
        )
        for task in suite.extrinsic_tasks
    ]


def _missing(report: Report, task: str, mode: Mode | None) -> Score:
    reason = next((u.reason for u in report.unavailable if u.task == task and u.mode in (mode, None)), "")
    return Score("–", reason=reason or "This was not measured.")


def score_of(report: Report, task: str, mode: Mode | None = None) -> Score:
    """The figure of a cell as it is written everywhere on the page, or why there is none."""
    result = report.result(task, mode)
    if result is None:
        return _missing(report, task, mode)
    write = WRITERS[KINDS.get(result.metric, "number")]
    return Score(
        write(result.score),
        baseline=write(result.baseline) if result.baseline is not None else "",
        spread=f"± {write(result.sd)}" if result.sd is not None and result.seeds > 1 else "",
        interval=f"{write(result.interval[0])} to {write(result.interval[1])}" if result.interval else "",
        coverage=result.coverage.tokens,
        beside=_beside(result),
    )


def _beside(result: TaskResult) -> tuple[tuple[str, str], ...]:
    """The second figures that a reader compares with, by their names in words."""
    write = correlation if result.metric == "spearman" else percent
    figures = {**result.secondary, "cosmul": (result.secondary.get("cosmul") or {}).get("total")}
    return tuple((words, write(figures[key])) for key, words in BESIDE.items() if figures.get(key) is not None)


def word_rows(report: Report, suite: Suite) -> list[WordRow]:
    """Word tasks and probes that have a number or could have one: score, what was known, and the parts of it."""
    rows = []
    for task in suite.tasks:
        if task.extrinsic or task.family.implementation.split(".")[1] not in ROOMS:
            continue
        result = report.result(task.id)
        unit = UNITS.get(KINDS.get(task.metric, "number"), "")
        metric = NAMES.get(task.metric, task.metric) + (f", {unit}" if unit else "")
        rows.append(WordRow(task.id, task.title, task.shows, score_of(report, task.id), metric, known_of(result)))
        if result is not None and "categories" in result.secondary and task.id == "analogy-google":
            rows.extend(_parts(result))
    return rows


def known_of(result: TaskResult | None) -> str:
    """How many pairs or questions had all their words in the file, of how many."""
    if result is None:
        return ""
    known = result.secondary.get("known")
    sizes = (result.secondary.get(key) for key in ("pairs", "questions", "words"))
    total = next((size for size in sizes if isinstance(size, int)), None)
    if isinstance(known, int) and isinstance(total, int):
        return f"{grouped(known)} of {grouped(total)}"
    return grouped(result.n)


def _parts(result: TaskResult) -> list[WordRow]:
    """Semantic (the first five categories) and syntactic analogies as rows of their own."""
    categories = list(result.secondary.get("categories", {}).values())
    groups = {"semantic": categories[:SEMANTIC_CATEGORIES], "syntactic": categories[SEMANTIC_CATEGORIES:]}
    rows = []
    for name, counts in groups.items():
        known, questions = (sum(category[key] for category in counts) for key in ("known", "questions"))
        share = result.secondary.get(name)
        score = Score(percent(share), reason="" if share is not None else "No question has all its words in the file.")
        title = f"{name.capitalize()} analogies"
        counted = f"{grouped(known)} of {grouped(questions)}"
        rows.append(WordRow(f"{result.task}-{name}", title, "", score, "precision at 1, %", counted))
    return rows


def data_rows(report: Report, suite: Suite) -> list[DataRow]:
    """Every data set that a number of this report stands on."""
    uses: dict[str, tuple[Any, list[str]]] = {}
    titles = {task.id: task.title for task in suite.tasks}
    for result in report.results:
        for use in result.datasets:
            tasks = uses.setdefault(use.id, (use, []))[1]
            title = titles.get(result.task, result.task)
            if title not in tasks:
                tasks.append(title)
    rows = []
    for id_, (use, tasks) in uses.items():
        known = REGISTRY.get(id_)
        title, citation = (known.title, known.citation) if known else (id_, "")
        rows.append(DataRow(id_, title, use.licence, citation, use.sha256, ", ".join(tasks)))
    return rows
