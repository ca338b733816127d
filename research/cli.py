"""``python -m research``: studies of the benchmark, and the commands that write their tables into docs/."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from research import (
    aa,
    claim,
    columns,
    context_intervals,
    coverage,
    floors,
    front,
    gate,
    interpolation,
    own,
    placebo,
    raters,
    reliability,
    seed_variances,
    shipped,
    suffices,
    vocabulary,
    worked,
)
from research.findings import page as findings
from research.study import command as study
from research.trials import command as trials
from tasks.errors import VecboardError

DONE, FAILED, INTERRUPTED = 0, 2, 130
STUDIES = (
    seed_variances,
    aa,
    columns,
    coverage,
    context_intervals,
    placebo,
    claim,
    gate,
    interpolation,
    raters,
    reliability,
    shipped,
    trials,
    floors,
    vocabulary,
    front,
    findings,
    study,
    suffices,
    own,
    worked,
)


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command."""
    parser = argparse.ArgumentParser(
        prog="python -m research", description="Studies of the benchmark itself: what its numbers are worth."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in STUDIES:
        module.register(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; an error is one sentence on stderr."""
    parsed = build_parser().parse_args(arguments)
    try:
        return parsed.run(parsed) or DONE
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED
    except VecboardError as error:
        print(f"research: {error}", file=sys.stderr)
        return FAILED
