"""``python -m tasks tag``: a corpus in which half of the occurrences of some words are marked."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tasks.cli.options import Commands
from tasks.datasets.packing import packed_writer
from tasks.datasets.store import DataStore
from tasks.files import whole
from tasks.local_training.corpora import corpus
from tasks.political.separability import MARK, TAGGED_WORDS, tagged_lines, tagging


def register(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "tag",
        help="write a corpus with marked words, for separability",
        description=f"Marks a random half (seeded) of the occurrences of some words with {MARK}, so that vectors "
        "trained on the text show how near the two halves are. Train on the file, then evaluate the task separability.",
    )
    parser.add_argument("corpus", help="id of a text collection, or a text file, plain or gzipped")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="gzipped if the name ends in .gz")
    parser.add_argument("--words", type=int, default=TAGGED_WORDS, help="number of words (default %(default)s)")
    parser.add_argument("--minimum-count", type=int, default=10, help="minimum count you will train with (default 10)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--punctuation", action="store_true", help="keep tokens without a letter")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the text, and the marked words beside it as JSON."""
    text = corpus(arguments.corpus, DataStore.default(), punctuation=arguments.punctuation)
    chosen = tagging(text.read, count=arguments.words, minimum_count=arguments.minimum_count, seed=arguments.seed)
    with whole(arguments.out) as partial, packed_writer(partial, gzipped=arguments.out.suffix == ".gz") as file:
        file.writelines(f"{line}\n".encode() for line in tagged_lines(text.read, chosen))
    note = arguments.out.with_name(f"{arguments.out.name}.words.json")
    about = {"corpus": text.title, "licence": text.licence, "seed": arguments.seed, "words": list(chosen)}
    note.write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{arguments.out}: {len(chosen)} words of {text.title} tagged; licence {text.licence}")
    return 0
