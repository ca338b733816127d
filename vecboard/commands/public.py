"""``vecboard public [ID]``: vectors that others have published, and how to add one to a site."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.table import Table

from vecboard.client import Client
from vecboard.commands.options import Commands, add_server
from vecboard.commands.report import add_demands
from vecboard.commands.submit import finish, progress_bar
from vecboard.errors import Exit
from vecboard.fetch import fetch, forget
from vecboard.public import PUBLIC, public_entry
from vecboard.tables import console


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "public",
        help="list published vectors, or add one to a site",
        description="Without ID, lists published vectors such as GloVe 6B. With ID, downloads them from their "
        "canonical source (an interrupted download resumes), compares them with their hash, and submits them with "
        "their licence and citation.",
    )
    parser.add_argument("entry", nargs="?", metavar="ID", help="see the list")
    parser.add_argument("--file", type=Path, metavar="PATH", help="a copy of the download (file, wheel, model folder)")
    parser.add_argument("--wait", action="store_true", help="wait for the report and print it")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="limit of --wait (default: none)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of sentences")
    add_demands(parser)
    add_server(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or fetch and submit one of it."""
    if arguments.entry is None:
        console().print(public_table())
        return Exit.DONE
    entry = public_entry(arguments.entry)
    with TemporaryDirectory(prefix="vecboard-") as folder, Client(arguments.server) as client:
        with progress_bar(f"Downloading {entry.title}") as arrived:
            file = fetch(entry, Path(folder), arrived, arguments.file)
        with progress_bar(f"Sending {entry.title}") as sent:
            accepted = client.submit(file, entry.title, sent=sent, **entry.details())
        forget(entry)
        return finish(client, accepted, arguments)


def public_table() -> Table:
    """Every public entry, with what its download takes."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("ID", "Vectors", "Licence", "Language", "Download"):
        table.add_column(title)
    for entry in PUBLIC:
        vocabulary = ", open vocabulary" if entry.has_open_vocabulary else ""
        download = f"{entry.megabytes:,.0f} MB, {entry.form}"
        table.add_row(entry.id, f"{entry.title}{vocabulary}", entry.work.licence, entry.language, download)
    return table
