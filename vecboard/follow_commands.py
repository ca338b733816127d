"""Commands about submissions and the board (report, status, cancel, retry, board) and their tables."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rich.console import Console
from rich.table import Table

from tasks.answers import EXPORT_FORMS, BoardColumn, BoardPage, JobProgress, SubmissionStatus
from tasks.files import whole, write_whole
from vecboard.client import Client
from vecboard.connection import Exit, Refused

if TYPE_CHECKING:
    from tasks.gate import Gated
    from tasks.results import Report

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The subparsers to which each command adds its parser."""
BLANK = "–"
_EXITS = {"done": Exit.DONE, "failed": Exit.NO_REPORT, "rejected": Exit.NO_REPORT, "cancelled": Exit.NO_REPORT}


def add_waiting(parser: argparse.ArgumentParser) -> None:
    """Add options for the output after a site has accepted a submission."""
    parser.add_argument("--wait", action="store_true", help="wait for the report and print it")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="limit of --wait (default: none)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of sentences")


def add_server(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--server", default="", metavar="URL", help="default: VECBOARD_URL, else this machine")


def add_report(commands: Commands) -> None:
    parser = commands.add_parser(
        "report",
        help="print a report",
        description="Exit status: 0; 1 the report doesn't meet --at-least, or is inferior; 4 there is none; 5 there is "
        "none yet; 6 can't tell whether it is inferior.",
    )
    parser.add_argument("id", metavar="ID")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the report as the site stores it, instead of a table")
    form.add_argument(
        "--form",
        choices=EXPORT_FORMS,
        help="metadata for a model card, in YAML, or the results as MTEB or Every Eval Ever write them, in JSON",
    )
    parser.add_argument("--version", type=int, metavar="N", help="an earlier report of the same vectors")
    add_demands(parser)
    add_server(parser)
    parser.set_defaults(run=run_report)


def add_bundle(commands: Commands) -> None:
    parser = commands.add_parser(
        "bundle",
        help="download a report with everything that checks it",
        description="Downloads a zip archive with the report, the outcome of every test example and what fixes each "
        "number, signed by the site; `vecboard verify FILE` checks it. Exit status: 0; 4 no report; 5 none yet.",
    )
    parser.add_argument("id", metavar="ID")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    add_server(parser)
    parser.set_defaults(run=run_bundle)


def run_bundle(arguments: argparse.Namespace) -> int:
    """Write the archive to the file."""
    with Client(arguments.server) as client:
        content = client.bundle(arguments.id)
    try:
        with whole(arguments.out) as partial:
            partial.write_bytes(content)
    except OSError as error:
        raise Refused(f"{arguments.out} cannot be written: {error.strerror}.", "out") from None
    return Exit.DONE


def add_demands(parser: argparse.ArgumentParser) -> None:
    """Add options with the demands that a report must meet."""
    group = parser.add_argument_group("for continuous integration")
    group.add_argument(
        "--at-least", type=float, metavar="PERCENT", help="fail if the overall relative error reduction is lower"
    )
    group.add_argument(
        "--not-inferior-to",
        metavar="ID|JSON",
        help="fail if it is worse by the margin than this report: a submission's, or a file of “tasks evaluate --out”",
    )
    group.add_argument("--margin", type=float, default=1.0, metavar="POINTS", help="default: %(default)g point")
    group.add_argument("--task", help="compare these tasks (comma-separated; default: the overall error reduction)")
    group.add_argument("--junit", type=Path, metavar="FILE", help="also write the verdicts as JUnit XML")


def run_report(arguments: argparse.Namespace) -> int:
    """Print the report; the exit status shows whether it meets the demands."""
    others = (arguments.version, arguments.at_least, arguments.not_inferior_to)
    if arguments.form and any(other is not None for other in others):
        message = "--form is of the current report; leave out --version, --at-least and --not-inferior-to."
        raise Refused(message, "options")
    with Client(arguments.server) as client:
        if arguments.form:
            print(client.export(arguments.id, arguments.form), end="")
            return Exit.DONE
        report = client.report(arguments.id, arguments.version)
        return show(client, arguments.id, report, arguments)


def show(client: Client, submission: str, report: Report, arguments: argparse.Namespace) -> int:
    """Print a report in the chosen form; the exit status shows whether it meets the demands."""
    if arguments.json:
        print(report.to_json(), end="")
    else:
        from tasks.cli.tables import report_table

        print(report_table(report))
    return meets_demands(client, submission, report, arguments)


def meets_demands(client: Client, submission: str, report: Report, arguments: argparse.Namespace) -> int:
    """Compare the report with the demands; print a sentence for each to stderr."""
    if arguments.at_least is not None:
        score, least = report.aggregates.overall, arguments.at_least / 100
        if score is None:
            why = report.aggregates.reasons.get("overall", "a task has no score")
            raise Refused(f"There is no overall error reduction in this report: {why}", "no-overall")
        sentence = f"Overall error reduction {percent(score)} %, required {percent(least)} %: "
        console(error=True).print(sentence + ("met." if score >= least else "NOT MET."))
        if score < least:
            return Exit.BELOW
    if arguments.not_inferior_to is None:
        return Exit.DONE
    if getattr(arguments, "version", None) is not None:
        raise Refused("The gate compares current reports; leave out --version.", "options")
    return _gate(client, client.outcomes(submission, report), arguments)


def check_demands(client: Client, arguments: argparse.Namespace) -> None:
    """Refuse demands that could not be judged, before anything is sent and measured.

    Raises
    ------
    Refused
        there is no --wait, or the earlier report cannot be compared with any.
    """
    named = arguments.not_inferior_to
    if named is None and (arguments.task or arguments.junit):
        raise Refused("--task and --junit are options of the gate: name --not-inferior-to too.", "options")
    if not arguments.wait and (named is not None or arguments.at_least is not None):
        raise Refused("--at-least and --not-inferior-to judge the report: add --wait.", "options")
    if named is not None:
        earlier = _earlier(client, named)
        _judged(earlier, earlier, arguments)


def _gate(client: Client, report: Report, arguments: argparse.Namespace) -> int:
    """Judge a report with outcomes by the rule of ``python -m tasks evaluate --not-inferior-to``."""
    from tasks.gate import junit, sentence, worst

    gated = _judged(report, _earlier(client, arguments.not_inferior_to), arguments)
    for cell in gated:
        console(error=True).print(sentence(cell, arguments.margin))
    if arguments.junit:
        write_whole(arguments.junit, junit(gated, arguments.margin, arguments.not_inferior_to))
    return {"not inferior": Exit.DONE, "inferior": Exit.BELOW, "can't tell": Exit.UNDECIDED}[worst(gated)]


def _judged(report: Report, earlier: Report, arguments: argparse.Namespace) -> list[Gated]:
    from tasks.errors import VecboardError
    from tasks.gate import gate
    from tasks.suites import get

    if arguments.junit and not arguments.junit.absolute().parent.is_dir():
        raise Refused(f"{arguments.junit} cannot be written: its folder does not exist.", "junit")
    tasks = arguments.task.split(",") if arguments.task else None
    try:
        return gate(get(report.suite["id"]), report, earlier, tasks, arguments.margin)
    except VecboardError as error:
        raise Refused(str(error), "not-inferior-to") from None


def _earlier(client: Client, named: str) -> Report:
    from tasks.results import Report

    path = Path(named)
    if not path.is_file():
        return client.outcomes(named, client.report(named))
    try:
        return Report.read(path)
    except ValueError:
        message = f"{named} is not a report; give a file written by `python -m tasks evaluate --out`, or an ID."
        raise Refused(message, "not-inferior-to") from None


def add_status(commands: Commands) -> None:
    parser = commands.add_parser(
        "status", help="show a submission's status", description="Exit status: 0 done, 4 no report, 5 not finished."
    )
    parser.add_argument("id", metavar="ID")
    parser.add_argument("--json", action="store_true", help="print the API's answer")
    parser.add_argument(
        "--owner-link", action="store_true", help="print only the link with which your browser is the owner's"
    )
    add_server(parser)
    parser.set_defaults(run=run_status)


def run_status(arguments: argparse.Namespace) -> int:
    """Print the status; the exit status shows whether it is final."""
    with Client(arguments.server) as client:
        if arguments.owner_link:
            print(client.owner_link(arguments.id))
            return Exit.DONE
        status, page = client.status(arguments.id), client.page(arguments.id)
    print(json.dumps(status, ensure_ascii=False, indent=1) if arguments.json else status_lines(status, page))
    return _EXITS.get(status["state"], Exit.NOT_YET)


def add_steering(commands: Commands) -> None:
    for name, steer, does in (
        ("cancel", Client.cancel, "cancel a submission; its file and its finished results are kept"),
        ("retry", Client.retry, "continue a failed or cancelled submission: only the tasks that have no result"),
    ):
        parser = commands.add_parser(name, help=does, description=f"{does[0].upper()}{does[1:]}.")
        parser.add_argument("id", metavar="ID")
        add_server(parser)
        parser.set_defaults(run=run_steering, steer=steer)


def run_steering(arguments: argparse.Namespace) -> int:
    """Steer the submission and print its status."""
    with Client(arguments.server) as client:
        print(status_lines(arguments.steer(client, arguments.id), client.page(arguments.id)))
    return Exit.DONE


def add_board(commands: Commands) -> None:
    parser = commands.add_parser("board", help="print the leaderboard")
    parser.add_argument("--suite", default="", help="default: the site's own")
    parser.add_argument(
        "--sort",
        default="",
        metavar="COLUMN",
        help="sort by this column, best first (--sort=-COLUMN: reversed)",
    )
    parser.add_argument("--after", default="", metavar="NEXT", help="the next page, as given below the previous one")
    parser.add_argument("--json", action="store_true", help="print the API's answer with every column")
    add_server(parser)
    parser.set_defaults(run=run_board)


def run_board(arguments: argparse.Namespace) -> int:
    with Client(arguments.server) as client:
        board = client.board(arguments.suite, arguments.sort, arguments.after)
    if arguments.json:
        print(json.dumps(board, ensure_ascii=False, indent=1))
    else:
        console().print(board_table(board))
    return Exit.DONE


def percent(share: float | None) -> str:
    """A share as signed percent; a dash for None."""
    return BLANK if share is None else f"{100 * share:+.2f}"


def board_table(board: BoardPage) -> Table:
    """The board: rank, its range without one task, name, size, the means, overall as used, and the sort column."""
    suite, entries = board["suite"], board["entries"]
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left", caption_justify="left")
    table.title = f"{suite['id']} version {suite['version']}, by {board['sort']}"
    if board["next"]:
        table.caption = f"{len(entries)} of {board['total']} entries; next page: --after {board['next']}"
    is_by_overall = any(entry["rank_without_a_task"] for entry in entries)
    table.add_column("Rank", justify="right")
    if is_by_overall:
        table.add_column("Without one task", justify="right")
    table.add_column("Name")
    table.add_column("Dim.", justify="right")
    keys = ("overall", "fixed", "fine-tuned", "overall-as-used", board["sort"].removeprefix("-"))
    columns = [column for column in board["columns"] if column["key"] in keys and column["key"] != "dimensions"]
    for column in columns:
        table.add_column(column["title"], justify="right")
    table.add_column("Id")
    for entry in entries:
        scores = [_score(entry["scores"].get(column["key"]), column) for column in columns]
        places = [_place(entry["rank"]), *([_place(entry["rank_without_a_task"])] if is_by_overall else [])]
        table.add_row(*places, entry["name"], str(entry["dimensions"] or BLANK), *scores, str(entry["id"]))
    return table


def _score(value: float | None, column: BoardColumn) -> str:
    """A score with its column's unit and decimals."""
    if value is None or column["kind"] == "reduction":
        return percent(value)
    shown = 100 * value if column["unit"] == "%" else value
    return f"{shown:,.{column['decimals']}f}"


def _place(rank: list[int] | None) -> str:
    if rank is None:
        return BLANK
    first, last = rank
    return str(first) if first == last else f"{first}–{last}"


def status_lines(status: SubmissionStatus, page: str) -> str:
    """State, progress, error and warnings, one per line; ``page`` is the submission's URL."""
    progress = status["progress"]
    lines = [f"{status['name']} ({status['id']}): {status['state']}"]
    if status["state"] in ("queued", "running"):
        lines.append(f"{progress['done']} of {progress['total']} cells done{_expected(progress)}")
    if status["error"]:
        lines.append(f"Error: {status['error']['message']}")
    lines += [f"Warning: {warning['message']}" for warning in status["warnings"]]
    lines.append(f"Report: {page}" if status["report_url"] else f"Page: {page}")
    return "\n".join(lines)


def _expected(progress: JobProgress) -> str:
    seconds = progress.get("expected_seconds")
    if not seconds:
        return ""
    typical, (low, high) = progress.get("typical_seconds") or seconds[1], seconds
    if high < 90:
        return f", about {typical} s left ({low} to {high} s)"
    return f", about {-(-typical // 60)} min left ({low // 60} to {-(-high // 60)} min)"


def console(*, error: bool = False) -> Console:
    """Output without highlighting or markup (a name may be ``[w5]``); tables are cut only on a terminal."""
    made = Console(stderr=error, highlight=False, markup=False, emoji=False)
    if not made.is_terminal:
        made.width = 160
    return made
