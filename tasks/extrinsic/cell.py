"""The steps that the three families share: from a task's texts to its TaskResult."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.extrinsic.columns import Ints, TaskColumns, columns
from tasks.extrinsic.detail import class_detail, span_detail, unknown_words
from tasks.extrinsic.memory import kept_between_steps
from tasks.extrinsic.networks import Network
from tasks.extrinsic.streams import DROPOUT
from tasks.extrinsic.table import VectorTable, build_table
from tasks.extrinsic.training import Splits, Training, train
from tasks.metrics import SPAN_F1, Answers, Metric, count_outcomes
from tasks.metrics.spans import TagScheme
from tasks.results import Learning, Mode, Outcomes, TaskResult
from tasks.secondary import TrainedFigures, UnknownWords
from tasks.vectors import Embedding


@dataclass(frozen=True)
class AnswerKey:
    """The right answers of one split; see :class:`tasks.metrics.Answers`."""

    gold: Ints
    labels: tuple[str, ...]
    offsets: Ints | None = None

    def outcomes(self, metrics: tuple[Metric, ...], predicted: Ints) -> Outcomes:
        """What these metrics count of every example; ``predicted``: class ids, shape (n,)."""
        return count_outcomes(metrics, Answers(self.gold, predicted, self.labels, self.offsets))


@dataclass(frozen=True)
class PreparedTask:
    """A task prepared for the training loop: network, examples, right answers."""

    network: Network
    splits: Splits
    dev: AnswerKey
    test: AnswerKey


Prepare = Callable[[TaskColumns, VectorTable, int, torch.device], PreparedTask]
"""(examples, table, dimensions, device) → prepared."""


def _repeatable_on_cuda() -> None:
    """Sum in a fixed order: same device, same bits. cuBLAS reads its setting when the device is first used."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)


def evaluate_texts(
    task: Task,
    embedding: Embedding,
    mode: Mode,
    context: Context,
    prepare: Prepare,
) -> TaskResult:
    """Load, look up, train every seed, score test once.

    Parameters
    ----------
    prepare : the family's encoding of examples.
    """
    if task.family.constants["dropout"] != DROPOUT:
        raise ValueError(f"masks are drawn with one random bit per unit, so dropout must be {DROPOUT}")
    watch = Stopwatch(task, mode, context)
    torch.set_num_threads(context.threads)
    if context.device.startswith("cuda"):
        _repeatable_on_cuda()
    context.progress(0.0, "reading the data")
    found = columns(task, context.data)
    table = build_table(embedding, context.suite, context.data, found.words)
    prepared = prepare(found, table, embedding.dimensions, torch.device(context.device))
    training = _train(task, mode, context, table, prepared)
    of_seeds = [prepared.test.outcomes(task.metrics, seed.predictions) for seed in training.seeds]
    scores = [task.metric.of(outcomes) for outcomes in of_seeds]
    beside = {
        key: float(np.mean([metric.of(outcomes) for outcomes in of_seeds])) for key, metric in task.beside.items()
    }
    tested = found.parts["test"].tokens
    return watch.result(
        score=float(np.mean(scores)),
        sd=float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
        seeds=len(scores),
        n=len(prepared.test.gold),
        coverage=table.coverage(tested),
        secondary={
            **beside,
            **_detail(
                task,
                prepared.test,
                [seed.predictions for seed in training.seeds],
                unknown_words(tested, found.words, table.known),
            ),
        },
        training=_training(training, scores),
        outcomes=Outcomes.averaged(of_seeds),
    )


def _train(task: Task, mode: Mode, context: Context, table: VectorTable, prepared: PreparedTask) -> Training:
    with kept_between_steps():
        return train(
            prepared.network,
            table.matrix,
            prepared.splits,
            context.suite.training_for(task, mode),
            task=task.id,
            mode=mode,
            seeds=context.seeds,
            score=lambda predicted: task.metric.of(prepared.dev.outcomes((task.metric,), predicted)),
            device=torch.device(context.device),
            progress=context.progress,
        )


def _detail(task: Task, test: AnswerKey, predictions: list[Ints], unknown: UnknownWords) -> TrainedFigures:
    """Confusions of classes, span counts by type if tags form spans, and unknown words."""
    classes = class_detail(test.labels, test.gold, predictions)
    if SPAN_F1 not in task.metrics or test.offsets is None:
        return {"classes": classes, "unknown_words": unknown}
    spans = span_detail(test.labels, test.gold, predictions, test.offsets, TagScheme.from_tags(test.labels))
    return {"classes": classes, "spans": spans, "unknown_words": unknown}


def _training(training: Training, scores: list[float]) -> Learning:
    return {
        "seconds": round(training.seconds, 3),
        "seconds_per_epoch": round(float(np.median(training.epochs_seconds)), 4),
        "seeds": [
            {"seed": s.seed, "best_epoch": s.scored_epoch, "epochs": len(s.dev), "dev": s.dev, "test": score}
            for s, score in zip(training.seeds, scores, strict=True)
        ],
    }
