"""The table of published vectors, for docs/public-entries.md."""

from __future__ import annotations

from pathlib import Path

from research import pages
from vecboard.public import PUBLIC, PublicEntry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "public-entries.md"
NAME = "public entries"
_HEAD = ("ID", "Vectors", "Words", "Licence", "Source", "Download", "Measured here")


def public_table() -> str:
    """One row an entry, and the content hashes of the measured ones, as Markdown."""
    table = pages.table(_HEAD, [_row(entry) for entry in PUBLIC], words=len(_HEAD))
    hashes = [f"- `{entry.id}`: `{entry.sha256}`" for entry in PUBLIC if entry.sha256]
    caption = "Content hashes of the vectors that were read here, the same in every form of a file:"
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
