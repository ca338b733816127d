"""The political tasks of a report: an entry against the baseline and people, and its runs against each other."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from tasks.base import Context, Task
from tasks.baseline.svd_ppmi import baseline_vectors
from tasks.cells import Stopwatch
from tasks.errors import DataUnavailable, NoScore
from tasks.formats import read
from tasks.political.compare import compare_cues, compare_every_word, described
from tasks.political.cues import CUE_LISTS, FOLDER, operators_file, political_cues, random_cues
from tasks.political.human import NO_ORDER, deviation_of_ranks, outcomes_of_ranks, published_lists, ranks_around
from tasks.political.secondary import (
    BothNeighbours,
    Distribution,
    SeparabilityFigures,
    StabilityFigures,
)
from tasks.political.separability import separability
from tasks.political.subgroups import averaged_neighbours, runs_of, stability_of
from tasks.political.vocabulary import CommonVocabulary, common_vocabulary, nearest_words, whole
from tasks.prepared import open_prepared
from tasks.results import CellResult, Coverage, Interval, Mode
from tasks.statistics.intervals import mean_interval
from tasks.vectors import Embedding

NEIGHBOURS = 10
_FULL_COVERAGE = Coverage(1.0, 1.0)
"""Coverage of tasks whose cues are common words, which ``common_words`` counts."""


def reference_vectors(task: Task, context: Context) -> Embedding:
    """The reference of a political task.

    Raises
    ------
    DataUnavailable
        the baseline's corpus is missing, or the operator has not supplied vectors for the language.
    """
    if task.compares_with_baseline:
        return baseline_vectors(context.suite, context.data, lambda share, what: context.progress(0.3 * share, what))
    (language,) = task.languages
    path = operators_file(task, context.data.data_dir)
    if not path.is_file():
        raise DataUnavailable(
            f"{FOLDER}-{language}",
            f"This site has no reference vectors for the language {language!r}: the baseline is English. The "
            f"operator can put a vector file into the data directory as {FOLDER}/{path.name}.",
        )
    return _read(path, path.stat().st_mtime_ns, language)


@lru_cache(maxsize=1)
def _read(path: Path, changed: int, language: str) -> Embedding:
    """Read the file; cached until it changes."""
    return read(path, language=language)


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Mean Pearson correlation of the cues' cosines to all common words with those of the reference.

    ``secondary``: ``pearson``, ``spearman`` and ``kendall`` (mean, sd, standard error, min, max, n), ``cues`` (their
    coefficients, None for unknown ones), ``unknown``, ``jaccard`` by N in full and common vocabulary, ``neighbours`` of
    each cue on both sides, ``common_words`` and ``reference`` (name, hash, words, dimensions).

    Raises
    ------
    NoScore
        fewer than 200 common words, no known cue, or the vectors are the reference.
    DataUnavailable
        there is no reference.
    """
    watch = Stopwatch(task, mode, context)
    reference, common = _reference(task, embedding, context)
    listed = task.options["cues"] in CUE_LISTS
    if listed:
        cues = list(CUE_LISTS[task.options["cues"]].words)
    else:
        cues = random_cues(common.words, task.options["count"], task.options["seed"])
    context.progress(0.3, f"{len(cues)} cues, {len(common):,} common words")
    figures = compare_cues(common, cues, kendall=listed)
    if figures["pearson"] is None:
        raise NoScore(f"None of the {len(cues)} cues is known both to the vectors and to {reference.name}.")
    context.progress(1.0, f"{figures['pearson']['n']} of {len(cues)} cues")
    share = figures["pearson"]["n"] / len(cues)
    compared = {**figures, "common_words": len(common), "reference": described(reference)}
    return watch.result(
        score=figures["pearson"]["mean"],
        interval=_interval(figures["pearson"]),
        n=figures["pearson"]["n"],
        coverage=Coverage(share, share),
        secondary={**compared, "neighbours": _both_neighbours(common, cues)} if listed else compared,
    )


def evaluate_every_word(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Mean Pearson correlation over every common word as a cue.

    ``secondary``: ``pearson`` (mean, sd, min, max, n), ``histogram``, ``moved`` (the words that moved most and least),
    ``undefined`` (number of words without a correlation), ``common_words`` and ``reference``.

    Raises
    ------
    NoScore, DataUnavailable
        as :func:`evaluate`.
    """
    watch = Stopwatch(task, mode, context)
    reference, common = _reference(task, embedding, context)
    figures = compare_every_word(common, context.progress)
    if figures["pearson"] is None:
        raise NoScore("No common word has a correlation: the vectors are zeros.")
    secondary = {**figures, "common_words": len(common), "reference": described(reference)}
    mean, n = figures["pearson"]["mean"], figures["pearson"]["n"]
    return watch.result(score=mean, n=n, coverage=_FULL_COVERAGE, secondary=secondary)


def evaluate_human(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Mean log rank deviation from people's lists, over the cues, as a share of a random order's.

    Both sides are ranked among the mentioned words in the vocabulary, so that vocabularies of different sizes are
    comparable. ``secondary``: ``relative``, the same; ``within``, not divided by a random order's; and ``full``, as
    published, with the model's ranks in its full vocabulary (each with mean, sd, standard error, min, max, n); and
    ``cues``; and ``chance``, what random orders of the known words give. ``outcomes`` has a row for every mentioned
    word: its rank in the full vocabulary (``predicted``, NaN if unknown), its rank for people (``gold``) and its cue's
    number.

    Raises
    ------
    NoScore
        no cue is known, or none with two of its words.
    DataUnavailable
        the lists are missing.
    """
    watch = Stopwatch(task, mode, context)
    lists = published_lists(context.data)
    ranks = ranks_around(embedding, lists)
    figures = deviation_of_ranks(ranks)
    if figures["full"] is None:
        raise NoScore(f"The vocabulary has none of the {len(lists)} cues with a word that people name for it.")
    if figures["relative"] is None:
        raise NoScore(NO_ORDER)
    mentioned = sum(len(words) for words in lists.values())
    count = sum(cue["known"] for cue in figures["cues"].values() if cue)
    coverage = Coverage(count / mentioned, figures["full"]["n"] / len(lists))
    return watch.result(
        score=figures["relative"]["mean"],
        interval=_interval(figures["relative"]),
        n=figures["relative"]["n"],
        coverage=coverage,
        secondary=figures,
        outcomes=outcomes_of_ranks(ranks),
    )


def evaluate_stability(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Mean Pearson correlation between runs of one setting over 100 random cues.

    ``secondary``: ``random`` and ``political`` (mean, interval, mean of every pair, quantiles, number of cues),
    ``runs``, ``common_words``, and ``neighbours`` of the political cues by cosine averaged over the runs.

    Raises
    ------
    NoScore
        a single run, more than twenty runs, or too few words in common.
    """
    watch = Stopwatch(task, mode, context)
    if not context.runs:
        raise NoScore("Stability needs several runs of the same settings; there is one file.")
    others = (open_prepared(run, name=embedding.name, language=embedding.language) for run in context.runs)
    runs = runs_of([embedding, *others])
    context.progress(0.1, f"{len(runs.sides)} runs, {len(runs):,} common words")
    random = stability_of(runs, random_cues(runs.words, task.options["count"], task.options["seed"]))
    if random is None:
        raise NoScore("No random word has a correlation in every run: vectors of a run are zeros.")
    context.progress(0.9, "political cues")
    cues = political_cues(embedding.language)
    political = stability_of(runs, cues.words) if cues else None
    neighbours = averaged_neighbours(runs, cues.words, NEIGHBOURS) if cues else {}
    secondary = StabilityFigures(
        runs=len(runs.sides),
        common_words=len(runs),
        random=random,
        political=political,
        neighbours={
            cue: [{"word": near.word, "cosine": near.cosine} for near in words] for cue, words in neighbours.items()
        },
        sha256=[side.embedding.sha256 for side in runs.sides],
    )
    return watch.result(
        score=random["mean"],
        interval=random["interval"],
        n=len(random["pairs"]),
        coverage=_FULL_COVERAGE,
        secondary=secondary,
    )


def evaluate_separability(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Mean cosine of ``w`` and ``w_tp`` minus that of two other words, for vectors of a tagged corpus.

    ``secondary``: ``same`` and ``random`` (the two means; ``random`` over all pairs of other words).

    Raises
    ------
    NoScore
        the file has fewer than ten tagged words.
    """
    watch = Stopwatch(task, mode, context)
    separation = separability(embedding, task.family.number("least known"))
    secondary = SeparabilityFigures(same=separation.same, random=separation.random)
    return watch.result(
        score=separation.difference,
        interval=separation.interval,
        n=separation.pairs,
        coverage=_FULL_COVERAGE,
        secondary=secondary,
    )


def _reference(task: Task, embedding: Embedding, context: Context) -> tuple[Embedding, CommonVocabulary]:
    reference = reference_vectors(task, context)
    if reference.sha256 == embedding.sha256:
        raise NoScore("These are the vectors that entries are compared with: every correlation is 1 by definition.")
    return reference, common_vocabulary(embedding, reference)


def _both_neighbours(common: CommonVocabulary, cues: list[str]) -> dict[str, BothNeighbours]:
    """Ten nearest words of each known cue in both full vocabularies."""
    places = common.places(cues)
    rows = np.array(list(places.values()), dtype=np.int64)
    entry, reference = (
        nearest_words(whole(side.embedding), side.rows[rows], NEIGHBOURS) for side in (common.left, common.right)
    )
    return {
        cue: {"entry": [item.word for item in near], "reference": [item.word for item in near_reference]}
        for cue, near, near_reference in zip(places, entry, reference, strict=True)
    }


def _interval(figures: Distribution) -> Interval | None:
    """Interval of the mean over the cues; None for a single cue."""
    return mean_interval(figures["mean"], figures["se"], figures["n"])
