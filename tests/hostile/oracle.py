"""A plain reader as the oracle of accepted files, and a process that judges files by it."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import resource
import struct
import sys
import zlib
from pathlib import Path

import numpy as np

from tasks.errors import InputError
from tasks.formats import Limits, ReadRequest, read
from tests.tasks.formats.reference import read_plainly

SMALL = Limits(words=10_000, dimensions=1_000, expanded_bytes=50_000_000)
Vectors = tuple[list[str], np.ndarray]


def plainly(compressed: bytes) -> Vectors | None:
    """Words and matrix of a gzipped file, read as text or else as binary; None if it is neither."""
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


def judge(path: Path) -> str:
    """``rejected:<code>``, ``accepted``, or the reason against its acceptance."""
    try:
        embedding = read(ReadRequest(path, limits=SMALL))
    except InputError as error:
        return f"rejected:{error.code}"
    expected = plainly(path.read_bytes())
    if expected is None:
        return "WRONG: accepted, but the plain reader refuses it"
    if list(embedding.words) != expected[0] or not np.array_equal(embedding.matrix, expected[1]):
        return "WRONG: accepted with other words or numbers"
    return "accepted"


def own(line: str) -> int:
    """A memory value of this process's status, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(next(found.split()[1] for found in status.splitlines() if found.startswith(line))) * 1024


def main(folder: Path, honest: Path) -> None:
    """Judge every file of a folder; write one JSON line for each before the next begins.

    Last come two peaks of memory: after an honest file as large as the limits allow, which is read first, and at the
    end. A file that takes twenty times what that file expands to ends the process before it takes the machine's.
    """
    read(ReadRequest(honest, limits=SMALL))
    needed, most = own("VmHWM"), own("VmSize") + 20 * SMALL.expanded_bytes
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for path in sorted(folder.iterdir()):
        print(json.dumps([path.name, judge(path)]), flush=True)
    print(json.dumps([needed, own("VmHWM")]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
