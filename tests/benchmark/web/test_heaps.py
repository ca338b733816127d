"""Threads of a web process share its heaps: memory that one of them freed is there for all."""

from __future__ import annotations

import subprocess
import sys

import pytest

THREADS = 24
CODE = f"""
import ctypes, threading
from benchmark.web.heaps import share_heaps
{{first}}
together = threading.Barrier({THREADS})
def work():
    kept = [bytearray(20_000) for _ in range(20)]
    together.wait()
threads = [threading.Thread(target=work) for _ in range({THREADS})]
for thread in threads: thread.start()
for thread in threads: thread.join()
ctypes.CDLL(None).malloc_stats()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's heaps")
def test_many_threads_use_two_heaps() -> None:
    assert heaps_after("pass") > 2
    assert heaps_after("share_heaps()") <= 2


def heaps_after(first: str) -> int:
    """As glibc itself counts them."""
    command = [sys.executable, "-c", CODE.format(first=first)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr.count("Arena ")
