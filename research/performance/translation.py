"""Speed and memory of translation between two languages: ``python -m research.performance.translation``.

Prints seconds, processor seconds and peak memory of the whole command ``tasks translate``, as a user types it (start,
reading, work, printing), and of a plain NumPy program in the same run, on the same vectors and the same half of the
dictionary. The plain program gets arrays instead of files; "from" marks a time extrapolated from a part of
the words. The vectors are random, one side the other with noise, rotated: only cost matters here. The
dictionary has as many pairs as MUSE's, 5,000 and 1,500. Memory is the process's high-water mark, libraries included.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from research.performance.associations import random_vectors, write_binary
from research.performance.memory import high_water_mark
from research.performance.versions import versions
from tasks.cli.tables import table
from tasks.neighbours import centred_unit_rows, procrustes
from tasks.translation import hubness, split
from tasks.vectors import Embedding

PAIRS = 5_000 + 1_500
NOISE = 2.0
SHARE = 50
"""Divisor of the words whose neighbourhoods the plain program finds."""
Row = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class Cost:
    """Cost of a process; ``megabytes`` is its high-water mark."""

    seconds: float
    processor: float
    megabytes: float = 0.0

    def row(self, what: str, agree: str = "", scaled: bool = False) -> Row:
        mark = "from " if scaled else ""
        memory = f"{self.megabytes:,.0f}" if self.megabytes else ""
        return what, f"{mark}{self.seconds:.1f}", f"{mark}{self.processor:.1f}", memory, agree


def of_process(*arguments: object) -> tuple[Cost, str]:
    """Cost and output of ``python -m …``."""
    began = time.perf_counter()
    typed = [sys.executable, "-m", *map(str, arguments)]
    megabytes = 0.0
    with tempfile.TemporaryFile("w+") as out, subprocess.Popen(typed, stdout=out) as process:
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            megabytes = max(megabytes, high_water_mark(process.pid))
            time.sleep(0.05)
        _, status, used = ended
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        printed = out.read()
    assert process.returncode == 0, typed
    return Cost(time.perf_counter() - began, used.ru_utime + used.ru_stime, megabytes), printed


def of_work(work: Callable[[], object]) -> Cost:
    """Cost of a call in this process."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - wall, time.process_time() - processor)


def two_languages(words: int, dimensions: int) -> tuple[Embedding, Embedding]:
    """Row i of one is the translation of row i of the other."""
    left, noise = (random_vectors([], words, dimensions, seed) for seed in (0, 2))
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((dimensions, dimensions)))[0].astype(np.float32)
    turned = (left.matrix + np.float32(NOISE) * noise.matrix) @ turn
    return left, Embedding("turned", [f"x{i}" for i in range(words)], turned, "turned")


def rows_of(words: int, dimensions: int, folder: Path) -> list[Row]:
    """The table."""
    left, right = two_languages(words, dimensions)
    pairs, some = min(PAIRS, words // 2), max(1, words // SHARE)
    learn, test = split(pairs, seed=0)
    files, arrays = ([folder / f"{side}.{end}" for side in ("left", "right")] for end in ("bin", "npy"))
    for vectors, file, array in zip((left, right), files, arrays, strict=True):
        write_binary(vectors, file)
        np.save(array, vectors.matrix)
    np.savez(folder / "split.npz", learn=learn, test=test)
    dictionary = folder / "dictionary.txt"
    dictionary.write_text("".join(f"w{i} x{i}\n" for i in range(pairs)), encoding="utf-8")

    ours, printed = of_process("tasks", "translate", *files, "--dictionary", dictionary, "--seeds", 1, "--json")
    precision = json.loads(printed)["precisions"][0]["value"]
    plain, printed = of_process("research.performance.peers.translation", *arrays, folder / "split.npz", some)
    peer = json.loads(printed)
    of_share = Cost(*peer["took"])
    rest = words / some - 1
    whole = Cost(plain.seconds + rest * of_share.seconds, plain.processor + rest * of_share.processor, plain.megabytes)

    units = centred_unit_rows(left.matrix), centred_unit_rows(right.matrix)
    mapped = units[0] @ procrustes(units[0][learn], units[1][learn])
    hubs: list[float] = []
    of_hubs = of_work(lambda: hubs.extend(hubness(units[1][:some], mapped).tolist()))
    difference = float(np.abs(np.array(hubs) - peer["hubs"]).max())
    size = f"{words:,} × {dimensions}"
    return [
        ours.row(f"tasks translate A B --dictionary FILE --seeds 1, {size}, {pairs:,} pairs, word2vec's binary form"),
        whole.row(
            "the same by NumPy, from arrays", f"precision at 1: {precision:.4f} and {peer['precision']:.4f}", True
        ),
        of_hubs.row(f"… of it: neighbourhoods of {some:,} words among {words:,}"),
        of_share.row("… the same by NumPy", f"to {difference:.0e}"),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--dimensions", type=int, default=300)
    arguments = parser.parse_args()
    print(versions())
    with tempfile.TemporaryDirectory() as folder:
        rows = rows_of(arguments.words, arguments.dimensions, Path(folder))
    print(table(("what", "seconds", "processor seconds", "peak MB", "results agree"), rows), flush=True)


if __name__ == "__main__":
    main()
