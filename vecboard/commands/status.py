"""``vecboard status ID``: a submission's state and progress."""

from __future__ import annotations

import argparse
import json

from vecboard.client import Client
from vecboard.commands.options import Commands, add_server
from vecboard.errors import Exit
from vecboard.tables import status_lines

_EXITS = {"done": Exit.DONE, "failed": Exit.NO_REPORT, "rejected": Exit.NO_REPORT, "cancelled": Exit.NO_REPORT}


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "status", help="show a submission's status", description="Exit status: 0 done, 4 no report, 5 not finished."
    )
    parser.add_argument("id", metavar="ID")
    parser.add_argument("--json", action="store_true", help="print the API's answer")
    add_server(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the status; the exit status shows if it is worth waiting."""
    with Client(arguments.server) as client:
        status, page = client.status(arguments.id), client.page(arguments.id)
    print(json.dumps(status, ensure_ascii=False, indent=1) if arguments.json else status_lines(status, page))
    return _EXITS.get(status["state"], Exit.NOT_YET)
