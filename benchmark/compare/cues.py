"""Around which words two entries are compared: a list of the site's, a typed one, random words, or every word."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from tasks.datasets import data_directory
from tasks.errors import InputError
from tasks.political.cues import CUE_LISTS, RANDOM_CUES, CueList, operator_lists, parse_cues, political_cues
from tasks.text import LeftOut

log = logging.getLogger(__name__)
MOST_CUES = 50
LONGEST = 2000
TYPED = "typed"


@dataclass(frozen=True)
class Cues:
    """What was chosen. ``words`` is None where they follow from the two vocabularies."""

    id: str
    title: str
    words: tuple[str, ...] | None = None

    @property
    def stored(self) -> list[str] | str:
        """What is kept with a pair: the words, or the name of a set that has none of its own."""
        return self.id if self.words is None else list(self.words)

    @property
    def key(self) -> str:
        """Equal for equal words, whatever the list is called."""
        return hashlib.sha256(json.dumps(self.stored, ensure_ascii=False).encode()).hexdigest()

    @property
    def typed(self) -> str:
        """Contents of the field for the visitor's own cues."""
        return ", ".join(self.words or ()) if self.id == TYPED else ""

    @property
    def query(self) -> dict[str, str]:
        """What shows the same cues again."""
        return {"cues": self.typed} if self.id == TYPED else {"set": self.id}


RANDOM = Cues("random", f"{RANDOM_CUES} random words in both vocabularies")
EVERY = Cues("every", "Every word in both vocabularies")
DRIFT = Cues("drift", "Words that moved, after alignment and by neighbours")
"""No cues at all: which words changed most."""


def offered() -> list[Cues]:
    """Sets that a page lets one choose from: the political lists, those of the operator, random words."""
    return [*(Cues(cues.id, cues.title, cues.words) for cues in _lists().values()), RANDOM]


def chosen(query: Mapping[str, str], language: str) -> Cues:
    """The typed cues, else the set that was chosen, else the political list of a language.

    Parameters
    ----------
    query : ``cues`` and ``set`` of an address or a form.

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
        own = political_cues(language) or CUE_LISTS["political-en"]
        return Cues(own.id, own.title, own.words)
    found = next((cues for cues in offered() if cues.id == name), None)
    if found is None:
        known = ", ".join(cues.id for cues in offered())
        raise InputError("no-cue-set", f"Unknown set of cues “{name[:60]}”; the sets are {known}.", field="set")
    return found


def _lists() -> dict[str, CueList]:
    """An operator's list that cannot be read is logged; visitors have the others."""
    left_out = LeftOut()
    lists = CUE_LISTS | operator_lists(data_directory() / "cue-lists", left_out)
    if left_out.count:
        log.error(left_out.sentence("Cue lists of the operator"))
    return lists
