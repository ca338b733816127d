"""Commands of ``python -m tasks``: :mod:`tasks.cli.arguments` declares them; the module of a command's name runs it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name

from tasks.cli.arguments import making, measuring
from tasks.errors import VecboardError
from tasks.files import FULL_DISK

PROGRAM = "python -m tasks"
COMMANDS = (
    measuring.check,
    measuring.evaluate,
    measuring.compare,
    measuring.associate,
    measuring.contexts,
    measuring.drift,
    measuring.translate,
    measuring.baseline,
    making.datasets,
    making.languages,
    making.corpus,
    making.treebank,
    making.words,
    making.train,
    making.tag,
    measuring.subgroups,
)
"""Each adds the command of its name; in the order of the help."""


def build_parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    """The parser with every command."""
    parser = argparse.ArgumentParser(prog=program, description="Measure what word vectors are good for.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in COMMANDS:
        add(commands)
    return parser


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Run a command; a user's error becomes one sentence on stderr and exit code 2."""
    parsed = build_parser(program).parse_args(arguments)
    try:
        status = int(resolve_name(f"tasks.cli.{parsed.command}:run")(parsed))
        sys.stdout.flush()
        return status
    except VecboardError as error:
        print(f"vecboard: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader is gone, as in `… | head`
        return 0
    except OSError as error:
        if error.errno not in FULL_DISK:
            raise
        where = f" in {Path(error.filename).parent}" if error.filename else ""
        print(f"vecboard: No space is left{where}; free some, then run the command again.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("vecboard: interrupted", file=sys.stderr)
        return 130
