"""``vecboard board``: the leaderboard."""

from __future__ import annotations

import argparse
import json

from vecboard.client import Client
from vecboard.commands.options import Commands, add_server
from vecboard.errors import Exit
from vecboard.tables import board_table, console


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("board", help="print the leaderboard")
    parser.add_argument("--suite", default="", help="default: the site's own")
    parser.add_argument(
        "--sort",
        default="",
        metavar="COLUMN",
        help="sort by this column, best first (--sort=-COLUMN: reversed)",
    )
    parser.add_argument("--after", default="", metavar="NEXT", help="the next page, as given below the previous one")
    parser.add_argument("--json", action="store_true", help="print the API's answer with every column")
    add_server(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the board."""
    with Client(arguments.server) as client:
        board = client.board(arguments.suite, arguments.sort, arguments.after)
    if arguments.json:
        print(json.dumps(board, ensure_ascii=False, indent=1))
    else:
        console().print(board_table(board))
    return Exit.DONE
