"""What a step frees, the next one has: it stays with the process."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

RESIDENT = Path("/proc/self/statm")
STEP = """
import contextlib, resource, sys
import torch
from tasks.extrinsic.memory import kept_between_steps

def resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * resource.getpagesize()

before = resident()
with kept_between_steps() if sys.argv[1] == "kept" else contextlib.nullcontext():
    arrays = [torch.zeros(5_000_000) for _ in range(3)]
    print(resident() - before)
    del arrays
    print(resident() - before)
print(resident() - before)
"""
ARRAYS = 3 * 5_000_000 * 4


def resident(how: str) -> tuple[int, int, int]:
    """Bytes of memory that a process of its own has more: with 60 MB in arrays, without them, and after training.

    One step only: how much of later ones glibc keeps of itself depends on what else lies in its heap.
    """
    printed = subprocess.run([sys.executable, "-c", STEP, how], capture_output=True, check=True, text=True).stdout
    held, freed, after = (int(line) for line in printed.split())
    return held, freed, after


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be set to keep memory")
@pytest.mark.skipif(not RESIDENT.exists(), reason="this system does not say how much memory a process has")
def test_memory_that_a_step_frees_is_there_for_the_next() -> None:
    held, freed, _ = resident("as it is")
    assert held > 0.9 * ARRAYS
    assert freed < 0.1 * ARRAYS, "the C library keeps it of itself: nothing is shown by what follows"

    held, freed, after = resident("kept")
    assert freed > 0.9 * held > 0.8 * ARRAYS
    assert after < 0.1 * ARRAYS
