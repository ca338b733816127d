"""``vecboard submit FILE … --name NAME``: upload, and follow the run if asked to."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from vecboard.answers import Details, SubmissionStatus
from vecboard.client import Accepted, Client
from vecboard.commands.options import Commands, add_server, add_waiting
from vecboard.commands.report import add_demands, show
from vecboard.criteria import read_criteria
from vecboard.errors import Exit, Refused
from vecboard.fetch import Download
from vecboard.public import of_archive
from vecboard.sources import Vectors
from vecboard.tables import console
from vecboard.upload import Sent

TEXTS = ("description", "language", "licence", "corpus", "algorithm", "technical_notes")
WHOLE_NUMBERS = ("window", "iterations", "tokens")
NUMBERS = ("loss", "training_minutes")
MARKS = ("trained_on_task_data", "offers_download")


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "submit",
        help="upload a vector file",
        description="Uploads a vector file (a plain one is compressed first), or several runs of one setting: the "
        "first is evaluated on every task, all together for stability. The same command resumes an interrupted upload.",
    )
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE", help="vector file, or folder of a token model")
    parser.add_argument(
        "--from",
        dest="url",
        metavar="URL",
        help="download the file first, resuming if interrupted; of an archive, URL.zip:MEMBER",
    )
    parser.add_argument(
        "--fetch",
        dest="site_url",
        metavar="URL",
        help="let the site download the file, from a host that its operator has listed; of an archive, URL.zip:MEMBER",
    )
    parser.add_argument("--name", required=True, help="name of the vectors on the board")
    add_waiting(parser)
    said = parser.add_argument_group("details about the vectors")
    said.add_argument(
        "--track", choices=("prescribed", "other"), help="trained on the suite's corpus, or anything else"
    )
    said.add_argument("--visibility", choices=("public", "unlisted", "private", "anonymous"))
    for kind, names in ((str, TEXTS), (int, WHOLE_NUMBERS), (float, NUMBERS)):
        for name in names:
            said.add_argument(_option(name), type=kind, metavar="TEXT" if kind is str else "NUMBER")
    for name in MARKS:
        said.add_argument(_option(name), action="store_const", const=True)
    said.add_argument(
        "--criteria", type=Path, metavar="JSON", help="file of details written by `python -m tasks train`"
    )
    add_demands(parser)
    add_server(parser)
    parser.set_defaults(run=run)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def run(arguments: argparse.Namespace) -> int:
    """Upload, or let the site fetch; then print the submission's URL, or wait for the report."""
    if sum(map(bool, (arguments.files, arguments.url, arguments.site_url))) != 1:
        raise Refused("Give one file or several, or --from or --fetch with a URL.", "no-file")
    with Client(arguments.server) as client:
        accepted = _fetched(client, arguments) if arguments.site_url else _sent(client, arguments)
        return finish(client, accepted, arguments)


def finish(client: Client, accepted: Accepted, arguments: argparse.Namespace) -> int:
    """Print the submission's URL, or wait for its report and print that, as :func:`add_waiting` asks."""
    if not arguments.wait:
        answer = {"id": accepted.id, "url": accepted.url}
        print(json.dumps(answer) if arguments.json else f"{accepted.id}: {accepted.url}")
        return Exit.DONE
    console(error=True).print(f"{accepted.id}: {accepted.url}")
    _follow(client, accepted.id, arguments.timeout)
    return show(client, client.report(accepted.id), arguments)


def _fetched(client: Client, arguments: argparse.Namespace) -> Accepted:
    url, member = of_archive(arguments.site_url)
    return client.fetch(url, arguments.name, member, **said_of(arguments))


def _sent(client: Client, arguments: argparse.Namespace) -> Accepted:
    files: list[Vectors] = arguments.files
    download = None
    if arguments.url:
        url, member = of_archive(arguments.url)
        download = Download(url)
        with progress_bar(f"Downloading {download.path.name}") as arrived:
            path = download.fetch(arrived)
        files = [f"{path}:{member}" if member else path]
    with progress_bar(f"Sending {', '.join(Path(str(file)).name for file in files)}") as sent:
        accepted = client.submit(files, arguments.name, sent=sent, **said_of(arguments))
    if download:
        download.forget()
    return accepted


def said_of(arguments: argparse.Namespace) -> Details:
    """Details from the options, which override those that the training wrote."""
    details: dict[str, object] = dict(read_criteria(arguments.criteria)) if arguments.criteria else {}
    for name in (*TEXTS, *WHOLE_NUMBERS, *NUMBERS, *MARKS, "track", "visibility"):
        if getattr(arguments, name) is not None:
            details[name] = getattr(arguments, name)
    return cast(Details, details)


@contextmanager
def progress_bar(what: str) -> Iterator[Sent]:
    """A progress bar of bytes on stderr, if that is a terminal."""
    out = console(error=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=out, disable=not out.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda sent, total: bar.update(task, completed=sent, total=total or None)


def _follow(client: Client, submission: str, seconds: float | None) -> None:
    """Wait for the end, with a progress bar on stderr if that is a terminal."""
    out = console(error=True)
    with Progress(TextColumn("{task.description}"), BarColumn(), console=out, disable=not out.is_terminal) as bar:
        task = bar.add_task("Waiting", total=1.0)

        def tell(status: SubmissionStatus) -> None:
            progress = status["progress"]
            what = f"{status['state']}, {progress['done']} of {progress['total']} jobs done"
            bar.update(task, completed=progress["share"], description=what)

        client.wait(submission, seconds, tell)
