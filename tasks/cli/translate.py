"""``python -m tasks translate A B --dictionary FILE``: do words lie where their translations do?"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from tasks.cli.progress import step_bar
from tasks.cli.tables import as_json, number, table
from tasks.formats import ReadRequest, read
from tasks.suite import Suite
from tasks.suites import DEFAULT, get
from tasks.text_files import text_of
from tasks.translation.dictionary import read_dictionary
from tasks.translation.measure import Translation, first_words, translate
from tasks.vectors import Embedding
from tasks.word_list import words_for


def run(arguments: argparse.Namespace) -> int:
    """Print the precision of translations.

    Raises
    ------
    InputError
        a file is wrong, or the two have different dimensions.
    NoScore
        too few words of the dictionary are known.
    """
    dictionary = read_dictionary(text_of(arguments.dictionary.read_bytes(), "the dictionary", field="dictionary"))
    suite = get(DEFAULT)
    left, right = (_first_words(path, suite, arguments.most_words) for path in (arguments.a, arguments.b))
    with step_bar("translate") as progress:
        seeds = range(arguments.seeds)
        found = translate(left, right, dictionary, suite.look_up, seeds, arguments.most_words, progress)
    print(as_json(found.as_dict()) if arguments.json else translation_table(found))
    return 0


def _first_words(path: Path, suite: Suite, most: int) -> Embedding:
    """The first words of a file; the others do not stay in memory."""
    found = first_words(read(ReadRequest(path, words=words_for(suite))), most)
    return replace(found, matrix=found.matrix.copy())


def translation_table(found: Translation) -> str:
    """Tables for a terminal."""
    lines = [
        f"{found.known:,} of {found.words:,} words known with a translation ({100 * found.coverage:.1f} %)"
        + (f"; left out for terms of several words: {found.several_words:,}" if found.several_words else ""),
        f"each split: learnt from {found.learnt[0]:,} pairs, tested on {found.tested[0]:,} words, each answer one of "
        f"{found.candidates:,}; {len(found.seeds)} split{'' if len(found.seeds) == 1 else 's'}",
    ]
    lines += [found.left_out] if found.left_out else []
    lines += [f"warning: {found.warning}"] if found.warning else []
    rows = [
        (
            f"{one.method}, precision at {one.at}",
            number(one.value),
            *(number(end) for end in one.interval or (None, None)),
            number(one.sd),
        )
        for one in found.precisions
    ]
    lines += ["", table(("", "value", "95 % from", "to", "sd of splits"), rows), ""]
    examples = [(one.word, ", ".join(one.translations), ", ".join(one.found)) for one in found.examples]
    lines += ["First words tested, and what CSLS finds for them", table(("word", "dictionary", "found"), examples)]
    return "\n".join(lines)
