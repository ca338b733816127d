"""Odd one out: does a word of another group stand apart from four of a group? (docs/protocol.md §4.7)"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.datasets.examples import WordGroup
from tasks.errors import NoScore
from tasks.languages import language_name
from tasks.metrics.distances import exact_unit_rows
from tasks.results import CellResult, Coverage, Mode, Outcomes
from tasks.secondary import GroupFigures, OddOneOutFigures
from tasks.vectors import UNKNOWN, Embedding, Matrix

MEMBERS = 4
"""Words of a group in each trial, in addition to the intruder."""
Rows = NDArray[np.int64]


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Share of trials in which the intruder has the smallest mean cosine with the four others.

    Source: ParaLex (Sumbler et al. 2018, LREC) for the groups; docs/protocol.md §4.7 for the trials. A trial has four
    words of a group, drawn without replacement, and a word of another group that is not in the first; a tie for the
    smallest mean counts as wrong. ``n`` is the number of scored groups.

    ``outcomes`` has a row for every group of any language, in alphabetical order, so that the rows of all entries
    agree: ``correct`` and ``total`` trials, 0 for a group without a score, and the group as both units. ``secondary``:
    ``known`` of the ``words`` of the language, ``phrases`` (members of several words, which are left out), and
    ``groups``.

    Raises
    ------
    NoScore
        fewer than three groups have four known words.
    DataUnavailable
        the data set is missing.
    """
    watch = Stopwatch(task, mode, context)
    parts = context.data.load(task.data)
    groups = [group for group in parts[task.part(embedding.language)] if isinstance(group, WordGroup)]
    all_rows = [context.suite.look_up.rows(embedding, group.words) for group in groups]
    rows = {group.name: np.unique(each[each != UNKNOWN]) for group, each in zip(groups, all_rows, strict=True)}
    scored = {name for name, members in rows.items() if len(members) >= MEMBERS}
    if len(scored) < task.family.number("least groups"):
        raise NoScore(
            f"{len(scored)} of the {len(groups)} groups in {language_name(embedding.language)} have at least {MEMBERS} "
            f"words in the vocabulary; a score needs {task.family.number('least groups')} such groups."
        )
    trials = task.options["trials"]
    right = {name: _right(embedding.matrix, name, rows, trials, task.options["seed"]) for name in sorted(scored)}
    context.progress(1.0, f"{len(scored)} of {len(groups)} groups")
    names = sorted({group.name for part in parts.values() for group in part if isinstance(group, WordGroup)})
    counts = [int((of_group != UNKNOWN).sum()) for of_group in all_rows]
    words = sum(len(group.words) for group in groups)
    return watch.result(
        score=sum(right.values()) / (trials * len(scored)),
        n=len(scored),
        coverage=Coverage(tokens=sum(counts) / words, types=len(scored) / len(groups)),
        secondary=OddOneOutFigures(
            known=sum(counts),
            words=words,
            phrases=sum(len(group.phrases) for group in groups),
            groups={
                group.name: GroupFigures(
                    accuracy=right[group.name] / trials if group.name in scored else None,
                    known=count,
                    words=len(group.words),
                )
                for group, count in zip(groups, counts, strict=True)
            },
        ),
        outcomes=Outcomes.of(
            correct=[right.get(name, 0) for name in names], total=[trials * (name in scored) for name in names]
        ).with_units(np.tile(np.arange(len(names)), (2, 1))),
    )


def _right(matrix: Matrix, name: str, rows: dict[str, Rows], trials: int, seed: int) -> int:
    """Number of a group's seeded trials that find the intruder.

    Parameters
    ----------
    matrix : shape (V, D).
    rows : of the known words of every group of the language; those of ``name``, at least four.
    """
    group_rows = rows[name]
    strangers = [np.setdiff1d(other, group_rows) for key, other in rows.items() if key != name]
    generator = np.random.default_rng([seed, zlib.crc32(name.encode())])
    members = generator.permuted(np.tile(group_rows, (trials, 1)), axis=1)[:, :MEMBERS]
    intruders = _intruders([words for words in strangers if len(words)], trials, generator)
    return int(stands_apart(matrix, np.column_stack([members, intruders])).sum())


def _intruders(groups: Sequence[Rows], trials: int, generator: np.random.Generator) -> Rows:
    """Rows of the intruders, shape (trials,): groups are equally likely, and so are the words of each."""
    chosen = generator.integers(len(groups), size=trials)
    shares = generator.random(trials)
    return np.array([groups[i][int(share * len(groups[i]))] for i, share in zip(chosen, shares, strict=True)])


def stands_apart(matrix: Matrix, sets: Rows) -> NDArray[np.bool_]:
    """True for each set whose last word alone has the smallest mean cosine with the others.

    Parameters
    ----------
    matrix : shape (V, D).
    sets : rows of the matrix, shape (n, k).

    Returns
    -------
    bool, shape (n,)
    """
    distinct, places = np.unique(sets, return_inverse=True)
    units = exact_unit_rows(matrix[distinct])
    cosines = (units @ units.T)[places.reshape(sets.shape)[:, :, None], places.reshape(sets.shape)[:, None, :]]
    to_others = cosines.sum(axis=2) - np.diagonal(cosines, axis1=1, axis2=2)
    apart: NDArray[np.bool_] = to_others[:, -1] < to_others[:, :-1].min(axis=1)
    return apart
