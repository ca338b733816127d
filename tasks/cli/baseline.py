"""``python -m tasks baseline``: train a suite's SVD-PPMI baseline, evaluate it, publish or check its scores."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tasks import suites
from tasks.baseline.published import (
    directories,
    latest_published,
    published,
    seed_variances_of,
    stem,
    write_published,
    write_seed_variances,
)
from tasks.baseline.svd_ppmi import keep, train_for, train_on
from tasks.cli.evaluate import add_measurement, measure
from tasks.cli.tables import existing, number, positive, report_table, step_bar, table, writable
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.formats.text_blocks import write_text
from tasks.hashes import task_hash
from tasks.languages import ENGLISH, known_language
from tasks.processes import Progress
from tasks.report import assemble
from tasks.results import CellResult, Report
from tasks.suite import Suite
from tasks.vectors import Embedding

AGREES, DISAGREES = 0, 1
ROUNDING = 0.005
"""Tolerance for scores without seeds, which depend on the linear algebra library."""
ONE_SEED = 0.02
"""Tolerance for scores of a single seed, which have no standard deviation."""
TRAINED = 0.01
"""Least tolerance for scores of several seeds; the standard deviation of two or three can be small by chance."""
STANDARD_ERRORS = 5
"""More than 3, as the standard error is estimated from few seeds, and twelve cells are compared."""


def add_baseline(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Trains the suite's SVD-PPMI vectors on its prescribed corpus and writes them. With --recompute or "
        "--publish it evaluates them too. Exit status: 0, or 1 when recomputed scores disagree with published ones. "
        "With --language and --corpus it makes the baseline of another language, for error reductions in it."
    )
    add_measurement(parser)
    parser.add_argument("--language", default="en", help="of the baseline (ISO 639-1, default: %(default)s)")
    parser.add_argument(
        "--corpus", type=existing, metavar="FILE", help="text in that language, as `corpus --dump` writes it"
    )
    parser.add_argument(
        "--dimensions", type=positive, help="of the vectors (default: the suite's; others to compare equals)"
    )
    parser.add_argument(
        "--out", type=writable, help="write the vectors here (default: baseline-SUITE-VERSION[-LANGUAGE]-dN.txt.gz)"
    )
    parser.add_argument("--recompute", action="store_true", help="evaluate them and compare with the published scores")
    parser.add_argument("--publish", action="store_true", help="evaluate them and publish these scores")
    parser.add_argument(
        "--changed",
        action="store_true",
        help="with --publish: keep scores published under this version or an earlier one for tasks whose definition "
        "is unchanged, if the vectors are the same: bit for bit, or by the scores of all word tasks",
    )


def run_baseline(arguments: argparse.Namespace) -> int:
    """Train the baseline; then write, evaluate, compare or publish, depending on the options."""
    suite = suites.get(arguments.suite)
    language = _language(arguments)
    evaluating = arguments.recompute or arguments.publish
    trained = replace(suite, baseline_dimensions=arguments.dimensions or suite.baseline_dimensions)
    dimensions = trained.baseline_dimensions
    if evaluating and dimensions not in suite.baseline_sizes:
        choices = ", ".join(map(str, suite.baseline_sizes))
        message = f"{suite.id} publishes no baseline with {dimensions} dimensions; choose one of {choices}."
        raise InputError("baseline-dimensions", message, field="dimensions")
    with step_bar("training") as progress:
        embedding, of_corpus = _vectors(trained, language, arguments.corpus, progress)
    print(f"{embedding.name}: {len(embedding.words):,} words, {embedding.dimensions} dimensions")
    if arguments.out or not evaluating:
        out = arguments.out or Path(f"baseline-{stem(suite, language=language)}-d{dimensions}.txt.gz")
        write_text(out, embedding.words, embedding.matrix)
        print(f"wrote {out}")
    if not evaluating:
        return AGREES

    def measured(tasks: Sequence[str]) -> Report:
        report = measure(embedding, suite, arguments, tasks)
        return replace(report, environment={**report.environment, **of_corpus})

    earlier = latest_published(suite, dimensions, language) if arguments.publish and arguments.changed else None
    reused = kept_results(earlier, embedding, suite, measured) if earlier else []
    reused_tasks = {result.task for result in reused}
    report = measured([task.id for task in suite.tasks if task.id not in reused_tasks])
    if reused:
        results = [*reused, *report.results]
        report = assemble(suite, report.vectors, results, report.unavailable, report.environment)
    print(report_table(report))
    status = _compare(published(suite, dimensions, language), report) if arguments.recompute else AGREES
    if arguments.publish:
        print(f"published {write_published(suite, report, dimensions)}")
        if language != ENGLISH and dimensions == suite.baseline_dimensions:
            write_seed_variances(suite, seed_variances_of(report), language)
    return status


def _language(arguments: argparse.Namespace) -> str:
    """The baseline's language.

    Raises
    ------
    InputError
        language and corpus do not match, or there is no folder to publish in.
    UnknownName
        the language is unknown.
    """
    language = known_language(arguments.language)
    if (language == ENGLISH) != (arguments.corpus is None):
        message = (
            "Give --language and --corpus together: the baseline in English is trained on the suite's corpus, and in "
            "other languages the suite prescribes none."
        )
        raise InputError("baseline-corpus", message, field="corpus")
    if language != ENGLISH and arguments.publish and len(directories()) == 1:
        message = (
            "Set VECBOARD_BASELINE_SCORES to a folder, for this command and for every process of the site: a baseline "
            "in another language belongs to the site."
        )
        raise InputError("baseline-folder", message, field="publish")
    return language


def _vectors(
    suite: Suite, language: str, corpus: Path | None, progress: Progress
) -> tuple[Embedding, Mapping[str, str]]:
    """The trained vectors, and the report's description of a corpus that the suite does not prescribe."""
    if corpus is None:
        store = DataStore.default()
        return keep(train_for(suite, store, progress), suite, store), {}
    embedding, sha256 = train_on(corpus, language, suite, progress)
    return embedding, {"corpus": corpus.name, "corpus_sha256": sha256}


def kept_results(
    old: Report, embedding: Embedding, suite: Suite, measure: Callable[[Sequence[str]], Report]
) -> list[CellResult]:
    """Published results that are still valid: same vectors, same task definition.

    Vectors trained on another processor differ in the last digits. They count as the same if they reproduce the scores
    of all published word tasks, within rounding.

    Parameters
    ----------
    old : published report.
    embedding : newly trained vectors.
    measure : returns a report of these tasks; called only for vectors that are not bit-equal.
    """
    hashes = {(task.id, mode): task_hash(suite, task, mode) for task, mode in suite.cells()}
    same = [r for r in old.results if hashes.get((r.task, r.mode)) == r.task_hash]
    modes = {task.id: set(task.modes) for task in suite.tasks}
    same = [r for r in same if {other.mode for other in same if other.task == r.task} == modes[r.task]]
    if old.vectors["sha256"] == embedding.sha256:
        return same
    words = [result for result in same if result.mode is None]
    if not words:
        return []
    print(f"The vectors differ from the published ones; {len(words)} word tasks will show whether only by rounding.")
    comparisons = compare(replace(old, results=tuple(words)), measure([result.task for result in words]))
    wrong = [row.task for row in comparisons if not row.agrees]
    if wrong:
        print(f"They are different vectors ({', '.join(wrong)}): evaluating every task again.")
        return []
    return same


@dataclass(frozen=True)
class RecomputedScore:
    """A published score and the recomputed one; None for a missing score."""

    task: str
    mode: str
    published: float | None
    recomputed: float | None
    tolerance: float

    @property
    def agrees(self) -> bool:
        if self.published is None or self.recomputed is None:
            return self.published is self.recomputed
        return abs(self.published - self.recomputed) <= self.tolerance


def compare(published: Report, recomputed: Report) -> list[RecomputedScore]:
    """Every score of either report, in the order of the published ones."""
    keys = dict.fromkeys((r.task, r.mode) for report in (published, recomputed) for r in report.results)
    pairs = [(key, published.result(*key), recomputed.result(*key)) for key in keys]
    return [
        RecomputedScore(
            task, mode or "", a.score if a else None, b.score if b else None, tolerance(a, b) if a and b else 0.0
        )
        for (task, mode), a, b in pairs
    ]


def tolerance(first: CellResult, second: CellResult) -> float:
    """Tolerance for the difference of two means over seeds."""
    if first.sd is None or second.sd is None:
        return ROUNDING if first.mode is None else ONE_SEED
    error = math.sqrt(first.sd**2 / first.seeds + second.sd**2 / second.seeds)
    return max(TRAINED, STANDARD_ERRORS * error)


def _compare(old: Report | None, new: Report) -> int:
    if old is None:
        print("No scores are published for this suite version. Use --publish to publish these.")
        return DISAGREES
    comparisons = compare(old, new)
    head = ("task", "mode", "published", "recomputed", "difference", "tolerance", "")
    print(table(head, [_comparison_row(item) for item in comparisons]))
    wrong = [row for row in comparisons if not row.agrees]
    print(f"{len(wrong)} of {len(comparisons)} scores disagree." if wrong else f"All {len(comparisons)} scores agree.")
    return DISAGREES if wrong else AGREES


def _comparison_row(item: RecomputedScore) -> tuple[str, ...]:
    both = item.published is not None and item.recomputed is not None
    difference = (item.recomputed or 0.0) - (item.published or 0.0) if both else None
    verdict = "agrees" if item.agrees else "DISAGREES"
    scores = (number(item.published), number(item.recomputed), number(difference), number(item.tolerance))
    return (item.task, item.mode, *scores, verdict)
