"""``suffices``: the whole comparison, from documents and pre-trained vectors to the report (docs/protocol.md §6.8)."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from extensions.associations.measure.contexts import Tokens
from extensions.shared.measure.documents import NOT_STATED, Collection, having
from extensions.shared.measure.vectors import NamedVectors
from extensions.sufficiency.measure.candidates import (
    A_LA_CARTE,
    LEAST_OF_CONTEXTS,
    LOCAL,
    WORDS_A_DIMENSION,
    AnyStep,
    LocalTraining,
    Outcome,
    Runner,
    Transfer,
    Workplace,
    batches,
    run_step,
)
from extensions.sufficiency.measure.decide import summary
from extensions.sufficiency.measure.figures import Evidence, Figures
from extensions.sufficiency.measure.pairs import (
    FEWEST_CUES,
    FEWEST_GROUPS,
    NEGATIVES,
    drawn_cues,
    folds_of,
    pairs_named,
    pairs_near,
)
from extensions.sufficiency.measure.report import CandidateUsed, Kind, SufficiencyReport
from extensions.training.measure.side_by_side import train_side_by_side
from tasks.baseline.corpus_text import text_lines
from tasks.datasets.examples import numbered
from tasks.errors import InputError
from tasks.files import temporary_folder
from tasks.local_training.plan import EPOCHS, Algorithm, Plan, check_bounds
from tasks.political.human import HumanLists
from tasks.processes import Progress, no_progress
from tasks.suites import DEFAULT, get
from tasks.text import LeftOut
from tasks.vectors import UNKNOWN, Embedding

VERSION = 3
FOLDS = 4
"""Of every partition; all but one are trained on."""
MOST_TOKENS = 10_000_000
_MOST_CHARACTERS = 30 * MOST_TOKENS
"""A text this long has more than ``MOST_TOKENS`` words in any language; it isn't split into words to count them."""
SETTING_REPEATS = 2
"""Windows and dimensions are compared in the splits of so many repeats: more splits lessen their own noise only."""
_TOKENS_AN_OCCURRENCE, _FEWEST, _MOST = 100_000, 2, 10
"""Words of local vectors occur once or more for so many tokens of the training text, within these bounds."""
_TOKENS_TO_SEE, _MOST_PASSES = 2_000_000, 20
"""Tokens that a training reads in all its passes: with five passes, vectors of a small corpus are hardly trained, and
pre-trained ones would win against a weak opponent. More than 20 passes learn the text by heart."""
_SECONDS_A_BATCH = 20.0
_TOKENISING, _PAIRING = 1e-6, 1.5e-3
"""Expected seconds for a token, and for a cue in a split."""


@dataclass(frozen=True)
class Settings:
    """Settings of a comparison.

    Parameters
    ----------
    group_by : field of those who speak, whose documents are kept together; None: each document is a group.
    cues : the user's own, reported apart from the random ones.
    random_cues : number of words drawn from the corpus.
    repeats : of the cross-validation.
    window, dimensions, algorithm : of the local vectors.
    windows, other_dimensions : compared with these, one at a time.
    curve : train on smaller parts of the corpus, too.
    people : lists of people's words, by title.
    """

    group_by: str | None = None
    cues: tuple[str, ...] = ()
    random_cues: int = 200
    repeats: int = 5
    window: int = 6
    dimensions: int = 100
    windows: tuple[int, ...] = (2, 6, 12)
    other_dimensions: tuple[int, ...] = (50, 200)
    algorithm: Algorithm = "skip-gram"
    seed: int = 1
    processes: int = 1
    curve: bool = True
    people: Mapping[str, HumanLists] | None = None

    def __post_init__(self) -> None:
        """Reject settings out of range, naming the setting."""
        check_bounds(self, {
            "random_cues": (FEWEST_CUES, 1_000), "repeats": (1, 50), "seed": (0, 1_000_000),
            "processes": (1, 1_000),
        })  # fmt: skip
        self.plans()

    def plans(self) -> dict[str, Plan]:
        """The local vectors by candidate: the main ones, then those with other windows and other dimensions."""
        main = Plan(self.algorithm, self.window, self.dimensions)
        others = [replace(main, window=window) for window in self.windows]
        others += [replace(main, dimensions=dimensions) for dimensions in self.other_dimensions]
        named = {f"{LOCAL}-w{plan.window}-d{plan.dimensions}": plan for plan in others if plan != main}
        return {LOCAL: main, **named}


def suffices(
    collection: Collection,
    pretrained: Sequence[Embedding | NamedVectors],
    settings: Settings = Settings(),
    progress: Progress = no_progress,
    left_out: LeftOut | None = None,
) -> SufficiencyReport:
    """Compare pre-trained vectors with vectors trained on a collection, on documents that neither has seen.

    Parameters
    ----------
    pretrained : vectors in memory or files, with distinct names, which become their ids in the report. Files of open
        vocabulary compose the words of the corpus.
    progress : its share is that of the expected seconds.
    left_out : receives documents without the field of groups, and cues that don't occur in the corpus. What it holds
        already counts as left out of the corpus.

    Raises
    ------
    InputError
        too few groups or words, too large a corpus, no document with the field, no or two equally named vectors, or a
        file that is rejected.
    """
    began = time.perf_counter()
    left_out = left_out or LeftOut()
    names = [file.name for file in pretrained]
    if not names or len({*names, *settings.plans()}) < len(names) + len(settings.plans()):
        message = "Give at least one set of pre-trained vectors, each with a name of its own other than “local”."
        raise InputError("no-vectors", message, field="pretrained")
    progress(0.0, "reading the corpus")
    tokens, documents, repeated = grouped(collection, settings, left_out)
    dropped = left_out.count
    random = drawn_cues(tokens, settings.random_cues, settings.seed)
    own_cues = _own_cues(tokens, settings, left_out)
    cues = list(dict.fromkeys([*random, *own_cues]))
    number = {word: i for i, word in enumerate(tokens.types)}
    with temporary_folder() as folder:
        opened: list[Embedding] = []
        for file in pretrained:
            progress(0.0, f"reading {file.name}")
            opened.append(file.with_words(tokens.types, folder) if isinstance(file, NamedVectors) else file)
        run = _Run(Workplace(folder, FOLDS), settings, tokens, opened, progress)
        run.prepare([number[cue] for cue in cues], len(random))
        run.train()
        candidates = run.candidates(collection.licence)
        evidence = Evidence(run.place.pairs(str(split))[1] for split in range(run.splits))
        figures = Figures(evidence, run.outcomes(candidates), candidates, run.trained_on(), cues, len(random))
    decisions = figures.decisions(len(tokens.ids))
    curve = figures.curve()
    areas = {point["candidate"]: point["auc"]["mean"] for point in curve}  # of the largest part, which comes last
    return {
        "version": VERSION,
        "sentence": summary(decisions, candidates, areas),
        "corpus": {
            "title": collection.title,
            "language": collection.language,
            "documents": documents,
            "repeated": repeated,
            "groups": int(tokens.documents.max()) + 1,
            "group_by": settings.group_by,
            "tokens": len(tokens.ids),
            "words": len(tokens.types),
            "left_out": dropped,
        },
        "candidates": candidates,
        "decisions": decisions,
        "curve": curve,
        "overtakes": figures.overtakes(),
        "settings": figures.settings(),
        "cues": figures.cue_figures(own_cues, {cue: int(tokens.counts[number[cue]]) for cue in cues}),
        "people": figures.people(list(settings.people or {})),
        "seconds": round(time.perf_counter() - began, 1),
    }


@dataclass(frozen=True)
class _Run:
    """One comparison: its files, its steps, and the progress of both."""

    place: Workplace
    settings: Settings
    tokens: Tokens
    pretrained: Sequence[Embedding]
    progress: Progress

    @property
    def splits(self) -> int:
        return FOLDS * self.settings.repeats

    def prepare(self, cues: Sequence[int], random: int) -> None:
        """Write the corpus, the folds, the vectors, the pairs of people's words, and those of every split.

        Parameters
        ----------
        cues : types; the random ones come first.
        """
        settings, tokens = self.settings, self.tokens
        self._tell(0.0, f"about {math.ceil(self._expected / 60)} min in all")
        sizes = np.bincount(tokens.documents)
        draws = [np.random.default_rng([settings.seed, repeat]) for repeat in range(settings.repeats)]
        self.place.fill(tokens, np.array([folds_of(sizes, FOLDS, draw) for draw in draws]))
        for i, embedding in enumerate(self.pretrained):
            self.place.add_vectors(i, embedding, get(DEFAULT).look_up)
        number = {word: i for i, word in enumerate(tokens.types)}
        for i, lists in enumerate((settings.people or {}).values()):
            counted_lists = {
                number[cue]: [number[word] for word in lists[cue] if word in number] for cue in lists if cue in number
            }
            pairs = pairs_named(counted_lists, tokens.counts, [settings.seed])
            self.place.add_pairs(f"people-{i}", list(counted_lists), pairs)
        for split in range(self.splits):
            self._tell(self._preparing * split / self.splits, f"pairs of split {split + 1} of {self.splits}")
            pairs = pairs_near(self.place.test_part(split), tokens.counts, cues, [settings.seed, split])
            if not (pairs.cues < random).any():
                message = (
                    f"In a part of the corpus, no neighbour of a cue has {NEGATIVES} other words of equal frequency to "
                    "be compared with. The comparison needs a larger corpus."
                )
                raise InputError("small-corpus", message, field="corpus")
            self.place.add_pairs(str(split), cues, pairs)

    def train(self) -> None:
        """Run all steps, in this process or in several."""
        if self.settings.processes == 1:
            done = 0.0
            for number, step in enumerate(self._steps, start=1):
                expected = step.seconds(len(self.tokens.ids))
                label = f"step {number} of {len(self._steps)}"
                run_step(step, self.place, partial(self._within, done, expected, label))
                done += expected
            return
        jobs = batches(self._steps, len(self.tokens.ids), _SECONDS_A_BATCH)
        done, finished = 0.0, 0
        with closing(train_side_by_side(jobs, Runner(self.place), self.settings.processes)) as batches_done:
            for batch in batches_done:
                done, finished = done + batch.seconds, finished + len(batch.steps)
                self._tell(self._preparing + done / self.settings.processes, f"{finished} of {len(self._steps)} steps")

    def _within(self, done: float, expected: float, label: str, share: float, what: str) -> None:
        self._tell(self._preparing + done + share * expected, label)

    def _tell(self, seconds: float, what: str) -> None:
        self.progress(min(1.0, seconds / self._expected), what)

    @property
    def _expected(self) -> float:
        """Seconds in all."""
        training = sum(step.seconds(len(self.tokens.ids)) for step in self._steps) / self.settings.processes
        return self._preparing + training

    @property
    def _preparing(self) -> float:
        cues = self.settings.random_cues + len(self.settings.cues)
        return _TOKENISING * len(self.tokens.ids) + _PAIRING * cues * self.splits

    @cached_property
    def _steps(self) -> list[AnyStep]:
        """Transfers first, then trainings, split by split."""
        settings, sizes = self.settings, self.trained_on()
        most = FOLDS - 1
        least = 1 if settings.curve else most
        steps: list[AnyStep] = [
            Transfer(file.name, i, repeat, file.dimensions, least)
            for i, file in enumerate(self.pretrained)
            for repeat in range(settings.repeats)
        ]
        for split in range(self.splits):
            for name, plan in settings.plans().items():
                if split < self._splits_of(name):
                    # another seed in every split, and other ones with another first seed
                    seeded = replace(plan, seed=settings.seed * 1_000 + split)
                    parts = range(least if name == LOCAL else most, most + 1)
                    steps += [LocalTraining(name, split, folds, fitted(seeded, sizes[folds - 1])) for folds in parts]
        return steps

    def _splits_of(self, candidate: str) -> int:
        is_setting = candidate in self.settings.plans() and candidate != LOCAL
        return min(self.settings.repeats, SETTING_REPEATS) * FOLDS if is_setting else self.splits

    def trained_on(self) -> list[int]:
        """Tokens of 1, 2, … folds, on average over the splits: every fold is as often trained on as any other."""
        return [round(len(self.tokens.ids) * folds / FOLDS) for folds in range(1, FOLDS)]

    def candidates(self, licence: str) -> list[CandidateUsed]:
        """Pre-trained sets, each followed by its à la carte vectors, then local ones; without their share of tokens.

        Parameters
        ----------
        licence : of the corpus, and so of vectors trained on it.
        """
        used: list[CandidateUsed] = []
        for file in self.pretrained:
            used.append(_candidate(file.name, file.name, "pre-trained", file.dimensions, None, NOT_STATED))
            transformed = A_LA_CARTE + file.name, f"{file.name}, à la carte"
            used.append(_candidate(*transformed, "a-la-carte", file.dimensions, None, NOT_STATED))
        for name, plan in self.settings.plans().items():
            title = f"{plan.algorithm} trained here, window {plan.window}, {plan.dimensions} dimensions"
            used.append(_candidate(name, title, "local", plan.dimensions, plan.window, licence))
        return used

    def outcomes(self, candidates: Sequence[CandidateUsed]) -> dict[tuple[str, int], list[Outcome]]:
        """Outcomes by candidate and folds of its training; adds each candidate's share, or the reason for none."""
        by_candidate: dict[tuple[str, int], list[Outcome]] = {}
        for candidate in candidates:
            name, most = candidate["id"], 0 if candidate["kind"] == "pre-trained" else FOLDS - 1
            measured = {folds: self.place.outcomes(name, folds, self._splits_of(name)) for folds in range(most + 1)}
            if measured[most]:
                by_candidate |= {(name, folds): outcomes for folds, outcomes in measured.items() if outcomes}
                candidate["share"] = float(np.mean([outcome.share for outcome in measured[most]]))
            else:
                dimensions = candidate["dimensions"]
                candidate["missing"] = (
                    f"Relating {dimensions} dimensions to contexts takes {WORDS_A_DIMENSION * dimensions} words with "
                    f"vectors that occur {LEAST_OF_CONTEXTS[-1]} times or more in the training texts; there are fewer."
                )
        return by_candidate


def fitted(plan: Plan, tokens: int) -> Plan:
    """A plan with the minimum count and the passes for a text of so many tokens; GloVe stops by itself."""
    least = min(max(tokens // _TOKENS_AN_OCCURRENCE, _FEWEST), _MOST)
    passes = None if plan.algorithm == "glove" else min(max(math.ceil(_TOKENS_TO_SEE / tokens), EPOCHS), _MOST_PASSES)
    return replace(plan, minimum_count=least, iterations=passes)


def _candidate(id: str, title: str, kind: Kind, dimensions: int, window: int | None, licence: str) -> CandidateUsed:
    return {
        "id": id,
        "title": title,
        "kind": kind,
        "dimensions": dimensions,
        "window": window,
        "share": None,
        "licence": licence,
        "missing": None,
    }


def grouped(collection: Collection, settings: Settings, left_out: LeftOut) -> tuple[Tokens, int, int]:
    """The corpus with groups in the place of documents, numbered from 0; and the numbers of documents and of those that
    repeat another one. Without a field of groups, equal documents are a group."""
    documents = list(collection.documents)
    if settings.group_by:
        documents = having(documents, settings.group_by, left_out)
    remedy = f"Use a part of it: at most {MOST_TOKENS:,} words are compared."
    if sum(len(document.text) for document in documents) > _MOST_CHARACTERS:
        raise InputError("large-corpus", f"The corpus is too long. {remedy}", field="corpus")
    tokens = Tokens.of(documents)
    if len(tokens.ids) > MOST_TOKENS:
        raise InputError("large-corpus", f"The corpus has {len(tokens.ids):,} words. {remedy}", field="corpus")
    fields = [dict(document.metadata) for document in documents]
    same = numbered(" ".join(document.text.split()) for document in documents)
    groups = [field[settings.group_by] if settings.group_by else str(i) for field, i in zip(fields, same, strict=True)]
    number = {name: i for i, name in enumerate(dict.fromkeys(groups[i] for i in np.unique(tokens.documents)))}
    if len(number) < FEWEST_GROUPS:
        several = "s" * (len(number) != 1)
        unit = f"value{several} of “{settings.group_by}”" if settings.group_by else f"document{several}"
        message = (
            f"The corpus has {len(number)} {unit} with words; a comparison needs {FEWEST_GROUPS} or more. Divide the "
            "text into more documents (of a text, every line is one), or group them by another field."
        )
        raise InputError("few-groups", message, field="group-by" if settings.group_by else "corpus")
    of_document = np.array([number.get(name, UNKNOWN) for name in groups], dtype=np.int32)
    repeated = len(documents) - len(set(same.tolist()))
    return replace(tokens, documents=of_document[tokens.documents]), len(documents), repeated


def _own_cues(tokens: Tokens, settings: Settings, left_out: LeftOut) -> list[str]:
    """The user's cues in the prescribed form; those that don't occur are added to ``left_out``."""
    types, cues = set(tokens.types), []
    for cue in settings.cues:
        word = " ".join(text_lines([cue]))
        if word in types:
            cues.append(word)
        else:
            message = f"The cue “{cue}” does not occur in the corpus. A cue is one word, as written in the corpus."
            left_out.add(InputError("no-occurrence", message, field="cues"))
    return list(dict.fromkeys(cues))
