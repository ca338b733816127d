"""The table of errors: each fits the fields that its callers pass, and each has a caller."""

from __future__ import annotations

import ast
import string
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tasks.formats.problems import Problem
from tests.docs.blocks import ROOT

CHOSEN = {"problem"}
"""Local names for one of several problems that take the same fields."""


def calls_in(path: Path) -> Iterator[tuple[set[str], set[str]]]:
    """Names of problems, and the fields passed to them."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(function, ast.FunctionDef):
            continue
        named = {node.attr for node in ast.walk(function) if is_problem(node)}
        for node in ast.walk(function):
            if isinstance(node, ast.Call):
                fields = {str(keyword.arg) for keyword in node.keywords}
                own = {inner.attr for inner in ast.walk(node.func) if is_problem(inner)}
                if own:
                    yield own, fields
                elif isinstance(node.func, ast.Name) and node.func.id in CHOSEN:
                    called = {n.func.attr for n in ast.walk(function) if isinstance(n, ast.Call) and is_problem(n.func)}
                    yield named - called, fields


def is_problem(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Problem"


def fields_passed() -> dict[str, list[set[str]]]:
    """The fields of every call, by problem."""
    found: dict[str, list[set[str]]] = defaultdict(list)
    for room in ("tasks", "workers", "extensions"):
        for path in (ROOT / room).rglob("*.py"):
            for names, given in calls_in(path):
                for name in names:
                    found[name].append(given)
    return found


def test_each_is_made_with_the_fields_of_its_sentences() -> None:
    fields = fields_passed()
    assert [problem.name for problem in Problem if not fields[problem.name]] == [], "no caller"
    for problem in Problem:
        needed = {name for _, name, _, _ in string.Formatter().parse(problem.text) if name}
        for given in fields[problem.name]:
            assert needed <= given, f"{problem.name} lacks {needed - given}"
            assert given - needed <= {"line", "word"}, f"{problem.name} does not use {given - needed}"


VALUES: dict[str, object] = {
    **dict.fromkeys(("name", "word", "path", "member", "first", "last", "column", "separator"), "\u202e\x00w" * 90),
    "names": [f"name{n}" for n in range(20)],
    **dict.fromkeys(("why", "how", "kind", "without", "positions", "shape", "times", "unit"), "a phrase"),
    **dict.fromkeys(("what", "remedy"), "A clause"),
    **dict.fromkeys(("limit", "line", "count", "lines", "position", "fewest", "dimensions", "promised"), 12_345),
    **dict.fromkeys(("ratio", "seconds", "characters", "token", "rows", "place", "share", "found"), 1_234),
}


def test_each_makes_whole_sentences() -> None:
    errors = {problem: problem(**VALUES) for problem in Problem}
    assert [problem.name for problem, error in errors.items() if error.code != problem.code] == []
    messages = {problem.name: error.message for problem, error in errors.items()}
    assert [name for name, text in messages.items() if not text.isprintable() or "\u202e" in text] == []
    assert [name for name, text in messages.items() if not text.endswith((".", "vectors.txt"))] == []
    assert {error.line for error in errors.values()} == {12_345}


def test_two_problems_never_share_their_sentences() -> None:
    assert len(Problem.__members__) == len(list(Problem))


def test_numbers_names_and_sizes_are_written_for_people() -> None:
    message = Problem.WHICH_MEMBER(names=[f"{n}.txt" for n in range(1_234)]).message
    assert message.startswith("The archive contains 1,234 files: “0.txt”, “1.txt”,")
    assert "“11.txt” and 1,222 more." in message
    one, two = (Problem.WRONG_FIELD_COUNT(line=1_000, word=b"w", found=n, dimensions=300).message for n in (1, 2))
    assert one.startswith("Line 1,000 (word “w”) has 1 number, not 300")
    assert "has 2 numbers" in two
    long = Problem.WORD_TOO_LONG(unit="vector", line=7, word=b"\xff" * 2_000, limit=1024)
    assert long.message == f"Vector 7 has a word longer than 1 KiB (“{'�' * 60}…”). Shorten it or leave it out."
    assert (long.line, long.word) == (7, "�" * 60 + "…")
