"""The worked example of docs/associations.md: commands as a user types them, their output, and a chart."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plots.chart import Chart
from plots.drawing import multiples, round_ends, round_step
from plots.layouts import Row, drawing_of
from research import pages
from research.findings.finding import number

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "associations.md"
ID = "contexts"
"""Of the command and of the place in the page."""
PICTURE = PAGE.with_name(f"{ID}.svg")
QUESTION = "do the parties use political words differently in the State of the Union?"
TITLE_HEIGHT = 34
LEAST_PRESIDENTS = 5
TRAINING = ("train", "wiki-corpus", "--algorithm", "skip-gram", "--dimensions", "50")
COMPARISON = (
    *("contexts", "sotu", "wiki-corpus-skip-gram-w6-d50.txt.gz", "--cues", "political-en"),
    *("--by", "party", "--groups", "Republican,Democratic", "--from", "1945", "--group-by", "president"),
)
"""The command whose output is shown and whose JSON is drawn."""


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        ID,
        help=QUESTION,
        description=f"A worked example: {QUESTION} Runs the commands that it prints, in a temporary folder.",
    )
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name} and docs/{PICTURE.name} as well")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print both commands, and the output of the last one."""
    with tempfile.TemporaryDirectory() as folder:
        _output(folder, *TRAINING)
        output = _output(folder, *COMPARISON)
        figures = json.loads(_output(folder, *COMPARISON, "--json"))
    printed = "\n".join([*(f"$ python -m tasks {shlex.join(command)}" for command in (TRAINING, COMPARISON)), output])
    print(printed)
    if arguments.write:
        pages.put(ID, f"```text\n{printed}\n```", PAGE)
        PICTURE.write_text(contexts_chart(figures).file(), encoding="utf-8")
    return 0


def _output(folder: str, *command: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    typed = [sys.executable, "-m", "tasks", *command]
    done = subprocess.run(typed, cwd=folder, env=environment, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):  # 1: part of the request has no answer
        raise SystemExit(f"{' '.join(typed)} ended with status {done.returncode}")
    return done.stdout.rstrip()


def rows_chart(id: str, title: str, caption: str, rows: Sequence[Row]) -> Chart:
    """One row per word, on an axis with zero; for a file."""
    ends = [end for row in rows for end in (row.value or 0.0, *(row.interval or ()))]
    low, high = min(0.0, *ends), max(ends)
    step = round_step((high - low) / 5)
    ticks = {tick: f"{tick:g}".replace("-", "−") for tick in multiples(step, low, high)}
    drawing = drawing_of(rows, round_ends(low, high, step), ticks, top=TITLE_HEIGHT)
    in_words = "; ".join(f"{row.label} {row.text}" for row in rows)
    return Chart(id, title, f"{caption}: {in_words}.", drawing)


def contexts_chart(figures: Mapping[str, Any]) -> Chart:
    """The words that at least five presidents of both parties use; with fewer, an interval would set the scale."""
    distances = {
        word: figure["distance"]
        for word, figure in figures["vectors"][0]["targets"].items()
        if min(group["units"] for group in figure["groups"].values()) >= LEAST_PRESIDENTS
    }
    rows = [
        Row(word, f"{number(figure['estimate'])}, p {figure['p']:.3f}", figure["estimate"], tuple(figure["interval"]))
        for word, figure in sorted(distances.items(), key=lambda item: item[1]["p"])
    ]
    title = "State of the Union by party, since 1945"
    return rows_chart("contexts", title, "Squared distance between both parties' uses of a word, by p", rows)
