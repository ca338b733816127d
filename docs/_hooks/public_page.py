"""The page of public entries: its list is made from their recipes."""

from __future__ import annotations

from typing import Any

from docs._hooks.task_pages import table
from vecboard.public import PUBLIC, PublicEntry

HEAD = ("ID", "Vectors", "Words", "Licence", "Source", "Download")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Complete the page when the documentation is built."""
    return completed(markdown) if page.file.src_uri == "public-entries.md" else markdown


def completed(markdown: str) -> str:
    """The page with a row for every recipe, and the known content hashes."""
    hashes = [f"- `{entry.id}`: `{entry.sha256}`" for entry in PUBLIC if entry.sha256]
    caption = "Content hashes of the vectors as read here, the same in every file format:"
    return "\n".join([markdown.rstrip("\n"), "", table(HEAD, map(_row, PUBLIC)), "", caption, "", *hashes, ""])


def _row(entry: PublicEntry) -> tuple[str, ...]:
    words = "open vocabulary" if entry.words is None else f"{entry.words:,}"
    title = f"{entry.title} ({entry.language})"
    return (
        f"`{entry.id}`",
        title,
        words,
        entry.work.licence,
        str(entry.source),
        f"{entry.megabytes:,.0f} MB, {entry.form}",
    )
