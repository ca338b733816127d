"""Output of commands (plain-text tables, JSON, progress bars), and the options that several commands share."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from tasks.files import TENSORS, of_archive
from tasks.formats.others import folder_problem
from tasks.processes import Progress
from tasks.results import MODES, CellResult, Interval, Report
from tasks.statistics.intervals import chance_of

_IF_ANY = ("by chance", "known", "95 %")
"""Columns that are left out if they are empty."""
MOST_NAMED = 3
"""Number of tasks with the same requirement up to which they are listed by name."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest cell; the first left-aligned, the others right-aligned."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        first, *others = (
            cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        return "  ".join([first, *others]).rstrip()

    return "\n".join([line(head), "  ".join("-" * width for width in widths), *(line(row) for row in rows)])


def as_json(answer: object) -> str:
    """Output of ``--json``; raises ValueError for NaN."""
    return json.dumps(answer, ensure_ascii=False, indent=1, allow_nan=False)


def number(value: float | None, digits: int = 4) -> str:
    """A number, or a dash for None."""
    return "–" if value is None else f"{value:.{digits}f}"


def ends(interval: Interval | None, digits: int = 4) -> tuple[str, str]:
    """The ends of an interval in two cells, or dashes."""
    low, high = interval or (None, None)
    return number(low, digits), number(high, digits)


def signed_percent(value: float | None) -> str:
    """A share as ``+12.34``, the form of relative error reductions on the board."""
    return "–" if value is None else f"{100 * value:+.2f}"


def report_table(report: Report, not_applicable: Mapping[str, str] | None = None) -> str:
    """Table of every result's score, chance, baseline, relative error reduction (%), coverage and seconds; then means.

    Parameters
    ----------
    not_applicable : tasks without a score, with their requirement; listed on one line.
    """
    without = not_applicable or {}
    head = (
        "task", "mode", "metric", "score", "sd", "by chance", "known",
        "baseline", "RER %", "95 %", "coverage", "seconds",
    )  # fmt: skip
    rows = [
        (
            r.task,
            r.mode or "",
            r.metric,
            number(r.score),
            number(r.sd),
            *_chance(r),
            number(r.baseline),
            signed_percent(r.relative_error_reduction),
            _interval(r),
            f"{100 * r.coverage.tokens:.1f}",
            f"{r.seconds:.1f}",
        )
        for r in report.results
    ]
    lines = [f"{report.vectors['name']}: {report.vectors['words']:,} words, {report.vectors['dimensions']} dimensions"]
    remark = "" if report.suite["comparable"] else "; its scores are not comparable with those of any other"
    lines += [f"suite {report.suite['id']}, version {report.suite['version']}{remark}", ""]
    shown = [i for i, name in enumerate(head) if name not in _IF_ANY or any(row[i] for row in rows)]
    lines += [table([head[i] for i in shown], [[row[i] for i in shown] for row in rows]), ""] if rows else []
    modes = {*(result.mode for result in report.results), *(item.mode for item in report.unavailable)}
    lines += _means(report) if modes - {None} else []
    missing = [item for item in report.unavailable if item.task not in without]
    lines += [f"unavailable: {item.task} {item.mode or ''}: {item.reason}" for item in missing]
    if without:
        lines.append(f"not applicable: {', '.join(_by_need(without))}")
    lines += [f"warning: {warning.message}" for warning in report.vectors["warnings"]]
    return "\n".join(lines)


def _interval(result: CellResult) -> str:
    """Of the error reduction or, without one, of the score; blank without either."""
    if result.relative_error_reduction_interval is not None:
        return " to ".join(map(signed_percent, result.relative_error_reduction_interval))
    return "" if result.interval is None else " to ".join(ends(result.interval))


def _chance(result: CellResult) -> tuple[str, str]:
    """The interval that chance gives, and the known pairs or words that it depends on; blank for other metrics."""
    chance = chance_of(result)
    if chance is None:
        return "", ""
    low, high = (number(end, 3) for end in chance.interval)
    return f"{low} to {high}" if chance.mean else f"±{high}", f"{chance.n:,} of {chance.of:,}"


def _by_need(without: Mapping[str, str]) -> list[str]:
    """Tasks grouped by requirement."""
    groups = []
    for needs in dict.fromkeys(without.values()):
        tasks = [task for task in without if without[task] == needs]
        named = ", ".join(tasks) if len(tasks) <= MOST_NAMED else f"{len(tasks)} tasks"
        groups.append(f"{named} ({needs})")
    return groups


def _means(report: Report) -> list[str]:
    """One line per mean of relative error reduction, with its 95 % interval, or the reason if it has no value."""
    lines = [f"baseline: SVD-PPMI with {report.baseline}"] if report.baseline else []
    for suffix, means in report.means.items():
        of = ", as used" * bool(suffix)
        for mode in (*MODES, "overall"):
            name = mode.replace("-", "_")
            value, bounds = getattr(means, name), means.intervals.get(name)
            more = f"({' to '.join(map(signed_percent, bounds))})" if bounds else means.reasons.get(name, "")
            lines.append(f"mean relative error reduction, {mode}{of}: {signed_percent(value)} {more}".rstrip())
    return lines


@contextmanager
def step_bar(work: str, *, even: bool = False) -> Iterator[Progress]:
    """A bar on stderr with the current step. It never moves backwards.

    If stderr is not a terminal, it is silent, except for programs that set ``VECBOARD_PROGRESS``, such as R's package.

    Parameters
    ----------
    even : the share is proportional to time, so that the remaining time can be shown.
    """
    left = ", {remaining} left" if even else ""
    bar_format = f"{{desc}}: {{percentage:3.0f}} % |{{bar}}| [{{elapsed}}{left}] {{postfix}}"
    disable = False if os.environ.get("VECBOARD_PROGRESS") else None
    with tqdm(total=1.0, desc=work, bar_format=bar_format, leave=False, disable=disable) as bar:

        def progress(share: float, what: str) -> None:
            bar.n = max(bar.n, share)
            bar.set_postfix_str(what)

        yield progress


CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def positive(text: str) -> int:
    """An integer of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer of at least 1")
    return int(text)


def existing(text: str) -> Path:
    """The path of a file that can be read, or of a file in an archive (``archive.zip:member``)."""
    path, _ = of_archive(Path(text))
    if path.is_dir():
        raise argparse.ArgumentTypeError(folder_problem(path).message)
    if path.is_fifo():
        message = f"{text!r} is a pipe, whose bytes come only once; save them as a file and name that"
        raise argparse.ArgumentTypeError(message)
    if not path.is_file() or not os.access(path, os.R_OK):
        raise argparse.ArgumentTypeError(f"{text!r} is not a file that can be read")
    return Path(text)


def existing_vectors(text: str) -> Path:
    """The path of a vector file, of one in an archive, or of the folder of a static token model."""
    path = Path(text)
    return path if path.is_dir() and any(path.rglob(f"*{TENSORS}")) else existing(text)


def writable(text: str) -> Path:
    """The path of a file that can be written."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a directory, not a file")
    at = path if path.exists() else path.parent
    if not (path.exists() or at.is_dir()) or not os.access(at, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written; check that its directory exists")
    return path


def add_json(parser: argparse.ArgumentParser, words: str = "print one JSON object") -> None:
    parser.add_argument("--json", action="store_true", help=words)


def add_suite(parser: argparse.ArgumentParser, words: str = "default: %(default)s") -> None:
    from tasks.suites import DEFAULT, SUITES

    parser.add_argument("--suite", choices=SUITES, default=DEFAULT, help=words)
