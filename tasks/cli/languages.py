"""``python -m tasks languages``: which tasks there are for which languages."""

from __future__ import annotations

import argparse
from textwrap import fill

from tasks.cli.tables import as_json
from tasks.languages import language_name
from tasks.suites import get

WIDTH, INDENT = 110, "  "


def run(arguments: argparse.Namespace) -> int:
    """Print the languages with the same tasks, and these tasks."""
    rows = get(arguments.suite).tasks_by_language()
    if arguments.json:
        print(as_json({code: [task.id for task in tasks] for codes, tasks in rows for code in codes}))
        return 0
    for codes, tasks in rows:
        print(fill(", ".join(f"{language_name(code)} ({code})" for code in codes), WIDTH))
        print(fill(", ".join(task.id for task in tasks), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT))
    return 0
