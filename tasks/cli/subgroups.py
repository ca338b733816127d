"""``python -m tasks subgroups``: split a corpus by its metadata; compare each group's vectors with a reference."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from tasks.cli.compare import chosen
from tasks.cli.tables import as_json, number, table
from tasks.datasets.packing import packed_writer
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.files import whole
from tasks.formats import ReadRequest, read
from tasks.left_out import LeftOut
from tasks.local_training.corpora import documents_corpus, documents_of
from tasks.political.cues import random_cues
from tasks.political.subgroups import (
    Subgroups,
    compare_subgroups,
    having,
    named_groups,
    of_years,
    split_at,
    split_documents,
)
from tasks.suites import DEFAULT, get
from tasks.vectors import Embedding
from tasks.word_list import words_for


def run(arguments: argparse.Namespace) -> int:
    """Split or compare, as the action says."""
    return _split(arguments) if arguments.action == "split" else _compare(arguments)


def _split(arguments: argparse.Namespace) -> int:
    """Write ``CORPUS-VALUE.txt.gz`` for every group; print the size of each."""
    left_out = LeftOut()
    documents = of_years(documents_of(arguments.corpus, DataStore.default()), arguments.first, None, left_out)
    by = arguments.by if arguments.at is None else "period"
    if arguments.at is None:
        groups = split_documents(having(documents, by, left_out), by)
    else:
        groups = split_at(documents, arguments.at, left_out)
    wanted = named_groups(arguments.groups, groups, by) if arguments.groups else list(groups)
    arguments.out.mkdir(parents=True, exist_ok=True)
    licence = REGISTRY[arguments.corpus].licence
    rows = []
    for name in wanted:
        path = arguments.out / f"{arguments.corpus}-{_slug(name)}.txt.gz"
        text = documents_corpus(arguments.corpus, name, licence, groups[name])
        rows.append((str(path), name, f"{len(groups[name]):,}", f"{_write(path, text.read()):,}"))
    print(table(("file", by, "documents", "tokens"), rows))
    print(f"licence: {licence}")
    if left_out.count:
        print(left_out.sentence("Documents"), file=sys.stderr)
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    """Print each group's agreement with the reference, and the differences."""
    groups = _groups(arguments.group)
    words = words_for(get(DEFAULT))
    reference = read(ReadRequest(arguments.reference, words=words))
    embeddings = {name: [read(ReadRequest(path, words=words)) for path in paths] for name, paths in groups.items()}
    files = [reference, *(file for runs in embeddings.values() for file in runs)]
    found = compare_subgroups(embeddings, reference, _cues(arguments, files))
    print(as_json(asdict(found)) if arguments.json else subgroups_table(found))
    return 0


def _cues(arguments: argparse.Namespace, files: list[Embedding]) -> list[str]:
    cues, sets = chosen(arguments.cues, None, arguments.language)
    if "random" in sets:
        common = set(files[0].words).intersection(*(file.words for file in files[1:]))
        return random_cues(common)
    if cues is None:
        raise InputError("no-cues", "--cues takes one list of cues, or random.", field="cues")
    return cues


def subgroups_table(found: Subgroups) -> str:
    """Tables for a terminal."""
    groups = [
        (name, str(figures.n), number(figures.mean), number(figures.se), number(figures.min), number(figures.max))
        for name, figures in found.groups.items()
    ]
    differences = [
        (
            f"{item.first} − {item.second}",
            str(item.cues),
            f"{item.mean:+.4f}",
            f"{item.interval[0]:+.4f} to {item.interval[1]:+.4f}" if item.interval else "–",
            number(item.p),
        )
        for item in found.differences
    ]
    unknown = [cue for cue, figures in found.cues.items() if figures is None]
    lines = [
        f"{found.common_words:,} common words",
        "",
        table(("group", "cues", "mean Pearson", "standard error", "min", "max"), groups),
        "",
        table(("difference", "cues", "mean", "95 % interval", "p (Wilcoxon)"), differences),
    ]
    return "\n".join([*lines, *([f"out of vocabulary in a file: {', '.join(unknown)}"] if unknown else [])])


def _write(path: Path, lines: Iterable[str]) -> int:
    tokens = 0
    with whole(path) as partial, packed_writer(partial, gzipped=True) as file:
        for line in lines:
            tokens += line.count(" ") + 1
            file.write(f"{line}\n".encode())
    return tokens


def _groups(texts: list[str]) -> dict[str, list[Path]]:
    groups: dict[str, list[Path]] = {}
    for name, files in map(_group, texts):
        if name in groups:
            message = f"The group “{name}” is given twice. Give all its runs in one --group, separated by commas."
            raise InputError("group-twice", message, field="group")
        groups[name] = files
    return groups


def _group(text: str) -> tuple[str, list[Path]]:
    name, separator, files = text.partition("=")
    if not separator or not name or not files:
        message = f"“{text}” is not a group: write its name, =, and its files, as in Whig=a.txt.gz,b.txt.gz."
        raise InputError("no-group", message, field="group")
    return name, [Path(file) for file in files.split(",")]


def _slug(name: str) -> str:
    return re.sub(r"\W+", "-", name.lower()).strip("-")
