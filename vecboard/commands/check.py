"""``vecboard check FILE``: is it ready to upload? The reader is the site's own, so the answer is too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def register(subparsers: Any) -> None:
    """Announce the command; its options are those of ``python -m tasks check``, which is loaded when it is run."""
    subparsers.add_parser("check", help="is this vector file ready to upload?", add_help=False)


def run(arguments: Sequence[str]) -> int:
    """Read the file, nothing is sent. 0: ready; 2: not ready."""
    from tasks.cli import main

    return main(["check", *arguments], program="vecboard")
