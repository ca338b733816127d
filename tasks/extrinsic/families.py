"""The trained families (windows of tagged sentences, labelled texts, pairs of texts; Nayak et al. 2016, §5): from the
examples of a task to its result, with the details behind the score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.extrinsic.examples import (
    Ints,
    SplitColumns,
    TaskColumns,
    TextExamples,
    WindowExamples,
    columns,
    padded,
    windows,
)
from tasks.extrinsic.executor import in_turn, own_stream
from tasks.extrinsic.networks import DROPOUT, Network, PairNetwork, SentenceNetwork, SharedPairNetwork, WindowNetwork
from tasks.extrinsic.table import VectorTable, build_table
from tasks.extrinsic.training import Splits, Training, kept_between_steps, train
from tasks.metrics import SPAN_F1, Answers, Metric, count_outcomes
from tasks.metrics.spans import TagScheme, span_counts_by_kind
from tasks.results import CellResult, Learning, Mode, Outcomes, Predictions
from tasks.secondary import Confusions, TrainedFigures, UnknownWords
from tasks.vectors import Embedding

MOST_UNKNOWN_WORDS = 25


def confusion(gold: Ints, predictions: Sequence[Ints], classes: int) -> Ints:
    """Confusion counts, summed over seeds.

    Parameters
    ----------
    gold : class ids of the test examples or tokens, shape (n,).
    predictions : one array of the same shape per seed.
    classes : number of classes.

    Returns
    -------
    int64, shape (classes, classes)
        rows are gold, columns predicted; the sum is n times the number of seeds.

    >>> confusion(np.array([0, 0, 1]), [np.array([0, 1, 1])], classes=2).tolist()
    [[1, 1], [0, 1]]
    """
    counts = np.zeros(classes * classes, dtype=np.int64)
    for predicted in predictions:
        counts += np.bincount(gold * classes + predicted, minlength=classes * classes)
    return counts.reshape(classes, classes)


def class_detail(labels: Sequence[str], gold: Ints, predictions: Sequence[Ints]) -> Confusions:
    """JSON object of :func:`confusion`: ``labels`` in the order of rows and columns, ``confusion``, ``seeds``."""
    counts = confusion(gold, predictions, len(labels))
    return {"labels": list(labels), "confusion": counts.tolist(), "seeds": len(predictions)}


def span_detail(
    labels: Sequence[str], gold: Ints, predictions: Sequence[Ints], offsets: Ints, scheme: TagScheme
) -> dict[str, list[int]]:
    """[true positives, false positives, false negatives] by span type, summed over seeds."""
    kinds = {label.partition("-")[2]: int(kind) for label, kind in zip(labels, scheme.kind, strict=True) if kind >= 0}
    counts = sum(span_counts_by_kind(gold, predicted, offsets, scheme) for predicted in predictions)
    return {name: np.asarray(counts)[kind].tolist() for name, kind in sorted(kinds.items())}


def unknown_words(tokens: Ints, words: Sequence[str], is_known: NDArray[np.bool_]) -> UnknownWords:
    """Counts of out-of-vocabulary test words, and the most frequent ones (ties in alphabetical order).

    Parameters
    ----------
    tokens : index of each token's word, shape (tokens,).
    words : in alphabetical order.
    is_known : the word is in the vocabulary, shape (words,).
    """
    counts = np.bincount(tokens, minlength=len(words)) * ~is_known
    commonest = np.argsort(-counts, kind="stable")[: min(MOST_UNKNOWN_WORDS, np.count_nonzero(counts))]
    return {
        "tokens": int(counts.sum()),
        "types": int(np.count_nonzero(counts)),
        "commonest": [[words[i], int(counts[i])] for i in commonest],
    }


@dataclass(frozen=True)
class AnswerKey:
    """The right answers of one split; see :class:`tasks.metrics.Answers`."""

    gold: Ints
    labels: tuple[str, ...]
    offsets: Ints | None = None

    def outcomes(self, metrics: tuple[Metric, ...], predicted: Ints) -> Outcomes:
        """Outcomes of every example for these metrics; ``predicted``: class ids, shape (n,)."""
        return count_outcomes(metrics, Answers(self.gold, predicted, self.labels, self.offsets))

    def predictions(self, of_seeds: Sequence[Ints]) -> Predictions:
        """The predicted labels of all seeds, as they are kept."""
        lengths = None if self.offsets is None else np.diff(self.offsets)
        return Predictions.of_seeds(self.labels, self.gold, of_seeds, lengths)


@dataclass(frozen=True)
class PreparedTask:
    """Input of the training loop: network, examples, right answers."""

    network: Network
    splits: Splits
    dev: AnswerKey
    test: AnswerKey


Prepare = Callable[[TaskColumns, VectorTable, int, torch.device], PreparedTask]
"""(examples, table, dimensions, device) → prepared."""


def evaluate_texts(
    task: Task,
    embedding: Embedding,
    mode: Mode,
    context: Context,
    prepare: Prepare,
) -> CellResult:
    """Load the data, look up its words, train every seed, and score test once.

    Parameters
    ----------
    prepare : encodes the examples as the family requires.
    """
    if task.family.constants["dropout"] != DROPOUT:
        raise ValueError(f"masks are drawn with one random bit per unit, so dropout must be {DROPOUT}")
    watch = Stopwatch(task, mode, context)
    torch.set_num_threads(context.threads)
    context.progress(0.0, "reading the data")
    examples = columns(task, context.data)
    table = build_table(embedding, context.suite, context.data, examples.words)
    device = torch.device(context.device)
    with own_stream(device), kept_between_steps():
        with in_turn(device):
            prepared = prepare(examples, table, embedding.dimensions, device)
        training = train(
            prepared.network, table.matrix, prepared.splits, context.suite.training_for(task, mode),
            task=task.id, mode=mode, seeds=context.seeds, device=device, progress=context.progress,
            score=lambda predicted: task.metric.of(prepared.dev.outcomes((task.metric,), predicted)),
        )  # fmt: skip
    of_seeds = [prepared.test.outcomes(task.metrics, seed.predictions) for seed in training.seeds]
    scores = [task.metric.of(outcomes) for outcomes in of_seeds]
    beside = {
        key: float(np.mean([metric.of(outcomes) for outcomes in of_seeds])) for key, metric in task.beside.items()
    }
    tested = examples.parts["test"].tokens
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
                unknown_words(tested, examples.words, table.is_known),
            ),
        },
        training=_training(training, scores),
        outcomes=replace(
            Outcomes.averaged(of_seeds).with_units(examples.units),
            predictions=prepared.test.predictions([seed.predictions for seed in training.seeds]),
        ),
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


SHAPES = 5
"""lower, Initial, UPPER, one capital inside, other (docs/protocol.md §2.1)."""
MakeNetwork = Callable[[int, int], Network]


def shape_of(word: str) -> int:
    """Letter-case class of a word: 0 lower, 1 Initial, 2 UPPER, 3 one capital inside, 4 other.

    A word without cased letters is "other"; a single capital letter ("I") counts as UPPER.

    >>> [shape_of(word) for word in ("rain", "Rome", "USA", "iPhone", "1984")]
    [0, 1, 2, 3, 4]
    """
    if word.islower():
        return 0
    if word.isupper():
        return 2
    capitals = [i for i, letter in enumerate(word) if letter.isupper()]
    if len(capitals) != 1:
        return 4
    return 1 if capitals[0] == 0 else 3


def evaluate_window(task: Task, embedding: Embedding, mode: Mode, context: Context) -> CellResult:
    """Train the window network on tagged sentences; see :meth:`tasks.base.Family.evaluate`."""
    with_shapes = bool(task.options.get("shapes"))
    width, hidden = task.family.number("width"), task.family.number("hidden")

    def prepare(examples: TaskColumns, table: VectorTable, dimensions: int, device: torch.device) -> PreparedTask:
        shapes = np.array([shape_of(word) for word in examples.words], dtype=np.int64) if with_shapes else None
        encoded = {name: _encode_windows(part, table, shapes, width, device) for name, part in examples.parts.items()}
        return PreparedTask(
            WindowNetwork(width * dimensions, len(examples.labels), width * SHAPES if with_shapes else 0, hidden),
            Splits(**encoded),
            *(
                AnswerKey(part.labels, examples.labels, part.texts[0].offsets)
                for part in (examples.parts["dev"], examples.parts["test"])
            ),
        )

    return evaluate_texts(task, embedding, mode, context, prepare)


def _encode_windows(
    part: SplitColumns, table: VectorTable, shapes: Ints | None, width: int, device: torch.device
) -> WindowExamples:
    (texts,) = part.texts
    ids = windows(table.rows[texts.tokens], texts.offsets, width)
    one_hot = None
    if shapes is not None:
        classes = windows(shapes[texts.tokens], texts.offsets, width, pad=SHAPES)
        of_class = np.eye(SHAPES + 1, SHAPES, dtype=np.float32)  # the last row, of padding, is all zeros
        one_hot = torch.from_numpy(of_class[classes].reshape(len(ids), -1)).to(device)
    return WindowExamples(torch.from_numpy(ids).to(device), one_hot, torch.from_numpy(part.labels).to(device))


def evaluate_sentence(task: Task, embedding: Embedding, mode: Mode, context: Context) -> CellResult:
    """Train an LSTM on labelled texts; see :meth:`tasks.base.Family.evaluate`."""
    return _evaluate(task, embedding, mode, context, SentenceNetwork)


def evaluate_pair(task: Task, embedding: Embedding, mode: Mode, context: Context) -> CellResult:
    """Train two LSTMs on labelled pairs of texts; see :meth:`tasks.base.Family.evaluate`."""
    return _evaluate(task, embedding, mode, context, partial(PairNetwork, hidden=task.family.number("hidden")))


def evaluate_shared_pair(task: Task, embedding: Embedding, mode: Mode, context: Context) -> CellResult:
    """Train one LSTM for both texts of labelled pairs; see :meth:`tasks.base.Family.evaluate`."""
    return _evaluate(task, embedding, mode, context, partial(SharedPairNetwork, hidden=task.family.number("hidden")))


def _evaluate(task: Task, embedding: Embedding, mode: Mode, context: Context, make_network: MakeNetwork) -> CellResult:
    def prepare(examples: TaskColumns, table: VectorTable, dimensions: int, device: torch.device) -> PreparedTask:
        encoded = {name: _encode_texts(part, table, device) for name, part in examples.parts.items()}
        return PreparedTask(
            make_network(dimensions, len(examples.labels)),
            Splits(**encoded),
            *(AnswerKey(examples.parts[name].labels, examples.labels) for name in ("dev", "test")),
        )

    return evaluate_texts(task, embedding, mode, context, prepare)


def _encode_texts(part: SplitColumns, table: VectorTable, device: torch.device) -> TextExamples:
    rows = [padded(table.rows[texts.tokens], texts.offsets) for texts in part.texts]
    return TextExamples(
        texts=tuple(torch.from_numpy(ids).to(device) for ids, _ in rows),
        lengths=tuple(torch.from_numpy(lengths).to(device) for _, lengths in rows),
        labels=torch.from_numpy(part.labels).to(device),
        host_lengths=tuple(lengths for _, lengths in rows),
    )
