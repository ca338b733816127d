"""Data sets: a registry of what exists, where its files come from, and how they are read."""

from __future__ import annotations

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def data_directory() -> Path:
    """``VECBOARD_DATA``; by default ``data`` below ``VECBOARD_VAR``, which is ``var`` below the repository."""
    var = os.environ.get("VECBOARD_VAR") or REPOSITORY / "var"
    return Path(os.environ.get("VECBOARD_DATA") or Path(var).expanduser() / "data")
