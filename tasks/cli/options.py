"""Types of arguments and options shared by several commands."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tasks.files import of_archive
from tasks.formats.problems import folder_given

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def positive(text: str) -> int:
    """An integer of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer of at least 1")
    return int(text)


def existing(text: str) -> Path:
    """The path of a file that can be read, or of a file in an archive (``archive.zip:member``)."""
    path, _ = of_archive(Path(text))
    if path.is_dir():
        raise argparse.ArgumentTypeError(folder_given(path).message)
    if not path.is_file() or not os.access(path, os.R_OK):
        raise argparse.ArgumentTypeError(f"{text!r} is not a file that can be read")
    return Path(text)


def writable(text: str) -> Path:
    """The path of a file that can be written."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a directory, not a file")
    at = path if path.exists() else path.parent
    if not (path.exists() or at.is_dir()) or not os.access(at, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written; check that its directory exists")
    return path


def add_json(parser: argparse.ArgumentParser, words: str = "print one JSON object") -> None:
    parser.add_argument("--json", action="store_true", help=words)


def add_suite(parser: argparse.ArgumentParser, words: str = "default: %(default)s") -> None:
    """Add ``--suite``."""
    from tasks.suites import DEFAULT, SUITES

    parser.add_argument("--suite", choices=SUITES, default=DEFAULT, help=words)
