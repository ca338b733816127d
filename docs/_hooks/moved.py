"""Pages at the addresses of merged or removed ones, which lead to their successors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

MOVED = {
    "before-after": "report",
    "first-contribution": "add-a-task",
    "results": "trust",
    "settings": "findings",
    "study/tables": "political",
    "task-reliability": "trust",
    "tour": "report",
    "uncertainty": "trust",
}


def on_post_build(config: Any) -> None:
    """Write them; no script, as a site's policy forbids inline ones."""
    for old, new in MOVED.items():
        page = Path(config["site_dir"], f"{old}.html")
        page.parent.mkdir(exist_ok=True)
        address = f"{'../' * old.count('/')}{new}.html"
        page.write_text(
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Moved</title>'
            f'<meta http-equiv="refresh" content="0; url={address}"><p>This page is now <a href="{address}">here</a>.',
            encoding="utf-8",
        )
