"""Commands about submissions and the board: ``report``, ``status``, ``cancel``, ``retry`` and ``board``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TypeAlias

from vecboard.answers import ReportAnswer
from vecboard.client import Client
from vecboard.errors import Exit, Refused
from vecboard.tables import board_table, console, percent, report_table, status_lines

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The parsers to which each command adds its own."""
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
        description="Exit status: 0; 1 if --at-least or --against is not met; 4 there is none; 5 there is none yet.",
    )
    parser.add_argument("id", metavar="ID")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the report as the site stores it")
    form.add_argument("--table", action="store_true", help="a readable table (the default)")
    form.add_argument("--model-index", action="store_true", help="metadata for a model card, in YAML")
    parser.add_argument("--version", type=int, metavar="N", help="an earlier report of the same vectors")
    add_demands(parser)
    add_server(parser)
    parser.set_defaults(run=run_report)


def add_demands(parser: argparse.ArgumentParser) -> None:
    """Add options that make a report pass or fail."""
    group = parser.add_argument_group("for continuous integration")
    group.add_argument(
        "--at-least", type=float, metavar="PERCENT", help="fail if the overall relative error reduction is lower"
    )
    group.add_argument("--against", metavar="ID|JSON", help="fail if it is lower than in this report")
    group.add_argument(
        "--slack", type=float, default=0.0, metavar="POINTS", help="how much lower --against allows (default 0)"
    )


def run_report(arguments: argparse.Namespace) -> int:
    """Print the report; the exit status shows if it meets the demands."""
    others = (arguments.version, arguments.at_least, arguments.against, arguments.slack or None)
    if arguments.model_index and any(other is not None for other in others):
        message = "--model-index is of the current report; leave out --version, --at-least, --against and --slack."
        raise Refused(message, "options")
    with Client(arguments.server) as client:
        if arguments.model_index:
            print(client.model_index(arguments.id), end="")
            return Exit.DONE
        report = client.report(arguments.id, arguments.version)
        return show(client, report, arguments)


def show(client: Client, report: ReportAnswer, arguments: argparse.Namespace) -> int:
    """Print a report as the options say; the exit status shows if it meets the demands."""
    if arguments.json:
        print(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        console().print(report_table(report, client.titles(report["suite"]["id"])))
    return meets_demands(client, report, arguments)


def meets_demands(client: Client, report: ReportAnswer, arguments: argparse.Namespace) -> int:
    """Compare the overall mean with the demands; print a sentence to stderr."""
    bars = []
    if arguments.at_least is not None:
        bars.append((arguments.at_least / 100, "required"))
    if arguments.against:
        earlier = _overall(_earlier(client, report, arguments.against), arguments.against)
        bars.append((earlier - arguments.slack / 100, f"{arguments.against}'s" if not arguments.slack else "the least"))
    if not bars:
        return Exit.DONE
    mine = _overall(report, "this report")
    for bar, whose in bars:
        met = mine >= bar
        sentence = f"Overall error reduction {percent(mine)} %, {whose} {percent(bar)} %: "
        console(error=True).print(sentence + ("met." if met else "NOT MET."))
        if not met:
            return Exit.BELOW
    return Exit.DONE


def _overall(report: ReportAnswer, which: str) -> float:
    overall = report["aggregates"]["overall"]
    if overall is None:
        why = report["aggregates"].get("reasons", {}).get("overall", "a task has no score")
        raise Refused(f"There is no overall error reduction in {which}: {why}", "no-overall")
    return float(overall)


def _earlier(client: Client, report: ReportAnswer, named: str) -> ReportAnswer:
    path = Path(named)
    try:
        earlier: ReportAnswer = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else client.report(named)
    except ValueError:
        raise Refused(f"{named} is not JSON; give a file written by `vecboard report ID --json`.", "against") from None
    suites = [(one["suite"]["id"], one["suite"]["version"]) for one in (report, earlier)]
    if suites[0] != suites[1]:
        versions = " and ".join(f"{suite} version {version}" for suite, version in suites)
        raise Refused(
            f"The two reports are of {versions}; only reports of the same version are comparable.", "other-suite"
        )
    return earlier


def add_status(commands: Commands) -> None:
    parser = commands.add_parser(
        "status", help="show a submission's status", description="Exit status: 0 done, 4 no report, 5 not finished."
    )
    parser.add_argument("id", metavar="ID")
    parser.add_argument("--json", action="store_true", help="print the API's answer")
    add_server(parser)
    parser.set_defaults(run=run_status)


def run_status(arguments: argparse.Namespace) -> int:
    """Print the status; the exit status shows whether it is final."""
    with Client(arguments.server) as client:
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
