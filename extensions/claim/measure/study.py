"""The plan of a claim, document bootstraps × windows × dimensions × starts × lists without a word, and its models."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from extensions.associations.measure.contexts import Tokens
from extensions.associations.measure.regression import DOCUMENTS, Unit
from extensions.claim.measure.counts import CountedCorpus, Floats, Ints
from extensions.claim.measure.effects import COMPARING, ClaimWords, changes, effect, of_other_words, squared_distances
from extensions.claim.measure.plan import LOCAL, SVD, Analysis, ByChance, Measured, Model, Settings
from extensions.claim.measure.vectors import Contexts, decomposed, trained, unit
from tasks.base import digest
from tasks.errors import InputError
from tasks.local_training.plan import Algorithm, Plan
from tasks.processes import Progress, end_with_parent

VERSION = 1
"""Of the method: raised when its numbers change, so that a run doesn't go on with models of another."""
LEAST_UNITS, LEAST_OF_GROUP = 8, 3
MOST_DEALT = 500_000_000
"""Most divisions × units: their bytes in each of the few processes that measure the whole corpus."""
_A_BLOCK, _OF_A_BLOCK, _NUMBERS = 200, 2**24, 2**26
"""Most divisions whose vectors are in memory at once, most divisions × units of their weights, most numbers in them."""


@dataclass(frozen=True)
class Study:
    """A claim about a corpus.

    Parameters
    ----------
    group_of : of each unit, 0 or 1 for the two compared groups, else -1; None if the claim compares none.
    pretrained : vectors of the vocabulary by the name of their file, shape (V, D).
    """

    words: ClaimWords
    corpus: CountedCorpus
    tokens: Tokens
    settings: Settings
    unit: Unit = DOCUMENTS
    group_of: Ints | None = None
    pretrained: dict[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Reject too few units, and a kind of claim without its groups."""
        if self.group_of is None and self.words.kind in COMPARING:
            message = f"The claim “{self.words.kind}” compares two groups: name the field that tells them with --by."
            raise InputError("not-two-groups", message, field="by")
        smallest = min(map(len, self.strata))
        if self.corpus.units < LEAST_UNITS or smallest < LEAST_OF_GROUP:
            message = (
                f"There are {self.corpus.units} {self.unit.many}, {smallest} in the smaller group; a claim needs at "
                f"least {LEAST_UNITS}, and {LEAST_OF_GROUP} in each group."
            )
            raise InputError("few-units", message, field="group-by")
        if self.group_of is not None and (1 + self.settings.deals) * self.corpus.units > MOST_DEALT:
            most = MOST_DEALT // (1 + self.settings.deals)
            message = (
                f"{self.settings.deals:,} deals allow at most {most:,} {self.unit.many}, and the corpus has "
                f"{self.corpus.units:,}. Name those who speak with --group-by; the command can also lower --deals."
            )
            raise InputError("too-many-deals", message, field="group-by")

    def __getstate__(self) -> dict[str, object]:
        """Without the divisions: large, and only some processes need them."""
        return {name: value for name, value in self.__dict__.items() if name != "dealt"}

    @property
    def strata(self) -> list[Ints]:
        """The units that are resampled together: those of each group, or all."""
        if self.group_of is None:
            return [np.arange(self.corpus.units)]
        return [np.flatnonzero(self.group_of == group) for group in (0, 1)]

    @property
    def models(self) -> list[Model]:
        """In their order: the whole corpus first, the widest window first."""
        chosen = self.settings
        together = [chosen.dimensions] if chosen.algorithm == SVD else [(size,) for size in chosen.dimensions]
        return [
            Model(sample, window, sizes)
            for sample in range(chosen.samples + 1)
            for window in sorted(chosen.windows, reverse=True)
            for sizes in together
        ]

    @property
    def digest(self) -> str:
        """Of all that fixes the numbers."""
        words, tokens = self.words, self.tokens
        content = hashlib.sha256("\n".join(tokens.types).encode())
        arrays: list[Ints | Floats | NDArray[np.int32]] = [words.rows, *words.lists, words.alike, *self.strata]
        arrays += [tokens.ids, tokens.paragraphs, tokens.documents, *self.pretrained.values()]
        for array in arrays:
            content.update(f"\n{array.dtype} {array.shape}\n".encode() + array.tobytes())
        names = [words.kind, self.corpus.units, *self.pretrained]
        return digest([VERSION, names, asdict(self.settings), content.hexdigest()])

    def weights(self, sample: int) -> Floats:
        """How often each unit is in a sample, shape (units,): drawn with replacement within groups."""
        weights = np.ones(self.corpus.units)
        if sample:
            generator = np.random.default_rng([self.settings.seed, sample])
            rest = np.setdiff1d(np.arange(len(weights)), np.concatenate(self.strata))
            for members in (*self.strata, rest):
                drawn = generator.integers(0, max(len(members), 1), len(members))
                weights[members] = np.bincount(drawn, minlength=len(members))
        return weights

    @cached_property
    def dealt(self) -> NDArray[np.int8]:
        """Group of every unit as in ``group_of``, int8, shape (1 + deals, units): observed, then dealt at random."""
        assert self.group_of is not None
        generator = np.random.default_rng([self.settings.seed, 0, 1])
        members, group_of = np.concatenate(self.strata), self.group_of.astype(np.int8)
        dealt = np.tile(group_of, (1 + self.settings.deals, 1))
        for row in dealt[1:]:
            row[members] = generator.permutation(group_of[members])
        return dealt

    def _observed(self, weights: Floats) -> tuple[Floats, Floats]:
        """Weights of the units in the first and in the second group, each of shape (1, units)."""
        assert self.group_of is not None
        return (self.group_of == 0) * weights[None], (self.group_of == 1) * weights[None]

    def _divisions(self, units: Ints | slice = slice(None)) -> Iterator[tuple[Floats, Floats]]:
        """Blocks of ``dealt``, and some of its units: 1 for members of the first, and of the second group, else 0."""
        numbers = len(self.words.rows) * max(self.settings.dimensions)
        rows = min(_A_BLOCK, max(_OF_A_BLOCK // self.corpus.units, 1), max(_NUMBERS // numbers, 1))
        for at in range(0, len(self.dealt), rows):
            block = self.dealt[at : at + rows, units]
            yield (block == 0).astype(np.float64), (block == 1).astype(np.float64)

    def measure(self, model: Model) -> Measured:
        """Train a model, and measure the claim in its vectors and, once a sample, in each pre-trained start."""
        chosen, weights, measured = self.settings, self.weights(model.sample), Measured()
        counts = self.corpus.by_window[model.window]
        if chosen.algorithm == SVD:
            by_size = decomposed(counts, weights, model.dimensions)
        else:
            size, seed = model.dimensions[0], chosen.seed + model.sample
            plan = Plan(cast(Algorithm, chosen.algorithm), model.window, size, chosen.minimum_count, seed=seed)
            by_size = {size: trained(self.tokens, weights, self.corpus.words, plan)}
        starts = [(LOCAL, vectors) for vectors in by_size.values()]
        starts += self.pretrained.items() if chosen.dimensions[0] in model.dimensions else ()
        for start, vectors in starts:
            setting = start, model.window, vectors.shape[1]
            if start == LOCAL and self.group_of is None:
                first, second = unit(vectors[self.words.rows])[None], None
                self._of_vectors(measured, setting, model.sample, first, second)
                continue
            contexts = Contexts.of(counts, weights, vectors, self.corpus.frequency, self.words.rows)
            if self.words.kind == "groups":
                self._of_uses(measured, setting, model.sample, contexts, weights)
            elif self.group_of is None:
                self._of_vectors(measured, setting, model.sample, contexts.vectors(weights[None]), None)
            else:
                first, second = map(contexts.vectors, self._observed(weights))
                self._of_vectors(measured, setting, model.sample, first, second)
                if not model.sample:
                    self._of_deals(measured, setting, contexts)
        return measured

    def _of_vectors(
        self, measured: Measured, setting: tuple[str, int, int], sample: int, first: Floats, second: Floats | None
    ) -> None:
        """The claim in the vectors of one sample, complete and without each word; other words in the whole corpus."""
        claims = {"": self.words} | self.words.without_each(self.corpus.words)
        for without, words in claims.items():
            number = float(effect(words, first, second)[0])
            measured.analyses.append(Analysis(*setting, sample, without, number if np.isfinite(number) else None))
        if not sample and second is None:
            values = of_other_words(self.words, first, self.settings.seed)
            observed = float(effect(self.words, first)[0])
            measured.by_chance.append(ByChance(*setting, "words", observed, values.tolist()))

    def _of_deals(self, measured: Measured, setting: tuple[str, int, int], contexts: Contexts) -> None:
        """The claim in the groups and in dealt ones.

        A word that changed is also compared with words of like frequency: each one's change in standard deviations from
        the mean of its changes between dealt groups, as some words change more by chance than others.
        """
        numbers, of_words = [], []
        for groups in self._divisions():
            first, second = map(contexts.vectors, groups)
            numbers.append(effect(self.words, first, second))
            of_words.append(changes(first, second) if self.words.kind == "drift" else np.empty((len(first), 0)))
        observed, *dealt = np.concatenate(numbers).tolist()
        measured.by_chance.append(ByChance(*setting, "units", observed, dealt))
        if self.words.kind == "drift":
            change = np.concatenate(of_words)
            with np.errstate(invalid="ignore", divide="ignore"):
                beyond = (change[0] - np.nanmean(change[1:], axis=0)) / np.nanstd(change[1:], axis=0)
            word, alike = int(self.words.lists[0][0]), self.words.alike[0]
            measured.by_chance.append(ByChance(*setting, "words", float(beyond[word]), beyond[alike].tolist()))

    def _of_uses(
        self, measured: Measured, setting: tuple[str, int, int], sample: int, contexts: Contexts, weights: Floats
    ) -> None:
        """The distance between two groups' uses of the word, and between those of dealt groups."""
        members, uses = contexts.uses(int(self.words.lists[0][0]))
        first, second = (of_group[:, members] for of_group in self._observed(weights))
        number = squared_distances(uses, first, second, is_resampled=bool(sample))[0][0]
        measured.analyses.append(Analysis(*setting, sample, "", float(number) if np.isfinite(number) else None))
        if not sample:
            blocks = [squared_distances(uses, *groups, is_resampled=False)[1] for groups in self._divisions(members)]
            observed, *dealt = np.concatenate(blocks).tolist()
            measured.by_chance.append(ByChance(*setting, "units", observed, dealt))


class FinishedModels:
    """The finished models of a plan, in a file of JSON lines that a later run of the same plan continues."""

    def __init__(self, path: Path, plan: str) -> None:
        """
        Raises
        ------
        InputError
            the file has the models of another plan.
        """
        self.path, self.measured = path, dict[Model, Measured]()
        intact: list[bytes] = []
        for line in path.read_bytes().splitlines(keepends=True) if path.is_file() else ():
            try:
                entry = json.loads(line)
            except ValueError:  # damaged, as by a full disk: its model and those after it are measured again
                break
            if not line.endswith(b"\n"):
                break
            if intact:
                model = Model(**(entry["model"] | {"dimensions": tuple(entry["model"]["dimensions"])}))
                analyses = [Analysis(**row) for row in entry["analyses"]]
                self.measured[model] = Measured(analyses, [ByChance(**row) for row in entry["by_chance"]])
            elif entry != {"plan": plan}:
                message = f"{path.parent} has the models of another plan. Name another folder with --out."
                raise InputError("other-plan", message, field="out")
            intact.append(line)
        path.write_bytes(b"".join(intact) or json.dumps({"plan": plan}).encode("ascii") + b"\n")

    def add(self, model: Model, measured: Measured) -> None:
        """Keep a model, durably before the next."""
        self.measured[model] = measured
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"model": asdict(model), **asdict(measured)}) + "\n")


def run(
    study: Study, finished: FinishedModels, processes: int, announce: Callable[[float], None], progress: Progress
) -> None:
    """Measure the models that are missing; the first one's time gives that of all, which is announced.

    Parameters
    ----------
    announce : called with the seconds that the other models will take at most.
    """
    missing = [model for model in study.models if model not in finished.measured]
    if not missing:
        return
    began = time.perf_counter()
    with threadpool_limits(limits=1):
        finished.add(missing[0], study.measure(missing[0]))
    announce((time.perf_counter() - began) * (len(missing) - 1) / processes)
    for done, (model, measured) in enumerate(_side_by_side(study, missing[1:], processes), start=2):
        finished.add(model, measured)
        progress(done / len(missing), f"model {done} of {len(missing)}")


def _side_by_side(study: Study, models: Sequence[Model], processes: int) -> Iterator[tuple[Model, Measured]]:
    if processes == 1 or len(models) < 2:
        with threadpool_limits(limits=1):
            yield from ((model, study.measure(model)) for model in models)
        return
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _begin, (study,))
    try:
        futures = {pool.submit(_measure, model): model for model in models}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        pool.shutdown(cancel_futures=True)


_STUDIES: list[Study] = []
"""The study of a process that measures its models."""


def _begin(study: Study) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    end_with_parent()
    threadpool_limits(limits=1)
    _STUDIES.append(study)


def _measure(model: Model) -> Measured:
    return _STUDIES[0].measure(model)
