"""A thousand corrupted files: no crash, no hang, no more memory than a valid file, no wrong acceptance.

The quick test judges what Hypothesis writes; ``tests/tasks/formats/test_mutations.py`` changes files of every format.
"""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isal import igzip

from tests.hostile import corpus, oracle
from tests.workers.running_site import ROOT

FILES = 1_200
HANGS_SECONDS = 900


@dataclass(frozen=True)
class Judged:
    """Verdicts by file, and their memory relative to the largest valid file."""

    verdicts: dict[str, str]
    memory: float


def judge_all(folder: Path, honest: Path) -> Judged:
    """Verdicts of a separate process on every file."""
    command = [sys.executable, "-m", "tests.hostile.oracle", str(folder), str(honest)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=HANGS_SECONDS)
    lines: list[Any] = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"after {lines[-1:]}: {done.stderr[-2000:]}"
    needed, most = lines[-1]
    return Judged(dict(lines[:-1]), most / needed)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A valid file, as large as the limits allow."""
    path = tmp_path_factory.mktemp("honest") / "large.gz"
    dimensions = oracle.SMALL.expanded_bytes // oracle.SMALL.words // len(" 0.25") - 2
    lines = [b"word%04d" % nth + b" 0.25" * dimensions + b"\n" for nth in range(oracle.SMALL.words)]
    path.write_bytes(igzip.compress(b"".join(lines), compresslevel=1))
    return path


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, honest: Path) -> Judged:
    folder = tmp_path_factory.mktemp("spoiled")
    for name, content in corpus.spoiled_files(FILES):
        (folder / name).write_bytes(content)
    for what in corpus.HUGE:
        (folder / what).write_bytes(corpus.huge(what))
    return judge_all(folder, honest)


@pytest.mark.slow
def test_every_file_is_judged_without_a_crash(judged: Judged) -> None:
    assert len(judged.verdicts) == FILES + len(corpus.HUGE) >= 1_000


@pytest.mark.slow
def test_none_is_accepted_wrongly(judged: Judged) -> None:
    assert [line for line in judged.verdicts.items() if line[1].startswith("WRONG")] == []


@pytest.mark.slow
def test_spoiled_files_are_rejected_for_many_reasons_and_harmless_changes_are_accepted(judged: Judged) -> None:
    counts = Counter(judged.verdicts.values())
    assert len([verdict for verdict in counts if verdict.startswith("rejected")]) >= 10, counts
    assert counts["accepted"] > 50, counts
    assert counts.total() - counts["accepted"] > FILES / 2, counts


@pytest.mark.slow
def test_none_needs_more_memory_than_the_largest_honest_file(judged: Judged) -> None:
    assert judged.memory < 1.1


@pytest.mark.slow
def test_huge_files_are_rejected(judged: Judged) -> None:
    assert [what for what in corpus.HUGE if not judged.verdicts[what].startswith("rejected:")] == []


@given(data=st.data())
def test_whatever_hypothesis_writes_into_a_file_is_not_accepted_wrongly(data: st.DataObject, tmp_path: Path) -> None:
    content = corpus.text(random.Random(7), header=data.draw(st.booleans()))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content)))
        patch = data.draw(st.one_of(st.binary(max_size=12), st.text(max_size=6).map(str.encode)))
        content = content[:place] + patch + content[place + data.draw(st.integers(0, 12)) :]
    path = tmp_path / "written.gz"
    path.write_bytes(gzip.compress(content or b"\n", mtime=0))
    verdict = oracle.judge(path)
    assert not verdict.startswith("WRONG"), verdict
