"""Figures and tables of the study, from its results alone."""

from __future__ import annotations

from tasks.political.study.store import Results


def draw(results: Results) -> None:
    """Write every figure and table that the results allow."""
