"""The commands of ``python -m tasks``: one module per group of commands, with the arguments of each.

Extensions have others, declared as ``COMMANDS`` of their package.

A module is imported only for its own commands, so that the list of commands appears at once.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

from tasks.errors import VecboardError
from tasks.files import FULL_DISK
from tasks.text import allow_any_terminal

CRASHED = 70
"""Exit status of an error in this program, as in sysexits.h; Python's own is 1, which means *inferior* to a gate."""
PROGRAM = "python -m tasks"
COMMANDS = {
    "check": ("check", "is this vector file ready to upload?"),
    "evaluate": ("evaluate", "evaluate a vector file and write its report"),
    "baseline": ("baseline", "train a suite's SVD-PPMI baseline"),
    "datasets": ("datasets", "list the data sets, or fetch what is missing"),
    "languages": ("datasets", "which tasks are there for which languages?"),
    "corpus": ("corpus", "write the text that baselines are trained on"),
    "treebank": ("treebank", "check the CoNLL-U files of a treebank, for a task in another language"),
    "words": ("corpus", "write the list of words that fastText and static token models are composed for"),
}
"""Module of this package, and summary, of the core's commands in the order of the help.

``add_NAME`` of the module declares its arguments; ``run_NAME`` returns the exit status, or raises any error of this
package.
"""


@cache
def commands() -> dict[str, tuple[str, str]]:
    """Full name of the module, and summary, of every command: the core's, then those of extensions."""
    packages = ("tasks.cli", *import_module("extensions").EXTENSIONS)
    declared: dict[str, dict[str, tuple[str, str]]] = {
        package: getattr(import_module(package), "COMMANDS", {}) for package in packages
    }
    return {
        name: (f"{package}.{module}", summary)
        for package, by_name in declared.items()
        for name, (module, summary) in by_name.items()
    }


def build_parser(command: str | None = None, program: str = PROGRAM) -> argparse.ArgumentParser:
    """Parser of all commands, with the arguments of the given one."""
    parser = argparse.ArgumentParser(prog=program, description="Measure the quality of word vectors.")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, summary) in commands().items():
        subparser = subparsers.add_parser(name, help=summary)
        if name == command:
            resolve_name(f"{module}:add_{name}")(subparser)
            subparser.set_defaults(run=resolve_name(f"{module}:run_{name}"))
    return parser


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Run a command; return its exit status."""
    allow_any_terminal()
    argv = list(sys.argv[1:] if arguments is None else arguments)
    return status_of(build_parser(next(iter(argv), None), program).parse_args(argv))


def status_of(parsed: argparse.Namespace) -> int:
    """Run a parsed command; a user's error becomes one sentence on stderr, ours a traceback and ``CRASHED``.

    The exit status of a user's error is its attribute ``exit``, else 2.
    """
    try:
        status = int(parsed.run(parsed))
        sys.stdout.flush()
        return status
    except VecboardError as error:
        print(f"vecboard: {error}", file=sys.stderr)
        return int(getattr(error, "exit", 2))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader is gone, as in `… | head`
        return 0
    except KeyboardInterrupt:
        print("vecboard: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        if not isinstance(error, OSError) or error.errno not in FULL_DISK:
            traceback.print_exc()
            return CRASHED
        where = f" in {Path(error.filename).parent}" if error.filename else ""
        print(f"vecboard: No space is left{where}; free some, then run the command again.", file=sys.stderr)
        return 2
