"""The worked example of docs/add-a-task.md: applied to a copy of the program, and run."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.docs.blocks import DOCS, ROOT, apply, blocks

EXAMPLE = blocks(DOCS / "add-a-task.md")
COPIED = ("tasks", "benchmark", "extensions", "workers", "docs", "manage.py")


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with the page's blocks applied and the suite's version raised."""
    copy = tmp_path_factory.mktemp("repository")
    skip = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        source = ROOT / name
        shutil.copytree(source, copy / name, ignore=skip) if source.is_dir() else shutil.copy(source, copy / name)
    for block in EXAMPLE:
        if block.language == "diff":
            path = copy / block.title
            path.write_text(apply(block.text, path.read_text()))
    suites = copy / "tasks" / "suites.py"
    raised, times = re.subn(
        r'(id="open-2026",\s+version=)(\d+)', lambda m: f"{m[1]}{int(m[2]) + 1}", suites.read_text()
    )
    assert times == 1
    suites.write_text(raised)
    return copy


def run(copy: Path, *arguments: str, **environment: str) -> str:
    import os

    settings = {"VECBOARD_VAR": str(copy / "var"), "VECBOARD_DATA": str(copy / "data"), "VECBOARD_DATA_MIRROR": ""}
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=copy, env=os.environ | settings | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_it_is_measured(changed: Path, tmp_path: Path) -> None:
    pairs = next(block.text for block in EXAMPLE if block.title == "fruit.txt")
    place = changed / "data" / "fruit" / "fruit.txt"
    place.parent.mkdir(parents=True)
    place.write_text(pairs)
    words = sorted({word for line in pairs.splitlines() for word in line.split("\t")[:2]})
    words += [f"other{i}" for i in range(100)]
    rows = np.random.default_rng(5).normal(size=(len(words), 8)).round(3).tolist()
    lines = [" ".join([word, *map(str, row)]) for word, row in zip(words, rows, strict=True)]
    vectors = tmp_path / "vectors.txt.gz"
    vectors.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
    out = tmp_path / "report.json"
    run(changed, "-m", "tasks", "evaluate", str(vectors), "--task", "sim-fruit", "--out", str(out))
    (result,) = json.loads(out.read_text())["results"]
    assert (result["task"], result["n"], result["datasets"][0]["licence"]) == ("sim-fruit", 12, "CC0 1.0")


def test_it_gets_a_column_on_the_board_and_a_page_in_the_documentation(changed: Path) -> None:
    code = (
        "import django; django.setup()\n"
        "from benchmark.leaderboard.columns import columns_of\n"
        "from docs._hooks.task_pages import pages\n"
        "from tasks.suites import OPEN_2026\n"
        "print(*[column.title for column in columns_of(OPEN_2026) if column.key == 'sim-fruit'])\n"
        "print(pages()['tasks/sim-fruit.md'])"
    )
    column, page = run(changed, "-c", code, DJANGO_SETTINGS_MODULE="benchmark.settings").split("\n", 1)
    assert column == "Fruit"
    assert "Pairs of Fruit" in page
    assert "CC0 1.0" in page


def test_it_is_ten_lines_and_no_method() -> None:
    added = [
        line for block in EXAMPLE if block.language == "diff" for line in block.text.splitlines() if line[:1] == "+"
    ]
    declarations = [line for line in added if len(line) > 1]
    assert len(declarations) <= 20
    assert not any("def " in line for line in declarations)
