"""The vectors that are compared, split by split: pre-trained, trained on a part of the corpus, and à la carte.

Everything that the steps read lies in one folder, which several processes map into memory; their results go there too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from extensions.associations.measure.contexts import Floats, Ints, Tokens, context_sums, least_squares
from extensions.sufficiency.measure.pairs import CentredVectors, CuePairs
from tasks.errors import InputError
from tasks.local_training.corpora import TrainingCorpus
from tasks.local_training.plan import EPOCHS, Plan
from tasks.local_training.train import train_runs, use_threads
from tasks.processes import Progress, no_progress
from tasks.vectors import UNKNOWN, Embedding, LookUp

LEAST_OF_CONTEXTS = (50, 20, 10, 5)
"""Least occurrences of the words that à la carte's transformation is learnt from: the first with enough words."""
WORDS_A_DIMENSION = 2
_TOKENS_A_CHUNK = 500_000
LOCAL = "local"
A_LA_CARTE = "a-la-carte:"
"""Prefix of the id of a pre-trained candidate whose à la carte vectors these are."""


@dataclass(frozen=True)
class Outcome:
    """Results of one candidate in one split.

    Parameters
    ----------
    sums : of the shares of comparisons won, by cue and group (``CuePairs.by_group``), shape (k,).
    people : of the cues of every list of people's words, one array a list.
    share : of the corpus's tokens that have a vector.
    """

    sums: Floats
    people: tuple[Floats, ...]
    share: float


@dataclass(frozen=True)
class Workplace:
    """Corpus, folds, cues, pairs, pre-trained vectors and results, in files of a folder.

    Parameters
    ----------
    folds : of every repeat; split s tests on fold s mod folds of repeat s // folds.
    """

    folder: Path
    folds: int

    def __reduce__(self) -> tuple[object, ...]:
        """What is in memory isn't sent to other processes."""
        return type(self), (self.folder, self.folds)

    def fill(self, tokens: Tokens, partitions: NDArray[np.int32]) -> None:
        """Write the corpus (with groups in the place of documents), and the fold of every group by repeat."""
        self._path("types.json").write_text(json.dumps(tokens.types), encoding="utf-8")
        numbers = {"ids": tokens.ids, "paragraphs": tokens.paragraphs, "groups": tokens.documents}
        for name, values in (numbers | {"partitions": partitions}).items():
            np.save(self._path(f"{name}.npy"), values)

    def add_pairs(self, name: str, cues: Sequence[int], pairs: CuePairs) -> None:
        path, types = self._path(f"pairs-{name}.npz"), np.array(cues, dtype=np.int32)
        np.savez(path, types=types, cues=pairs.cues, words=pairs.words, uses=pairs.uses)

    def add_vectors(self, number: int, embedding: Embedding, look_up: LookUp) -> None:
        """Write the vectors of the corpus's types.

        Raises
        ------
        InputError
            no type has one.
        """
        rows = look_up.rows(embedding, self.tokens.types)
        if (rows == UNKNOWN).all():
            message = f"{embedding.name} has no vector for any word of the corpus. Are they in the same language?"
            raise InputError("no-words", message, field="pretrained")
        np.save(self._path(f"known-{number}.npy"), rows != UNKNOWN)
        np.save(self._path(f"vectors-{number}.npy"), embedding.matrix[rows[rows != UNKNOWN]])

    @cached_property
    def tokens(self) -> Tokens:
        types = json.loads(self._path("types.json").read_text(encoding="utf-8"))
        return Tokens(types, *(self._numbers(name) for name in ("ids", "paragraphs", "groups")))

    @cached_property
    def people(self) -> list[tuple[list[int], CuePairs]]:
        """Cues and pairs of every list of people's words."""
        count = sum(1 for _ in self.folder.glob("pairs-people-*.npz"))
        return [self.pairs(f"people-{i}") for i in range(count)]

    def pairs(self, name: str) -> tuple[list[int], CuePairs]:
        with np.load(self._path(f"pairs-{name}.npz")) as stored:
            return stored["types"].tolist(), CuePairs(stored["cues"], stored["words"], stored["uses"])

    def vectors(self, number: int) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Which types a pre-trained set knows, and their vectors."""
        has_vector: NDArray[np.bool_] = np.load(self._path(f"known-{number}.npy"))
        return has_vector, np.load(self._path(f"vectors-{number}.npy"), mmap_mode="r")

    def test_part(self, split: int) -> Tokens:
        return self.fold(split, [split % self.folds])

    def training_part(self, split: int, folds: int) -> Tokens:
        """The first so many of the folds after the tested one: parts of different sizes are nested."""
        return self.fold(split, self.training_folds(split, folds))

    def training_folds(self, split: int, folds: int) -> list[int]:
        return [(split + 1 + i) % self.folds for i in range(folds)]

    def fold(self, split: int, folds: Sequence[int]) -> Tokens:
        """The tokens of some folds of a split's repeat."""
        fold_of = self._numbers("partitions")[split // self.folds]
        return self.tokens.part(np.isin(fold_of, folds)[self.tokens.documents])

    def keep(self, candidate: str, folds: int, split: int, vectors: CentredVectors) -> None:
        """Compute and write the outcome of a candidate's vectors."""
        cues, pairs = self.pairs(str(split))
        counts = self.tokens.counts
        people = [vectors.areas(named, lists) for lists, named in self.people]
        np.savez(
            self._path(_result(candidate, folds, split)),
            sums=pairs.by_group(vectors.shares(pairs, cues))[2],
            people=np.concatenate([np.empty(0), *people]),
            share=counts[vectors.has_vector].sum() / counts.sum(),
        )

    def outcomes(self, candidate: str, folds: int, splits: int) -> list[Outcome]:
        """The written outcomes of the first so many splits; none if the candidate lacks vectors in one of them."""
        outcomes_of_folds = []
        for split in range(splits):
            path = self._path(_result(candidate, folds, split))
            if not path.exists():
                return []
            with np.load(path) as stored:
                ends = np.cumsum([len(cues) for cues, _ in self.people])
                people = np.split(stored["people"], ends[:-1]) if len(ends) else []
                outcomes_of_folds.append(Outcome(stored["sums"], tuple(people), float(stored["share"])))
        return outcomes_of_folds

    def _numbers(self, name: str) -> NDArray[np.int32]:
        numbers: NDArray[np.int32] = np.load(self._path(f"{name}.npy"), mmap_mode="r")
        return numbers

    def _path(self, name: str) -> Path:
        return self.folder / name


def _result(candidate: str, folds: int, split: int) -> str:
    """The name of a file: that of a candidate may be long and hold any character."""
    return f"result-{hashlib.sha256(candidate.encode()).hexdigest()}-{folds}-{split}.npz"


@dataclass(frozen=True)
class LocalTraining:
    """Local vectors of one split, trained on so many folds."""

    candidate: str
    split: int
    folds: int
    plan: Plan

    def seconds(self, tokens: int) -> float:
        """Expected time on one core for a corpus of so many tokens and four folds: measured with skip-gram."""
        a_pass = (0.84e-6 + 0.33e-6 * self.plan.window) * (0.7 + 0.003 * self.plan.dimensions)
        return 0.1 + a_pass * (self.plan.iterations or EPOCHS) * tokens * self.folds / 4

    def run(self, place: Workplace, progress: Progress) -> None:
        part = place.training_part(self.split, self.folds)
        place.keep(self.candidate, self.folds, self.split, local_vectors(part, self.plan, progress))


def local_vectors(part: Tokens, plan: Plan, progress: Progress = no_progress) -> CentredVectors:
    """Vectors trained on a part of a corpus."""
    if plan.algorithm == "glove":
        use_threads(1)
    corpus = TrainingCorpus(LOCAL, LOCAL, "", lambda: ([line] for line in lines_of(part)))
    trained = next(train_runs(corpus, plan, progress)).embedding
    rows = trained.find(part.types)
    has_vector = rows != UNKNOWN
    return CentredVectors.of(has_vector, trained.matrix[rows[has_vector]])


@dataclass(frozen=True)
class Transfer:
    """Pre-trained vectors, as they are and à la carte, in the splits of one repeat.

    Parameters
    ----------
    number : of the set.
    least_folds : à la carte vectors are learnt from so many folds and more.
    """

    candidate: str
    number: int
    repeat: int
    dimensions: int
    least_folds: int

    def seconds(self, tokens: int) -> float:
        return 0.5 + tokens * (1e-6 + 1e-8 * self.dimensions)

    def run(self, place: Workplace, progress: Progress) -> None:
        has_vector, vectors = place.vectors(self.number)
        splits = range(self.repeat * place.folds, (self.repeat + 1) * place.folds)
        placed = CentredVectors.of(has_vector, vectors)
        for split in splits:
            place.keep(self.candidate, 0, split, placed)
        centred = vectors - vectors.mean(axis=0, dtype=np.float64)
        parts = []
        for fold in range(place.folds):
            parts.append(_fold_sums(place.fold(splits[0], [fold]), has_vector, centred))
            progress(0.8 * (fold + 1) / place.folds, "contexts")
        for split in splits:
            for folds in range(self.least_folds, place.folds):
                chosen = [parts[fold] for fold in place.training_folds(split, folds)]
                transferred = _a_la_carte(chosen, has_vector, centred)
                if transferred is not None:
                    place.keep(A_LA_CARTE + self.candidate, folds, split, transferred)


AnyStep = LocalTraining | Transfer


@dataclass(frozen=True)
class StepBatch:
    """Steps for one process, several if they are short: a process takes seconds to start."""

    steps: tuple[AnyStep, ...]
    seconds: float

    def __str__(self) -> str:
        return f"{len(self.steps)} steps of a comparison"


def batches(steps: Sequence[AnyStep], tokens: int, least: float) -> list[StepBatch]:
    """Consecutive steps packed into batches of at least so many expected seconds."""
    made: list[StepBatch] = []
    waiting: list[AnyStep] = []
    seconds = 0.0
    for step in steps:
        waiting.append(step)
        seconds += step.seconds(tokens)
        if seconds >= least or step is steps[-1]:
            made.append(StepBatch(tuple(waiting), seconds))
            waiting, seconds = [], 0.0
    return made


@dataclass(frozen=True)
class Runner:
    """Runs batches in a workplace; can be sent to other processes."""

    place: Workplace

    def __call__(self, batch: StepBatch) -> None:
        for step in batch.steps:
            run_step(step, self.place, no_progress)


def run_step(step: AnyStep, place: Workplace, progress: Progress) -> None:
    """One step, with one thread: sums in another order would change the last bits."""
    with threadpool_limits(limits=1):
        step.run(place, progress)


def lines_of(part: Tokens) -> Iterator[str]:
    """The text of every paragraph."""
    spelled = np.array(part.types, dtype=object)
    ends = np.flatnonzero(np.diff(part.paragraphs)) + 1
    for begin, end in zip([0, *ends], [*ends, len(part.ids)], strict=True):
        yield " ".join(spelled[part.ids[begin:end]])


@dataclass(frozen=True)
class _Sums:
    """Of one fold: sums of contexts, float32 of shape (types, D), how many each adds up, and occurrences."""

    contexts: NDArray[np.float32]
    added: Floats
    occurrences: Ints


def _fold_sums(part: Tokens, has_vector: NDArray[np.bool_], vectors: Floats) -> _Sums:
    rows = np.where(has_vector, np.cumsum(has_vector) - 1, UNKNOWN)
    sums = np.zeros((len(has_vector), vectors.shape[1]), dtype=np.float32)
    added = np.zeros(len(has_vector))
    begin = 0
    while begin < len(part.ids):  # in chunks of whole paragraphs: bounded memory
        last = min(begin + _TOKENS_A_CHUNK, len(part.ids)) - 1
        end = int(np.searchsorted(part.paragraphs, part.paragraphs[last], side="right"))
        contexts, counts = context_sums(part.part(slice(begin, end)), rows, vectors)
        sums += contexts
        added += counts
        begin = end
    return _Sums(sums, added, part.counts)


def _a_la_carte(parts: Sequence[_Sums], has_vector: NDArray[np.bool_], vectors: Floats) -> CentredVectors | None:
    """Vectors of all types with a context in the training part; None with too few words to learn from."""
    added = np.asarray(np.sum([part.added for part in parts], axis=0))
    occurrences = np.sum([part.occurrences for part in parts], axis=0)
    has_context = added > 0
    sums = np.asarray(np.sum([part.contexts for part in parts], axis=0, dtype=np.float64))
    means = sums[has_context] / added[has_context, None]
    for least in LEAST_OF_CONTEXTS:
        fit = has_vector & has_context & (occurrences >= least)
        if np.count_nonzero(fit) >= WORDS_A_DIMENSION * vectors.shape[1]:
            targets = vectors[(np.cumsum(has_vector) - 1)[fit]]
            transformation = least_squares(means[fit[has_context]], targets, np.log(occurrences[fit]))
            return CentredVectors.of(has_context, means @ transformation.T)
    return None
