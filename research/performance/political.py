"""Ranking correlation and GloVe: ``python -m research.performance.political [--words 100000] [--repeats 5] [--train]``.

Prints seconds, processor seconds and peak memory above the vectors: Pearson of every common word by the identity,
compared with a plain program that computes all cosines in blocks (timed in the same run on fewer words, and scaled by
their square where it says "from"), then 100 random cues, and the neighbours' overlap. With ``--train``: 15 iterations
of GloVe on the State of the Union.
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from research.performance.versions import versions
from tasks.cli.tables import table
from tasks.political.compare import all_cue_pearson, compare_pair, cue_correlations
from tasks.political.cues import random_cues
from tasks.political.vocabulary import CommonVocabulary, common_vocabulary, overlap
from tasks.vectors import Embedding

BLOCK = 512
_MEGABYTE = 2**20


@dataclass(frozen=True)
class Measured:
    """Medians over the repeats; memory is the peak over the repeats above the initial level."""

    seconds: float
    processor: float
    megabytes: float
    answer: Any


def measure(work: Callable[[], Any], repeats: int) -> Measured:
    """Run it once to warm up, then ``repeats`` times."""
    work()
    walls, processors, peaks, answer = [], [], [], None
    for _ in range(repeats):
        with Peak() as peak:
            wall, processor = time.perf_counter(), time.process_time()
            answer = work()
            walls.append(time.perf_counter() - wall)
            processors.append(time.process_time() - processor)
        peaks.append(peak.megabytes)
    return Measured(statistics.median(walls), statistics.median(processors), max(peaks), answer)


class Peak:
    """Resident memory above the initial level, sampled every few milliseconds."""

    def __enter__(self) -> Peak:
        self.begin = self.top = resident()
        self.over = threading.Event()
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.watcher.join()

    def _watch(self) -> None:
        while not self.over.wait(0.005):
            self.top = max(self.top, resident())

    @property
    def megabytes(self) -> float:
        return (self.top - self.begin) / _MEGABYTE


def resident() -> int:
    """Resident memory of the process in bytes (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


def brute_force(common: CommonVocabulary) -> np.ndarray[Any, Any]:
    """Pearson correlation of every word from all cosines, a block of cues at a time."""
    left, right = (side.unit_rows(slice(0, len(common))) for side in (common.left, common.right))
    correlations = []
    for start in range(0, len(common), BLOCK):
        a, b = (side[start : start + BLOCK] @ side.T for side in (left, right))
        a -= a.mean(axis=1, keepdims=True)
        b -= b.mean(axis=1, keepdims=True)
        lengths = np.sqrt(np.einsum("ij,ij->i", a, a) * np.einsum("ij,ij->i", b, b))
        correlations.append(np.einsum("ij,ij->i", a, b) / lengths)
    return np.concatenate(correlations)


def pair(words: int, dimensions: int) -> CommonVocabulary:
    """Two sets of random vectors for the same words; the second is the first with noise."""
    generator = np.random.default_rng(0)
    names = [f"w{i}" for i in range(words)]
    first = generator.standard_normal((words, dimensions), dtype=np.float32)
    second = first + generator.standard_normal((words, dimensions), dtype=np.float32)
    left, right = (Embedding(name, names, matrix, name) for name, matrix in (("a", first), ("b", second)))
    return common_vocabulary(left, right)


def rows_of(words: int, dimensions: int, small: int, repeats: int) -> list[tuple[str, ...]]:
    """The table."""
    large, few = pair(words, dimensions), pair(small, dimensions)
    ours = measure(lambda: all_cue_pearson(large), repeats)
    ours_few = measure(lambda: all_cue_pearson(few), repeats)
    plain = measure(lambda: brute_force(few), max(1, repeats // 2))
    difference = float(np.abs(plain.answer - ours_few.answer).max())
    scale = (words / small) ** 2
    cues = random_cues(large.words)
    of_cues = measure(lambda: cue_correlations(large, cues), 1)
    of_neighbours = measure(lambda: overlap(large, cues), 1)
    sides = (large.left.embedding, large.right.embedding)
    of_cell = measure(lambda: compare_pair(*sides, cues[:10]), 1)
    size = f"{words:,} × {dimensions}"
    return [
        _row(f"every word, identity, {size}", ours),
        _row(f"every word, identity, {small:,} × {dimensions}", ours_few),
        _row(f"every word, all cosines, {small:,} × {dimensions}", plain, f"largest difference {difference:.1e}"),
        (f"every word, all cosines, {size}", f"from {plain.seconds * scale:,.0f}", "", "", "scaled, not run"),
        _row(f"100 random cues, Pearson and Spearman, {size}", of_cues),
        _row(f"neighbours of 100 cues, both vocabularies, {size}", of_neighbours),
        _row(f"a cell of a heat map, 10 cues, {size}", of_cell, "with finding the common words"),
    ]


def _row(name: str, measured: Measured, note: str = "") -> tuple[str, ...]:
    return name, f"{measured.seconds:.2f}", f"{measured.processor:.2f}", f"{measured.megabytes:,.0f}", note


def training_rows(threads: int) -> list[tuple[str, ...]]:
    """15 iterations of GloVe on the State of the Union, window 6, 100 dimensions, including counting."""
    import torch

    from tasks.datasets.store import DataStore
    from tasks.local_training.corpora import corpus
    from tasks.local_training.plan import Plan
    from tasks.local_training.train import train_runs

    torch.set_num_threads(threads)
    text = corpus("sotu", DataStore.default())
    run = next(train_runs(text, Plan("glove", window=6, dimensions=100, iterations=15)))
    criteria = run.criteria
    size = f"{criteria.tokens:,} tokens, {criteria.words:,} words, loss {criteria.loss:.4f}"
    wall, processor = (f"{60 * minutes:.1f}" for minutes in (criteria.minutes, criteria.processor_minutes))
    return [("GloVe, 15 iterations, window 6, 100 dimensions", wall, processor, "", size)]


def main() -> None:
    """Print the tables, with versions and hardware."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--small", type=int, default=10_000, help="words on which the peer is measured")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--train", action="store_true", help="train GloVe too (needs the State of the Union)")
    arguments = parser.parse_args()
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=arguments.threads):
        rows = rows_of(arguments.words, arguments.dimensions, arguments.small, arguments.repeats)
        rows += training_rows(arguments.threads) if arguments.train else []
    print(table(("what", "seconds", "processor seconds", "MB above the vectors", ""), rows))
    print(f"\n{versions()}, {arguments.threads} threads")


if __name__ == "__main__":
    main()
