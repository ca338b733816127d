"""``associate``: word lists in a vector file."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from extensions.associations.measure.word_lists import question_named, read_list, shipped_list
from extensions.shared.measure.vectors import read_for
from tasks.associations.weat import CAUTION, AssociationAnswer, AssociationQuestion, WordList, associate, shown
from tasks.cli.tables import add_json, add_suite, as_json, ends, existing, number, table
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.suites import get
from tasks.word_tasks import ASSOCIATION_TASKS


def add_associate(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Measures how much nearer one list of target words is to one list of attributes than another list "
        "is, relative to a second list of attributes: effect size d, 95 % interval over target words, and "
        "permutation p (Caliskan, Bryson & Narayanan 2017). Without lists or names, the ten published tests."
    )
    parser.epilog = (
        "Exit status: 0 every test has an answer; 1 some have none, and the reason is printed; 2 an argument or "
        "the file is wrong. A test has no answer if a fifth or more of a list is unknown."
    )
    parser.add_argument("file", type=existing, help="vector file")
    parser.add_argument(
        "--test",
        nargs="+",
        metavar="NAME",
        help="tests by name: weat-6, parties-morality; a wrong name lists all",
    )
    lists = "a file of words, or the name of a political list that ships with the program"
    parser.add_argument("--targets", nargs=2, metavar="LIST", help=f"two lists of target words: each {lists}")
    parser.add_argument("--attributes", nargs=2, metavar="LIST", help="two lists of attribute words")
    add_suite(parser, "suite whose look-up rule is used (default: %(default)s)")
    add_json(parser)


def run_associate(arguments: argparse.Namespace) -> int:
    """Print the results; return 1 if a test has none."""
    questions = _questions(arguments)
    suite = get(arguments.suite)
    embedding = read_for(suite, arguments.file)
    answers = {name: associate(embedding, suite.look_up, question) for name, question in questions.items()}
    if arguments.json:
        by_test = {name: answer.as_dict() for name, answer in answers.items()}
        print(as_json(next(iter(by_test.values())) if arguments.targets else by_test))
    else:
        print(_summary(answers))
        if arguments.targets:
            print(_target_words(next(iter(answers.values()))))
        print("\n" + fill(CAUTION, 110))
    return 0 if all(answer.d is not None for answer in answers.values()) else 1


def _questions(arguments: argparse.Namespace) -> dict[str, AssociationQuestion]:
    if bool(arguments.targets) != bool(arguments.attributes) or (arguments.targets and arguments.test):
        message = "Give two lists of targets and two of attributes, or tests by name, or neither for WEAT's ten tests."
        raise InputError("lists-missing", message, field="lists")
    if arguments.targets:
        x, y, a, b = _lists([*arguments.targets, *arguments.attributes])
        return {f"{x.name} and {y.name}, {a.name}": AssociationQuestion((x, y), (a, b))}
    data = DataStore.default()
    return {name: question_named(name, data) for name in arguments.test or [task.id for task in ASSOCIATION_TASKS]}


def _lists(arguments: Sequence[str]) -> list[WordList]:
    """Files or shipped lists, named after the file; files with equal names are named by path."""
    paths = {argument: Path(argument) for argument in dict.fromkeys(arguments) if Path(argument).is_file()}
    names = Counter(path.name for path in paths.values())
    return [
        read_list(paths[argument], paths[argument].name if names[paths[argument].name] == 1 else argument)
        if argument in paths
        else shipped_list(argument)
        for argument in arguments
    ]


def _summary(answers: dict[str, AssociationAnswer]) -> str:
    head = ("test", "d", "95 % from", "to", "p", "partitions", "unknown words")
    rows = []
    for name, answer in answers.items():
        tried = f"{answer.partitions:,}{'' if answer.exact or not answer.partitions else ' drawn'}"
        cells = (number(answer.d, 3), *ends(answer.interval, 3), _chance(answer.p), tried, str(len(answer.missing)))
        rows.append((name, *cells))
    notes = [(name, note) for name, answer in answers.items() for note in (shown(answer.left_out), answer.reason)]
    reasons = [f"{name}: {note}" for name, note in notes if note]
    return "\n".join([table(head, rows), *(["", *reasons] if reasons else [])])


def _target_words(answer: AssociationAnswer) -> str:
    rows = [(word, number(figures.d, 3), _chance(figures.p)) for word, figures in answer.single.items()]
    rows.sort(key=lambda row: -(answer.single[row[0]].d or 0.0))
    return f"\n{table(('word', 'd', 'p'), rows)}" if rows else ""


def _chance(p: float | None) -> str:
    return "< 0.0001" if p is not None and p < 0.0001 else number(p)
