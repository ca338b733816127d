"""Senti: does a linear classifier over mean vectors tell praise from blame? (Tsvetkov et al. 2015, §4)"""

from __future__ import annotations

import numpy as np

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.datasets.examples import LabelledText
from tasks.datasets.splits import split_of
from tasks.probes.regression import probe
from tasks.probes.texts import text_vectors
from tasks.results import Mode, Outcomes, TaskResult
from tasks.secondary import ProbeFigures
from tasks.vectors import Embedding


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> TaskResult:
    """Test accuracy of the probe fitted on train; dev is not used.

    ``secondary``: the chosen C and its mean accuracy in cross-validation on train.

    Raises
    ------
    DataUnavailable
        the sentences are missing.
    """
    watch = Stopwatch(task, mode, context)
    parts = split_of(LabelledText, context.data.load(task.data), task.options["split"])
    train, test = (
        text_vectors(embedding, context.suite.look_up, [example.words for example in parts[part]])
        for part in ("train", "test")
    )
    gold = {part: np.array([example.label for example in parts[part]]) for part in ("train", "test")}
    context.progress(0.1, f"{len(gold['train']):,} sentences")
    found = probe(train.means, gold["train"], test.means)
    right = found.predicted == gold["test"]
    outcomes = Outcomes.of(correct=right, total=np.ones(len(right)))
    return watch.result(
        score=task.metric.of(outcomes),
        n=len(right),
        coverage=test.coverage,
        secondary=ProbeFigures(C=found.strength, validation=found.validation),
        outcomes=outcomes,
    )
