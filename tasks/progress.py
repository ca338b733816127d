"""How a long step says how far it is; apart from tasks, so that a process that only reads files loads no metric."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, str], None]
"""Called with the share of a cell that is done, in [0, 1], and a few words on the current step."""


def no_progress(share: float, what: str) -> None:
    """The silent progress callback."""
