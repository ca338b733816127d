"""``python -m tasks tag``: a corpus in which half of the occurrences of some words are marked."""

from __future__ import annotations

import argparse
import json

from tasks.datasets.files import packed_writer
from tasks.datasets.store import DataStore
from tasks.files import whole
from tasks.local_training.corpora import corpus
from tasks.political.separability import TAGGED_WORDS, tagged_lines, tagging


def run(arguments: argparse.Namespace) -> int:
    """Write the text, and the marked words beside it as JSON."""
    text = corpus(arguments.corpus, DataStore.default(), punctuation=arguments.punctuation)
    count = arguments.words or TAGGED_WORDS
    chosen = tagging(text.read, count=count, minimum_count=arguments.minimum_count, seed=arguments.seed)
    with whole(arguments.out) as partial, packed_writer(partial, gzipped=arguments.out.suffix == ".gz") as file:
        file.writelines(f"{line}\n".encode() for line in tagged_lines(text.read, chosen))
    note = arguments.out.with_name(f"{arguments.out.name}.words.json")
    about = {"corpus": text.title, "licence": text.licence, "seed": arguments.seed, "words": list(chosen)}
    note.write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{arguments.out}: {len(chosen)} words of {text.title} tagged; licence {text.licence}")
    return 0
