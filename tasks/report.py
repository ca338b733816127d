"""Assemble a report: results, baseline scores, relative error reduction, aggregates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tasks.baseline.published import baseline_at, published, seed_variances, sizes_of
from tasks.coverage import LOW_COVERAGE, NOTHING_KNOWN, low_coverage_of_results
from tasks.guess_language import language_warnings, likely_language
from tasks.hashes import suite_hash
from tasks.languages import language_name
from tasks.metrics import SPEARMAN, metric_named
from tasks.results import (
    AGGREGATES,
    AS_USED,
    Aggregates,
    CellResult,
    ErrorReduction,
    Mean,
    Mode,
    Report,
    Unavailable,
    VectorsUsed,
    cell_key,
)
from tasks.statistics.correlations import correlation_interval
from tasks.statistics.effects import FigureEstimate
from tasks.statistics.intervals import log_error_ratio, relative_error_reduction
from tasks.statistics.uncertainty import Baseline, Estimates, estimates_of
from tasks.suite import Suite
from tasks.vectors import Embedding

MEANS = ("fixed", "fine_tuned", "overall")
"""Fields of :class:`Aggregates`."""
NO_ESTIMATES = Estimates({}, {}, {"arithmetic": {}, "geometric": {}})
"""For means without intervals."""
NOT_RECORDED = "not recorded"
"""Stands for the devices of results measured before devices were recorded, in a report that also has others."""


def describe(embedding: Embedding) -> VectorsUsed:
    """The report's ``vectors`` object, before evaluation."""
    of_language = language_warnings(likely_language(embedding), embedding.language)
    return {
        "name": embedding.name,
        "sha256": embedding.sha256,
        "words": len(embedding.words),
        "dimensions": embedding.dimensions,
        "language": embedding.language,
        "warnings": (*embedding.warnings, *of_language),
    }


def assemble(
    suite: Suite,
    vectors: VectorsUsed,
    results: Sequence[CellResult],
    unavailable: Sequence[Unavailable],
    environment: Mapping[str, str | int],
) -> Report:
    """A report in the suite's order; the same parts in any order give the same report.

    Parameters
    ----------
    vectors : from :func:`describe`, or from an earlier report of the same results.
    results, unavailable : every evaluated cell is in one of the two.
    environment : from :func:`tasks.evaluate.environment`; its device and threads give way to those of the results.
    """
    order = {(task.id, mode): i for i, (task, mode) in enumerate(suite.cells())}
    ranked = sorted(results, key=lambda cell: order[cell.task, cell.mode])
    missing = sorted(unavailable, key=lambda item: order[item.task, item.mode])
    baseline, used = baselines_of(suite, vectors)
    compared, means = _compared(suite, vectors, ranked, missing, baseline)
    means_as_used = None
    if used is not None:
        cells, means_as_used = _compared(suite, vectors, ranked, missing, used)
        compared = [replace(cell, as_used=_reduction_of(other)) for cell, other in zip(compared, cells, strict=True)]
    low = low_coverage_of_results(compared, suite)
    other_warnings = [warning for warning in vectors["warnings"] if warning.code not in (LOW_COVERAGE, NOTHING_KNOWN)]
    return Report(
        suite={"id": suite.id, "version": suite.version, "hash": suite_hash(suite), "comparable": suite.comparable},
        vectors={**vectors, "warnings": (*other_warnings, *low)},
        results=tuple(compared),
        aggregates=means,
        unavailable=tuple(missing),
        environment={**environment, **measured_on(results)},
        as_used=means_as_used,
        baseline=baseline.size if baseline else None,
    )


def baselines_of(suite: Suite, vectors: VectorsUsed) -> tuple[Baseline | None, Baseline | None]:
    """The baseline of as many dimensions, and the one as used; no second one if only one size is published.

    A recurrent network is as wide as the vectors, so more dimensions win by capacity too; against a baseline of as many
    dimensions they do not (docs/protocol.md §3.4).
    """
    language = vectors["language"]
    several = len(sizes_of(suite, language)) > 1
    return (
        baseline_at(suite, vectors["dimensions"], language),
        baseline_at(suite, suite.baseline_dimensions, language) if several else None,
    )


def figures_of(suite: Suite, vectors: VectorsUsed, results: Sequence[CellResult]) -> dict[str, FigureEstimate]:
    """The ranked figures of an entry with their effects, by column of a board."""
    variances, language = seed_variances(suite, vectors["language"]), vectors["language"]
    words = {task.id for task in suite.tasks}
    of_size, of_used = (
        {}
        if baseline is None
        else estimates_of(suite, results, vectors["sha256"], baseline, variances, language).figures
        for baseline in baselines_of(suite, vectors)
    )
    return {**of_size, **{key + AS_USED: figure for key, figure in of_used.items() if key not in words}}


def _compared(
    suite: Suite,
    vectors: VectorsUsed,
    results: Sequence[CellResult],
    unavailable: Sequence[Unavailable],
    baseline: Baseline | None,
) -> tuple[list[CellResult], Aggregates]:
    """The results and their means relative to a baseline."""
    language, variances = vectors["language"], seed_variances(suite, vectors["language"])
    estimates = estimates_of(suite, results, vectors["sha256"], baseline, variances, language)
    compared = [with_uncertainty(with_baseline(suite, result, baseline), estimates) for result in results]
    return compared, aggregate(suite, compared, unavailable, language, estimates)


def _reduction_of(result: CellResult) -> ErrorReduction | None:
    value, errors = result.relative_error_reduction, result.relative_error_reduction_errors
    return None if value is None else ErrorReduction(value, result.relative_error_reduction_interval, errors)


def measured_on(results: Sequence[CellResult]) -> dict[str, str | int]:
    """Devices and numbers of threads that measured, for the report's ``environment``; empty if none was recorded."""
    if all(result.device is None for result in results):
        return {}
    devices = {result.device or NOT_RECORDED for result in results}
    threads = {result.threads for result in results if result.threads is not None}
    of_threads = threads.pop() if len(threads) == 1 else ", ".join(map(str, sorted(threads)))
    return {"device": ", ".join(sorted(devices)), "threads": of_threads}


def with_baseline(suite: Suite, result: CellResult, baseline: Baseline | None) -> CellResult:
    """The result with the baseline's score and the relative error reduction (docs/protocol.md §3.4).

    A baseline score counts only if its task has the same definition (hash). Word tasks show the baseline's score, but
    have no error to reduce.
    """
    score = baseline.score(result) if baseline else None
    reduction = None
    if score is not None and suite.task(result.task).extrinsic:
        reduction = relative_error_reduction(result.score, score)
    return replace(
        result,
        baseline=score,
        relative_error_reduction=reduction,
        relative_error_reduction_interval=None,
        relative_error_reduction_errors={},
    )


def with_uncertainty(result: CellResult, estimates: Estimates) -> CellResult:
    """The result with the intervals and standard errors of its score and error reduction (docs/protocol.md §8.4).

    A correlation with people's scores has the interval of its pairs; other scores that are not functions of sums keep
    the family's own interval.
    """
    metric, key = metric_named(result.metric), cell_key(result.task, result.mode)
    if metric is SPEARMAN and result.outcomes is not None:
        result = replace(result, interval=correlation_interval(result.outcomes))
    score, reduction = estimates.scores.get(key), estimates.figures.get(key)
    if metric.is_of_sums:
        interval = None if score is None else score.interval
        result = replace(result, interval=interval, errors={} if score is None else score.errors)
    if result.relative_error_reduction is None or reduction is None:
        return result
    return replace(
        result,
        relative_error_reduction_interval=reduction.interval,
        relative_error_reduction_errors=reduction.errors,
    )


def aggregate(
    suite: Suite,
    results: Sequence[CellResult],
    unavailable: Sequence[Unavailable],
    language: str,
    estimates: Estimates,
) -> Aggregates:
    """Means over the suite's trained cells in a language, of both kinds (docs/protocol.md §3.5).

    They are blank, with the reason, if any cell is missing.
    """
    measured = {(result.task, result.mode): result for result in results}
    why = {(item.task, item.mode): item.reason for item in unavailable}
    by_kind: dict[Mean, dict[str, ErrorReduction]] = {"arithmetic": {}, "geometric": {}}
    reasons: dict[str, str] = {}
    for mean, modes in AGGREGATES.items():
        name = mean.replace("-", "_")
        cells: list[tuple[str, Mode | None]] = [(task.id, mode) for task, mode in suite.cells_of_mean(modes, language)]
        blank = next((cell for cell in cells if _reduction(measured.get(cell)) is None), None)
        if blank or not cells:
            reasons[name] = _blank(blank, measured, why, language)
            continue
        of_cells = [measured[cell] for cell in cells]
        reductions = [_reduction(cell) or 0.0 for cell in of_cells]
        ratios = [log_error_ratio(cell.score, cell.baseline or 0.0, cell.n) or 0.0 for cell in of_cells]
        values: dict[Mean, float] = {
            "arithmetic": sum(reductions) / len(cells),
            "geometric": -math.expm1(-sum(ratios) / len(cells)),
        }
        for kind, value in values.items():
            estimate = estimates.means[kind].get(mean)
            bounds = estimate.interval if estimate else None
            by_kind[kind][name] = ErrorReduction(value, bounds, estimate.errors if estimate and bounds else {})
    ranked = by_kind[suite.mean]
    fixed, fine_tuned, overall = (ranked[name].value if name in ranked else None for name in MEANS)
    return Aggregates(
        fixed,
        fine_tuned,
        overall,
        reasons,
        {name: mean.interval for name, mean in ranked.items() if mean.interval},
        {name: mean.errors for name, mean in ranked.items() if mean.interval},
        by_kind,
    )


def baselines_as_used(suite: Suite, language: str) -> dict[int, Report]:
    """The published baselines relative to the one as used (docs/protocol.md §3.4), without intervals, by dimensions."""
    used = baseline_at(suite, suite.baseline_dimensions, language)
    reports = {}
    for size in sizes_of(suite, language):
        if report := published(suite, size, language):
            cells = [with_baseline(suite, result, used) for result in report.results]
            means = aggregate(suite, cells, report.unavailable, language, NO_ESTIMATES)
            reports[size] = replace(report, results=tuple(cells), aggregates=means)
    return reports


def _reduction(result: CellResult | None) -> float | None:
    return None if result is None else result.relative_error_reduction


def _blank(
    cell: tuple[str, Mode | None] | None,
    measured: Mapping[tuple[str, Mode | None], CellResult],
    why: Mapping[tuple[str, Mode | None], str],
    language: str,
) -> str:
    if cell is None:
        return f"The suite has no such task in {language_name(language)}."
    name = f"{cell[0]}, {cell[1]}"
    if cell in why:
        return f"No mean, because {name} is missing: {why[cell]}"
    if cell in measured:
        return f"No mean, because {name} has no error reduction. {measured[cell].why_no_reduction}"
    return f"No mean, because {name} was not measured."
