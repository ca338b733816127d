"""``vecboard cancel ID`` and ``vecboard retry ID``: end a submission, or continue one that failed or was cancelled."""

from __future__ import annotations

import argparse

from vecboard.client import Client
from vecboard.commands.options import Commands, add_server
from vecboard.errors import Exit
from vecboard.tables import status_lines


def register(commands: Commands) -> None:
    """Add both commands."""
    for name, steer, does in (
        ("cancel", Client.cancel, "cancel a submission; its file and its finished results are kept"),
        ("retry", Client.retry, "continue a failed or cancelled submission: only the tasks that have no result"),
    ):
        parser = commands.add_parser(name, help=does, description=f"{does[0].upper()}{does[1:]}.")
        parser.add_argument("id", metavar="ID")
        add_server(parser)
        parser.set_defaults(run=run, steer=steer)


def run(arguments: argparse.Namespace) -> int:
    """Steer the submission and print its status."""
    with Client(arguments.server) as client:
        print(status_lines(arguments.steer(client, arguments.id), client.page(arguments.id)))
    return Exit.DONE
