"""Putting a report together: results, the baseline beside them, relative error reduction, aggregates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tasks.coverage import low_coverage_of_results
from tasks.ranking import AGGREGATES, entry_draws
from tasks.results import MODES, Aggregates, Interval, Mode, Report, TaskResult, Unavailable
from tasks.statistics import percentile_interval, relative_error_reduction, relative_error_reduction_interval
from tasks.suite import Suite
from tasks.vectors import Embedding


def describe(embedding: Embedding) -> dict[str, Any]:
    """The report's ``vectors`` object, before anything is measured."""
    return {
        "name": embedding.name,
        "sha256": embedding.sha256,
        "words": len(embedding.words),
        "dimensions": embedding.dimensions,
        "language": embedding.language,
        "warnings": [warning.as_dict() for warning in embedding.warnings],
    }


def assemble(
    suite: Suite,
    vectors: Mapping[str, Any],
    results: Sequence[TaskResult],
    unavailable: Sequence[Unavailable],
    environment: Mapping[str, Any],
) -> Report:
    """A report in the suite's order; the same parts in any order give the same report.

    Parameters
    ----------
    vectors : from :func:`describe`.
    results, unavailable : one of the two for every cell that was measured.
    environment : from :func:`tasks.evaluate.environment`.
    """
    from tasks.baseline.published import published

    baseline = published(suite)
    order = {(task.id, mode): i for i, (task, mode) in enumerate(suite.cells())}
    ranked = sorted(results, key=lambda result: order[result.task, result.mode])
    compared = [with_baseline(suite, result, baseline) for result in ranked]
    low = [warning.as_dict() for warning in low_coverage_of_results(compared, suite)]
    missing = sorted(unavailable, key=lambda item: order[item.task, item.mode])
    return Report(
        suite={"id": suite.id, "version": suite.version, "hash": suite.hash, "comparable": suite.comparable},
        vectors={**vectors, "warnings": [*vectors["warnings"], *low]},
        results=tuple(compared),
        aggregates=replace(
            aggregate(suite, compared, missing), intervals=aggregate_intervals(suite, compared, baseline)
        ),
        unavailable=tuple(missing),
        environment=dict(environment),
    )


def with_baseline(suite: Suite, result: TaskResult, baseline: Report | None) -> TaskResult:
    """The result with the baseline's score, relative error reduction and its interval (PROTOCOL.md §3).

    A baseline score of another definition of the task (another hash) is no baseline. Word tasks show the baseline's
    score, but have no error to reduce.
    """
    base = baseline.result(result.task, result.mode) if baseline else None
    if base is None or base.task_hash != result.task_hash:
        return replace(result, baseline=None, relative_error_reduction=None, relative_error_reduction_interval=None)
    if not suite.task(result.task).extrinsic:
        return replace(result, baseline=base.score)
    interval = None
    if result.outcomes is not None and base.outcomes is not None:
        interval = relative_error_reduction_interval(result.outcomes, base.outcomes, result.metric)
    return replace(
        result,
        baseline=base.score,
        relative_error_reduction=relative_error_reduction(result.score, base.score),
        relative_error_reduction_interval=interval,
    )


def aggregate(suite: Suite, results: Sequence[TaskResult], unavailable: Sequence[Unavailable]) -> Aggregates:
    """Means of relative error reduction over the extrinsic tasks; blank, with the reason, if any is missing."""
    reductions = {(r.task, r.mode): r.relative_error_reduction for r in results}
    why = {(item.task, item.mode): item.reason for item in unavailable}
    cells = {mode: [(task.id, mode) for task in suite.extrinsic_tasks if mode in task.modes] for mode in MODES}
    groups: dict[str, list[tuple[str, Mode | None]]] = {
        "fixed": [*cells["fixed"]],
        "fine_tuned": [*cells["fine-tuned"]],
        "overall": [*cells["fixed"], *cells["fine-tuned"]],
    }
    means: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    for name, wanted in groups.items():
        values = [reductions.get(cell) for cell in wanted]
        known = [value for value in values if value is not None]
        means[name] = sum(known) / len(known) if known and len(known) == len(values) else None
        if means[name] is None:
            reasons[name] = _blank(
                next((c for c, v in zip(wanted, values, strict=True) if v is None), None), reductions, why
            )
    return Aggregates(means["fixed"], means["fine_tuned"], means["overall"], reasons)


def aggregate_intervals(suite: Suite, results: Sequence[TaskResult], baseline: Report | None) -> dict[str, Interval]:
    """95 % intervals of the means by their field's name, by the paired bootstrap of every cell (PROTOCOL.md §7)."""
    draws = entry_draws(suite, results, baseline.results if baseline else ())
    found = {
        name.replace("-", "_"): percentile_interval(draws[name].astype("float64"))
        for name in AGGREGATES
        if name in draws
    }
    return {name: bounds for name, bounds in found.items() if bounds is not None}


def _blank(
    cell: tuple[str, Mode | None] | None,
    reductions: Mapping[tuple[str, Mode | None], float | None],
    why: Mapping[tuple[str, Mode | None], str],
) -> str:
    if cell is None:
        return "The suite has no such task."
    name = f"{cell[0]}, {cell[1]}"
    if cell in why:
        return f"No mean, because {name} is missing: {why[cell]}"
    if cell in reductions:
        return f"No mean, because the suite has no baseline score for {name}."
    return f"No mean, because {name} was not measured."
