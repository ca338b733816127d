"""Ten gigabytes in a few megabytes: refused early, in little memory, by a process of its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from isal import igzip

TEN_GIGABYTES = 10_000_000_000
MEGABYTES_ALLOWED = 300
_CHILD = """
import resource, sys
from tasks.cli.check import register
import argparse
parser = argparse.ArgumentParser()
register(parser.add_subparsers())
parsed = parser.parse_args(["check", sys.argv[1], "--json"])
status = parsed.run(parsed)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
sys.exit(status)
"""


def _check(path: Path) -> tuple[int, dict[str, dict[str, str]], int]:
    """Exit status, answer, and megabytes used of ``check --json`` in a fresh process."""
    limit = (TEN_GIGABYTES, TEN_GIGABYTES)
    child = subprocess.run(
        [sys.executable, "-c", _CHILD, str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
    )
    answer, megabytes = child.stdout.splitlines()
    return child.returncode, json.loads(answer), int(megabytes)


def _repeated(unit: bytes) -> Iterator[bytes]:
    """Gzip members of 100 MB of ``unit`` each, ten gigabytes in all."""
    member = igzip.compress(unit * (100_000_000 // len(unit)), compresslevel=1)
    return (member for _ in range(TEN_GIGABYTES // 100_000_000))


@pytest.mark.parametrize(
    ("beginning", "unit", "code"),
    [
        (b"", b"\0", "nul-byte"),
        (b"400000 300\n", b"\0", "nul-byte"),
        (b"", b"x", "line-too-long"),
        (b"word", b" 0.25", "line-too-long"),
        (b"100 50\nword", b" 0.25", "line-too-long"),
        (b"", b"the 0.25 0.5\n", "expands-too-much"),
        (b"5000000 2\n", b"the 0.25 0.5\n", "expands-too-much"),
        (b"100 2\n", b"the 0.25 0.5\n", "header-contradicts"),
        (b"", b"\n", "empty"),
        (b"the 1 2\n", b"\n", "expands-too-much"),
        (b"the 1 2\n", b" \n", "expands-too-much"),
        (b"the 1 2\n", b" " * 200_000 + b"\n", "expands-too-much"),
        (b"the 1 2\n", b"+1 +1 +1\n", "too-many-words"),
        (b"1000000 2\na \x01\x00\x00\x3f\x00\x00\x00\x3f", b"\n", "header-contradicts"),
        (b"1000000 2\n", b"a \x01\x00\x00\x3f\x00\x00\x00\x3f", "header-contradicts"),
    ],
)
def test_a_bomb_is_refused_in_little_memory(beginning: bytes, unit: bytes, code: str, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.gz"
    with bomb.open("wb") as file:
        file.write(igzip.compress(beginning))
        file.writelines(_repeated(unit))
    status, answer, megabytes = _check(bomb)
    assert (status, answer["error"]["code"]) == (2, code)
    assert megabytes < MEGABYTES_ALLOWED
