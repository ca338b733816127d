"""Every block of the documentation that is marked ``sh`` (and of the client's page, ``python``) is run, in order.

Blocks marked ``server`` meet a real site. Blocks of a page share a directory; pages that need the vectors of the first
page get them.
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
from tests.workers.running_site import Site, running_site, small_file

pytestmark = pytest.mark.slow
OWN = (
    "start.md",
    "prepare.md",
    "client.md",
    "api.md",
    "report.md",
    "contributing.md",
    "add-a-task.md",
    "board.md",
    "findings.md",
)
"""Pages whose blocks are run here; those of the others print tables of hours or need real data."""


def runnable(page: str) -> list[Block]:
    return [block for block in blocks(DOCS / page) if block.language in ("sh", "python")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="module")
def environment(site: Site, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """``python`` is this one, the modules are found, the server is the test's, and an upload is there to ask about."""
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
    }


@pytest.mark.parametrize("page", [page for page in OWN if runnable(page)])
def test_the_blocks_of_a_page_do_what_they_say(page: str, environment: dict[str, str], tmp_path: Path) -> None:
    if page != "start.md":
        (tmp_path / "vectors.txt.gz").write_bytes(small_file().read_bytes())
    for block in runnable(page):
        command = (
            ["bash", "-euo", "pipefail", "-c", block.text] if block.language == "sh" else ["python", "-c", block.text]
        )
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{page}:\n{block.text}\n{done.stdout}\n{done.stderr}"


def test_blocks_that_are_run_are_there() -> None:
    assert {page for page in OWN if runnable(page)} >= {"start.md", "prepare.md", "client.md", "api.md"}


def test_blocks_that_need_a_server_are_marked() -> None:
    for page in OWN:
        for block in runnable(page):
            asks = (
                "VECBOARD_URL" in block.text
                or "vecboard submit vectors" in block.text
                or "vecboard.Client" in block.text
            )
            assert not asks or "server" in block.words, f"{page}: {block.text}"
