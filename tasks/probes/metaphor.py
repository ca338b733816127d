"""Metaphor: is an adjective–noun pair meant literally? (Tsvetkov et al. 2014 and 2015; docs/protocol.md §2.8)"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tasks.base import Context, Task
from tasks.datasets.examples import LabelledText
from tasks.extrinsic.table import Scaling, unknown_vector
from tasks.figures import MetaphorFigures
from tasks.intrinsic.similarity import look_up_pairs
from tasks.look_up import UNKNOWN
from tasks.results import Mode, Outcomes, TaskResult
from tasks.stopwatch import Stopwatch
from tasks.vectors import Embedding


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> TaskResult:
    """Accuracy of a random forest over both words' vectors, in stratified 5-fold cross-validation.

    Every pair is predicted once, by the forest of the folds that it is not in. All pairs of an adjective are in one
    fold: else the forest could learn what an adjective usually is. An unknown word has the suite's ``<unk>``.
    ``secondary``: accuracy of each of the ``folds`` and of pairs of both known words (``known``).

    Raises
    ------
    DataUnavailable
        the pairs are missing.
    """
    watch = Stopwatch(task, mode, context)
    examples = [e for e in context.data.load(task.data)[task.options["part"]] if isinstance(e, LabelledText)]
    pairs = [(example.words[0], example.words[-1]) for example in examples]
    labels = np.array([example.label for example in examples])
    rows, known, coverage = look_up_pairs(context.suite.look_up, embedding, pairs)
    vectors = embedding.matrix[rows.ravel()].astype(np.float64)
    vectors[rows.ravel() == UNKNOWN] = unknown_vector(embedding, context.suite, context.data, Scaling.as_is(embedding))
    adjectives = [adjective.lower() for adjective, _ in pairs]
    right, folds = cross_validated(vectors.reshape(len(pairs), -1), labels, adjectives, task, context)
    outcomes = Outcomes.of(correct=right, total=np.ones(len(right)))
    return watch.result(
        score=task.metric.of(outcomes),
        n=len(right),
        coverage=coverage,
        secondary=MetaphorFigures(
            folds=folds,
            known={"accuracy": float(right[known].mean()) if known.any() else None, "n": int(known.sum())},
        ),
        outcomes=outcomes,
    )


def cross_validated(
    features: NDArray[np.float64],
    labels: NDArray[np.str_],
    groups: list[str],
    task: Task,
    context: Context,
) -> tuple[NDArray[np.bool_], list[float]]:
    """Whether each pair was predicted rightly, shape (n,), and the accuracy of each fold; a group is in one fold."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import StratifiedGroupKFold

    folds, trees, seed = task.options["folds"], task.options["trees"], task.options["seed"]
    right = np.zeros(len(labels), dtype=bool)
    accuracies = []
    divided = StratifiedGroupKFold(folds, shuffle=True, random_state=seed).split(features, labels, groups)
    for done, (train, test) in enumerate(divided):
        context.progress(done / folds, f"fold {done + 1} of {folds}")
        forest = RandomForestClassifier(trees, random_state=seed, n_jobs=context.threads)
        right[test] = forest.fit(features[train], labels[train]).predict(features[test]) == labels[test]
        accuracies.append(float(right[test].mean()))
    return right, accuracies
