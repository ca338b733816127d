"""``python -m tasks treebank``: check the CoNLL-U files of a treebank, and print their tables of its declaration."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

from tasks.datasets.examples import PARTS, Example, TaggedSentence
from tasks.datasets.packing import open_unpacked
from tasks.datasets.readers.conllu import Conllu


def run(arguments: argparse.Namespace) -> int:
    """Read every part; print it as TOML, with what it holds as a comment.

    Raises
    ------
    DamagedData
        a file is not CoNLL-U; the message names the line.
    """
    parts = {part: _read(getattr(arguments, part)) for part in PARTS}
    trained = set(parts["train"][1])
    for part, (table, sentences) in parts.items():
        words = sum(len(sentence.words) for sentence in sentences if isinstance(sentence, TaggedSentence))
        repeated = sum(sentence in trained for sentence in sentences) if part != "train" else 0
        held = f"{len(sentences):,} sentences, {words:,} words" + (f", {repeated:,} also in train" if repeated else "")
        print(f"\n[{arguments.id}.{part}]  # {held}\n{table}")
    return 0


def _read(path: Path) -> tuple[str, list[Example]]:
    """The lines of a part's table, and its sentences."""
    with open_unpacked(path, gzipped=path.suffix == ".gz") as file:
        content = file.read()
    (sentences,) = Conllu({"part": [path.name]})(lambda _: content).values()
    sha256 = hashlib.sha256(content).hexdigest()
    return f'file = "{path.name}"\nbytes = {len(content)}\nsha256 = "{sha256}"', sentences
