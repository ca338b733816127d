"""``vecboard login``: keep the account's token for a server."""

from __future__ import annotations

import argparse
import getpass
import sys
from typing import Any

from vecboard.connection import server_address
from vecboard.errors import Exit, Refused
from vecboard.keyring import Keyring


def register(subparsers: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "login",
        help="keep a token for a server",
        description="Asks for a token, or reads it from the standard input, and keeps it in the keyring file with mode "
        "600. Tokens are made on the page /account/tokens of the site.",
    )
    parser.add_argument("--server", default="", metavar="URL", help="default: VECBOARD_URL, else this machine")
    parser.add_argument("--forget", action="store_true", help="drop everything that is kept for the server")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Keep the token or drop it."""
    server, keyring = server_address(arguments.server), Keyring()
    if arguments.forget:
        keyring.forget(server)
        print(f"Nothing is kept for {server} any more.")
        return Exit.DONE
    token = (getpass.getpass("Token: ") if sys.stdin.isatty() else sys.stdin.readline()).strip()
    if not token or not token.isascii() or any(character.isspace() for character in token):
        raise Refused("That is no token; copy the whole of it, without blanks.", "token")
    keyring.keep_token(server, token)
    print(f"The token for {server} is kept in {keyring.path}.")
    return Exit.DONE
