"""The console command ``vecboard``."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from collections.abc import Sequence

from vecboard import follow_commands, submit_commands
from vecboard.connection import VERSION, server_address
from vecboard.errors import ClientError, Exit, Refused
from vecboard.follow_commands import Commands, add_server
from vecboard.keyring import Keyring

EPILOGUE = """\
The server is --server, else VECBOARD_URL, else http://127.0.0.1:8000. The token is VECBOARD_TOKEN, else the one stored
by `vecboard login` in a file that only you can read.

Exit status: 0 done; 1 the report misses --at-least or --against; 2 rejected (correct the file, token or argument);
3 the server is busy or does not answer (try later); 4 there is no report; 5 not finished in --timeout.
"""


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command."""
    parser = argparse.ArgumentParser(
        prog="vecboard",
        description="Evaluate word embeddings on a Vecboard server.",
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"vecboard {VERSION}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    # `check` takes the options of ``python -m tasks check``, which is loaded when it runs.
    subparsers.add_parser("check", help="is this vector file ready to upload?", add_help=False)
    _add_login(subparsers)
    submit_commands.add_submit(subparsers)
    submit_commands.add_public(subparsers)
    follow_commands.add_status(subparsers)
    follow_commands.add_steering(subparsers)
    follow_commands.add_report(subparsers)
    follow_commands.add_board(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; an error is one sentence on stderr, and the exit status gives its kind."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["check"]:
        return _check(given[1:])
    parsed = build_parser().parse_args(given)
    try:
        status = int(parsed.run(parsed))
        sys.stdout.flush()
        return status
    except ClientError as error:
        print(f"vecboard: {error}", file=sys.stderr)
        return int(error.exit)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader is gone, as in `… | head`
        return int(Exit.DONE)
    except KeyboardInterrupt:
        print("vecboard: interrupted", file=sys.stderr)
        return int(Exit.INTERRUPTED)


def _check(arguments: Sequence[str]) -> int:
    """Check a file with the site's own reader, without sending anything. 0: ready to upload; 2: not ready."""
    from tasks.cli import main

    return main(["check", *arguments], program="vecboard")


def _add_login(commands: Commands) -> None:
    parser = commands.add_parser(
        "login",
        help="store a token for a server",
        description="Asks for a token, or reads it from standard input, and stores it in the keyring file with mode "
        "600. Create tokens on the site's page /account/tokens.",
    )
    add_server(parser)
    parser.add_argument("--forget", action="store_true", help="delete everything stored for the server")
    parser.set_defaults(run=_login)


def _login(arguments: argparse.Namespace) -> int:
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
