"""How much memory Python code needs, measured in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pytest

# The system's own high-water mark of this program. (What getrusage says also counts the program that started it.)
_MEASURED = """
import sys
def peak_megabytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))
{code}
print(peak_megabytes(), file=sys.stderr)
"""


@dataclass(frozen=True)
class Run:
    """What a process printed and the megabytes that it needed at most, libraries included."""

    printed: str
    megabytes: int


def run_measured(code: str, *arguments: object) -> Run:
    """Run Python code with these arguments; ``peak_megabytes()`` is at its hand."""
    if not sys.platform.startswith("linux"):
        pytest.skip("memory is measured on Linux only")
    command = [sys.executable, "-c", _MEASURED.format(code=code), *map(str, arguments)]
    child = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return Run(child.stdout, int(child.stderr.splitlines()[-1]))
