"""Fixtures of the site and of the measurement, for the tests of extensions."""

from __future__ import annotations

__all__ = [
    *("demo_vectors", "free_space", "leave", "other", "own_files", "owner", "short_text", "stopped_clock", "store"),
    *("stranger", "submission"),
]
