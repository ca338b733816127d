"""Where do two sets of vectors differ? A cell's answers that one gets right and the other doesn't, by kind of error.

The same for the site's page, its files and ``python -m tasks differ``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, stdtr

from tasks.base import Task
from tasks.baseline.published import seed_variances
from tasks.datasets.examples import (
    AnalogyQuestion,
    Document,
    Example,
    LabelledPair,
    LabelledText,
    ScoredPair,
    TaggedSentence,
    WordGroup,
    split,
)
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import Arrays, DataStore, as_bytes, from_bytes, kept_arrays
from tasks.errors import InputError
from tasks.metrics import SPEARMAN, metric_named
from tasks.metrics.correlation import average_ranks
from tasks.results import UNITS_OF_COUNT, CellResult, Outcomes
from tasks.statistics.correlations import correlation_difference
from tasks.statistics.effects import units_of
from tasks.statistics.intervals import LEVEL, Difference, difference_with_error, holm
from tasks.statistics.uncertainty import score_estimate
from tasks.suite import Suite

BY_SHARE = {"window": "sentences", "odd-one-out": "groups", "similarity": "pairs"}
"""Families whose examples can be right in part; what is compared without the answers."""
MOST_LABELS = 50
"""With more labels, as in analogies, kinds of errors are the parts of the data set."""
MOST_BYTES = 64 * 2**20
"""Of a data set whose texts are read for a page: less than a second."""
LEAST_ERRORS = 6
"""Of one kind; McNemar's exact p of five errors by one set is 0.0625."""
LONGEST = 1_000
"""Characters of a text that are kept."""
REVISION = 1
"""Increased when the texts of the same data change."""
"""Columns of outcomes with the units that examples share: documents, words, the word pairs of analogies."""
_ADDRESS = re.compile(r"(?<!\S)\S+@\S+")
"""Of people, in posts."""
Ints = NDArray[np.int64]
Shares = NDArray[np.float64]


@dataclass(frozen=True)
class CellTexts:
    """A cell's test examples in the order of its outcomes, as people read them.

    Parameters
    ----------
    texts : one line each; the tokens of a tagged sentence are separated by one space.
    groups : gold labels or, for analogies, sections; empty strings for tagged sentences.
    """

    texts: Sequence[str]
    groups: Sequence[str]


def texts_of(task: Task, data: DataStore) -> CellTexts:
    """The texts of a task with right answers, read once per machine.

    Raises
    ------
    DataUnavailable
        the data set is missing.
    InputError
        it is too large to be read for a page.
    """
    declared = REGISTRY[task.data]
    if sum(file.bytes or 0 for file in declared.read_files) > MOST_BYTES:
        raise InputError("too-large", f"{declared.title} is too large to be read here.", field=None)
    # A store of its own, so that the process doesn't keep the examples.
    reader = DataStore(data.data_dir, data.mirror, data.offline)
    stored = kept_arrays("texts", REVISION, task, reader, lambda: _arrays(task, reader))
    return CellTexts(from_bytes(stored["texts"]), from_bytes(stored["groups"]))


def _arrays(task: Task, data: DataStore) -> Arrays:
    pairs = [_text_and_group(example) for example in _examples(task, data)]
    texts = [
        " ".join(text.split())[:LONGEST] if isinstance(text, str) else " ".join("_".join(word.split()) for word in text)
        for text, _ in pairs
    ]
    return {"texts": as_bytes(texts), "groups": as_bytes([group for _, group in pairs])}


def _examples(task: Task, data: DataStore) -> Sequence[Example]:
    parts = data.load(task.data)
    if task.family.id == "newsgroups":
        posts = [post for post in parts["test"] if isinstance(post, Document)]
        return [post for pair in task.options["pairs"] for group in pair for post in posts if post.label == group]
    if task.family.id == "similarity":
        pairs = [pair for pair in parts[task.options["part"]] if isinstance(pair, ScoredPair)]
        return list({(pair.first, pair.second): pair for pair in pairs}.values())
    if task.family.id == "odd-one-out":
        groups = {group.name: group for part in parts.values() for group in part if isinstance(group, WordGroup)}
        return [groups[name] for name in sorted(groups)]
    return split(parts, task.options["split"])["test"] if "split" in task.options else parts[task.options["part"]]


def _text_and_group(example: Example) -> tuple[str | tuple[str, ...], str]:
    match example:
        case TaggedSentence(words):
            return words, ""
        case LabelledText(words, label):
            return " ".join(words), label
        case LabelledPair(first, second, label):
            return f"{' '.join(first)} | {' '.join(second)}", label
        case Document(_, label, text):
            return _ADDRESS.sub("(address)", text.partition("\n\n")[2]), label
        case AnalogyQuestion(category, a, b, c, d):
            return f"{a} : {b} = {c} : {d}", category
        case ScoredPair(first, second):
            return f"{first} | {second}", ""
        case WordGroup(name):
            return name, name
        case _:
            raise TypeError(f"a {type(example).__name__} has no right answer")


@dataclass(frozen=True)
class KindOfError:
    """A gold label (or section of the data set) and a wrong answer.

    Parameters
    ----------
    answer : empty where answers aren't told apart: unknown, or too many.
    first, second : number of these errors by the one set where the other is right.
    p : of the paired test that both make it equally often; ``adjusted``: Holm's, over all tested kinds. None: of fewer
        than ``LEAST_ERRORS``, which no test can call significant. That depends on the number of errors and not on whose
        they are, so it doesn't bias the others' tests.
    """

    group: str
    answer: str
    first: int
    second: int
    p: float | None = None
    adjusted: float | None = None

    @property
    def is_clear(self) -> bool:
        """Whether the two differ significantly in it, after the correction."""
        return self.adjusted is not None and self.adjusted <= LEVEL


@dataclass(frozen=True)
class DifferingAnswer:
    """An answer that one set gets right and the other doesn't.

    Parameters
    ----------
    example : its place in the test set, from 0; ``token``: its place in the sentence, None for whole examples.
    group, error : of its :class:`KindOfError`; of pairs, the rank by people, and nothing.
    answers : of the first and the second set; empty if they were measured before answers were kept.
    """

    example: int
    token: int | None
    group: str
    error: str
    answers: tuple[str, str]
    first_is_right: bool


@dataclass(frozen=True)
class Differing:
    """Two sets of vectors in a cell.

    Parameters
    ----------
    what : unit of the counts, such as ``"tokens"``.
    by_share : whether whole examples are compared by their shares of right answers, as the answers aren't known, or
        pairs by the distance between their rank and people's.
    both, first, second, neither : counts by who is right (with ``by_share``: who is more often right, or nearer).
    left_out : number that one of them could not answer.
    kinds : those that differ most surely first.
    rows : in the order of their kinds, then of the test set; with ``by_share``, the largest difference first.
    """

    what: str
    by_share: bool
    both: int
    first: int
    second: int
    neither: int
    left_out: int
    kinds: tuple[KindOfError, ...]
    rows: tuple[DifferingAnswer, ...]

    @property
    def by_rank(self) -> bool:
        return self.by_share and self.what == BY_SHARE["similarity"]


def comparable(task: Task, a: CellResult, b: CellResult) -> tuple[Outcomes, Outcomes]:
    """The outcomes of two results of one cell, which must be of the same examples.

    Raises
    ------
    InputError
        the task has no right answers; the definitions or the examples differ; outcomes are missing.
    """
    if task.family.id not in UNITS_OF_COUNT:
        raise InputError("no-answers", f"{task.title} has no right and wrong answers to compare.", field="task")
    if a.task_hash != b.task_hash:
        raise InputError("other-definition", "The two were measured by different definitions.", field="task")
    if a.outcomes is None or b.outcomes is None:
        raise InputError("no-outcomes", f"Outcomes of {task.title} are not stored for both.", field="task")
    if len(a.outcomes) != len(b.outcomes):
        raise InputError("other-examples", "The two were measured on different examples.", field="task")
    return a.outcomes, b.outcomes


def score_difference(
    suite: Suite, a: tuple[CellResult, str], b: tuple[CellResult, str], language: str
) -> Difference | None:
    """First score minus second, from test examples and training seeds; None if the score has no interval.

    Correlations are compared on the pairs that both know, with p on Fisher's scale (docs/protocol.md §4.6).

    Parameters
    ----------
    a, b : results with outcomes, each with the hash of its vectors.
    """
    of_a, of_b = a[0].outcomes, b[0].outcomes
    if metric_named(a[0].metric) is SPEARMAN and of_a is not None and of_b is not None:
        apart = correlation_difference(of_a, of_b)
        if apart is None:
            return None
        difference = difference_with_error(apart.first, apart.second, apart.error_of_correlations, apart.freedom)
        return replace(difference, p=apart.p)
    variances = seed_variances(suite, language)
    first, second = score_estimate(*a, variances), score_estimate(*b, variances)
    return None if first is None or second is None else first.against(second)


def differ(task: Task, a: Outcomes, b: Outcomes, texts: CellTexts | None) -> Differing:
    """Compare the answers of a cell, or the shares of right ones where a sentence's answers aren't known.

    Parameters
    ----------
    a, b : of the same examples (:func:`comparable`).
    texts : for the groups of the examples; None: unknown.
    """
    by_share = task.family.id in BY_SHARE and (a.predictions is None or b.predictions is None)
    if task.family.id == "similarity":
        paired = _ranks(a, b)
    else:
        paired = _shares(a, b, texts) if by_share else _answers(a, b, texts)
    first = paired.measured & (paired.right[0] > paired.right[1])
    second = paired.measured & (paired.right[1] > paired.right[0])
    equal = paired.measured & ~first & ~second
    begins = np.searchsorted(paired.examples, np.arange(len(a)))
    rows = []
    for i in np.flatnonzero(first | second).tolist():
        example, first_is_right = int(paired.examples[i]), bool(first[i])
        answers = paired.answers[0][i], paired.answers[1][i]
        error = answers[first_is_right] if paired.tells_answers else ""
        token = int(i - begins[example]) if len(paired.examples) > len(a) else None
        rows.append(DifferingAnswer(example, token, paired.groups[i], error, answers, first_is_right=first_is_right))
    kinds = [] if by_share else _kinds(rows, a)
    if by_share:
        apart = paired.size * np.abs(paired.right[0] - paired.right[1])
        rows.sort(key=lambda row: (-apart[row.example], row.example))
    else:
        order = {(kind.group, kind.answer): place for place, kind in enumerate(kinds)}
        rows.sort(key=lambda row: (order[row.group, row.error], row.example, row.token or 0))
    neither = equal & (paired.right[0] == 0)
    return Differing(
        what=BY_SHARE[task.family.id] if by_share else UNITS_OF_COUNT[task.family.id],
        by_share=by_share,
        both=int((equal & ~neither).sum()),
        first=int(first.sum()),
        second=int(second.sum()),
        neither=int(neither.sum()),
        left_out=int((~paired.measured).sum()),
        kinds=tuple(kinds),
        rows=tuple(rows),
    )


COLUMNS = ("example", "token", "gold", "answer of {0}", "answer of {1}", "right", "text")
"""Of a table of all rows, with the names of the two sets."""


def table_row(row: DifferingAnswer, names: Sequence[str], texts: CellTexts | None) -> list[str | int]:
    """A row of that table; no text without ``texts``."""
    token: str | int = "" if row.token is None else row.token
    text = texts.texts[row.example] if texts else ""
    return [row.example, token, row.group, *row.answers, names[not row.first_is_right], text]


@dataclass(frozen=True)
class _Paired:
    """Answers of two sets, or examples with several; ``right`` is 0 or 1, or a share; all of length n.

    ``examples`` is the place of an answer's example, ``measured`` whether both could answer, ``size`` the number of
    answers that a share is of, and ``tells_answers`` whether a kind of error names its wrong answer.
    """

    examples: Ints
    measured: NDArray[np.bool_]
    right: tuple[Shares, Shares]
    answers: tuple[Sequence[str], Sequence[str]]
    groups: Sequence[str]
    size: Shares
    tells_answers: bool = False


def _shares(a: Outcomes, b: Outcomes, texts: CellTexts | None) -> _Paired:
    measured = (a.column("total") > 0) & (b.column("total") > 0)
    counts = [(outcomes.column("correct"), outcomes.column("total")) for outcomes in (a, b)]
    right = [correct.astype(np.float64) / np.maximum(total, 1).astype(np.float64) for correct, total in counts]
    answers = [
        [f"{share:.3g} of {of:.0f}" for share, of in zip(correct.tolist(), total.tolist(), strict=True)]
        for correct, total in counts
    ]
    groups = texts.groups if texts else [""] * len(a)
    size = a.column("total").astype(np.float64)
    return _Paired(np.arange(len(a)), measured, (right[0], right[1]), (answers[0], answers[1]), groups, size)


def _ranks(a: Outcomes, b: Outcomes) -> _Paired:
    """Pairs of words that both know by their rank, 1 the most similar: right is 1 less the distance from people's."""
    columns = np.stack([a.column("gold"), a.column("predicted"), b.column("predicted")])
    measured: NDArray[np.bool_] = np.asarray(np.isfinite(columns).all(axis=0))
    ranks = np.full(columns.shape, np.nan)
    ranks[:, measured] = [average_ranks(-column[measured]) for column in columns]
    n = max(int(measured.sum()), 1)
    right = [1 - np.abs(np.nan_to_num(ranks[i] - ranks[0])) / n for i in (1, 2)]
    people, first, second = ([f"{rank:.4g}" for rank in of.tolist()] for of in ranks)
    return _Paired(np.arange(len(a)), measured, (right[0], right[1]), (first, second), people, np.ones(len(a)))


def _answers(a: Outcomes, b: Outcomes, texts: CellTexts | None) -> _Paired:
    held = [outcomes.predictions for outcomes in (a, b) if outcomes.predictions is not None]
    lengths = held[0].lengths if held else None
    examples = np.arange(len(a)) if lengths is None else np.repeat(np.arange(len(a)), lengths)
    measured = ((a.column("total") > 0) & (b.column("total") > 0))[examples]
    few = len({label for outcomes in held for label in outcomes.labels}) <= MOST_LABELS
    of_texts = [texts.groups[i] for i in examples.tolist()] if texts else [""] * len(examples)
    empty = [""] * len(examples)
    answers = [
        outcomes.predictions.named(outcomes.predictions.predicted) if outcomes.predictions else empty
        for outcomes in (a, b)
    ]
    right = (_right(a), _right(b))
    groups = held[0].named(held[0].gold) if held and few else of_texts
    tells_answers = few and len(held) == len(answers)
    return _Paired(
        examples, measured, right, (answers[0], answers[1]), groups, np.ones(len(examples)), tells_answers=tells_answers
    )


def _right(outcomes: Outcomes) -> Shares:
    """1 where more than half of the seeds are right, otherwise 0; shape (answers,)."""
    predictions = outcomes.predictions
    if predictions is not None:
        return np.equal(predictions.gold, predictions.predicted).astype(np.float64)
    return np.greater(outcomes.column("correct"), outcomes.column("total") / 2).astype(np.float64)


def _kinds(rows: Sequence[DifferingAnswer], outcomes: Outcomes) -> list[KindOfError]:
    """The kinds of errors of these rows; answers of one example, and examples that share units, count together."""
    numbers: dict[tuple[str, str], int] = {}
    places = np.array([numbers.setdefault((row.group, row.error), len(numbers)) for row in rows], dtype=np.int64)
    examples = np.array([row.example for row in rows], dtype=np.int64)
    # An error is the wrong set's.
    is_first = np.array([not row.first_is_right for row in rows], dtype=bool)
    counts = np.zeros((2, len(numbers), len(outcomes)))
    for side, chosen in enumerate((is_first, ~is_first)):
        np.add.at(counts[side], (places[chosen], examples[chosen]), 1)
    first, second = counts.sum(axis=2).astype(np.int64)
    tested = np.flatnonzero(first + second >= LEAST_ERRORS)
    p = _p_values((counts[0] - counts[1])[tested], first[tested], second[tested], outcomes).tolist()
    of_kind = dict(zip(tested.tolist(), zip(p, holm(p), strict=True), strict=True))
    kinds = [
        KindOfError(group, answer, int(first[i]), int(second[i]), *of_kind.get(i, (None, None)))
        for (group, answer), i in numbers.items()
    ]
    surest = [(2.0 if kind.p is None else kind.p, -abs(kind.first - kind.second)) for kind in kinds]
    return [kind for _, kind in sorted(zip(surest, kinds, strict=True), key=lambda pair: (*pair[0], pair[1].group))]


def _p_values(apart: NDArray[np.float64], first: Ints, second: Ints, outcomes: Outcomes) -> NDArray[np.float64]:
    """The larger of McNemar's exact p and that of a t test whose standard error counts shared units.

    Parameters
    ----------
    apart : errors of the first set minus the second's by kind and example, shape (k, n); ``first``, ``second``: sums.
    """
    if not len(apart):
        return np.zeros(0)
    exact = np.minimum(2 * bdtr(np.minimum(first, second), first + second, 0.5), 1.0)
    means = apart.mean(axis=1)
    errors, freedom = units_of(outcomes).errors((apart - means[:, None]) / len(outcomes))
    t = np.divide(np.abs(means), errors, out=np.zeros(len(means)), where=errors > 0)
    values: NDArray[np.float64] = np.maximum(exact, 2 * stdtr(np.maximum(freedom, 1), -t))
    return values
