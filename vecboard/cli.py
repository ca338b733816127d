"""The console command ``vecboard``: login, submissions, and public vectors."""

from __future__ import annotations

import argparse
import getpass
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.table import Table

from tasks.answers import Details, SubmissionStatus
from tasks.cli import main as command_of_tasks
from tasks.cli import status_of
from tasks.files import temporary_folder
from tasks.text import allow_any_terminal
from vecboard import follow_commands
from vecboard.client import Accepted, Client
from vecboard.connection import VERSION, Exit, Refused, server_address
from vecboard.fetch import SAVED_AS, Download, SavedVectors, fetch, forget, save_public
from vecboard.follow_commands import Commands, add_demands, add_server, add_waiting, check_demands, console, show
from vecboard.keyring import Keyring
from vecboard.public import PUBLIC, of_archive, public_entry
from vecboard.sources import Vectors, read_criteria
from vecboard.upload import Sent

TEXTS = ("description", "authors", "language", "licence", "public_from", "corpus", "algorithm", "technical_notes")
WHOLE_NUMBERS = ("window", "iterations", "tokens")
NUMBERS = ("loss", "training_minutes")
MARKS = ("trained_on_task_data", "offers_download")
OF_TASKS = {"check": "is this vector file ready to upload?", "verify": "is a bundle what was measured?"}
"""Commands that need no server."""


def add_submit(commands: Commands) -> None:
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
    about = parser.add_argument_group("details about the vectors")
    about.add_argument(
        "--track", choices=("prescribed", "other"), help="trained on the suite's corpus, or anything else"
    )
    about.add_argument("--visibility", choices=("public", "unlisted", "private", "anonymous"))
    for kind, names in ((str, TEXTS), (int, WHOLE_NUMBERS), (float, NUMBERS)):
        for name in names:
            about.add_argument(_option(name), type=kind, metavar="TEXT" if kind is str else "NUMBER")
    for name in MARKS:
        about.add_argument(_option(name), action="store_const", const=True)
    about.add_argument(
        "--criteria", type=Path, metavar="JSON", help="file of details written by `python -m tasks train`"
    )
    add_demands(parser)
    add_server(parser)
    parser.set_defaults(run=run_submit)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def run_submit(arguments: argparse.Namespace) -> int:
    """Upload or have the site fetch; then print the submission's URL, or wait for the report."""
    if sum(map(bool, (arguments.files, arguments.url, arguments.site_url))) != 1:
        raise Refused("Give one file or several, or --from or --fetch with a URL.", "no-file")
    with Client(arguments.server) as client:
        check_demands(client, arguments)
        if arguments.site_url:
            url, member = of_archive(arguments.site_url)
            accepted = client.fetch(url, arguments.name, member, **details_of(arguments))
        else:
            accepted = _sent(client, arguments)
        if arguments.visibility == "private" and not client.token:
            server = f" --server {arguments.server}" if arguments.server else ""
            link = f"vecboard status {accepted.id} --owner-link{server}"
            console(error=True).print(f"Only you can see it; `{link}` prints the link for your browser.")
        return finish(client, accepted, arguments)


def finish(client: Client, accepted: Accepted, arguments: argparse.Namespace) -> int:
    """Print the submission's URL or, with ``--wait``, its report (:func:`add_waiting`)."""
    if not arguments.wait:
        answer = {"id": accepted.id, "url": accepted.url}
        print(json.dumps(answer) if arguments.json else f"{accepted.id}: {accepted.url}")
        return Exit.DONE
    console(error=True).print(f"{accepted.id}: {accepted.url}")
    _follow(client, accepted.id, arguments.timeout)
    return show(client, accepted.id, client.report(accepted.id), arguments)


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
        accepted = client.submit(files, arguments.name, sent=sent, **details_of(arguments))
    if download:
        download.forget()
    return accepted


def details_of(arguments: argparse.Namespace) -> Details:
    """Details from the options, which override those in the file written by the training."""
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
            what = f"{status['state']}, {progress['done']} of {progress['total']} cells done"
            bar.update(task, completed=progress["share"], description=what)

        client.wait(submission, seconds, tell)


def add_public(commands: Commands) -> None:
    parser = commands.add_parser(
        "public",
        help="list published vectors, save one as a file, or add one to a site",
        description="Without ID, lists published vectors such as GloVe 6B. With ID, downloads them from their "
        "canonical source (an interrupted download resumes), compares them with their hash, and submits them with "
        "their licence and citation, or with --save writes them to a file.",
    )
    parser.add_argument("entry", nargs="?", metavar="ID", help="see the list")
    parser.add_argument("--file", type=Path, metavar="PATH", help="a copy of the download (file, wheel, model folder)")
    saving = parser.add_argument_group("save them as a file, without a server")
    saving.add_argument("--save", type=Path, metavar="FILE", help=f"format by its suffix: {', '.join(SAVED_AS)}")
    saving.add_argument("--overwrite", action="store_true", help="replace FILE if it exists")
    saving.add_argument(
        "--words", type=Path, metavar="LIST", help="of an open vocabulary, compose these words, one per line"
    )
    add_waiting(parser)
    add_demands(parser)
    add_server(parser)
    parser.set_defaults(run=run_public)


def run_public(arguments: argparse.Namespace) -> int:
    """Print the list, or fetch one entry and submit or save it."""
    if arguments.entry is None and (arguments.save or arguments.file):
        raise Refused("Name the vectors by their ID; `vecboard public` lists them.", "no-entry")
    if not arguments.save and (arguments.overwrite or arguments.words):
        raise Refused("--overwrite and --words belong to --save FILE.", "no-file")
    if arguments.entry is None:
        console().print(public_table())
        return Exit.DONE
    entry = public_entry(arguments.entry)
    if arguments.save:
        with progress_bar(f"Fetching and reading {entry.title}") as arrived:
            saved = save_public(
                entry.id, arguments.save, overwrite=arguments.overwrite, words=arguments.words, file=arguments.file,
                on_progress=arrived,
            )  # fmt: skip
        show_saved(saved, as_json=arguments.json)
        return Exit.DONE
    with temporary_folder() as folder, Client(arguments.server) as client:
        check_demands(client, arguments)
        with progress_bar(f"Downloading {entry.title}") as arrived:
            file = fetch(entry, folder, arrived, arguments.file)
        with progress_bar(f"Sending {entry.title}") as sent:
            accepted = client.submit(file, entry.title, sent=sent, **entry.details())
        forget(entry)
        return finish(client, accepted, arguments)


def show_saved(saved: SavedVectors, *, as_json: bool) -> None:
    """Print a saved file's contents, hash, licence, citation and source."""
    work = saved.entry.work
    facts = {
        "file": str(saved.path), "words": saved.words, "dimensions": saved.dimensions, "sha256": saved.sha256,
        "compared": saved.is_as_published, "licence": work.licence, "citation": work.citation,
        "source": str(saved.entry.source),
    }  # fmt: skip
    if as_json:
        print(json.dumps(facts, ensure_ascii=False))
        return
    print(f"{saved.path}: {saved.words:,} words of {saved.dimensions:,} dimensions.")
    print(f"Hash of words and vectors: {saved.sha256}")
    print("The recipe’s hash is the same." if saved.is_as_published else "Not compared: no hash is stated.")
    print(f"Licence: {work.licence}\nCite: {work.citation}\nSource: {saved.entry.source}")


def public_table() -> Table:
    """Table of all public entries, with the size of their download."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("ID", "Vectors", "Licence", "Language", "Download"):
        table.add_column(title)
    for entry in PUBLIC:
        vocabulary = ", open vocabulary" if entry.has_open_vocabulary else ""
        download = f"{entry.megabytes:,.0f} MB, {entry.form}"
        table.add_row(entry.id, f"{entry.title}{vocabulary}", entry.work.licence, entry.language, download)
    return table


EPILOGUE = """\
The server is --server, else VECBOARD_URL, else http://127.0.0.1:8000. The token is VECBOARD_TOKEN, else the one stored
by `vecboard login` in a file that only you can read.

Exit status: 0 done; 1 the report misses --at-least or is inferior; 2 rejected (correct the file, token or argument);
3 the server is busy or unreachable (try later); 4 there is no report; 5 not finished in --timeout; 6 can't tell whether
it is inferior; 70 an error in the program.
"""


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command."""
    parser = argparse.ArgumentParser(
        prog="vecboard",
        description="Evaluate word embeddings on a Vecboard server.",
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"vecboard {VERSION}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    # These have the options of ``python -m tasks``, which is loaded when they run.
    for name, summary in OF_TASKS.items():
        subparsers.add_parser(name, help=summary, add_help=False)
    _add_login(subparsers)
    add_submit(subparsers)
    add_public(subparsers)
    follow_commands.add_status(subparsers)
    follow_commands.add_steering(subparsers)
    follow_commands.add_report(subparsers)
    follow_commands.add_bundle(subparsers)
    follow_commands.add_board(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; errors are one sentence on stderr, with an exit status for their kind."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    if argv and argv[0] in OF_TASKS:  # nothing is sent
        return command_of_tasks(argv, program="vecboard")
    allow_any_terminal()
    return status_of(build_parser().parse_args(argv))


def _add_login(commands: Commands) -> None:
    parser = commands.add_parser(
        "login",
        help="store a token for a server",
        description="Asks for a token, or reads it from standard input, and stores it in the keyring file with mode "
        "600. Create tokens on the site's page /account/tokens.",
    )
    add_server(parser)
    parser.add_argument("--forget", action="store_true", help="delete everything stored for the server")
    parser.set_defaults(run=_login)


def _login(arguments: argparse.Namespace) -> int:
    """Store or delete the token."""
    server, keyring = server_address(arguments.server), Keyring()
    if arguments.forget:
        keyring.forget(server)
        print(f"Everything stored for {server} was deleted.")
        return Exit.DONE
    token = (getpass.getpass("Token: ") if sys.stdin.isatty() else sys.stdin.readline()).strip()
    if not token or not token.isascii() or any(character.isspace() for character in token):
        raise Refused("That is not a token; copy all of it, without spaces.", "token")
    keyring.keep_token(server, token)
    print(f"The token for {server} is stored in {keyring.path}.")
    return Exit.DONE
