"""Worked examples of docs/associations.md: commands as a user types them, their output, and a chart."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plots.chart import Chart
from plots.drawing import multiples, round_ends, round_step
from plots.layouts import Row, drawing_of
from research import pages
from research.findings.finding import number

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "associations.md"
TITLE_HEIGHT = 34
LEAST_PRESIDENTS = 5
_Command = tuple[str, ...]


@dataclass(frozen=True)
class Example:
    """The commands of an example, run in an empty folder.

    Parameters
    ----------
    id : of the command, of the place in the page, and of the picture ``docs/ID.svg``.
    before : commands that make the files of ``drawn``.
    drawn : the command whose output is shown and whose JSON is drawn by ``chart``.
    """

    id: str
    question: str
    before: tuple[_Command, ...]
    drawn: _Command
    chart: Callable[[Mapping[str, Any]], Chart]

    @property
    def commands(self) -> tuple[_Command, ...]:
        return (*self.before, self.drawn)

    @property
    def picture(self) -> Path:
        return PAGE.with_name(f"{self.id}.svg")

    def run(self, arguments: argparse.Namespace) -> int:
        """Print every command, and the output of the last one."""
        with tempfile.TemporaryDirectory() as folder:
            for command in self.before:
                _output(folder, *command)
            output = _output(folder, *self.drawn)
            figures = json.loads(_output(folder, *self.drawn, "--json"))
        printed = "\n".join([*(f"$ python -m tasks {shlex.join(command)}" for command in self.commands), output])
        print(printed)
        if arguments.write:
            pages.put(self.id, f"```text\n{printed}\n```", PAGE)
            self.picture.write_text(self.chart(figures).file(), encoding="utf-8")
        return 0


def _output(folder: str, *command: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    typed = [sys.executable, "-m", "tasks", *command]
    done = subprocess.run(typed, cwd=folder, env=environment, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):  # 1: part of the request has no answer
        raise SystemExit(f"{' '.join(typed)} ended with status {done.returncode}")
    return done.stdout.rstrip()


def rows_chart(id: str, title: str, caption: str, rows: Sequence[Row], floor: float | None = None) -> Chart:
    """One row per word, on an axis with zero, with the floor as a line; for a file."""
    ends = [end for row in rows for end in (row.value or 0.0, *(row.interval or ()), floor or 0.0)]
    low, high = min(0.0, *ends), max(ends)
    step = round_step((high - low) / 5)
    drawn = [tick for tick in multiples(step, low, high) if floor is None or abs(tick - floor) > step / 2]
    ticks = {tick: f"{tick:g}".replace("-", "−") for tick in drawn}
    line = None if floor is None else (floor, f"floor {floor:.2f}")
    drawing = drawing_of(rows, round_ends(low, high, step), ticks, line, top=TITLE_HEIGHT)
    in_words = "; ".join(f"{row.label} {row.text}" for row in rows)
    return Chart(id, title, f"{caption}: {in_words}.", drawing)


def _drift_chart(figures: Mapping[str, Any]) -> Chart:
    rows = [
        Row(word, f"{of['change']:.2f}, by neighbours {of['neighbours']:.2f}", of["change"], tuple(of["interval"]))
        for word, of in figures["most"].items()
    ]
    floor = figures["floor"]["change"]
    caption = f"1 − cosine after alignment, floor {floor:.2f}"
    return rows_chart("drift", "State of the Union: change after 1945", caption, rows, floor)


def _contexts_chart(figures: Mapping[str, Any]) -> Chart:
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


_OLD, _NEW = "sotu-before-1945", "sotu-from-1945"
_TRAIN = ("--algorithm", "skip-gram", "--dimensions", "50")
DRIFT = Example(
    "drift",
    "which words changed in the State of the Union after 1945?",
    (
        ("subgroups", "split", "sotu", "--at", "1945"),
        ("train", f"{_OLD}.txt.gz", *_TRAIN, "--runs", "2"),
        ("train", f"{_NEW}.txt.gz", *_TRAIN, "--runs", "2"),
    ),
    (
        "drift",
        f"{_NEW}-skip-gram-w6-d50-run1.txt.gz",
        f"{_OLD}-skip-gram-w6-d50-run1.txt.gz",
        *("--floor", f"{_NEW}-skip-gram-w6-d50-run2.txt.gz"),
        *("--words", "security,program,production,freedom,constitution"),
    ),
    _drift_chart,
)
CONTEXTS = Example(
    "contexts",
    "do the parties use political words differently in the State of the Union?",
    (("train", "wiki-corpus", *_TRAIN),),
    (
        *("contexts", "sotu", "wiki-corpus-skip-gram-w6-d50.txt.gz", "--cues", "political-en"),
        *("--by", "party", "--groups", "Republican,Democratic", "--from", "1945", "--group-by", "president"),
    ),
    _contexts_chart,
)
EXAMPLES = (DRIFT, CONTEXTS)


def register(commands: Any) -> None:
    """Add a command for each example to the parser."""
    for example in EXAMPLES:
        parser = commands.add_parser(
            example.id,
            help=example.question,
            description=f"A worked example: {example.question} Runs the commands that it prints, in a temporary "
            "folder.",
        )
        parser.add_argument(
            "--write", action="store_true", help=f"write docs/{PAGE.name} and docs/{example.picture.name} as well"
        )
        parser.set_defaults(run=example.run)
