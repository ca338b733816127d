"""``python -m tasks associate FILE``: what vectors associate with what, by published lists or one's own."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from tasks.associations.lists import read_list, shipped_list
from tasks.associations.measure import question_named
from tasks.associations.weat import CAUTION, AssociationAnswer, AssociationQuestion, WordList, associate, shown
from tasks.cli.tables import as_json, number, table
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.formats import ReadRequest, read
from tasks.suites import get
from tasks.word_list import words_for
from tasks.word_tasks import ASSOCIATION_TASKS


def run(arguments: argparse.Namespace) -> int:
    """Print the answers; 1 if a question has none."""
    questions = _questions(arguments)
    suite = get(arguments.suite)
    embedding, look_up = read(ReadRequest(arguments.file, words=words_for(suite))), suite.look_up
    found = {name: associate(embedding, look_up, question) for name, question in questions.items()}
    if arguments.json:
        answers = {name: one.as_dict() for name, one in found.items()}
        own = next(iter(answers.values())) if arguments.targets else answers
        print(as_json(own))
    else:
        print(_summary(found))
        if arguments.targets:
            print(_words(next(iter(found.values()))))
        print("\n" + fill(CAUTION, 110))
    return 0 if all(one.d is not None for one in found.values()) else 1


def _questions(arguments: argparse.Namespace) -> dict[str, AssociationQuestion]:
    if bool(arguments.targets) != bool(arguments.attributes) or (arguments.targets and arguments.test):
        message = "Give two lists of targets and two of attributes, or tests by name, or neither for WEAT's ten tests."
        raise InputError("lists-missing", message, field="lists")
    if arguments.targets:
        x, y, a, b = _lists([*arguments.targets, *arguments.attributes])
        return {f"{x.name} and {y.name}, {a.name}": AssociationQuestion((x, y), (a, b))}
    data = DataStore.default()
    return {name: question_named(name, data) for name in arguments.test or [task.id for task in ASSOCIATION_TASKS]}


def _lists(given: Sequence[str]) -> list[WordList]:
    """Files, named as they are, or shipped lists; files of one name in several folders keep their paths."""
    paths = {one: Path(one) for one in dict.fromkeys(given) if Path(one).is_file()}
    names = Counter(path.name for path in paths.values())
    return [
        read_list(paths[one], paths[one].name if names[paths[one].name] == 1 else one)
        if one in paths
        else shipped_list(one)
        for one in given
    ]


def _summary(found: dict[str, AssociationAnswer]) -> str:
    head = ("test", "d", "95 % from", "to", "p", "partitions", "unknown words")
    rows = []
    for name, one in found.items():
        low, high = one.interval or (None, None)
        tried = f"{one.partitions:,}{'' if one.exact or not one.partitions else ' drawn'}"
        cells = (number(one.d, 3), number(low, 3), number(high, 3), _chance(one.p), tried, str(len(one.missing)))
        rows.append((name, *cells))
    notes = [(name, note) for name, one in found.items() for note in (shown(one.left_out), one.reason)]
    reasons = [f"{name}: {note}" for name, note in notes if note]
    return "\n".join([table(head, rows), *(["", *reasons] if reasons else [])])


def _words(found: AssociationAnswer) -> str:
    rows = [(word, number(one.d, 3), _chance(one.p)) for word, one in found.single.items()]
    rows.sort(key=lambda row: -(found.single[row[0]].d or 0.0))
    return f"\n{table(('word', 'd', 'p'), rows)}" if rows else ""


def _chance(p: float | None) -> str:
    return "< 0.0001" if p is not None and p < 0.0001 else number(p)
