"""What a step frees, the next one has: no new pages from the kernel."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

STEPS = """
import contextlib, resource, sys
import torch
from tasks.extrinsic.memory import kept_between_steps

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        several = [torch.zeros(5_000_000) for _ in range(3)]
        del several
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

with kept_between_steps() if sys.argv[1] == "kept" else contextlib.nullcontext():
    faults()
    print(faults())
"""


def faults(how: str) -> int:
    """Page faults of twenty steps that take and free 60 MB each, in a process of its own."""
    return int(subprocess.run([sys.executable, "-c", STEPS, how], capture_output=True, check=True, text=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told to keep memory")
def test_memory_that_a_step_frees_is_there_for_the_next() -> None:
    assert faults("kept") < faults("as it is") / 20
