"""``treebank``: check the CoNLL-U files of a treebank, and print the tables of its declaration."""

from __future__ import annotations

import argparse
import hashlib
import sys
from itertools import count
from pathlib import Path

from tasks.cli.tables import existing
from tasks.datasets.dataset import DamagedData, open_unpacked
from tasks.datasets.examples import PARTS, TaggedSentence
from tasks.datasets.readers import Lines
from tasks.datasets.tagged import sentences_of
from tasks.text import LeftOut


def add_treebank(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Reads three CoNLL-U files like the site, and prints the tables of their declaration with sizes "
        "and hashes. Exit status: 0, or 2 if a file is not CoNLL-U."
    )
    parser.add_argument("id", help="of the treebank, such as ud-german-gsd")
    for part in PARTS:
        parser.add_argument(part, type=existing, help=f"file of the {part} part")


def run_treebank(arguments: argparse.Namespace) -> int:
    """Print every part as TOML, with its contents in a comment, and sentences left out on stderr."""
    parts = {part: _read(getattr(arguments, part)) for part in PARTS}
    trained = {(sentence.words, sentence.tags) for sentence in parts["train"][1]}
    for part, (table, sentences) in parts.items():
        words = sum(len(sentence.words) for sentence in sentences)
        repeated = sum((sentence.words, sentence.tags) in trained for sentence in sentences) if part != "train" else 0
        held = f"{len(sentences):,} sentences, {words:,} words" + (f", {repeated:,} also in train" if repeated else "")
        print(f"\n[{arguments.id}.{part}]  # {held}\n{table}")
    return 0


def _read(path: Path) -> tuple[str, list[TaggedSentence]]:
    """The lines of a part's table, and its sentences."""
    with open_unpacked(path, gzipped=path.suffix == ".gz") as file:
        content = file.read()
    left_out = LeftOut()
    sentences = list(sentences_of(Lines(path.name, content), left_out, count()))
    if not sentences:
        left_out.refuse()
        raise DamagedData(f"{path.name} has no sentence.")
    if left_out.count:
        print(f"{path.name}: {left_out.sentence('Sentences')}", file=sys.stderr)
    sha256 = hashlib.sha256(content).hexdigest()
    return f'file = "{path.name}"\nbytes = {len(content)}\nsha256 = "{sha256}"', sentences
