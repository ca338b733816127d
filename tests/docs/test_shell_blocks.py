"""Every block that is marked ``sh`` or ``python`` is run, in order, on every page.

Blocks marked ``server`` use a real site. Blocks of a page share a directory, in which the repository's programs are at
hand; pages that need the vectors of the first page get them.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.blocks import DOCS, ROOT, Block, blocks
from tests.workers.running_site import ONE_EACH, Site, running_site, small_file

OWN = {str(path.relative_to(ROOT)): path for path in [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]}
WITH_DEMO = {"README.md", "docs/protocol.md"}
"""Pages whose commands train and measure: with the suite that they name, that takes 15 minutes and its data."""
ONE_TASK = ("evaluate vectors.txt.gz --suite demo --out", "evaluate vectors.txt.gz --suite demo --task pos --out")
"""tests/workers/running_site.py evaluates all tasks with the same command."""
TEXTS = "docs/texts.md"
"""The page about a corpus: it needs the corpus, and pre-trained vectors of real words."""
GOLDEN = ROOT.parent / "shared" / "golden" / "sg-wiki-50.txt.gz"
SHORTER = ("suffices inaugural", "suffices inaugural --repeats 1 --random-cues 20")
"""extensions/sufficiency/tests has the same command at length."""
RUN_BY_OTHERS = {
    "python -m research findings": "tests/research/test_findings.py",
    "python -m research shipped": "tests/research/test_shipped.py",
}
"""Commands that another test runs and whose output it compares with the page."""
MARKS = {
    "docs/walks.md": [pytest.mark.data("inaugural")],
    TEXTS: [
        pytest.mark.data("inaugural"),
        pytest.mark.skipif(not GOLDEN.is_file(), reason="the golden files are not here"),
    ],
}
GIVEN = ("vectors.txt.gz", "sg-wiki-50.txt.gz")
"""Initial files of a page."""


def runnable(page: str) -> list[Block]:
    """The blocks that are run here."""
    found = [block for block in blocks(OWN[page]) if block.language in ("sh", "python")]
    return [block for block in found if block.text.strip() not in RUN_BY_OTHERS]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("site"), **ONE_EACH) as site:
        yield site


@pytest.fixture(scope="module")
def environment(site: Site, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """``python`` is this interpreter, modules are found, the server is the test's, and it has an upload to query."""
    folder = tmp_path_factory.mktemp("bin")
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    submission = site.submit(small_file())
    return os.environ | {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "VECBOARD_URL": f"http://127.0.0.1:{site.port}",
        "VECBOARD_KEYRING": str(folder / "keyring.json"),
        "ID": submission,
        "TOKEN": "",
        **{name: site.environment[name] for name in ("VECBOARD_VAR", "VECBOARD_STORAGE", "VECBOARD_SUITE")},
        "BACKUPS": str(folder / "backups"),
        "NEW_DATABASE": f"sqlite:///{folder / 'new.sqlite3'}",
    }


@pytest.fixture
def folder(environment: dict[str, str], tmp_path: Path) -> Path:
    """Folder in which the blocks of a page run: like a checkout, but with the test's own outputs."""
    for name in ("manage.py", "tasks"):
        (tmp_path / name).symlink_to(ROOT / name)
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(Path(environment["PATH"].split(":")[0]) / "python")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=MARKS.get(page, [])) for page in OWN if runnable(page)],
)
def test_the_blocks_of_a_page_run(page: str, environment: dict[str, str], folder: Path) -> None:
    if page != "docs/start.md":
        for name in GIVEN:
            (folder / name).write_bytes(small_file().read_bytes())
    if page == TEXTS:
        (folder / "glove.txt.gz").symlink_to(GOLDEN)
    for block in runnable(page):
        text = block.text.replace("open-2026", "demo") if page in WITH_DEMO else block.text
        text = text.replace(*ONE_TASK).replace(*SHORTER)
        command = ["bash", "-euo", "pipefail", "-c", text] if block.language == "sh" else ["python", "-c", text]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{page}:\n{text}\n{done.stdout}\n{done.stderr}"


def test_every_block_of_commands_is_either_run_or_only_shown() -> None:
    """A block with another name for a shell would look as if it were run, and never be."""
    words = {block.language for page in OWN for block in blocks(OWN[page])}
    assert not words & {"bash", "shell", "console", "zsh", "shell-session"}
