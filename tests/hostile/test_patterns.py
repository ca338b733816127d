"""Every regular expression of the product takes linear time, or reads only what its entry below says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.urls import get_resolver

from benchmark.leaderboard.first_screen import _SIZE
from tasks.baseline.corpus_text import _of_any_language
from tasks.formats.lines import LineReader
from tasks.formats.source import Limits
from tasks.probes import _HEADER
from tests.backtracking import growth
from tests.test_architecture import modules

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("tasks", "benchmark", "extensions", "workers", "vecboard", "plots")
SEARCHING = {"search", "sub", "subn", "split", "findall", "finditer", "scanner"}
METHODS = SEARCHING | {"match", "fullmatch"}


class Use(NamedTuple):
    """An expression, where it is, and whether it is searched for in all uses, or must match the whole text."""

    where: str
    pattern: re.Pattern[Any]
    searched: bool
    whole: bool


def sources() -> Iterator[tuple[str, ast.Module]]:
    for room in ROOMS:
        for path in modules(room):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_call_of(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names


@cache
def methods_by_name() -> dict[tuple[str, str], set[str]]:
    """Methods called on a name, in its module if it is private; what is passed on may be searched for."""
    found: dict[tuple[str, str], set[str]] = {}
    for path, tree in sources():
        called = [node.func for node in ast.walk(tree) if is_call_of(node, METHODS)]  # type: ignore[attr-defined]
        for function in called:
            found.setdefault(known_as(path, name_of(function.value)), set()).add(function.attr)
        of_calls = {id(function.value) for function in called}
        for node in ast.walk(tree):
            is_read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            if is_read and id(node) not in of_calls:
                found.setdefault(known_as(path, name_of(node)), set()).add("passed on")
    return found


def known_as(path: str, name: str) -> tuple[str, str]:
    return (path if name.startswith("_") else "", name)


def kept() -> Iterator[Use]:
    """Compiled expressions in modules and classes, under their names."""
    for path, tree in sources():
        if not any(is_call_of(node, {"compile"}) for node in ast.walk(tree)):
            continue
        module = import_module(path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))
        for name, value in vars(module).items():
            for pattern in value if isinstance(value, tuple | list) else [value]:
                if isinstance(pattern, re.Pattern):
                    methods = methods_by_name().get(known_as(path, name), {"passed on"})
                    yield Use(
                        f"{path}: {name}", pattern, not methods <= {"match", "fullmatch"}, methods == {"fullmatch"}
                    )


def inline() -> Iterator[tuple[str, ast.Call]]:
    """Calls of the module ``re`` in functions."""
    for path, tree in sources():
        for top in tree.body:
            if isinstance(top, ast.Assign | ast.AnnAssign):
                continue
            for node in ast.walk(top):
                if not isinstance(node, ast.Call) or not is_call_of(node, METHODS | {"compile"}):
                    continue
                if name_of(node.func.value) == "re":  # type: ignore[attr-defined]
                    yield path, node


KNOWN = {
    "tasks/datasets/assembly.py: _EMPTY_BRACKETS": "data sets, whose hashes are fixed",
    "tasks/datasets/paragraphs.py: _HEADING": "data sets, whose hashes are fixed",
    "tasks/datasets/readers.py: _TOKEN": "data sets, whose hashes are fixed",
    "tasks/formats/reading.py: _NUMBERED": "matches whole words only",
    "benchmark/templatetags/figures.py: _COMMAND": "the program's own sentences",
    "extensions/texts/forms.py: _SUFFIX": "names of files, which are cut to 200 characters",
}
"""Expressions that aren't linear, and what they read."""
MADE: dict[str, list[tuple[str, str | bytes]]] = {
    "benchmark/leaderboard/first_screen.py": [("search", _SIZE.format(100))],
    "tasks/baseline/corpus_text.py": [("findall", _of_any_language()[0].pattern)],
    "tasks/datasets/paragraphs.py": [("sub", r"\[\[\s*File\s*:")],
    "tasks/datasets/tagged.py": [("fullmatch", "-DOCSTART-")],
    "tasks/formats/lines.py": [("fullmatch", LineReader(3, Limits())._vector.pattern)],
    "tasks/probes.py": [("search", _HEADER.format("From"))],
}
"""Examples of the expressions that functions of a module make, and how they are used."""


def uses() -> list[Use]:
    found = list(kept())
    for path, call in inline():
        method, pattern = name_of(call.func), call.args[0]
        if isinstance(pattern, ast.Constant):
            searched, whole = method in SEARCHING, method == "fullmatch"
            found.append(Use(f"{path}: {pattern.value}", re.compile(pattern.value), searched, whole))
    made = [(path, method, text) for path, examples in MADE.items() for method, text in examples]
    for path, method, text in made:
        found.append(Use(f"{path}: {text!r}", re.compile(text), method in SEARCHING, method == "fullmatch"))
    return found


def test_every_expression_is_linear_or_reads_no_text_of_a_visitor() -> None:
    found = uses()
    slow = {use.where for use in found if growth(use.pattern, searched=use.searched, whole=use.whole) != "linear"}
    assert slow == set(KNOWN)
    assert len(found) > 60


def test_expressions_that_are_made_when_they_are_needed_have_an_example() -> None:
    made = {path for path, call in inline() if not isinstance(call.args[0], ast.Constant)}
    assert made == set(MADE)


def patterns_of(resolver: Any) -> Iterator[re.Pattern[str]]:
    yield re.compile(resolver.pattern.regex)
    for below in getattr(resolver, "url_patterns", []):
        yield from patterns_of(below)


def test_every_address_is_matched_in_linear_time() -> None:
    patterns = list(patterns_of(get_resolver()))
    assert [pattern.pattern for pattern in patterns if growth(pattern, searched=False) == "exponential"] == []
    assert len(patterns) > 100


@pytest.mark.parametrize(
    ("text", "searched", "whole", "expected"),
    [
        ("(a+)+b", False, False, "exponential"),
        ("(a|a)*b", False, False, "exponential"),
        (r"(\w+\s?)*", False, True, "exponential"),
        ("(a*)*$", False, False, "exponential"),
        ("(a{1,3})*b", False, False, "exponential"),
        ("a*a*b", False, False, "polynomial"),
        ("a+b", True, False, "polynomial"),
        (r"\S+@\S+", True, False, "polynomial"),
        (r"\w*\d+y", False, False, "polynomial"),
        ("a+b", False, False, "linear"),
        (r"\w+", True, False, "linear"),
        (r"\w+(?:'\w+)*|[^\w\s]", True, False, "linear"),
        (r"(?<!\S)\S+@\S+", True, False, "linear"),
        ("a?a?a?b", False, False, "linear"),
        ("[a-z0-9]+(-[a-z0-9]+)*", False, True, "linear"),
        ("(?:x(?:[x-]{0,61}x)?[.])+", False, True, "linear"),
    ],
)
def test_the_check_knows_ambiguous_expressions(text: str, searched: bool, whole: bool, expected: str) -> None:
    assert growth(re.compile(text), searched=searched, whole=whole) == expected
