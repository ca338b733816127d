"""The entries of the board: those trained here, and those that others have published."""

from __future__ import annotations

from typing import TypeAlias

from benchmark.shipped.trained import TRAINED, TrainedEntry
from tasks.errors import VecboardError
from tasks.suite import Suite
from vecboard.public import PUBLIC, PublicEntry


class UnknownEntry(VecboardError):
    """The board has no entry with this id; the message lists the ids."""


BoardEntry: TypeAlias = TrainedEntry | PublicEntry


def board_entries(suite: Suite) -> tuple[BoardEntry, ...]:
    """Entries of the board of a suite: the trained ones, then the public ones that are measured with it."""
    return (*TRAINED, *(entry for entry in PUBLIC if entry.measured == suite.id))


def board_entry(named: str) -> BoardEntry:
    """The trained or public entry with this id.

    Raises
    ------
    UnknownEntry
        for an unknown id.
    """
    for entry in (*TRAINED, *PUBLIC):
        if entry.id == named:
            return entry
    ids = ", ".join(entry.id for entry in (*TRAINED, *PUBLIC))
    raise UnknownEntry(f"There is no entry {named!r}; the entries are {ids}.")


def trained(named: str) -> TrainedEntry:
    """The trained entry with this id.

    Raises
    ------
    UnknownEntry
        for an unknown id.
    """
    entry = board_entry(named)
    if isinstance(entry, TrainedEntry):
        return entry
    raise UnknownEntry(f"{named} is published, not trained here: vecboard public {named} fetches and submits it.")
