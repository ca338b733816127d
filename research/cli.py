"""``python -m research``: the commands behind docs/uncertainty.md."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from research import aa, coverage, seed_variances
from tasks.errors import VecboardError

DONE, FAILED, INTERRUPTED = 0, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; an error is one sentence on stderr."""
    parser = argparse.ArgumentParser(
        prog="python -m research", description="How certain the numbers are: the studies behind docs/uncertainty.md."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for study in (seed_variances, aa, coverage):
        study.register(commands)
    parsed = parser.parse_args(arguments)
    try:
        parsed.run(parsed)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED
    except VecboardError as error:
        print(f"research: {error}", file=sys.stderr)
        return FAILED
    return DONE
