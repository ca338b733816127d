"""``python -m research study``: the study of docs/political.md, which can be stopped and resumed."""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from pathlib import Path
from typing import Any

from research.study.run import in_time, run_study, study_cues
from research.study.store import Results, settings
from tasks.datasets import REPOSITORY
from tasks.datasets.store import DataStore
from tasks.local_training.train import use_threads

PAGE = "political.md"
MOST_PROCESSES = 4


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "study",
        help="run or resume the study of local training (hours in all)",
        description="Trains every setting of the study that has no result yet, cheapest first, compares them, and "
        "writes the findings into docs/political.md. You can stop it at any time; the "
        "next call resumes after the last finished run.",
    )
    parser.add_argument("--results", type=Path, default=REPOSITORY / "docs" / "study", help="default: docs/study")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "var" / "study", help="default: var/study")
    parser.add_argument("--only", help="settings whose name contains this (sotu-glove, w6-d100, …)")
    parser.add_argument("--minutes", type=float, help="start no run after this many minutes")
    parser.add_argument(
        "--processes",
        type=int,
        default=min(MOST_PROCESSES, len(os.sched_getaffinity(0))),
        help="runs trained at a time, one thread and about 1 GB each (default %(default)s: the cores)",
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="threads of GloVe's matrix products (default %(default)s)"
    )
    parser.add_argument("--write", action="store_true", help="only write the findings again")
    parser.add_argument("--list", action="store_true", help="only print what is done and what is missing")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run or resume; return 0 if the study is complete, 1 if something is missing."""
    from research.study.appendices import compare_published, trainings
    from research.study.corpora import describe_corpora
    from research.study.findings import write_findings

    results = Results(arguments.results, arguments.work)
    if not arguments.list:
        chosen = [setting for setting in settings() if not arguments.only or arguments.only in setting.id]
        until = math.inf if arguments.minutes is None else time.monotonic() + 60 * arguments.minutes
        how = {"until": until, "processes": arguments.processes, "threads": arguments.threads}
        store = DataStore.default()
        if not arguments.write:
            run_study(results, store, _say, chosen=chosen, **how)
            use_threads(arguments.threads)
            cues = study_cues(results, store)
            for name, train in in_time(trainings(results, store, cues).items(), until, _say):
                if not arguments.only or arguments.only in name:
                    train()
                    _say(name)
            compare_published(results, cues, _say)
        describe_corpora(results, store)
        page = write_findings(results, arguments.results.parent / PAGE)
        where = os.path.relpath(page) if page else ""
        print(f"The findings are in {where}." if page else f"There is no page {PAGE} with a place for the findings.")
    missing = [setting.id for setting in settings() if results.cell(setting) is None]
    print(f"{len(settings()) - len(missing)} of {len(settings())} settings are done.")
    missing += results.missing()
    if missing:
        print(f"missing: {', '.join(missing)}")
    return 1 if missing else 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
