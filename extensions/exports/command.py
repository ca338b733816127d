"""``export REPORT``: a report in a form of others."""

from __future__ import annotations

import argparse
from pathlib import Path

from extensions.exports.measure.forms import WRITERS, Export, write_mteb
from tasks import suites
from tasks.answers import EXPORT_FORMS
from tasks.cli.evaluate import read_report
from tasks.cli.tables import existing
from tasks.errors import InputError
from tasks.files import write_whole

EXPORT = """\
The judged scores with their 95 % intervals, numbers of test examples, data sets and licences; descriptive scores are
left out. The tasks are those of the suite: scores of MTEB's tasks with similar names are not comparable with them.

Examples:
  python -m tasks export report.json --form model-index --name me/my-vectors
  python -m tasks export report.json --form every-eval-ever --out my-vectors.json
  python -m tasks export report.json --form mteb --out results/
"""


def add_export(parser: argparse.ArgumentParser) -> None:
    parser.description = "Writes a report in a form of others."
    parser.epilog = EXPORT
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "report", type=existing, metavar="REPORT", help="report written by evaluate --out, or by a site"
    )
    parser.add_argument("--form", choices=EXPORT_FORMS, required=True)
    parser.add_argument("--name", help="name of the model on its hub, such as me/my-vectors (default: the report's)")
    parser.add_argument("--url", default="", help="page of the report, for a link to it")
    parser.add_argument(
        "--out", type=Path, metavar="PATH", help="file (default: print it), or for mteb the folder of all results"
    )


def run_export(arguments: argparse.Namespace) -> int:
    """Print the report in the form, or write it: MTEB's as the files of its results folder."""
    report = read_report(arguments.report, field="report")
    name, written = arguments.name or report.vectors["name"], arguments.report.stat().st_mtime
    export = Export(report, suites.get(report.suite["id"]), name, written, arguments.url)
    try:
        if arguments.out is None:
            print(WRITERS[arguments.form](export), end="")
        elif arguments.form == "mteb":
            print(write_mteb(export, arguments.out))
        else:
            write_whole(arguments.out, WRITERS[arguments.form](export))
    except (FileNotFoundError, FileExistsError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
        raise InputError("out", f"{arguments.out} cannot be written: {error.strerror}.", field="out") from None
    return 0
