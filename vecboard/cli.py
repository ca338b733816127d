"""The console command ``vecboard``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from vecboard import commands
from vecboard.errors import ClientError, Exit
from vecboard.version import VERSION

EPILOGUE = """\
The server is --server, else VECBOARD_URL, else http://127.0.0.1:8000. The token is VECBOARD_TOKEN, else the one stored
by `vecboard login` in a file that only you can read.

Exit status: 0 done; 1 the report misses --at-least or --against; 2 rejected (correct the file, token or argument);
3 the server is busy or does not answer (try later); 4 the run ended without a report; 5 not finished in --timeout.
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
    modules = (
        commands.check, commands.login, commands.submit, commands.public, commands.status, commands.steer,
        commands.report, commands.board,
    )  # fmt: skip
    for module in modules:
        module.register(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; an error is one sentence on stderr, and the exit status gives its kind."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["check"]:
        return commands.check.run(given[1:])
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
