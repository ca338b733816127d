"""The chosen cues of a comparison, and those on offer."""

from __future__ import annotations

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from benchmark.compare.entries import CHOICE, LEAST, Marked
from benchmark.submissions.vectors import known_words, prepared_directory
from extensions.shared.measure.cues import operator_lists, parse_cues
from tasks.datasets import data_directory
from tasks.errors import InputError, VecboardError
from tasks.languages import language_name
from tasks.political.cues import CUE_LISTS, RANDOM_CUES, CueList, cue_forms, political_cues
from tasks.text import LeftOut

log = logging.getLogger(__name__)
RANKING = (*CHOICE, "cues", "set")
MOST_CUES = 50
LONGEST = 2000
TYPED = "typed"


@dataclass(frozen=True)
class Cues:
    """A chosen set of cues; ``words`` is None, and ``language`` empty, if they depend on the two vocabularies."""

    id: str
    title: str
    words: tuple[str, ...] | None = None
    language: str = ""

    @property
    def stored(self) -> list[str] | str:
        """The form stored with a pair: the words, or the name of a set without words of its own."""
        return self.id if self.words is None else list(self.words)

    @property
    def key(self) -> str:
        """Hash of the words, independent of the list's name."""
        return hashlib.sha256(json.dumps(self.stored, ensure_ascii=False).encode()).hexdigest()

    @property
    def typed(self) -> str:
        """Content of the field for the visitor's own cues."""
        return ", ".join(self.words or ()) if self.id == TYPED else ""

    @property
    def query(self) -> dict[str, str]:
        """Query parameters of these cues."""
        return {"cues": self.typed} if self.id == TYPED else {"set": self.id}


RANDOM = Cues("random", f"{RANDOM_CUES} random words in both vocabularies")
EVERY = Cues("every", "Every word in both vocabularies")
DRIFT = Cues("drift", "Words that moved, after alignment and by neighbours")
"""Not a set of cues: requests the words that changed most."""


def offered() -> list[Cues]:
    """Sets to choose from: the political lists, the operator's, random words."""
    return [*(Cues(cues.id, cues.title, cues.words, cues.language) for cues in _lists().values()), RANDOM]


@dataclass(frozen=True)
class CueOffer:
    """A set of cues on offer; ``note`` says what the entries lack for it, ``is_empty`` that they have none of them."""

    cues: Cues
    note: str = ""
    is_empty: bool = False


def cue_offers(entries: Sequence[Marked]) -> list[CueOffer]:
    """The sets, with how many of their cues two of the entries have in common, if not all.

    Without the vectors of all entries on this machine, only the languages are compared.
    """
    sets = offered()
    listed = [cues.words for cues in sets if cues.words]
    directories = [prepared_directory(entry.submission) for entry in entries]
    try:
        vocabularies = [
            known_words(path, tuple(dict.fromkeys(chain(*listed))), cue_forms) for path in directories if path
        ]
    except VecboardError:
        vocabularies = []
    if len(vocabularies) == len(entries):
        common = {word for word, count in Counter(chain(*vocabularies)).items() if count >= LEAST}
        return [_counted_offer(cues, common) for cues in sets]
    languages = {entry.submission.language for entry in entries}
    names = " and ".join(language_name(code) for code in sorted(languages))
    return [
        CueOffer(cues, "" if not cues.language or cues.language in languages else f"the entries are in {names}")
        for cues in sets
    ]


def _counted_offer(cues: Cues, common: Collection[str]) -> CueOffer:
    count = sum(word in common for word in cues.words or ())
    if cues.words is None or count == len(cues.words):
        return CueOffer(cues)
    return CueOffer(cues, f"{count} of {len(cues.words)} words known", is_empty=not count)


def chosen(query: Mapping[str, str], language: str) -> Cues:
    """The typed cues, the chosen set, or by default the political list of a language or, without one, random words.

    Parameters
    ----------
    query : ``cues`` and ``set`` of a URL or a form.

    Raises
    ------
    InputError
        the set does not exist, or the typed list is too long.
    """
    typed = query.get("cues", "")[:LONGEST]
    if typed.strip():
        words = parse_cues(typed)
        if len(words) > MOST_CUES:
            message = f"The list has {len(words)} cues; the limit is {MOST_CUES}."
            raise InputError("too-many-cues", message, field="cues")
        return Cues(TYPED, "Your own cues", tuple(words))
    name = query.get("set", "")
    if not name:
        political = political_cues(language)
        return Cues(political.id, political.title, political.words, political.language) if political else RANDOM
    cue_set = next((cues for cues in offered() if cues.id == name), None)
    if cue_set is None:
        ids = ", ".join(cues.id for cues in offered())
        raise InputError("no-cue-set", f"Unknown set of cues “{name[:60]}”; the sets are {ids}.", field="set")
    return cue_set


def _lists() -> dict[str, CueList]:
    """Built-in lists and the operator's; unreadable ones are logged and left out."""
    left_out = LeftOut()
    lists = CUE_LISTS | operator_lists(data_directory() / "cue-lists", left_out)
    if left_out.count:
        log.error(left_out.sentence("Cue lists of the operator"))
    return lists
