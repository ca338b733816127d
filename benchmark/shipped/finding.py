"""The finding that the first page shows: a sentence beside a dump, by ``python -m research findings --write``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from benchmark.shipped.dump import dump_path
from tasks.suite import Suite


def finding_path(suite: Suite) -> Path:
    return dump_path(suite).with_suffix(".finding.txt")


@cache
def finding_of(suite: Suite) -> str:
    """Empty where none is shipped: no dump of this version, or nothing in it that is beyond chance."""
    path = finding_path(suite)
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""
