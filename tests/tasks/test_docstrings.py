"""The examples in the docstrings of ``tasks`` give the output that they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = [path.relative_to(ROOT) for path in sorted((ROOT / "tasks").rglob("*.py")) if ">>> " in path.read_text("utf-8")]


def test_the_interface_has_examples() -> None:
    assert len(FILES) >= 20


@pytest.mark.parametrize("file", FILES, ids=str)
def test_examples_give_the_output_shown(file: Path) -> None:
    tried = doctest.testmod(import_module(".".join(file.with_suffix("").parts)))
    assert tried.attempted
    assert not tried.failed
