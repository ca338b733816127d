"""Skip-gram, CBOW and fastText, by gensim."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from tasks.errors import InputError
from tasks.local_training.plan import EPOCHS, Fit, Plan
from tasks.processes import Progress, no_progress

if TYPE_CHECKING:
    from gensim.models import Word2Vec


def train_predictive(read: Callable[[], Iterator[str]], plan: Plan, seed: int, progress: Progress = no_progress) -> Fit:
    """Train with gensim's defaults except for the plan's settings; one thread, so that a seed gives the same vectors.

    Raises
    ------
    InputError
        no word is frequent enough.
    """
    epochs = plan.iterations or EPOCHS
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="vecboard-", suffix=".txt") as text:
        text.writelines(f"{line}\n" for line in read())  # once; otherwise every epoch would tokenise again
        text.flush()
        return _train(text.name, plan, seed, epochs, progress)


def _train(path: str, plan: Plan, seed: int, epochs: int, progress: Progress) -> Fit:
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
        message = f"No word occurs {plan.minimum_count} times in the corpus. Give a larger text or a lower count."
        raise InputError("no-words", message, field="corpus")
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
