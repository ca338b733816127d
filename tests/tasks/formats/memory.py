"""Growth of the memory of Python code with its input, measured in a separate process."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

# The system's own high-water mark of this program. (What getrusage says also counts the program that started it.)
# The small input comes first: from it are the libraries, their threads, and whatever is loaded at the first use.
_MEASURED = """
import sys
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
{code}
small, large, *arguments = sys.argv[1:]
measured(small, *arguments)
before = peak()
measured(large, *arguments)
print(peak() - before, file=sys.stderr)
"""


@dataclass(frozen=True)
class Growth:
    """Output of a process, and additional memory for the large input in bytes."""

    printed: str
    bytes: int


def growth(code: str, small: Path, large: Path, *arguments: object) -> Growth:
    """Run Python code that defines ``measured(path, *arguments)``, for a small input and then for a large one."""
    if not sys.platform.startswith("linux"):
        pytest.skip("memory is measured on Linux only")
    command = [sys.executable, "-c", _MEASURED.format(code=code), *map(str, (small, large, *arguments))]
    child = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    return Growth(child.stdout, int(child.stderr.splitlines()[-1]))
