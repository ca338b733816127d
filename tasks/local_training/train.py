"""Training: from a corpus and a plan to runs, one after the other or in several processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tasks.baseline.counting import cooccurrences, encode
from tasks.errors import InputError
from tasks.files import temporary_folder
from tasks.local_training.corpora import TrainingCorpus
from tasks.local_training.glove import GloveSettings, train_glove
from tasks.local_training.plan import EPOCHS, Criteria, Fit, Plan, TrainedRun
from tasks.processes import Progress, no_progress
from tasks.vectors import Embedding

if TYPE_CHECKING:
    from gensim.models import Word2Vec

Seconds = NDArray[np.float64]
_COUNTING = 0.1
"""Share of counting in a GloVe run, for the progress bar."""


def train_runs(
    corpus: TrainingCorpus, plan: Plan, progress: Progress = no_progress, *, chosen: Sequence[int] | None = None
) -> Iterator[TrainedRun]:
    """Train the runs of a plan; yield each as soon as it is finished.

    Parameters
    ----------
    chosen : only these runs, from 0; None: all.

    Raises
    ------
    InputError
        the corpus has too few frequent words.
    """
    trainer = _glove_runs if plan.algorithm == "glove" else _predictive_runs
    runs = range(plan.runs) if chosen is None else chosen
    if not plan.resample:
        yield from trainer(corpus, plan, progress, runs)
        return
    for place, run in enumerate(runs):
        yield from trainer(corpus.resampled(plan.seed + run), plan, _part(progress, place, len(runs)), [run])


def use_threads(threads: int) -> None:
    """Set the threads of torch's products, which change the bits of a training."""
    import torch

    torch.set_num_threads(threads)


def clock() -> Seconds:
    """Wall clock and processor time; differences are durations."""
    return np.array([time.perf_counter(), time.process_time()])


def _predictive_runs(
    corpus: TrainingCorpus, plan: Plan, progress: Progress, chosen: Sequence[int]
) -> Iterator[TrainedRun]:
    for place, run in enumerate(chosen):
        began = clock()
        fit = train_predictive(corpus.read, plan, plan.seed + run, _part(progress, place, len(chosen)))
        yield _run(corpus, plan, run, fit, clock() - began)


def _glove_runs(corpus: TrainingCorpus, plan: Plan, progress: Progress, chosen: Sequence[int]) -> Iterator[TrainedRun]:
    began = clock()
    lines = CountedLines(corpus.read())
    text = encode(lines, minimum_count=plan.minimum_count, gap=plan.window)
    if not text.words:
        raise _no_words(plan)
    counts = cooccurrences(
        text, window=plan.window, weighting="harmonic", progress=lambda share, what: progress(_COUNTING * share, what)
    )
    counted = clock() - began
    settings = GloveSettings(plan.dimensions, max_iterations=plan.iterations or GloveSettings.max_iterations)
    for place, run in enumerate(chosen):
        began = clock()
        glove = train_glove(counts, settings, plan.seed + run, _part(progress, place, len(chosen), _COUNTING))
        fit = Fit(text.words, glove.matrix, glove.losses, len(glove.losses), glove.converged, lines.tokens)
        yield _run(corpus, plan, run, fit, counted + clock() - began)


class CountedLines:
    """Lines that count their tokens while they are read."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.lines, self.tokens = lines, 0

    def __iter__(self) -> Iterator[str]:
        for line in self.lines:
            self.tokens += line.count(" ") + 1
            yield line


def _no_words(plan: Plan) -> InputError:
    message = f"No word occurs {plan.minimum_count} times in the corpus. Give a larger text or a lower count."
    return InputError("no-words", message, field="corpus")


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


def train_predictive(read: Callable[[], Iterator[str]], plan: Plan, seed: int, progress: Progress = no_progress) -> Fit:
    """Train with gensim's defaults except for the plan's settings; one thread, so that a seed gives the same vectors.

    Raises
    ------
    InputError
        no word is frequent enough.
    """
    epochs = plan.iterations or EPOCHS
    with temporary_folder() as folder:
        path = folder / "corpus.txt"
        with path.open("w", encoding="utf-8") as text:
            text.writelines(f"{line}\n" for line in read())  # once; otherwise every epoch would tokenise again
        return _train_by_gensim(str(path), plan, seed, epochs, progress)


def _train_by_gensim(path: str, plan: Plan, seed: int, epochs: int, progress: Progress) -> Fit:
    from gensim.models import FastText, Word2Vec

    common: dict[str, int] = {
        "vector_size": plan.dimensions,
        "window": plan.window,
        "min_count": plan.minimum_count,
        "sg": int(plan.algorithm != "cbow"),
        "seed": seed,
        "workers": 1,
        "epochs": epochs,
    }
    model = FastText(**common) if plan.algorithm == "fasttext" else Word2Vec(**common)
    model.build_vocab(corpus_file=path)
    if len(model.wv) == 0:
        raise _no_words(plan)
    losses: list[float] = []
    measured = plan.algorithm != "fasttext"  # gensim computes no loss for fastText
    options: dict[str, bool] = {"compute_loss": True} if measured else {}
    model.train(
        corpus_file=path,
        total_examples=model.corpus_count,
        total_words=model.corpus_total_words,
        epochs=epochs,
        callbacks=[_watch(losses, epochs, progress)],
        **options,
    )
    a_token = tuple(loss / model.corpus_total_words for loss in losses) if measured else ()
    matrix = np.ascontiguousarray(model.wv.vectors, dtype=np.float32)
    return Fit(list(model.wv.index_to_key), matrix, a_token, epochs, None, model.corpus_total_words)


def _watch(losses: list[float], epochs: int, progress: Progress) -> object:
    """gensim's callback, which appends the loss of each epoch alone (its own sum over all epochs loses digits)."""
    from gensim.models.callbacks import CallbackAny2Vec

    class Watch(CallbackAny2Vec):  # type: ignore[misc]
        def on_epoch_begin(self, model: Word2Vec) -> None:
            model.running_training_loss = 0.0

        def on_epoch_end(self, model: Word2Vec) -> None:
            losses.append(float(getattr(model, "running_training_loss", 0.0)))
            progress(len(losses) / epochs, f"epoch {len(losses)} of {epochs}")

    return Watch()
