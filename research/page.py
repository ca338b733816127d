"""docs/uncertainty.md, whose tables are written by the commands of this package."""

from __future__ import annotations

from pathlib import Path

from research import pages

PAGE = Path(__file__).resolve().parents[1] / "docs" / "uncertainty.md"


def put(name: str, text: str) -> None:
    """Replace the text between the page's marks of this name, and say so."""
    pages.put(name, text, PAGE)
    print(f"Wrote this table to {PAGE.name}.")
