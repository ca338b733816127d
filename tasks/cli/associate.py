"""``python -m tasks associate FILE``: what vectors associate with what, by published lists or one's own."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tasks.associations.published import PUBLISHED
from tasks.associations.weat import AssociationAnswer, AssociationQuestion, WordList, associate
from tasks.cli.tables import number, table
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.suites import get
from tasks.vector_files import read
from tasks.word_list import words_for

CAUTION = (
    "An association test shows how a file places the words of these lists, not why, and its answer depends on the\n"
    "words chosen (Ethayarajh et al. 2019). It does not predict the behaviour of a system that uses the file\n"
    "(Goldfarb-Tarrant et al. 2021)."
)


def run(arguments: argparse.Namespace) -> int:
    """Print the answers; 1 if a question has none."""
    questions = _questions(arguments)
    suite = get(arguments.suite)
    embedding, look_up = read(arguments.file, words=words_for(suite)), suite.look_up
    found = {name: associate(embedding, look_up, question) for name, question in questions.items()}
    if arguments.json:
        answers = {name: one.as_dict() for name, one in found.items()}
        own = next(iter(answers.values())) if arguments.targets else answers
        print(json.dumps(own, ensure_ascii=False, indent=1, allow_nan=False))
    else:
        print(_summary(found))
        if arguments.targets:
            print(_words(next(iter(found.values()))))
        print(f"\n{CAUTION}")
    return 0 if all(one.d is not None for one in found.values()) else 1


def _questions(arguments: argparse.Namespace) -> dict[str, AssociationQuestion]:
    if bool(arguments.targets) != bool(arguments.attributes):
        raise InputError(
            "lists-missing", "Give two lists of targets and two of attributes, or none for WEAT's ten tests."
        )
    if not arguments.targets:
        data = DataStore.default()
        return {test.id: test.question(data) for test in PUBLISHED}
    x, y, a, b = (_list(path) for path in (*arguments.targets, *arguments.attributes))
    return {f"{x.name} and {y.name}, {a.name}": AssociationQuestion((x, y), (a, b))}


def _list(path: Path) -> WordList:
    words = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return WordList.of(str(path), [word for word in words if word])


def _summary(found: dict[str, AssociationAnswer]) -> str:
    head = ("test", "d", "95 % from", "to", "p", "partitions", "unknown words")
    rows = []
    for name, one in found.items():
        low, high = one.interval or (None, None)
        tried = f"{one.partitions:,}{'' if one.exact or not one.partitions else ' drawn'}"
        cells = (number(one.d, 3), number(low, 3), number(high, 3), _chance(one.p), tried, str(len(one.missing)))
        rows.append((name, *cells))
    reasons = [f"{name}: {one.reason}" for name, one in found.items() if one.reason]
    return "\n".join([table(head, rows), *(["", *reasons] if reasons else [])])


def _words(found: AssociationAnswer) -> str:
    rows = [(word, number(one.d, 3), _chance(one.p)) for word, one in found.single.items()]
    rows.sort(key=lambda row: -(found.single[row[0]].d or 0.0))
    return f"\n{table(('word', 'd', 'p'), rows)}" if rows else ""


def _chance(p: float | None) -> str:
    return "< 0.0001" if p is not None and p < 0.0001 else number(p)
