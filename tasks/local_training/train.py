"""From a corpus and a plan to runs, one after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.baseline.counting import cooccurrences, encode
from tasks.errors import InputError
from tasks.local_training.corpora import TrainingCorpus
from tasks.local_training.glove import GloveSettings, train_glove
from tasks.local_training.plan import Criteria, Fit, Plan, TrainedRun
from tasks.local_training.predictive import train_predictive
from tasks.processes import Progress, no_progress
from tasks.vectors import Embedding

Seconds = NDArray[np.float64]
_COUNTING = 0.1
"""Share of a GloVe run that counting takes, for the progress bar."""


def train_runs(
    corpus: TrainingCorpus, plan: Plan, progress: Progress = no_progress, *, wanted: Sequence[int] | None = None
) -> Iterator[TrainedRun]:
    """Train the runs of a plan; yield each as soon as it is finished.

    Parameters
    ----------
    wanted : only these runs, counted from 0; None: all.

    Raises
    ------
    InputError
        the corpus has too few frequent words.
    """
    trainer = _glove_runs if plan.algorithm == "glove" else _predictive_runs
    runs = range(plan.runs) if wanted is None else wanted
    if not plan.resample:
        yield from trainer(corpus, plan, progress, runs)
        return
    for nth, run in enumerate(runs):
        yield from trainer(corpus.resampled(plan.seed + run), plan, _part(progress, nth, len(runs)), [run])


def use_threads(threads: int) -> None:
    """Set the threads of torch's products; trainings are bit-equal only if these are equal."""
    import torch

    torch.set_num_threads(threads)


def clock() -> Seconds:
    """Wall clock and processor time; differences are durations."""
    return np.array([time.perf_counter(), time.process_time()])


def _predictive_runs(
    corpus: TrainingCorpus, plan: Plan, progress: Progress, wanted: Sequence[int]
) -> Iterator[TrainedRun]:
    for nth, run in enumerate(wanted):
        began = clock()
        fit = train_predictive(corpus.read, plan, plan.seed + run, _part(progress, nth, len(wanted)))
        yield _run(corpus, plan, run, fit, clock() - began)


def _glove_runs(corpus: TrainingCorpus, plan: Plan, progress: Progress, wanted: Sequence[int]) -> Iterator[TrainedRun]:
    began = clock()
    lines = CountedLines(corpus.read())
    text = encode(lines, minimum_count=plan.minimum_count, gap=plan.window)
    if not text.words:
        message = f"No word occurs {plan.minimum_count} times in the corpus. Give a larger text or a lower count."
        raise InputError("no-words", message, field="corpus")
    counts = cooccurrences(
        text, window=plan.window, weighting="harmonic", progress=lambda share, what: progress(_COUNTING * share, what)
    )
    counted = clock() - began
    settings = GloveSettings(plan.dimensions, max_iterations=plan.iterations or GloveSettings.max_iterations)
    for nth, run in enumerate(wanted):
        began = clock()
        found = train_glove(counts, settings, plan.seed + run, _part(progress, nth, len(wanted), _COUNTING))
        fit = Fit(text.words, found.matrix, found.losses, len(found.losses), found.converged, lines.tokens)
        yield _run(corpus, plan, run, fit, counted + clock() - began)


class CountedLines:
    """Lines that count their tokens while they are read."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.lines, self.tokens = lines, 0

    def __iter__(self) -> Iterator[str]:
        for line in self.lines:
            self.tokens += line.count(" ") + 1
            yield line


def _part(progress: Progress, run: int, runs: int, begin: float = 0.0) -> Progress:
    def tell(share: float, what: str) -> None:
        progress(begin + (1.0 - begin) * (run + share) / runs, f"run {run + 1} of {runs}, {what}" if runs > 1 else what)

    return tell


def run_name(corpus: TrainingCorpus, plan: Plan, run: int) -> str:
    """``sotu-glove-w6-d100-run2``; a single run has no number."""
    return f"{corpus.id}-{plan.name}-run{run + 1}" if plan.runs > 1 else f"{corpus.id}-{plan.name}"


def _run(corpus: TrainingCorpus, plan: Plan, run: int, fit: Fit, took: Seconds) -> TrainedRun:
    wall, processor = took.tolist()
    criteria = Criteria(
        corpus=corpus.title,
        licence=corpus.licence,
        algorithm=plan.algorithm,
        window=plan.window,
        dimensions=plan.dimensions,
        minimum_count=plan.minimum_count,
        seed=plan.seed + run,
        tokens=fit.tokens,
        words=len(fit.words),
        loss=fit.losses[-1] if fit.losses else None,
        iterations=fit.iterations,
        converged=fit.converged,
        minutes=round(wall / 60, 3),
        processor_minutes=round(processor / 60, 3),
    )
    return TrainedRun(
        Embedding.of(run_name(corpus, plan, run), fit.words, fit.matrix),
        criteria,
        fit.losses,
    )
