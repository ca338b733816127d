"""A task is a declaration; its family evaluates it. The families, with their implementations and constants."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

from tasks.languages import ENGLISH
from tasks.metrics import Metric
from tasks.processes import Progress, no_progress
from tasks.results import CellResult, Mode

if TYPE_CHECKING:
    from tasks.datasets.examples import SplitRule
    from tasks.datasets.store import DataStore
    from tasks.suite import Suite
    from tasks.vectors import Embedding


Group = Literal["Downstream", "Intrinsic", "Probes", "Political", "Associations"]
GROUPS: tuple[Group, ...] = get_args(Group)
"""In page order."""


@dataclass(frozen=True)
class Family:
    """A family of tasks that are evaluated the same way.

    Parameters
    ----------
    id : short name (``"window"``).
    revision : raised when a change of the family's code changes scores; part of every task hash.
    implementation : ``"module:function"``, imported on first use, so that a web process never loads torch. The function
        has the signature of :meth:`evaluate`.
    group : heading of its tasks on pages.
    constants : numbers that its code reads and that fix a score (hidden units, minimum of known pairs); part of every
        task hash.
    takes_runs : its result includes further runs of the same settings, if a submission has them.
    needs_runs : without further runs it has no score.
    needs_tags : it compares words with their tagged forms, which only vectors of a tagged corpus have.
    also_reads : ids of data sets that its tasks read besides their own.
    """

    id: str
    revision: int
    implementation: str
    group: Group
    constants: Mapping[str, float] = field(default_factory=dict, hash=False)
    takes_runs: bool = False
    needs_runs: bool = False
    needs_tags: bool = False
    also_reads: tuple[str, ...] = ()

    def number(self, constant: str) -> int:
        """A constant that is a count."""
        return int(self.constants[constant])

    def evaluate(self, task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
        """Evaluate one task in one mode.

        Raises
        ------
        DataUnavailable
            a data set is missing.
        NoScore
            the task has no score for these vectors.
        """
        module, function = self.implementation.split(":")
        result: CellResult = getattr(importlib.import_module(module), function)(task, embedding, mode, context)
        return result


class Options(TypedDict, total=False):
    """Parameters in which tasks of one family differ; a family reads its own, and its docstring explains them."""

    split: SplitRule
    part: str
    lists: Sequence[str]
    limit: int
    second_only: bool
    by_first: bool
    shapes: bool
    semantic_categories: int
    condition: str
    k: int
    runs: int
    trials: int
    count: int
    seed: int
    folds: int
    trees: int
    perplexity: float
    pairs: Sequence[Sequence[str]]
    cues: str
    reference: str


@dataclass(frozen=True)
class Task:
    """Frozen description of one measurement.

    Parameters
    ----------
    id : short and stable; the value of ``--task`` (``"chunk"``).
    title : its name on pages.
    family : how it is evaluated.
    dataset : id in the registry; None: the task needs only the vectors.
    metric : of the headline score.
    shows : one sentence: what a good score says about the vectors.
    citation : the paper that the task comes from.
    modes : ``("fixed", "fine-tuned")`` for extrinsic tasks, ``(None,)`` for intrinsic ones.
    options : further parameters of the family (split rule, word limit, files); JSON-able, part of the hash.
    note : shown next to every number of this task (for example "silver labels").
    languages : of its words, ISO 639-1; none: any. The task does not apply to vectors in another language. Where there
        are several, its data set has a part for each, named by the code.
    descriptive : the score has no better or worse; the metric's direction then only orders a column.
    outside_means : heading of the columns of its cells that do not count towards the means of error reductions, by
        mode.
    beside : metrics of secondary scores, by their key in results.
    by_operator : the operator of this machine added it; the suite's hash does not cover it.
    """

    id: str
    title: str
    family: Family
    dataset: str | None
    metric: Metric
    shows: str
    citation: str
    modes: tuple[Mode | None, ...] = ("fixed", "fine-tuned")
    options: Options = field(default_factory=Options)
    note: str = ""
    languages: tuple[str, ...] = (ENGLISH,)
    descriptive: bool = False
    outside_means: Mapping[Mode, str] = field(default_factory=dict)
    beside: Mapping[str, Metric] = field(default_factory=dict)
    by_operator: bool = False

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The headline metric, then the secondary ones."""
        return (self.metric, *self.beside.values())

    @property
    def higher_is_better(self) -> bool:
        return self.metric.direction == "higher"

    @property
    def data(self) -> str:
        """The id of its data set, for families whose tasks have one.

        Raises
        ------
        TypeError
            the task has none.
        """
        if self.dataset is None:
            raise TypeError(f"the task {self.id} has no data set")
        return self.dataset

    def applies_to(self, language: str) -> bool:
        """Whether vectors of this language can have a score."""
        return not self.languages or language in self.languages

    def part(self, language: str) -> str:
        """The part of its data set that vectors of this language are scored on, unless it is split."""
        return language if len(self.languages) > 1 else self.options.get("part", "all")

    @property
    def needs_more_than_vectors(self) -> bool:
        """Whether it needs several runs, tagged words or the operator's reference vectors, which few entries have."""
        return self.family.needs_runs or self.family.needs_tags or self.options.get("reference") == "operator"

    @property
    def compares_with_baseline(self) -> bool:
        """Whether it needs the baseline's vectors, and not only its scores."""
        return self.options.get("reference") == "baseline"

    @property
    def extrinsic(self) -> bool:
        """Extrinsic tasks train a model."""
        return self.modes != (None,)


@dataclass(frozen=True)
class Context:
    """What a family needs in addition to the task and the vectors.

    ``runs`` are the directories of other runs of the same settings, in the prepared form, for families that take them.
    """

    suite: Suite
    data: DataStore
    seeds: Sequence[int]
    device: str = "cpu"
    threads: int = 1
    progress: Progress = no_progress
    runs: Sequence[Path] = ()


def digest(definition: object) -> str:
    """Short content hash of a JSON-able definition: 16 hexadecimal digits of SHA-256 over its canonical JSON.

    >>> digest({"b": 1, "a": [2]}) == digest({"a": [2], "b": 1})
    True
    """
    canonical = json.dumps(definition, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


_PAIRS = {"least known": 10}
"""With fewer known pairs (or words) there is no score."""

WINDOW = Family(
    "window", 2, "tasks.extrinsic.families:evaluate_window", "Downstream", {"width": 5, "hidden": 50, "dropout": 0.5}
)
SENTENCE = Family("sentence", 2, "tasks.extrinsic.families:evaluate_sentence", "Downstream", {"dropout": 0.5})
PAIR = Family("pair", 2, "tasks.extrinsic.families:evaluate_pair", "Downstream", {"hidden": 50, "dropout": 0.5})
SHARED_PAIR = Family(
    "shared-pair", 1, "tasks.extrinsic.families:evaluate_shared_pair", "Downstream", {"hidden": 50, "dropout": 0.5}
)
SIMILARITY = Family("similarity", 1, "tasks.intrinsic.similarity:evaluate", "Intrinsic", _PAIRS)
ANALOGY = Family("analogy", 2, "tasks.intrinsic.analogy:evaluate", "Intrinsic", {"epsilon": 0.001})
QVEC = Family("qvec", 2, "tasks.intrinsic.qvec:evaluate", "Intrinsic", _PAIRS)
QVEC_CCA = Family("qvec-cca", 2, "tasks.intrinsic.qvec:evaluate_cca", "Intrinsic", _PAIRS)
INTRUSION = Family("intrusion", 1, "tasks.intrinsic.intrusion:evaluate", "Intrinsic")
ODD_ONE_OUT = Family("odd-one-out", 1, "tasks.intrinsic.odd_one_out:evaluate", "Intrinsic", {"least groups": 3})
PRIMING = Family("priming", 3, "tasks.intrinsic.priming:evaluate", "Intrinsic", _PAIRS, also_reads=("word-sim",))
NEWSGROUPS = Family("newsgroups", 1, "tasks.probes:evaluate_newsgroups", "Probes")
MEAN_VECTOR_PROBE = Family("mean-vector-probe", 1, "tasks.probes:evaluate_sentences", "Probes")
METAPHOR = Family("metaphor", 2, "tasks.probes:evaluate_metaphor", "Probes")
WORD_MAP = Family(
    "word-map", 1, "tasks.intrinsic.word_map:evaluate", "Intrinsic", {"least known": 50, "neighbours": 10}
)
POLITICAL = Family("political", 2, "tasks.political.measure:evaluate", "Political")
POLITICAL_EVERY_WORD = Family("political-every-word", 1, "tasks.political.measure:evaluate_every_word", "Political")
POLITICAL_HUMAN = Family("political-human", 4, "tasks.political.measure:evaluate_human", "Political")
STABILITY = Family(
    "stability", 1, "tasks.political.measure:evaluate_stability", "Political", takes_runs=True, needs_runs=True
)
SEPARABILITY = Family(
    "separability", 2, "tasks.political.measure:evaluate_separability", "Political", _PAIRS, needs_tags=True
)
ASSOCIATION = Family("association", 1, "tasks.associations.measure:evaluate", "Associations", takes_runs=True)
