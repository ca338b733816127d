"""Table rows of a report: raw scores and word tasks, with the baseline's; missing cells; files of outcomes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from benchmark import evidence
from benchmark.paper import CLEAR, PaperColumn, PaperRow, PaperTable, Value, about
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import around_chance, between, grouped, percent, writer_of
from tasks.base import Task
from tasks.baseline.published import baseline_at, published
from tasks.metrics import PRECISION_AT_1, QVEC, QVEC_CCA, metric_named
from tasks.results import MODES, CellResult, Errors, Interval, Mode, Outcomes, Report, cell_key
from tasks.secondary import AnalogyFigures, CategoryCounts
from tasks.statistics.intervals import chance_of
from tasks.statistics.uncertainty import Baseline
from tasks.suite import Suite
from tasks.suites import SUITES


def baseline_of(suite_id: str, version: int, language: str) -> Report | None:
    """A language's published baseline under a suite version, if any; read once per process."""
    suite = SUITES.get(suite_id)
    return published(replace(suite, version=version), language=language) if suite else None


def baseline_outcomes(submission: Submission, task: str, mode: str = "") -> Outcomes | None:
    """Shipped outcomes of one cell of a baseline entry."""
    report = baseline_of(submission.suite, submission.suite_version, submission.language)
    results = report.results if report else ()
    return next((r.outcomes for r in results if r.task == task and (r.mode or "") == mode), None)


def outcomes_of(submission: Submission, task: str, mode: str) -> Outcomes | None:
    """Outcomes of one cell; None if none are stored, or if they are damaged."""
    if submission.is_baseline:
        return baseline_outcomes(submission, task, mode)
    key = submission.cells.filter(task=task, mode=mode).values_list("outcomes_key", flat=True).first()
    return evidence.find(key)


def baseline_for(report: Report) -> Baseline | None:
    """The baseline of as many dimensions as a report's vectors."""
    suite, vectors = SUITES.get(report.suite["id"]), report.vectors
    version = report.suite["version"]
    return baseline_at(replace(suite, version=version), vectors["dimensions"], vectors["language"]) if suite else None


SEMANTIC_CATEGORIES = 5
GROUPS = ("Intrinsic", "Probes")
TURNED = {"priming": "−ρ: minus Spearman ρ with reaction time"}
"""Families that reverse the sign of their metric."""
BESIDE = {
    "token_accuracy": "{} token accuracy",
    "span_f1": "{} span F1",
    "unknown_as_zero": "{} with unknown pairs counted as 0",
    "strict": "{} with unknown questions counted as wrong",
    "cosmul": "{} by 3CosMul",
    "within_target": "{} within the pairs of a target",
}
WITHIN_DIMENSIONS = (QVEC.name, QVEC_CCA.name)
"""Metrics that depend on the number of dimensions."""
FOREIGN = "Not applicable: their words are in a different language from the vectors."


@dataclass(frozen=True)
class Score:
    """A score as text, or the ``reason`` for its absence; ``caveat`` if the baseline's score isn't comparable.

    Charts draw ``value``, ``ends`` of the interval and ``base``, the baseline's comparable score.
    """

    text: str
    baseline: str = ""
    caveat: str = ""
    spread: str = ""
    interval: str = ""
    coverage: float | None = None
    beside: tuple[str, ...] = ()
    reason: str = ""
    value: float | None = None
    ends: Interval | None = None
    base: float | None = None


OTHER_MODE_ONLY = Score("–")
"""Explained once below the table, not in every cell."""


@dataclass(frozen=True)
class TaskRow:
    id: str
    title: str
    metric: str
    shows: str
    note: str
    scores: tuple[Score, ...]

    @property
    def is_measured(self) -> bool:
        return any(score.value is not None for score in self.scores)

    @property
    def coverage(self) -> float | None:
        return next((score.coverage for score in self.scores if score.coverage is not None), None)


@dataclass(frozen=True)
class WordRow:
    """A word task, a probe or part of one; ``coverage`` is the share of its words in the vocabulary."""

    id: str
    title: str
    shows: str
    score: Score
    metric: str
    counted: str
    coverage: float | None = None


def task_rows(report: Report, suite: Suite) -> list[TaskRow]:
    """Every extrinsic task with its fixed and fine-tuned score."""
    return [
        TaskRow(
            task.id,
            task.title,
            task.metric.title,
            task.shows,
            task.note,
            tuple(score_of(report, task.id, mode) if mode in task.modes else OTHER_MODE_ONLY for mode in MODES),
        )
        for task in suite.extrinsic_tasks
    ]


def score_of(report: Report, task: str, mode: Mode | None = None) -> Score:
    """The score of a cell as text, or the reason for its absence."""
    result = report.result(task, mode)
    if result is None:
        return Score("–", reason=report.reason_without(task, mode) or "Not evaluated.")
    write, caveat = writer_of(metric_named(result.metric)), _caveat(report, result)
    return Score(
        write(result.score),
        baseline=write(result.baseline) if result.baseline is not None else "",
        caveat=caveat,
        spread=f"± {write(result.sd)}" if result.sd is not None and result.seeds > 1 else "",
        interval=between(result.interval, write),
        coverage=result.coverage.tokens,
        beside=_beside(result),
        value=result.score,
        ends=result.interval,
        base=None if caveat else result.baseline,
    )


def _caveat(report: Report, result: CellResult) -> str:
    """A note if the score depends on the number of dimensions and the baseline's is different."""
    if result.metric not in WITHIN_DIMENSIONS or result.baseline is None:
        return ""
    baseline = baseline_for(report)
    return f"not comparable: {baseline.size}" if baseline is not None and baseline.is_nearest else ""


def _beside(result: CellResult) -> tuple[str, ...]:
    """Secondary scores as text."""
    write = writer_of(metric_named(result.metric))
    product = result.figures(AnalogyFigures).get("cosmul")
    figures = {**result.secondary, "cosmul": product["total"] if product else None}
    numbers = {key: value for key in BESIDE if isinstance(value := figures.get(key), int | float)}
    by_chance = chance_of(result)
    chance = () if by_chance is None else (f"chance {around_chance(by_chance.interval, write)}",)
    return (*(BESIDE[key].format(write(value)) for key, value in numbers.items()), *chance)


def word_rows(report: Report, suite: Suite) -> list[WordRow]:
    """Word tasks and probes for the vectors' language; the Google analogies also by part."""
    rows = []
    for task in suite.tasks:
        if task.extrinsic or not _for_these_vectors(report, task):
            continue
        if task.family.group not in GROUPS:
            continue
        result = report.result(task.id)
        rows.append(word_row(report, task))
        if result is not None and "categories" in result.secondary and task.id == "analogy-google":
            rows.extend(analogy_parts(report, result))
    return rows


def word_row(report: Report, task: Task) -> WordRow:
    """The row of a task without modes."""
    result, score = report.result(task.id), score_of(report, task.id)
    coverage = result.coverage.types if result else None
    return WordRow(task.id, task.title, task.shows, score, _metric(task), _counted(result), coverage)


def _metric(task: Task) -> str:
    """Title and unit of a task's metric."""
    unit = f", {task.metric.unit}" if task.metric.unit else ""
    return TURNED.get(task.family.id) or f"{task.metric.title}{unit}"


def _for_these_vectors(report: Report, task: Task) -> bool:
    return task.applies_to(report.vectors["language"])


def without_score(report: Report, suite: Suite) -> list[tuple[str, str]]:
    """Cells without a score, grouped by reason; tasks in other languages are only counted."""
    tasks = {task.id: task for task in suite.tasks}
    cells: dict[str, list[str]] = {}
    foreign = 0
    for item in report.unavailable:
        task = tasks.get(item.task)
        if task and not _for_these_vectors(report, task):
            foreign += 1
            continue
        title = task.title if task else item.task
        cells.setdefault(item.reason, []).append(f"{title}, {item.mode}" if item.mode else title)
    rows = [("; ".join(names), reason) for reason, names in cells.items()]
    return [*rows, (f"{foreign} tasks" if foreign > 1 else "1 task", FOREIGN)] if foreign else rows


def _counted(result: CellResult | None) -> str:
    """Number of pairs or questions with all words in the vocabulary, and of all, as text."""
    if result is None:
        return ""
    in_vocabulary = result.secondary.get("known")
    sizes = (result.secondary.get(key) for key in ("pairs", "questions", "words"))
    total = next((size for size in sizes if isinstance(size, int)), None)
    if isinstance(in_vocabulary, int) and isinstance(total, int):
        return f"{grouped(in_vocabulary)} of {grouped(total)}"
    return grouped(result.n)


def analogy_parts(report: Report, result: CellResult) -> list[WordRow]:
    """Semantic (the first five categories) and syntactic analogies as rows of their own."""
    baseline = baseline_for(report)
    metric = f"{PRECISION_AT_1.title}, {PRECISION_AT_1.unit}"
    figures = result.figures(AnalogyFigures)
    categories = list(figures["categories"].values())
    of_parts = baseline.parts_of(result) if baseline and baseline.score(result) == result.baseline else ()
    groups: tuple[tuple[Literal["semantic", "syntactic"], list[CategoryCounts]], ...] = (
        ("semantic", categories[:SEMANTIC_CATEGORIES]),
        ("syntactic", categories[SEMANTIC_CATEGORIES:]),
    )
    rows = []
    for name, counts in groups:
        in_vocabulary, questions = sum(count["known"] for count in counts), sum(count["questions"] for count in counts)
        share = figures.get(name)
        shares = [part.figures(AnalogyFigures).get(name) for part in of_parts]
        base = baseline.mean(result, [value for value in shares if value is not None]) if baseline else None
        score = Score(
            percent(share),
            percent(base) if base is not None else "",
            reason="" if share is not None else "No question has all its words in the vocabulary.",
            value=share,
            base=base,
        )
        title = f"{name.capitalize()} analogies"
        counted = f"{grouped(in_vocabulary)} of {grouped(questions)}"
        rows.append(WordRow(f"{result.task}-{name}", title, "", score, metric, counted))
    return rows


MEANS = {"Overall": "overall", "Fixed": "fixed", "Fine-tuned": "fine_tuned"}


def paper_table(report: Report, suite: Suite, name: str, address: str, day: str) -> PaperTable:
    """The means and every task for the vectors' language: score, the baseline's score, errors avoided."""
    language, means = report.vectors["language"], report.aggregates
    rows = []
    for title, key in MEANS.items():
        errors, reason = means.errors.get(key, {}), means.reasons.get(key, "")
        reduction = _reduction(getattr(means, key), means.intervals.get(key), errors, reason)
        if reduction.value is not None or reduction.reason:
            labels = (title, "", "")
            rows.append(PaperRow(labels, (key.replace("_", "-"), *labels), (Value(None), Value(None), reduction)))
    for task, mode in (cell for cell in suite.cells() if cell[0].applies_to(language)):
        result = report.result(task.id, mode)
        better = ", lower is better" if task.metric.direction == "lower" else ""
        labels = (task.title, mode or "", f"{_metric(task)}{better}")
        if result is None:
            reason = report.reason_without(task.id, mode) or "Not evaluated."
            values = (Value(None, reason=reason), Value(None), _reduction(None, None, {}, reason if mode else ""))
        else:
            write = writer_of(metric_named(result.metric))
            low, high = result.interval or (None, None)
            values = (
                Value(result.score, low, high, write=write),
                Value(None if (caveat := _caveat(report, result)) else result.baseline, reason=caveat, write=write),
                _reduction(
                    result.relative_error_reduction,
                    result.relative_error_reduction_interval,
                    result.relative_error_reduction_errors,
                ),
            )
        rows.append(PaperRow(labels, (cell_key(task.id, mode), *labels), values))
    caption = (
        f"{name}: {about(suite, report.suite['version'], day, language)} Errors avoided, in % of those of SVD-PPMI of "
        f"{report.baseline or 'as many dimensions'}. Intervals hold 95 %. *: the interval excludes zero, "
        "not corrected for the number of tasks."
    )
    columns = (
        PaperColumn("score", "Score"), PaperColumn("baseline", "Baseline"),
        PaperColumn("reduction", "Errors avoided", more=("error_from_examples", "error_from_seeds")),
    )  # fmt: skip
    return PaperTable(caption, address, ("Task", "Mode", "Metric"), ("key", "task", "mode", "metric"), columns, rows)


def _reduction(value: float | None, interval: Interval | None, errors: Errors, reason: str = "") -> Value:
    low, high = interval or (None, None)
    is_clear = interval is not None and (interval[0] > 0 or interval[1] < 0)
    sources = [errors.get(source) for source in ("examples", "seeds")]
    return Value(value, low, high, CLEAR if is_clear else "", reason, sources)


@dataclass(frozen=True)
class OutcomeFile:
    """A downloadable file; ``cell`` as in the URL: ``pos.fixed``."""

    cell: str
    title: str
    mode: str


def outcome_files(submission: Submission, report: Report, suite: Suite) -> list[OutcomeFile]:
    """Cells whose outcomes can be downloaded."""
    if submission.is_baseline:
        stored = {(result.task, str(result.mode or "")) for result in report.results}
    else:
        runs = submission.cells.exclude(outcomes_key="").values_list("task", "mode")
        stored = {(str(task), str(mode)) for task, mode in runs}
    return [
        OutcomeFile(cell_key(result.task, result.mode), suite.title_of(result.task), result.mode or "")
        for result in report.results
        if (result.task, result.mode or "") in stored
    ]
