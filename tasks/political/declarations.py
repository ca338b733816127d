"""The political tasks of a suite, declared (docs/protocol.md §5.4)."""

from __future__ import annotations

from pathlib import Path

from tasks.base import Task
from tasks.families import POLITICAL, POLITICAL_EVERY_WORD, POLITICAL_HUMAN, SEPARABILITY, STABILITY
from tasks.metrics import LOG_RANK_DEVIATION, MEAN_COSINE_DIFFERENCE, MEAN_PEARSON

SPIRLING_RODRIGUEZ = "Rodriguez & Spirling (2022), Word Embeddings: What Works, What Doesn't, Journal of Politics 84(1)"
CUES_SHOW = "Do these vectors order the vocabulary around political words as the baseline's do?"
RANDOM_SHOWS = "Do these vectors order the vocabulary around random words as the baseline's do?"
ALL_SHOWS = "Do these vectors order the vocabulary around every word as the baseline's do?"
HUMAN_SHOWS = "How far are the vectors' neighbours of political words from those that people name? Lower is nearer."
SEPARABILITY_SHOWS = "Are two halves of a word's occurrences nearer to each other than two random words?"
STABILITY_SHOWS = "Do several runs of the same settings order the vocabulary alike?"
DESCRIBES = "Descriptive: similarity to the baseline is neither good nor bad."
FOLDER = "political-reference"
"""Folder of the data directory for reference vectors of other languages: ``es.txt.gz``, ``de.txt.gz``."""
_TITLES = {"en": "English", "es": "Spanish", "de": "German"}


def _political(language: str, dataset: str | None) -> Task:
    reference = "baseline" if language == "en" else "operator"
    return Task(
        f"political-{language}", f"Political cues, {_TITLES[language]}", POLITICAL, dataset, MEAN_PEARSON, CUES_SHOW,
        SPIRLING_RODRIGUEZ, modes=(None,), options={"cues": f"political-{language}", "reference": reference},
        note=DESCRIBES, languages=(language,), descriptive=True,
    )  # fmt: skip


def operators_file(task: Task, data_dir: Path) -> Path:
    """Path of the operator's reference vectors for a task in another language than the baseline's."""
    return data_dir / FOLDER / f"{task.languages[0]}.txt.gz"


def political_tasks(corpus: str) -> tuple[Task, ...]:
    """The political tasks of a suite with a baseline trained on this corpus."""
    return (
        _political("en", corpus),
        Task(
            "political-random", "100 random cues", POLITICAL, corpus, MEAN_PEARSON, RANDOM_SHOWS, SPIRLING_RODRIGUEZ,
            modes=(None,), options={"cues": "random", "count": 100, "seed": 0, "reference": "baseline"},
            note=DESCRIBES, descriptive=True,
        ),
        Task(
            "political-all", "Every word as a cue", POLITICAL_EVERY_WORD, corpus, MEAN_PEARSON, ALL_SHOWS,
            SPIRLING_RODRIGUEZ, modes=(None,), options={"reference": "baseline"}, note=DESCRIBES, descriptive=True,
        ),
        Task(
            "political-human", "Distance from people's lists", POLITICAL_HUMAN, "political-neighbours",
            LOG_RANK_DEVIATION, HUMAN_SHOWS, SPIRLING_RODRIGUEZ, modes=(None,), options={"part": "human"},
        ),
        _political("es", None),
        _political("de", None),
        Task(
            "stability", "Stability over runs", STABILITY, None, MEAN_PEARSON, STABILITY_SHOWS, SPIRLING_RODRIGUEZ,
            modes=(None,), options={"count": 100, "seed": 0}, languages=(),
        ),
        Task(
            "separability", "Separability of tagged words", SEPARABILITY, None, MEAN_COSINE_DIFFERENCE,
            SEPARABILITY_SHOWS, SPIRLING_RODRIGUEZ, modes=(None,), options={"seed": 0}, languages=(),
        ),
    )  # fmt: skip
