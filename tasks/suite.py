"""Suites: a versioned list of tasks with every protocol number that fixes their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from tasks.base import Task
from tasks.errors import UnknownName
from tasks.languages import ENGLISH, language_name
from tasks.results import MODES, Mean, Mode
from tasks.vectors import LookUp


@dataclass(frozen=True)
class TrainingSettings:
    """Training settings of a family in a mode (docs/protocol.md §2.4).

    Parameters
    ----------
    optimiser, learning_rate : of the network.
    vector_optimiser, vector_learning_rate : for the vectors in fine-tuned mode; row-sparse unless the name says dense.
    batch : examples per step (tokens for the window family).
    max_epochs : the most epochs; without patience every seed trains exactly this many.
    patience : epochs without a better dev score before a seed stops, and the weights of its best epoch predict. None:
        a budget known in advance. Every rate falls linearly to zero over all steps, and the last weights predict.
    l2_dense, l2_vectors : λ of λΣw² added to the loss (``veceval-2016`` only).
    """

    optimiser: Literal["adam", "rmsprop", "adagrad"]
    learning_rate: float
    batch: int
    max_epochs: int
    patience: int | None = None
    vector_optimiser: Literal["sparse-adagrad", "dense-rmsprop", "dense-adagrad"] | None = None
    vector_learning_rate: float | None = None
    l2_dense: float = 0.0
    l2_vectors: float = 0.0

    @property
    def length(self) -> str:
        """Length of training, in words."""
        if self.patience is None:
            return f"{self.max_epochs} epochs, rates falling to zero"
        return f"until {self.patience} epochs bring no better dev score, at most {self.max_epochs}"

    def definition(self) -> dict[str, object]:
        """All numbers that fix the training, JSON-able."""
        rules = {self.optimiser, self.vector_optimiser.split("-")[1] if self.vector_optimiser else self.optimiser}
        # Weights were once averaged; the hashes of all other settings have kept their value.
        return asdict(self) | {"averaging": 0.0, "rules": {rule: dict(OPTIMISERS[rule]) for rule in sorted(rules)}}


OPTIMISERS: Mapping[str, Mapping[str, float]] = {
    "adam": {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8},
    "rmsprop": {"decay": 0.9, "epsilon": 1e-6},
    "adagrad": {"epsilon": 1e-10},
}
"""Constants of each optimiser's rule."""

Training = Mapping[tuple[str, Mode], TrainingSettings]
"""Settings by mode and the id of a task, or else of its family."""


@dataclass(frozen=True)
class Corpus:
    """A suite's prescribed training text; ``sha256`` is of the text as ``tasks corpus`` writes it."""

    dataset: str
    title: str
    sha256: str | None
    licence: str


@dataclass(frozen=True, eq=False)
class Suite:
    """A versioned list of tasks with everything that fixes their numbers, except the data (:mod:`tasks.hashes`)."""

    id: str
    version: int
    title: str
    description: str
    tasks: tuple[Task, ...]
    look_up: LookUp
    scale: float | None
    """One factor scales all entries to this standard deviation; None: vectors are not scaled."""
    unknown: Literal["mean", "mean-outside-vocabulary"]
    """Rule for the vector of ``<unk>``."""
    training: Training
    seeds: int
    corpus: Corpus
    baseline_dimensions: int
    """Dimensions of the baseline as used, one of ``baseline_sizes`` (docs/protocol.md §3.4)."""
    baseline_sizes: tuple[int, ...]
    """Dimensions that baselines are published for, smallest first."""
    mean: Mean = "arithmetic"
    """Kind of the means that rank entries; reports show the other one too (docs/protocol.md §3.5)."""
    comparable: bool = True
    """False: marked everywhere as not comparable (``demo``)."""
    changes: tuple[str, ...] = ()
    """Differences from the suite's source, listed on its page."""

    def task(self, task_id: str) -> Task:
        """The task with this id; UnknownName if the suite has none."""
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise UnknownName(f"suite {self.id} has no task {task_id!r}; it has {', '.join(t.id for t in self.tasks)}")

    def title_of(self, task_id: str) -> str:
        """A task's title; its id if the suite does not (or no longer) have it."""
        return next((task.title for task in self.tasks if task.id == task_id), task_id)

    def for_language(self, language: str) -> Suite:
        """The suite without the downstream tasks of other languages, as reports of vectors in this language show it."""
        tasks = tuple(task for task in self.tasks if not task.extrinsic or task.applies_to(language))
        return replace(self, tasks=tasks)

    def tasks_by_language(self) -> list[tuple[tuple[str, ...], tuple[Task, ...]]]:
        """Languages with the same tasks, by name, and these tasks, most tasks first; without those for any language."""
        languages: dict[tuple[str, ...], list[str]] = {}
        named = {language for task in self.tasks for language in task.languages}
        for language in sorted(named, key=language_name):
            ids = tuple(task.id for task in self.tasks if language in task.languages)
            languages.setdefault(ids, []).append(language)
        rows = [(tuple(codes), tuple(map(self.task, ids))) for ids, codes in languages.items()]
        return sorted(rows, key=lambda row: -len(row[1]))

    @property
    def extrinsic_tasks(self) -> tuple[Task, ...]:
        return tuple(task for task in self.tasks if task.extrinsic)

    def trained(self, mode: Mode) -> list[Task]:
        """The tasks that are trained in this mode, in order."""
        return [task for task in self.extrinsic_tasks if mode in task.modes]

    @property
    def languages_of_means(self) -> list[str]:
        """Languages that have downstream tasks, and so a baseline, English first."""
        languages = {language for task in self.extrinsic_tasks for language in task.languages}
        return sorted(languages, key=lambda language: (language != ENGLISH, language))

    def cells_of_mean(self, modes: Sequence[Mode], language: str = ENGLISH) -> list[tuple[Task, Mode]]:
        """The trained cells of these modes that count towards the means of vectors in a language, mode by mode."""
        trained = [(task, mode) for mode in modes for task in self.trained(mode)]
        return [(task, mode) for task, mode in trained if task.applies_to(language) and mode not in task.outside_means]

    def cells(self) -> list[tuple[Task, Mode | None]]:
        """Every (task, mode) of the suite, in order."""
        return [(task, mode) for task in self.tasks for mode in task.modes]

    def data_of(self, task: Task) -> tuple[str, ...]:
        """Ids of the data sets that a task reads; without those of the operator for other languages."""
        of_baseline = (self.corpus.dataset,) if task.options.get("reference") == "baseline" else ()
        declared = (task.dataset,) if task.dataset else ()
        return tuple(dict.fromkeys([*declared, *task.family.also_reads, *of_baseline]))

    @property
    def datasets(self) -> tuple[str, ...]:
        """Ids of all data sets that the suite reads: those of its means first, its vocabulary and corpus last."""
        in_means = [task for task in self.tasks if task.extrinsic and set(task.modes) - task.outside_means.keys()]
        vocabulary = ("veceval-vocabulary",) if self.unknown == "mean-outside-vocabulary" else ()
        read = [name for task in (*in_means, *self.tasks) for name in self.data_of(task)]
        of_tasks = [name for name in dict.fromkeys(read) if name != self.corpus.dataset]
        return (*of_tasks, *vocabulary, self.corpus.dataset)

    def training_for(self, task: Task, mode: Mode) -> TrainingSettings:
        """Settings of a task in a mode: its own, or those of its family."""
        return self.training.get((task.id, mode)) or self.training[task.family.id, mode]

    def settings_in_use(self) -> list[tuple[str, str, Mode, TrainingSettings]]:
        """Family id, titles of the tasks that share the settings, mode, settings."""
        titles: dict[tuple[str, Mode, TrainingSettings], list[str]] = {}
        for mode in MODES:
            for task in self.trained(mode):
                titles.setdefault((task.family.id, mode, self.training_for(task, mode)), []).append(task.title)
        return [(family, "; ".join(named), mode, settings) for (family, mode, settings), named in titles.items()]
