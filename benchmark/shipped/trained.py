"""Declarations of the board's trained entries, and the training of their vectors.

``python -m research.board`` fills a board with them, and workers rebuild the vectors of single entries. The baseline
(SVD-PPMI) is not included, because every board has it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, cast

import numpy as np

from tasks.baseline.counting import MINIMUM_COUNT
from tasks.baseline.svd_ppmi import train as train_svd
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.files import write_whole
from tasks.formats import read
from tasks.formats.text_blocks import write_text
from tasks.local_training.corpora import TrainingCorpus, collected_corpus
from tasks.local_training.plan import Algorithm, Criteria, Plan, TrainedRun
from tasks.local_training.train import CountedLines, clock, train_runs
from tasks.processes import Progress, no_progress
from tasks.suite import Suite
from tasks.vectors import Embedding

SEED = 1
Floor = Literal["svd-ppmi", "random", "shuffled"]
TITLES: dict[Algorithm | Floor, str] = {
    "skip-gram": "Skip-gram",
    "cbow": "CBOW",
    "fasttext": "fastText",
    "glove": "GloVe",
    "svd-ppmi": "SVD-PPMI",
    "random": "Random vectors",
    "shuffled": "Shuffled skip-gram",
}


@dataclass(frozen=True)
class TrainedEntry:
    """Recipe of one entry's vectors.

    Parameters
    ----------
    algorithm : training algorithm, or kind of control.
    dimensions : number of dimensions D.
    window : tokens on each side; None for controls.
    """

    algorithm: Algorithm | Floor
    dimensions: int
    window: int | None = None

    @property
    def id(self) -> str:
        """``skip-gram-w5-d100``; short and stable: used in files, commands and reports."""
        window = "" if self.window is None else f"-w{self.window}"
        return f"{self.algorithm}{window}-d{self.dimensions}"

    @property
    def title(self) -> str:
        """Name on the board."""
        window = "" if self.window is None else f", window {self.window}"
        return f"{TITLES[self.algorithm]}{window}, {self.dimensions} dimensions"

    @property
    def source(self) -> TrainedEntry | None:
        """For a control, the skip-gram entry of the same dimensions, from whose file it is made; otherwise None."""
        if self.algorithm in ("random", "shuffled"):
            return TrainedEntry("skip-gram", self.dimensions, 5)
        return None


TRAINED = (
    TrainedEntry("svd-ppmi", 50, 5),
    TrainedEntry("cbow", 50, 5),
    TrainedEntry("skip-gram", 50, 5),
    TrainedEntry("glove", 50, 10),
    TrainedEntry("fasttext", 50, 5),
    TrainedEntry("skip-gram", 100, 5),
    TrainedEntry("random", 100),
    TrainedEntry("shuffled", 100),
    TrainedEntry("skip-gram", 100, 10),
    TrainedEntry("glove", 100, 10),
    TrainedEntry("skip-gram", 100, 2),
    TrainedEntry("cbow", 100, 5),
    TrainedEntry("fasttext", 100, 5),
    TrainedEntry("skip-gram", 300, 5),
)
"""All entries in order of production, such that an incomplete board is comparable: every algorithm with the fewest
dimensions, the controls, GloVe and skip-gram with one window, other windows, and the most expensive entries."""


def trained_entry(named: str) -> TrainedEntry | None:
    """The entry with this id; None for an unknown id."""
    return next((entry for entry in TRAINED if entry.id == named), None)


@dataclass(frozen=True)
class Made:
    """Paths of a vector file and its criteria."""

    vectors: Path
    criteria: Path

    @property
    def is_there(self) -> bool:
        """Whether the file is complete: the criteria are written last."""
        return self.vectors.is_file() and self.criteria.is_file()


def place(entry: TrainedEntry, directory: Path) -> Made:
    return Made(directory / f"{entry.id}.txt.gz", directory / f"{entry.id}.json")


def make(entry: TrainedEntry, suite: Suite, directory: Path, progress: Progress = no_progress) -> Made:
    """Train an entry's vectors on the suite's prescribed corpus, unless their file exists.

    Raises
    ------
    DataUnavailable
        the corpus is not on this machine.
    """
    made = place(entry, directory)
    if made.is_there:
        return made
    if entry.source is not None:
        run = _floor(entry, make(entry.source, suite, directory, progress))
    else:
        text = collected_corpus(REGISTRY[suite.corpus.dataset], DataStore.default(), punctuation=True)
        run = _svd(entry, text, progress) if entry.algorithm == "svd-ppmi" else _trained(entry, text, progress)
    directory.mkdir(parents=True, exist_ok=True)
    write_text(made.vectors, run.embedding.words, run.embedding.matrix)
    write_whole(made.criteria, json.dumps(asdict(run.criteria), indent=1) + "\n")
    return made


def _trained(entry: TrainedEntry, text: TrainingCorpus, progress: Progress) -> TrainedRun:
    algorithm = cast(Algorithm, entry.algorithm)  # the plan rejects any other
    plan = Plan(algorithm, window=entry.window or Plan.window, dimensions=entry.dimensions, seed=SEED)
    return next(iter(train_runs(text, plan, progress)))


def _svd(entry: TrainedEntry, text: TrainingCorpus, progress: Progress) -> TrainedRun:
    """Train with the baseline's program in other dimensions."""
    began, lines = clock(), CountedLines(text.read())
    words, matrix = train_svd(lines, entry.dimensions, progress)
    minutes, busy = ((clock() - began) / 60).tolist()
    criteria = Criteria(
        corpus=text.title,
        licence=text.licence,
        algorithm="svd-ppmi",
        window=entry.window or 5,
        dimensions=entry.dimensions,
        minimum_count=MINIMUM_COUNT,
        seed=0,
        tokens=lines.tokens,
        words=len(words),
        loss=None,
        iterations=1,
        converged=None,
        minutes=round(minutes, 3),
        processor_minutes=round(busy, 3),
    )
    return TrainedRun(Embedding.of(entry.id, words, matrix), criteria)


def _floor(entry: TrainedEntry, source: Made) -> TrainedRun:
    """Write a control: random vectors, or real vectors shuffled among the words."""
    like = read(source.vectors)
    if entry.algorithm == "random":
        embedding = random_vectors(like, SEED)
    else:
        matrix = np.ascontiguousarray(like.matrix[np.random.default_rng(SEED).permutation(len(like.words))])
        embedding = Embedding.of(entry.id, like.words, matrix)
    criteria = json.loads(source.criteria.read_text(encoding="utf-8"))
    criteria |= {"algorithm": entry.algorithm, "loss": None, "iterations": 0, "converged": None, "seed": SEED}
    return TrainedRun(embedding, Criteria(**criteria | {"minutes": 0.0, "processor_minutes": 0.0}))


def random_vectors(like: Embedding, seed: int = 0) -> Embedding:
    """A control without information: Gaussian vectors with the same words, shape and standard deviation."""
    generator = np.random.default_rng(seed)
    deviation = like.moments.standard_deviation
    matrix = generator.normal(0.0, deviation, like.matrix.shape).astype(np.float32)
    return Embedding.of("random", like.words, matrix, like.language)
