"""Cost of refusing hostile files: the slowest of each kind, and the largest memory.

    python -m research.performance.hostile [--spoiled 1200]

The files are those of the tests. Each is read in a fresh process, with a site's limits; the spoiled ones, which are
small, share one process. Only reading is timed. Memory is the process's high-water mark, including libraries.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from research.performance.versions import versions
from tasks.cli.tables import table
from tests.hostile import archives, corpus

ROOT = Path(__file__).resolve().parents[2]
MEMBERS = 100
_READ = """
import sys, time
from pathlib import Path
from tasks.errors import InputError
from tasks.processes import no_progress
from tasks.formats import ReadRequest
from tasks.formats.archives import is_archive, unpack
from tasks.formats.reading import prepare
refused, slowest, folder = 0, 0.0, Path(sys.argv[1])
for path in map(Path, sys.argv[2:]):
    began = time.perf_counter()
    try:
        request = ReadRequest(path, runs_prefix=str(folder / "run-"))
        if is_archive(request): unpack(request, no_progress)
        else: prepare(request, folder)
    except InputError:
        refused += 1
    slowest = max(slowest, time.perf_counter() - began)
with open("/proc/self/status") as status:
    megabytes = next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))
print(refused, slowest, megabytes)
"""


def files(spoiled: int) -> Iterator[tuple[str, int, Iterator[bytes]]]:
    """Kinds of files, the number of files per process, and the files."""
    yield "bombs of 10 GB", 1, (corpus.bomb(beginning, unit, MEMBERS) for beginning, unit, _ in corpus.BOMBS)
    yield "huge words, lines and headers", 1, (corpus.huge(what) for what in corpus.HUGE)
    yield "archives", 1, (archives.packed(content) for content in archives.HARMFUL.values())
    yield "spoiled files", spoiled, (content for _, content in corpus.spoiled_files(spoiled))


def read(paths: list[Path], folder: Path) -> tuple[int, float, int]:
    """Number of refused files, seconds of the slowest, and the process's megabytes."""
    command = [sys.executable, "-c", _READ, str(folder), *map(str, paths)]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return int(printed[0]), float(printed[1]), int(printed[2])


def main() -> None:
    """Print a row per kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spoiled", type=int, default=1_200)
    rows = []
    for kind, together, contents in files(parser.parse_args().spoiled):
        readings = []
        with tempfile.TemporaryDirectory() as folder:
            for i, content in enumerate(contents):
                Path(folder, f"{i}.gz").write_bytes(content)
            paths = sorted(Path(folder).iterdir())
            for start in range(0, len(paths), together):
                with tempfile.TemporaryDirectory() as root:
                    readings.append(read(paths[start : start + together], Path(root)))
        refused, seconds, megabytes = zip(*readings, strict=True)
        rows.append((kind, f"{len(paths):,}", f"{sum(refused):,}", f"{max(seconds):.2f}", f"{max(megabytes)}"))
    print(versions())
    print(table(("kind", "files", "refused", "slowest, s", "most, MB"), rows))


if __name__ == "__main__":
    main()
