"""``vecboard report ID``: print a report, and check it against demands."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from vecboard.answers import ReportAnswer
from vecboard.client import Client
from vecboard.commands.options import Commands, add_server
from vecboard.errors import Exit, Refused
from vecboard.tables import console, percent, report_table


def register(commands: Commands) -> None:
    """Add the command."""
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
    parser.set_defaults(run=run)


def add_demands(parser: argparse.ArgumentParser) -> None:
    """Options that make a report pass or fail."""
    group = parser.add_argument_group("for continuous integration")
    group.add_argument(
        "--at-least", type=float, metavar="PERCENT", help="fail if the overall relative error reduction is lower"
    )
    group.add_argument("--against", metavar="ID|JSON", help="fail if it is lower than in this report")
    group.add_argument(
        "--slack", type=float, default=0.0, metavar="POINTS", help="how much lower --against allows (default 0)"
    )


def run(arguments: argparse.Namespace) -> int:
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
