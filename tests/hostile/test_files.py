"""A thousand spoiled files: no crash, no hang, bounded memory, never accepted wrongly."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isal import igzip

from tests.hostile import corpus, oracle
from tests.workers.running_site import ROOT

FILES = 1_200
SECONDS_A_FILE = 10
ADDRESS_SPACE = 4 << 30
MEGABYTES = 400


def judge_all(folder: Path) -> tuple[list[tuple[str, str, float]], int]:
    """Every file's verdict by a process of its own, and the megabytes that it needed at most."""
    command = [sys.executable, "-m", "tests.hostile.oracle", str(folder), str(ADDRESS_SPACE)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=900)
    lines: list[Any] = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"after {lines[-1:]}: {done.stderr[-2000:]}"
    return [tuple(line) for line in lines[:-1]], int(lines[-1][2])


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[tuple[str, str, float]], int]:
    folder = tmp_path_factory.mktemp("spoiled")
    for name, content in corpus.spoiled_files(FILES):
        (folder / name).write_bytes(content)
    return judge_all(folder)


def test_every_file_is_judged_without_a_crash(verdicts: Any) -> None:
    assert len(verdicts[0]) == FILES >= 1_000


def test_none_is_accepted_wrongly(verdicts: Any) -> None:
    assert [line for line in verdicts[0] if line[1].startswith("WRONG")] == []


def test_spoiled_files_are_rejected_for_many_reasons_and_harmless_changes_are_accepted(verdicts: Any) -> None:
    counts = Counter(verdict for _, verdict, _ in verdicts[0])
    assert len([verdict for verdict in counts if verdict.startswith("rejected")]) >= 10, counts
    assert counts["accepted"] > 50, counts
    assert counts.total() - counts["accepted"] > FILES / 2, counts


def test_none_takes_long_or_much_memory(verdicts: Any) -> None:
    judged, megabytes = verdicts
    assert max(seconds for _, _, seconds in judged) < SECONDS_A_FILE
    assert megabytes < MEGABYTES


HUGE = {
    "ten million columns": (b"word" + b" 0.25" * 10_000_000 + b"\n", 3),
    "one line of two gigabytes": (b"0.25 " * 20_000_000, 20),
    "a word of a hundred megabytes": (b"w" * 100_000_000 + b" 0.1 0.2\n", 1),
    "a million blank lines": (b"\n" * 1_000_000, 3),
    "deep accents": (("a" + "\u0300" * 50_000 + " 0.1 0.2\n").encode(), 20),
}


@pytest.mark.parametrize("what", HUGE)
def test_what_is_huge_is_refused_quickly_and_in_little_memory(what: str, tmp_path: Path) -> None:
    unit, times = HUGE[what]
    member = igzip.compress(unit, compresslevel=1)
    (tmp_path / "huge.gz").write_bytes(member * times)
    judged, megabytes = judge_all(tmp_path)
    assert judged[0][1].startswith("rejected:"), judged
    assert judged[0][2] < SECONDS_A_FILE
    assert megabytes < MEGABYTES


@settings(max_examples=150)
@given(data=st.data())
def test_whatever_hypothesis_writes_into_a_file_is_not_accepted_wrongly(data: st.DataObject, tmp_path: Path) -> None:
    content = corpus.text(random.Random(7), header=data.draw(st.booleans()))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content)))
        patch = data.draw(st.one_of(st.binary(max_size=12), st.text(max_size=6).map(str.encode)))
        content = content[:place] + patch + content[place + data.draw(st.integers(0, 12)) :]
    path = tmp_path / "written.gz"
    path.write_bytes(gzip.compress(content or b"\n", mtime=0))
    verdict, _ = oracle.judge(path)
    assert not verdict.startswith("WRONG"), verdict
