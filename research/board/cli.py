"""``python -m research.board``: make the board, list open entries, write its reports to a file."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmark.shipped.dump import EXCERPT_PRECISION
from benchmark.shipped.trained import make, place
from research import pages
from research.board.board_entries import BoardEntry, board_entries, board_entry, trained
from research.board.campaign import INTERRUPTED, ROOT, Campaign, check_suite, running
from tasks.cli.tables import add_suite
from tasks.errors import VecboardError
from tasks.suite import Suite
from tasks.suites import get
from vecboard import Client, ClientError

PAGE = ROOT / "docs" / "board.md"
DONE, LEFT, FAILED = 0, 1, 2
RESTART_SECONDS = 120.0
"""Longest outage of the site that following entries tolerates."""


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command."""
    parser = argparse.ArgumentParser(
        prog="python -m research.board",
        description="Trains a family of embeddings on a suite's prescribed corpus, submits them through the site, and "
        "writes the reports to a file for other sites.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_make(commands)
    _add_vectors(commands)
    _add_excerpt(commands)
    listed = commands.add_parser("list", help="list the entries, with the times of the shipped ones")
    add_suite(listed)
    listed.add_argument("--file", type=Path, help="dump with their times (default: the shipped one)")
    listed.set_defaults(run=_list)
    command = commands.add_parser("dump", help="write the public reports of this site's database to a file")
    add_suite(command)
    command.add_argument("--file", type=Path, help="default: the shipped dump")
    command.add_argument("--fewer", action="store_true", help="replace even a file that holds more entries")
    command.set_defaults(run=_dump)
    return parser


def _add_make(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "make",
        help="train, submit and follow every entry",
        description="Stop it with Ctrl-C at any time; the same command resumes. Shipped entries are not made again. "
        "Exit status: 0 all done, 1 some are open.",
    )
    add_suite(parser)
    parser.add_argument(
        "--server", default="", metavar="URL", help="default: VECBOARD_URL, else a site on this machine"
    )
    parser.add_argument("--only", default="", metavar="IDS", help="only these entries, comma-separated (see list)")
    parser.add_argument("--out", type=Path, help="files and ledger (default: var/board/SUITE-VERSION)")
    parser.add_argument("--from-scratch", action="store_true", help="also make the shipped entries again")
    parser.add_argument("--left", action="store_true", help="only print the open entries")
    parser.set_defaults(run=_make)


def _add_vectors(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("vectors", help="make the vector file of one entry, as on the board")
    parser.add_argument("entry", metavar="ID", help="see list")
    add_suite(parser)
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIRECTORY", help="default: the current one")
    parser.set_defaults(run=_vectors)


def _add_excerpt(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "excerpt",
        help=f"write the first words of entries' vectors in {EXCERPT_PRECISION} numbers, to ship with the reports",
        description="Writes them next to the dump, which must hold the entries, and prints how their neighbours differ "
        "from those among the same words in full precision.",
    )
    parser.add_argument("entries", metavar="ID", nargs="+", help="see list")
    add_suite(parser)
    parser.add_argument("--vectors", type=Path, help="folder that `make` or `vectors` wrote (default: that of `make`)")
    parser.add_argument("--write", action="store_true", help=f"write the table into docs/{PAGE.name}")
    parser.set_defaults(run=_excerpt)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; an error is one sentence on stderr."""
    parsed = build_parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return int(parsed.run(parsed))
    except KeyboardInterrupt:
        print("Stopped. The same command resumes from here.", file=sys.stderr)
        return INTERRUPTED
    except (VecboardError, ClientError) as error:
        print(f"board: {error}", file=sys.stderr)
    return FAILED


def _make(parsed: argparse.Namespace) -> int:
    from research.board.entries import shipped_ids

    suite = get(parsed.suite)
    directory = parsed.out or _directory(suite)
    directory.mkdir(parents=True, exist_ok=True)
    shipped = {} if parsed.from_scratch else shipped_ids(suite)
    with Client(parsed.server, patience=0.5 if parsed.left else RESTART_SECONDS) as client:
        campaign = Campaign(
            suite, _chosen(parsed.only, suite), client, directory, _say, shipped=shipped, site_may_be_away=parsed.left
        )
        if parsed.left:
            _say(campaign.left())
            standings = campaign.standings()
        else:
            with running(client.server, suite.id, directory / "site.log", without_shipped=parsed.from_scratch):
                check_suite(client, suite)
                standings = campaign.run()
        for standing in standings:
            _say(f"  {standing.entry.title:44}{standing.state:12}{standing.message}")
    return DONE if parsed.left or all(standing.is_over for standing in standings) else LEFT


def _directory(suite: Suite) -> Path:
    """The folder of the files and the ledger."""
    return Path(os.environ.get("VECBOARD_VAR") or ROOT / "var") / "board" / f"{suite.id}-{suite.version}"


def _say(sentence: str) -> None:
    print(sentence, flush=True)


def _chosen(only: str, suite: Suite) -> tuple[BoardEntry, ...]:
    return tuple(board_entry(named.strip()) for named in only.split(",")) if only else board_entries(suite)


def _vectors(parsed: argparse.Namespace) -> int:
    from tasks.cli.tables import step_bar

    with step_bar(parsed.entry) as progress:
        made = make(trained(parsed.entry), get(parsed.suite), parsed.out, progress)
    print(f"wrote {made.vectors} and {made.criteria}")
    return DONE


def _list(parsed: argparse.Namespace) -> int:
    from benchmark.shipped.dump import OtherVersion
    from research.board.entries import costs
    from tasks.cli.tables import number, table

    try:
        priced = costs(get(parsed.suite), parsed.file)
    except OtherVersion as error:
        print(f"board: {error}", file=sys.stderr)
        priced = {}
    rows = []
    for entry in board_entries(get(parsed.suite)):
        cost = priced.get(entry.title)
        minutes_of_one = ("", "") if cost is None else (number(cost.training, 1), number(cost.measuring, 1))
        rows.append((f"{entry.id:20}{entry.title}", *minutes_of_one))
    print(table(("entry", "training", "measuring"), rows))
    if priced:
        minutes = sum(cost.total for cost in priced.values())
        print(f"\nMinutes with one job at a time; {minutes:,.0f} in all, half of that with two.")
    return DONE


def _excerpt(parsed: argparse.Namespace) -> int:
    suite = _with_database(parsed.suite)
    from benchmark.shipped.dump import dump_path
    from research.board.write import write_excerpt

    rows = []
    for entry in map(trained, parsed.entries):
        written = write_excerpt(entry, place(entry, parsed.vectors or _directory(suite)).vectors, dump_path(suite))
        same = f"{written.same:.1%}".replace("%", "\N{NO-BREAK SPACE}%")
        rows.append((entry.title, f"{written.bytes / 1e6:.1f}", same, f"{written.difference:.4f}"))
    head = ("Vectors", "MB", "The same among the ten nearest", "Largest difference of a cosine")
    text = "\n".join(pages.table(head, rows))
    if parsed.write:
        pages.put("excerpts", text, PAGE)
    else:
        print(text)
    return DONE


def _dump(parsed: argparse.Namespace) -> int:
    suite = _with_database(parsed.suite)
    from benchmark.shipped.dump import dump_path
    from research.board.write import dump

    path = parsed.file or dump_path(suite)
    count = dump(suite, path, fewer=parsed.fewer)
    print(f"{count} entries of {suite.id} version {suite.version} are in {path} ({path.stat().st_size:,} bytes).")
    return DONE


def _with_database(suite: str) -> Suite:
    """The suite, with the site's database set up."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmark.settings")
    django.setup()
    return get(suite)
