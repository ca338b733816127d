"""``vecboard login``: store the account's token for a server."""

from __future__ import annotations

import argparse
import getpass
import sys

from vecboard.commands.options import Commands, add_server
from vecboard.connection import server_address
from vecboard.errors import Exit, Refused
from vecboard.keyring import Keyring


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "login",
        help="store a token for a server",
        description="Asks for a token, or reads it from standard input, and stores it in the keyring file with mode "
        "600. Create tokens on the site's page /account/tokens.",
    )
    add_server(parser)
    parser.add_argument("--forget", action="store_true", help="delete everything stored for the server")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Store the token or delete it."""
    server, keyring = server_address(arguments.server), Keyring()
    if arguments.forget:
        keyring.forget(server)
        print(f"Everything stored for {server} was deleted.")
        return Exit.DONE
    token = (getpass.getpass("Token: ") if sys.stdin.isatty() else sys.stdin.readline()).strip()
    if not token or not token.isascii() or any(character.isspace() for character in token):
        raise Refused("That is not a token; copy all of it, without spaces.", "token")
    keyring.keep_token(server, token)
    print(f"The token for {server} is stored in {keyring.path}.")
    return Exit.DONE
