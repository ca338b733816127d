"""Text output of the console command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from vecboard.answers import BoardColumn, BoardPage, JobProgress, ReportAnswer, ScoreAnswer, SubmissionStatus

BLANK = "–"
MEANS: tuple[tuple[Literal["fixed", "fine_tuned", "overall"], str], ...] = (
    ("fixed", "Fixed"),
    ("fine_tuned", "Fine-tuned"),
    ("overall", "Overall"),
)


def percent(share: float | None) -> str:
    """A share as signed percent; a dash for None."""
    return BLANK if share is None else f"{100 * share:+.2f}"


def report_table(report: ReportAnswer, titles: Mapping[str, str] | None = None) -> RenderableType:
    """A report: the vectors, the three means, and one line per score.

    Parameters
    ----------
    titles : of tasks, by id; a task without one is shown by its id.
    """
    vectors, suite = report["vectors"], report["suite"]
    head = Text(f"{vectors['name']}: {vectors['words']:,} words, {vectors['dimensions']} dimensions", style="bold")
    under = f"{suite['id']} version {suite['version']}"
    if not suite.get("comparable", True):
        under += " (scores of this suite are not comparable with any other)"
    table = Table(box=None, pad_edge=False, header_style="bold", caption_justify="left")
    for title in ("Task", "Mode", "Metric"):
        table.add_column(title)
    for title in ("Score", "Baseline", "Error reduction, %", "95 %"):
        table.add_column(title, justify="right")
    for result in report["results"]:
        table.add_row((titles or {}).get(result["task"], result["task"]), *_line(result))
    return Group(head, Text(under), "", means(report), "", table, *_missing(report))


def means(report: ReportAnswer) -> Text:
    """The mean relative error reductions, each with its interval or the reason for its absence."""
    aggregates = report["aggregates"]
    lines = []
    for key, title in MEANS:
        low_high = aggregates.get("intervals", {}).get(key)
        why = aggregates.get("reasons", {}).get(key, "")
        interval = f"  ({percent(low_high[0])} to {percent(low_high[1])})" if low_high else ""
        lines.append(f"{title:11} {percent(aggregates[key]):>8} %{interval}{'  ' + why if why else ''}")
    return Text("Relative error reduction against the baseline\n" + "\n".join(lines))


def _line(result: ScoreAnswer) -> tuple[str, ...]:
    """Cells of a row after the title; the interval is of the error reduction or, without one, of the score."""
    reduction, score = result.get("relative_error_reduction_interval"), result.get("interval")
    interval = f"{percent(reduction[0])} to {percent(reduction[1])}" if reduction else ""
    if not reduction and score:
        interval = f"{score[0]:.4f} to {score[1]:.4f}"
    baseline = result.get("baseline")
    return (
        result["mode"] or "",
        result["metric"],
        f"{result['score']:.4f}",
        BLANK if baseline is None else f"{baseline:.4f}",
        percent(result.get("relative_error_reduction")),
        interval,
    )


def _missing(report: ReportAnswer) -> list[Text]:
    return [Text(f"No score for {item['task']}: {item['reason']}", style="dim") for item in report["unavailable"]]


def board_table(board: BoardPage) -> RenderableType:
    """The board: rank, name, size, the three means, and the sort column."""
    suite, entries = board["suite"], board["entries"]
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left", caption_justify="left")
    table.title = f"{suite['id']} version {suite['version']}, by {board['sort']}"
    if board["next"]:
        table.caption = f"{len(entries)} of {board['total']} entries; next page: --after {board['next']}"
    for title, justify in (("Rank", "right"), ("Name", "left"), ("Dim.", "right")):
        table.add_column(title, justify=justify)  # type: ignore[arg-type]
    keys = ("overall", "fixed", "fine-tuned", board["sort"].removeprefix("-"))
    wanted = [column for column in board["columns"] if column["key"] in keys and column["key"] != "dimensions"]
    for column in wanted:
        table.add_column(column["title"], justify="right")
    table.add_column("Id")
    for entry in entries:
        figures = [_figure(entry["figures"].get(column["key"]), column) for column in wanted]
        table.add_row(
            _rank(entry.get("rank")), entry["name"], str(entry["dimensions"] or BLANK), *figures, str(entry["id"])
        )
    return table


def _figure(value: float | None, column: BoardColumn) -> str:
    """A figure in the unit and with the decimals that the server gives."""
    if value is None or column["kind"] == "reduction":
        return percent(value)
    shown = 100 * value if column["unit"] == "%" else value
    return f"{shown:,.{column['decimals']}f}"


def _rank(rank: list[int] | int | None) -> str:
    if isinstance(rank, list):
        first, last = rank
        return str(first) if first == last else f"{first}–{last}"
    return str(rank) if rank else BLANK


def status_lines(status: SubmissionStatus, page: str) -> str:
    """State, progress, error and warnings, one per line; ``page`` is the submission's URL."""
    progress = status["progress"]
    lines = [f"{status['name']} ({status['id']}): {status['state']}"]
    if status["state"] in ("queued", "running"):
        lines.append(f"{progress['done']} of {progress['total']} jobs done{_expected(progress)}")
    if status["error"]:
        lines.append(f"Error: {status['error']['message']}")
    lines += [f"Warning: {warning['message']}" for warning in status["warnings"]]
    lines.append(f"Report: {page}" if status["report_url"] else f"Page: {page}")
    return "\n".join(lines)


def _expected(progress: JobProgress) -> str:
    seconds = progress.get("expected_seconds")
    if not seconds:
        return ""
    low, high = seconds[0], seconds[-1]
    if high < 90:
        return f", {low} to {high} s left"
    return f", {low / 60:.0f} to {high / 60:.0f} min left"


def console(*, error: bool = False) -> Console:
    """Output without highlighting or markup (a name may be ``[w5]``). A table is not cut if this is not a terminal."""
    made = Console(stderr=error, highlight=False, markup=False, emoji=False)
    if not made.is_terminal:
        made.width = 160
    return made
