"""Growth of the memory of Python code with its input, measured in a separate process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest

# The system's own high-water mark of this program. (What getrusage says also counts the program that started it.)
# The small input comes first: from it are the libraries, their threads, and whatever is loaded at the first use.
_MEASURED = """
import os, sys
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
{code}
def grown(small, large, *arguments):
    measured(small, *arguments)
    before = peak()
    measured(large, *arguments)
    print(peak() - before, file=sys.stderr, flush=True)
"""
_ONCE = "grown(*sys.argv[1:])"
_IN_FORKS = """
for pair in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
    child = os.fork()
    if not child:
        grown(*pair)
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
"""


@dataclass(frozen=True)
class Growth:
    """Output of a process, and additional memory for the large input in bytes."""

    printed: str
    bytes: int


def growth(code: str, small: Path, large: Path, *arguments: object) -> Growth:
    """Run Python code that defines ``measured(path, *arguments)``, for a small input and then for a large one."""
    printed, (grown,) = _run(code, _ONCE, small, large, *arguments)
    return Growth(printed, grown)


def growths(code: str, pairs: Iterable[tuple[Path, Path]]) -> list[Growth]:
    """:func:`growth` of several pairs, each measured in a fork of one process that has loaded the code's imports.

    Every call of ``measured`` prints the same number of lines.
    """
    printed, grown = _run(code, _IN_FORKS, *chain.from_iterable(pairs))
    lines = printed.splitlines(keepends=True)
    each = len(lines) // len(grown)
    return [Growth("".join(lines[each * nth : each * (nth + 1)]), bytes) for nth, bytes in enumerate(grown)]


def _run(code: str, measure: str, *arguments: object) -> tuple[str, list[int]]:
    if not sys.platform.startswith("linux"):
        pytest.skip("memory is measured on Linux only")
    command = [sys.executable, "-c", _MEASURED.format(code=code) + measure, *map(str, arguments)]
    child = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    return child.stdout, [int(line) for line in child.stderr.splitlines() if line.isdigit()]
