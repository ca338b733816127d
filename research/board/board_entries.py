"""The entries of the board: those trained here, those that others have published, and the table of the latter."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from benchmark.shipped.trained import TRAINED, TrainedEntry
from research import pages
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


PAGE = Path(__file__).resolve().parents[2] / "docs" / "public-entries.md"
NAME = "public entries"
_HEAD = ("ID", "Vectors", "Words", "Licence", "Source", "Download", "Measured here")


def public_table() -> str:
    """A row per entry, and the content hashes of the measured ones, as Markdown."""
    table = pages.table(_HEAD, [_row(entry) for entry in PUBLIC], words=len(_HEAD))
    hashes = [f"- `{entry.id}`: `{entry.sha256}`" for entry in PUBLIC if entry.sha256]
    caption = "Content hashes of the vectors as read here, the same in every file format:"
    return "\n".join([*table, "", caption, "", *hashes])


def write_table() -> None:
    """Put the table into the page."""
    pages.put(NAME, public_table(), PAGE)


def _row(entry: PublicEntry) -> tuple[str, ...]:
    words = "open vocabulary" if entry.words is None else f"{entry.words:,}"
    measured = f"with `{entry.measured}`" if entry.measured else "not measured here"
    download = f"{entry.megabytes:,.0f} MB, {entry.form}"
    title = f"{entry.title} ({entry.language})"
    return f"`{entry.id}`", title, words, entry.work.licence, str(entry.source), download, measured
