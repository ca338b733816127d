"""``python -m tasks bundle REPORT --out FILE.zip``: an unsigned bundle of a report."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from extensions.verify.measure import bundle
from extensions.verify.measure.crate import About
from tasks.cli.evaluate import read_report
from tasks.cli.tables import existing, writable
from tasks.files import whole


def add_bundle(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Writes a report and its outcomes in an unsigned bundle, which `python -m tasks verify` checks."
    )
    parser.add_argument("report", type=existing, metavar="REPORT", help="report written by evaluate --out")
    parser.add_argument("--out", type=writable, required=True, metavar="FILE", help="file to write, a zip archive")


def run_bundle(arguments: argparse.Namespace) -> int:
    """Write the bundle."""
    report = read_report(arguments.report, field="report")
    with whole(arguments.out) as partial, partial.open("wb") as file:
        bundle.write(file, report, About(datetime.now(UTC).date()))
    return 0
