"""``vecboard check FILE``: is it ready to upload? It uses the site's own reader, so the answer is the same."""

from __future__ import annotations

from collections.abc import Sequence

from vecboard.commands.options import Commands


def register(commands: Commands) -> None:
    """Add the command; its options are those of ``python -m tasks check``, which is loaded when it runs."""
    commands.add_parser("check", help="is this vector file ready to upload?", add_help=False)


def run(arguments: Sequence[str]) -> int:
    """Read the file without sending anything. 0: ready; 2: not ready."""
    from tasks.cli import main

    return main(["check", *arguments], program="vecboard")
