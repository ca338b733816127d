"""Cues, the words whose neighbours are compared (Rodriguez & Spirling 2019, §5.2 and §7; docs/protocol.md §5.1), and
the political tasks declared with them (§5.4)."""

from __future__ import annotations

import hashlib
import heapq
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tasks.base import POLITICAL, POLITICAL_EVERY_WORD, POLITICAL_HUMAN, SEPARABILITY, STABILITY, Task
from tasks.metrics import LOG_RANK_DEVIATION, MEAN_COSINE_DIFFERENCE, MEAN_PEARSON
from tasks.vectors import written_forms

RANDOM_CUES = 100
RANDOM_SEED = 0


@dataclass(frozen=True)
class CueList:
    """A named list of cues.

    Parameters
    ----------
    id : value of ``--cues`` (``"political-en"``).
    language : ISO 639-1 code of its words.
    words : distinct, in display order.
    title : name on pages.
    """

    id: str
    language: str
    words: tuple[str, ...]
    title: str


ENGLISH = CueList(
    "political-en",
    "en",
    ("democracy", "freedom", "equality", "justice", "immigration", "abortion", "welfare", "taxes", "republican",
     "democrat"),
    "Political cues, English",
)  # fmt: skip
SPANISH = CueList(
    "political-es",
    "es",
    ("democracia", "libertad", "igualdad", "equidad", "justicia", "inmigración", "aborto", "impuestos", "monarquía",
     "parlamento"),
    "Political cues, Spanish",
)  # fmt: skip
GERMAN = CueList(
    "political-de",
    "de",
    ("demokratie", "freiheit", "gleichberechtigung", "gerechtigkeit", "einwanderung", "abtreibung", "steuern", "cdu",
     "spd"),
    "Political cues, German",
)  # fmt: skip
CUE_LISTS: dict[str, CueList] = {cues.id: cues for cues in (ENGLISH, SPANISH, GERMAN)}
"""The lists of docs/protocol.md §5.1 by id."""


def political_cues(language: str) -> CueList | None:
    """The political list of a language, or None."""
    return CUE_LISTS.get(f"political-{language}")


def unaccented(word: str) -> str:
    """The word without its accents: ``inmigración`` → ``inmigracion``.

    Only accents of Latin and Greek letters are removed. In other scripts a combining mark makes a different letter
    and word: ``мой`` is not ``мои``, ``がん`` (cancer) is not ``かん`` (can).
    """
    letters: list[str] = []
    accented = False
    for letter in unicodedata.normalize("NFD", word):
        if unicodedata.combining(letter):
            if accented:
                continue
        else:
            accented = unicodedata.name(letter, "").startswith(("LATIN", "GREEK"))
        letters.append(letter)
    return unicodedata.normalize("NFC", "".join(letters))


def cue_forms(cue: str) -> tuple[str, ...]:
    """Spellings of a cue in look-up order: every case that the suite tries, then the same without accents."""
    return tuple(dict.fromkeys((*written_forms(cue), *written_forms(unaccented(cue)))))


def random_cues(words: Iterable[str], count: int = RANDOM_CUES, seed: int = RANDOM_SEED) -> list[str]:
    """A seeded random sample that hardly changes with the vocabulary.

    Words are sorted by a hash of seed and word, and the first ``count`` are the sample. Vocabularies that share most
    words thus share most cues, and different entries are compared on nearly the same ones.

    Parameters
    ----------
    words : distinct words, n.

    Returns
    -------
    list of str
        min(count, n) words, sorted by hash.
    """
    return heapq.nsmallest(count, words, key=lambda word: hashlib.sha256(f"{seed}\n{word}".encode()).digest())


SPIRLING_RODRIGUEZ = "Rodriguez & Spirling (2022), Word Embeddings: What Works, What Doesn't, Journal of Politics 84(1)"
CUES_SHOW = "Do these vectors order the vocabulary around political words as the baseline's do?"
RANDOM_SHOWS = "Do these vectors order the vocabulary around random words as the baseline's do?"
ALL_SHOWS = "Do these vectors order the vocabulary around every word as the baseline's do?"
HUMAN_SHOWS = "How far is the vectors' ranking of words around political ones from people's? Lower is nearer."
HUMAN_NOTE = "1 is a random order of the words, 0 people's order. Too small to rank by: it distinguishes few entries."
SEPARABILITY_SHOWS = "Are two halves of a word's occurrences nearer to each other than two words?"
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
            note=HUMAN_NOTE,
        ),
        _political("es", None),
        _political("de", None),
        Task(
            "stability", "Stability over runs", STABILITY, None, MEAN_PEARSON, STABILITY_SHOWS, SPIRLING_RODRIGUEZ,
            modes=(None,), options={"count": 100, "seed": 0}, languages=(),
        ),
        Task(
            "separability", "Separability of tagged words", SEPARABILITY, None, MEAN_COSINE_DIFFERENCE,
            SEPARABILITY_SHOWS, SPIRLING_RODRIGUEZ, modes=(None,), languages=(),
        ),
    )  # fmt: skip
