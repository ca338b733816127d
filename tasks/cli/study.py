"""``python -m tasks study``: the study of docs/political.md, which stops and goes on where it was."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from tasks.cli.train import use_threads
from tasks.datasets import DataStore
from tasks.datasets.store import REPOSITORY
from tasks.political.study.grid import settings
from tasks.political.study.run import run_study
from tasks.political.study.store import Results


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "study",
        help="go on with the study of local training (hours in all)",
        description="Trains every setting of the study that has no result yet, cheapest first, compares them, and "
        "draws the figures. It can be stopped at any time; the next call goes on after the last finished run.",
    )
    parser.add_argument("--results", type=Path, default=REPOSITORY / "docs" / "study", help="default: docs/study")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "var" / "study", help="default: var/study")
    parser.add_argument("--only", help="settings whose name contains this (sotu-glove, w6-d100, …)")
    parser.add_argument("--minutes", type=float, help="begin no setting after so many minutes")
    parser.add_argument("--threads", type=int, default=1, help="threads of GloVe's products (default %(default)s)")
    parser.add_argument("--list", action="store_true", help="only say what is done and what is missing")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Go on; 0 when the study is complete, 1 when something is missing."""
    from tasks.political.study.draw import draw

    results = Results(arguments.results, arguments.work)
    if not arguments.list:
        use_threads(arguments.threads)
        wanted = [setting for setting in settings() if not arguments.only or arguments.only in setting.id]
        run_study(results, DataStore.default(), _say, wanted=wanted, minutes=arguments.minutes)
        draw(results)
    missing = [setting.id for setting in settings() if results.cell(setting) is None]
    print(f"{len(settings()) - len(missing)} of {len(settings())} settings are done.")
    if missing:
        print(f"missing: {', '.join(missing)}")
    return 1 if missing else 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
