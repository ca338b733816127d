"""docs/uncertainty.md, whose tables are written by the commands of this package."""

from __future__ import annotations

from pathlib import Path

from research import pages

PAGE = Path(__file__).resolve().parents[1] / "docs" / "uncertainty.md"


def put(name: str, text: str) -> None:
    """Replace the text between the page's marks of this name.

    Raises
    ------
    ValueError
        the page has no such marks.
    """
    if not pages.put(name, text, PAGE):
        raise ValueError(f"{PAGE} has no place for the {name}")
    print(f"Wrote this table to {PAGE.name}.")
