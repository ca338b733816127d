"""What may be accepted, by the plainest reading there is; and a process of its own that is held to bounds."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import resource
import struct
import sys
import time
import zlib
from pathlib import Path

import numpy as np

from tasks.errors import InputError
from tasks.vector_files import Limits, read
from tests.tasks.vector_files.reference import read_plainly

SMALL = Limits(words=10_000, dimensions=1_000, expanded_bytes=50_000_000)
Vectors = tuple[list[str], np.ndarray]


def plainly(compressed: bytes) -> Vectors | None:
    """Words and matrix of a gzipped file, as text or else as binary; None if it is neither."""
    try:
        content = gzip.decompress(compressed)
    except (OSError, EOFError, zlib.error):
        return None
    try:
        reading = read_plainly(content)
    except (ValueError, IndexError, OverflowError):
        reading = None
    if reading is not None:
        return reading.words, reading.matrix
    return binary_plainly(content)


def binary_plainly(content: bytes) -> Vectors | None:
    header = re.match(rb"(\d{1,9})[ \t](\d{1,6})[ \t\r]*\n", content)
    if header is None:
        return None
    count, dimensions = int(header[1]), int(header[2])
    found: dict[str, tuple[float, ...]] = {}
    place = header.end()
    for _ in range(count):
        while content[place : place + 1] in (b"\n", b"\r"):
            place += 1
        space = content.find(b" ", place)
        stop = space + 1 + 4 * dimensions
        if space < 0 or stop > len(content):
            return None
        numbers = struct.unpack(f"<{dimensions}f", content[space + 1 : stop])
        with contextlib.suppress(UnicodeDecodeError):
            found.setdefault(content[place:space].decode(), numbers)
        place = stop
    if content[place:].strip(b"\n\r \t"):
        return None
    return list(found), np.array(list(found.values()), dtype=np.float32)


def judge(path: Path) -> tuple[str, float]:
    """``rejected:<code>``, ``accepted``, or what is wrong with having accepted it; and the seconds it took."""
    began = time.monotonic()
    try:
        embedding = read(path, limits=SMALL)
    except InputError as error:
        return f"rejected:{error.code}", time.monotonic() - began
    seconds = time.monotonic() - began
    expected = plainly(path.read_bytes())
    if expected is None:
        return "WRONG: accepted, but the plain reader refuses it", seconds
    if list(embedding.words) != expected[0] or not np.array_equal(embedding.matrix, expected[1]):
        return "WRONG: accepted with other words or numbers", seconds
    return "accepted", seconds


def main(folder: Path, address_space: int) -> None:
    """Judge every file of a folder under a bound of memory; one JSON line a file, written before the next begins."""
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    for path in sorted(folder.iterdir()):
        verdict, seconds = judge(path)
        print(json.dumps([path.name, verdict, round(seconds, 3)]), flush=True)
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(json.dumps(["", "peak", int(peak.split()[1]) // 1024]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
