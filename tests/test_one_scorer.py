"""Outcomes are scored by metrics only.

Code that names a column of outcomes and divides is a second scorer, with its own rule for an empty set of examples.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("tasks", "benchmark", "workers", "research", "vecboard")
HOME = "tasks/metrics/"
COLUMNS = {"correct", "total", "tp", "fp", "fn"}
DIVIDERS = {"divide", "true_divide", "reciprocal", "mean", "nanmean", "average"}
OTHERWISE = {
    # It reports the count of right answers next to the score; it divides only for the share of known questions.
    "tasks.intrinsic.analogy.evaluate",
    # Secondary scores of the same questions by category and group; no interval or rank is computed from them.
    "tasks.intrinsic.analogy.precision_shares",
    # Shares of a single category, from the counts in a stored report: not outcomes.
    "benchmark.reports.sections.word_tasks._categories",
    # Whether an example is right, and its share of right answers, for people to read: no score is computed from them.
    "tasks.differ._right",
    "tasks.differ._shares",
    # It changes counts so that their F1 changes by a given amount, and computes no score.
    "research.coverage._of_spans",
}
"""Functions that do both and don't score outcomes."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.Module, module: str) -> Iterator[tuple[str, list[ast.AST]]]:
    """Qualified name and nodes of every function, nested code included; last, the code outside functions."""

    def walk(node: ast.AST, name: str) -> Iterator[tuple[str, list[ast.AST]]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function):
                yield f"{name}.{child.name}", list(ast.walk(child))
            elif isinstance(child, ast.ClassDef):
                yield from walk(child, f"{name}.{child.name}")
            else:
                yield from walk(child, name)

    yield from walk(tree, module)
    yield f"{module}.<module>", list(_outside(tree))


def _outside(tree: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, Function):
            yield child
            yield from _outside(child)


def names_a_column(nodes: list[ast.AST]) -> bool:
    return any(isinstance(node, ast.Constant) and node.value in COLUMNS for node in nodes)


def divides(nodes: list[ast.AST]) -> bool:
    """By an operator, by a function of NumPy, or by taking a mean."""
    for node in nodes:
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
            if not _is_path(node):
                return True
        elif isinstance(node, ast.Attribute) and node.attr in DIVIDERS:
            return True
    return False


def _is_path(node: ast.AST) -> bool:
    """``path / "name"`` is a division to the parser."""
    right = node.right if isinstance(node, ast.BinOp) else None
    return isinstance(right, ast.JoinedStr) or (isinstance(right, ast.Constant) and isinstance(right.value, str))


def scorers(source: str, module: str) -> list[str]:
    """Functions that name a column of outcomes and divide."""
    found = functions(ast.parse(source), module)
    return [name for name, nodes in found if names_a_column(nodes) and divides(nodes)]


def modules(room: str) -> list[Path]:
    return sorted(path for path in (ROOT / room).rglob("*.py") if "migrations" not in path.parts)


def everywhere() -> dict[str, str]:
    """Every function that scores outcomes, with the file it is in."""
    found = {}
    for room in ROOMS:
        paths = modules(room)
        assert paths, f"there is no package named {room}"
        for path in paths:
            place = path.relative_to(ROOT).as_posix()
            name = place.removesuffix(".py").replace("/", ".")
            found |= dict.fromkeys(scorers(path.read_text(encoding="utf-8"), name), place)
    return found


def test_only_metrics_score_outcomes() -> None:
    others = {name for name, place in everywhere().items() if not place.startswith(HOME)}
    assert others - OTHERWISE == set(), "let a Metric of tasks.metrics score these outcomes"
    assert OTHERWISE - others == set(), "these no longer need an exception"


def test_the_check_sees_the_one_place_where_accuracy_is_scored() -> None:
    assert "tasks.metrics.__init__._share" in everywhere()


@pytest.mark.parametrize(
    "source",
    [
        "def f(sums):\n    return sums['correct'] / sums['total']",
        "def f(o):\n    right = o.column('tp').sum()\n    return 2 * right / (2 * right + o.column('fp').sum())",
        "def f(o):\n    return np.divide(o.column('correct').sum(), len(o))",
        "class A:\n    def f(self, o):\n        def g():\n            return o['total']\n        return 1 / g()",
        "score = lambda o: o['correct'] / o['total']",
        "def f(o):\n    return o.column('correct').mean()",
        "async def f(o):\n    x = o['correct']\n    x /= o['total']\n    return x",
    ],
)
def test_it_finds_a_second_scorer(source: str) -> None:
    assert scorers(source, "m")


@pytest.mark.parametrize(
    "source",
    [
        "def f(o):\n    return o.column('correct').sum()",
        "def f(a, b):\n    return a / b",
        "def f(o):\n    return o['total']\ndef g(a):\n    return a / 2",
        "def f(path):\n    return path / 'scores' / f'{1}.json', 'total'",
    ],
)
def test_counting_alone_and_dividing_alone_are_allowed(source: str) -> None:
    assert scorers(source, "m") == []
