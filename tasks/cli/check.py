"""``python -m tasks check FILE``: is this file ready to upload?"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from tasks import suites
from tasks.cli.tables import add_json, add_suite, step_bar
from tasks.coverage import NOTHING_KNOWN, coverage_warnings
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.files import packed_model, temporary_folder
from tasks.formats import ReadRequest
from tasks.formats.reading import prepare
from tasks.guess_language import language_warnings, likely_language
from tasks.prepared import Prepared, open_prepared
from tasks.suite import Suite
from tasks.vectors import FileWarning, order_warnings
from tasks.word_list import words_to_try

READY, NOT_READY = 0, 2
READY_KEYS = ("words", "dimensions", "sha256", "read_as", "open_vocabulary")
"""Keys of ``--json`` for a file that is ready; null for other files."""
OTHER_WORDS = "other-words"
OTHER_WORDS_TRIED = (
    "The suite’s list of words can’t be made here, for lack of its corpus or data, so other words were composed: the "
    "number of words and the hash will be others on a site."
)
UNREADABLE = "The file cannot be read: {}. Check its name and permissions."
VECTORS = "vectors in any format that sites accept; archive.zip:member for a file in an archive"
FOLDER = f"{VECTORS}; the folder of a static token model"


def add_check(parser: argparse.ArgumentParser) -> None:
    parser.description = "Reads a vector file as a site would and reports errors. Exit status: 0 ready, 2 not ready."
    parser.add_argument("file", type=Path, metavar="FILE", help=FOLDER)
    add_json(parser, "print one JSON object instead of sentences")
    add_suite(parser, "compare words with this suite's tasks (default: %(default)s)")
    parser.add_argument("--language", default="en", help="language of the words, ISO 639-1 (default: %(default)s)")


def run_check(arguments: argparse.Namespace) -> int:
    """Check the file, print what was found, and return the exit status."""
    path: Path = arguments.file
    name = path.resolve().name if path.is_dir() else path.name
    suite, data = suites.get(arguments.suite), DataStore.default()
    try:
        with temporary_folder() as directory, step_bar("checking") as progress:
            file = (packed_model(path, directory) if path.is_dir() else None) or path
            others = directory / "words.txt"
            request = ReadRequest(file, words=lambda: words_to_try(suite, data, others))
            prepared = prepare(request, directory, progress=progress)
            of_list = (FileWarning(OTHER_WORDS, OTHER_WORDS_TRIED),) if others.exists() else ()
            embedding = open_prepared(prepared.directory, name=name, language=arguments.language)
            of_words = language_warnings(likely_language(embedding), embedding.language) + order_warnings(embedding)
            warnings = prepared.warnings + of_list + of_words + coverage_warnings(embedding, suite, data)
    except (InputError, OSError) as error:
        why = UNREADABLE.format(getattr(error, "strerror", None) or error)
        problem = error if isinstance(error, InputError) else InputError("unreadable", why)
        if arguments.json:
            _print_json(problem=problem)
        else:
            print(f"Not ready ({problem.code}): {problem.message}")
        return NOT_READY
    if arguments.json:
        _print_json(prepared, warnings)
    else:
        _print_ready(name, prepared, warnings)
    if note := not_compared(suite, arguments.language):
        print(note, file=sys.stderr)
    return READY


def not_compared(suite: Suite, language: str) -> str:
    """A sentence on the tasks whose words were not compared for lack of data on this machine; empty if none."""
    store = DataStore.default()
    tested = [task for task in suite.tasks if task.dataset and task.applies_to(language)]
    missing = [task.id for task in tested if task.dataset and not store.status(task.dataset).available]
    if not missing:
        return ""
    return (
        f"Not compared with the words of {len(missing)} of {len(tested)} tasks of {suite.id}, whose data is not on "
        f"this machine; the site compares them: {', '.join(missing)}. To list missing data and its sources: "
        f"python -m tasks datasets --suite {suite.id}"
    )


def _print_json(
    prepared: Prepared | None = None, warnings: tuple[FileWarning, ...] = (), problem: InputError | None = None
) -> None:
    answer = {
        "ready": problem is None,
        **{name: getattr(prepared, name, None) for name in READY_KEYS},
        "warnings": [asdict(warning) for warning in warnings],
        "error": problem.as_dict() if problem else None,
    }
    print(json.dumps(answer, ensure_ascii=False))


def _print_ready(name: str, prepared: Prepared, warnings: tuple[FileWarning, ...]) -> None:
    ready = "Readable" if any(warning.code == NOTHING_KNOWN for warning in warnings) else "Ready"
    print(f"{ready}: {name} has {prepared.words:,} words of {prepared.dimensions:,} dimensions ({prepared.read_as}).")
    print(f"Hash of words and vectors: {prepared.sha256}")
    if prepared.open_vocabulary and not any(warning.code == OTHER_WORDS for warning in warnings):
        print("Open vocabulary: composed for the suite's list of words, which “python -m tasks words” writes.")
    for warning in warnings:
        print(f"Warning ({warning.code}): {warning.message}")
