"""``vecboard cancel ID`` and ``vecboard retry ID``: end a submission, or try a failed one again."""

from __future__ import annotations

import argparse

from vecboard.client import Client
from vecboard.commands.options import Commands, add_server
from vecboard.tables import status_lines


def register(commands: Commands) -> None:
    """Add both commands."""
    for name, run, does in (
        ("cancel", _cancel, "cancel a submission; its file and its finished results are kept"),
        ("retry", _retry, "retry a failed submission: only the tasks that have no result"),
    ):
        parser = commands.add_parser(name, help=does, description=f"{does[0].upper()}{does[1:]}.")
        parser.add_argument("id", metavar="ID")
        add_server(parser)
        parser.set_defaults(run=run)


def _cancel(arguments: argparse.Namespace) -> int:
    with Client(arguments.server) as client:
        print(status_lines(client.cancel(arguments.id), client.page(arguments.id)))
    return 0


def _retry(arguments: argparse.Namespace) -> int:
    with Client(arguments.server) as client:
        print(status_lines(client.retry(arguments.id), client.page(arguments.id)))
    return 0
