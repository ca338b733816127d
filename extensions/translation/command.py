"""``translate``: a dictionary's translations among the nearest words of another vector file."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path

from extensions.shared.measure.texts import text_of
from extensions.shared.measure.vectors import read_for
from extensions.translation.measure.translation import Translation, first_words, read_dictionary, translate
from tasks.cli.tables import add_json, as_json, ends, existing, number, positive, step_bar, table
from tasks.suite import Suite
from tasks.suites import DEFAULT, get
from tasks.vectors import Embedding


def add_translate(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Aligns two vector files of equal dimensions by a rotation (orthogonal Procrustes) learnt from "
        "half of a bilingual dictionary's words, and prints how many words of the other half have a right translation "
        "among the first 1, 5 and 10 words, by cosine and by CSLS (Conneau et al. 2018)."
    )
    parser.epilog = (
        "A dictionary has MUSE's format: a word, a space, tab or comma, and its translation per line, UTF-8; a word "
        "may have several lines."
    )
    parser.add_argument("a", type=existing, help="vector file of the dictionary's first side")
    parser.add_argument("b", type=existing, help="vector file of its second side")
    parser.add_argument("--dictionary", type=existing, required=True, metavar="FILE", help="pairs of words")
    parser.add_argument("--seeds", type=positive, default=3, help="random splits to measure (default %(default)s)")
    parser.add_argument(
        "--most-words", type=positive, default=200_000, help="first words of each file to use (default %(default)s)"
    )
    add_json(parser)


def run_translate(arguments: argparse.Namespace) -> int:
    """Print the precision of translations."""
    dictionary = read_dictionary(text_of(arguments.dictionary.read_bytes(), "the dictionary", field="dictionary"))
    suite = get(DEFAULT)
    left, right = (_first_words(path, suite, arguments.most_words) for path in (arguments.a, arguments.b))
    with step_bar("translate") as progress:
        seeds = range(arguments.seeds)
        answer = translate(left, right, dictionary, suite.look_up, seeds, arguments.most_words, progress)
    print(as_json(asdict(answer) | {"coverage": answer.coverage}) if arguments.json else translation_table(answer))
    return 0


def _first_words(path: Path, suite: Suite, most: int) -> Embedding:
    """Load only the first words of a file."""
    embedding = first_words(read_for(suite, path), most)
    return replace(embedding, matrix=embedding.matrix.copy())


def translation_table(answer: Translation) -> str:
    """Tables for a terminal."""
    lines = [
        f"{answer.known:,} of {answer.words:,} words known with a translation ({100 * answer.coverage:.1f} %)"
        + (f"; left out for terms of several words: {answer.several_words:,}" if answer.several_words else ""),
        f"each split: learnt from {answer.learnt[0]:,} pairs, tested on {answer.tested[0]:,} words, each answer one of "
        f"{answer.candidates:,}; {len(answer.seeds)} split{'' if len(answer.seeds) == 1 else 's'}",
    ]
    lines += [answer.left_out] if answer.left_out else []
    lines += [f"warning: {answer.warning}"] if answer.warning else []
    rows = [
        (f"{p.method}, precision at {p.at}", number(p.value), *ends(p.interval), number(p.sd))
        for p in answer.precisions
    ]
    lines += ["", table(("", "value", "95 % from", "to", "sd of splits"), rows), ""]
    examples = [(row.word, ", ".join(row.translations), ", ".join(row.found)) for row in answer.examples]
    lines += ["First words tested, with their translations by CSLS", table(("word", "dictionary", "found"), examples)]
    return "\n".join(lines)
