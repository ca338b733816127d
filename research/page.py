"""docs/trust.md: this package's commands write its tables."""

from __future__ import annotations

from pathlib import Path

from research import pages

PAGE = Path(__file__).resolve().parents[1] / "docs" / "trust.md"


def put(name: str, text: str) -> None:
    """Replace the text between the page's marks of this name, and print a notice."""
    pages.put(name, text, PAGE)
    print(f"Wrote this table to {PAGE.name}.")
