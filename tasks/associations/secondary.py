"""Figures that association tests store beside their scores, as in :mod:`tasks.secondary`."""

# Not `from __future__ import annotations`: it would hide from the interpreter which keys are not required.
from typing import NotRequired, TypedDict


class OneWordFigures(TypedDict):
    """A :class:`tasks.associations.weat.OfOneWord`."""

    d: float | None
    p: float


class AssociationFigures(TypedDict):
    """An association test: ``known`` of the ``words`` of its lists, and every known target word alone.

    ``left_out`` has the known words that do not count, with the reason, and is missing if all count. ``p`` is over
    ``partitions``, all of them if ``exact``. ``runs`` has d in every run of the same settings, None for a run without
    d, and is missing for a single file.
    """

    known: int
    words: int
    missing: list[str]
    p: float
    partitions: int
    exact: bool
    single: dict[str, OneWordFigures]
    left_out: NotRequired[dict[str, str]]
    runs: NotRequired[list[float | None]]
