"""``vecboard check FILE``: is it ready to upload? The reader is the site's own, so the answer is too."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any


def register(subparsers: Any) -> None:
    """Announce the command; its options are those of ``python -m tasks check``, which is loaded when it is run."""
    subparsers.add_parser("check", help="is this vector file ready to upload?", add_help=False)


def run(arguments: Sequence[str]) -> int:
    """Read the file, nothing is sent. 0: ready; 2: not ready."""
    from tasks.cli import build_parser, main

    given = ["check", *arguments]
    status = main(given, program="vecboard")
    if status == 0:
        parsed = build_parser("vecboard").parse_args(given)
        if told := not_compared(parsed.suite, parsed.language):
            print(told, file=sys.stderr)
    return status


def not_compared(suite_id: str, language: str) -> str:
    """Which tasks' words the file was not compared with, as their data is not on this machine; empty: none."""
    from tasks import suites
    from tasks.datasets import DataStore

    store, suite = DataStore.default(), suites.get(suite_id)
    asked = [task for task in suite.tasks if task.dataset and task.applies_to(language)]
    missing = [task.id for task in asked if task.dataset and not store.status(task.dataset).available]
    if not missing:
        return ""
    return (
        f"Not compared with the words of {len(missing)} of {len(asked)} tasks of {suite.id}, as their data is not on "
        f"this machine; the site compares them: {', '.join(missing)}. What is missing, and how to get it: "
        f"python -m tasks datasets --suite {suite.id}"
    )
