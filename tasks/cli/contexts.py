"""``python -m tasks contexts CORPUS VECTORS``: do two groups of a corpus use a word differently?"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from tasks.associations.contexts import Contexts, Tokens
from tasks.associations.groups import GroupComparison, compare_groups
from tasks.cli.compare import chosen
from tasks.cli.tables import as_json, number, table
from tasks.datasets.examples import Document
from tasks.datasets.packing import open_unpacked
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.formats import ReadRequest, read
from tasks.left_out import LeftOut
from tasks.local_training.corpora import documents_of
from tasks.magic import GZIP
from tasks.political.subgroups import having, named_groups, of_years, split_documents
from tasks.suites import get
from tasks.word_list import words_for

SHOWN = 5


def run(arguments: argparse.Namespace) -> int:
    """Print the comparison of every target; 1 if one of them has none."""
    left_out = LeftOut()
    documents = having(_documents(arguments, left_out), arguments.by, left_out)
    found = split_documents(documents, arguments.by)
    names = named_groups(arguments.groups, found, arguments.by) if arguments.groups else list(found)[:2]
    values = [dict(document.metadata)[arguments.by] for document in documents]
    places = {name: [i for i, value in enumerate(values) if value == name] for name in names}
    suite = get(arguments.suite)
    vectors = read(ReadRequest(arguments.vectors, words=words_for(suite)))
    contexts = Contexts.learn(Tokens.of(documents), vectors, suite.look_up)
    answers: dict[str, GroupComparison] = {}
    troubles: dict[str, str] = {}
    for target in _targets(arguments):
        try:
            answers[target] = compare_groups(contexts, target, places)
        except InputError as error:
            troubles[target] = error.message
    if arguments.json:
        body = {
            "fidelity": contexts.fidelity,
            "targets": {target: asdict(one) for target, one in answers.items()},
            "without": troubles,
        }
        print(as_json(body))
    else:
        print(contexts_table(contexts, answers, troubles))
    if left_out.count:
        print(left_out.sentence("Documents"), file=sys.stderr)
    return 1 if troubles else 0


def contexts_table(contexts: Contexts, answers: dict[str, GroupComparison], troubles: dict[str, str]) -> str:
    """Tables for a terminal."""
    head = ("target", "distance", "95 % from", "to", "p")
    rows = []
    lines = []
    for target, one in answers.items():
        low, high = one.interval or (None, None)
        rows.append((target, number(one.distance, 3), number(low, 3), number(high, 3), number(one.p, 3)))
        for name, group in one.groups.items():
            near = ", ".join(neighbour.word for neighbour in group.neighbours[:SHOWN])
            lines.append((target, name, str(group.documents), str(group.occurrences), near))
    parts = [table(head, rows)] if rows else []
    if lines:
        parts.append(table(("target", "group", "documents", "occurrences", "nearest"), lines))
    parts += [f"{target}: {trouble}" for target, trouble in troubles.items()]
    parts.append(
        f"{len(contexts.tokens.ids):,} tokens; mean cosine of frequent words with their à la carte vectors: "
        f"{contexts.fidelity:.3f}"
    )
    return "\n\n".join(parts)


def _targets(arguments: argparse.Namespace) -> list[str]:
    if arguments.target:
        return [word.strip() for word in arguments.target.split(",") if word.strip()]
    cues, _ = chosen(arguments.cues, None, "en")
    return cues or []


def _documents(arguments: argparse.Namespace, left_out: LeftOut) -> list[Document]:
    """The documents of a collection or of a file of JSON lines, of the chosen years."""
    path = Path(arguments.corpus)
    if arguments.corpus in REGISTRY or not path.is_file():
        documents = documents_of(arguments.corpus, DataStore.default())
    else:
        documents = list(_json_lines(path, left_out))
        if not documents:
            left_out.refuse()
            raise InputError("no-documents", f"{path.name} is empty.", field="corpus")
    return of_years(documents, arguments.first, arguments.last, left_out)


def _json_lines(path: Path, left_out: LeftOut) -> Iterator[Document]:
    """The documents of a file; lines that are not one are added to ``left_out``.

    Raises
    ------
    InputError
        a line is not UTF-8: then the whole file is in another encoding.
    """
    with path.open("rb") as file:
        is_gzipped = file.read(len(GZIP)) == GZIP
    with open_unpacked(path, gzipped=is_gzipped) as lines:
        for i, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                stored = json.loads(line.decode("utf-8-sig"))
            except UnicodeDecodeError:
                raise _wrong(path, i, "is not UTF-8. Save the file as UTF-8.") from None
            except (ValueError, RecursionError):
                stored = None
            if not isinstance(stored, dict):
                left_out.add(_wrong(path, i, "is not a JSON object. Write one object per line."))
            elif not isinstance(stored.get("text"), str):
                found = "no “text”" if "text" not in stored else f"a “text” that is {_kind(stored['text'])}"
                left_out.add(_wrong(path, i, f"has {found}. Give every object a “text” that is a string."))
            else:
                known = {key: str(value) for key, value in stored.items() if key != "text" and value is not None}
                yield Document(f"on line {i} of {path.name}", "", stored["text"], tuple(known.items()))


def _wrong(path: Path, line: int, what: str) -> InputError:
    return InputError("not-json-lines", f"Line {line} of {path.name} {what}", line=line, field="corpus")


def _kind(value: object) -> str:
    """What a JSON value is, in words."""
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null")
