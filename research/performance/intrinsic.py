"""Word tasks compared with their peers, in one run: ``python -m research.performance.intrinsic [FILE]``.

Prints median seconds of our code and of the peer on the same vectors, then the whole battery of word tasks and probes
on 400,000 × 300 with its peak memory beyond the vectors, and neighbours from prepared vectors. Vectors: FILE (default:
the baseline of open-2026, trained first), then random ones.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from research.performance.peers import intrinsic as peers
from research.performance.timing import timed
from research.performance.versions import versions
from tasks.base import Context
from tasks.baseline.svd_ppmi import train_for
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.formats.reading import read
from tasks.intrinsic.intrusion import intruders, order_of, ratios_of
from tasks.intrinsic.qvec import common_words
from tasks.intrinsic.similarity import distinct_pairs
from tasks.metrics.correlation import qvec
from tasks.neighbours import open_search
from tasks.prepared import store
from tasks.processes import no_progress
from tasks.suites import OPEN_2026
from tasks.vectors import Embedding
from tasks.word_tasks import SIMILARITY_TASKS

Row = tuple[str, str, str, str, str]
BATTERY = "research.performance.peers.battery"


def extended(front: Embedding, words: int, dimensions: int) -> Embedding:
    """Real vectors first, cut or extended with random dimensions; then random words at the same scale."""
    scale = front.moments.standard_deviation
    matrix = np.random.default_rng(0).standard_normal((words, dimensions), dtype=np.float32) * np.float32(scale)
    rows, columns = min(words, len(front.words)), min(dimensions, front.dimensions)
    matrix[:rows, :columns] = front.matrix[:rows, :columns]
    spelled = [*front.words[:rows], *(f"\x7f{i}" for i in range(words - rows))]
    return Embedding(f"{words:,} × {dimensions}", spelled, matrix, "performance")


def row(what: str, ours: tuple[float, object], peer: tuple[float, object], agree: str) -> Row:
    return what, f"{ours[0]:.2f}", f"{peer[0]:.1f}", f"{peer[0] / ours[0]:.0f}", agree


def analogies(vectors: Embedding, context: Context, repeats: int) -> Row:
    task, keyed = OPEN_2026.task("analogy-google"), peers.keyed_vectors(vectors)
    questions = context.data.path("analogy", "analogy/questions-words.txt")
    ours = timed(lambda: task.family.evaluate(task, vectors, None, context).score, repeats)
    gensim = timed(lambda: peers.gensim_analogies(keyed, questions), 1)
    return row(f"Google analogies, {vectors.name}; gensim, once", ours, gensim, f"{ours[1]:.4f} and {gensim[1]:.4f}")


def similarities(vectors: Embedding, context: Context, repeats: int) -> Row:
    keyed = peers.keyed_vectors(vectors)
    sets = context.data.load("word-sim")
    distinct = {name: distinct_pairs(pairs) for name, pairs in sets.items()}

    def all_sets() -> list[float]:
        return [task.family.evaluate(task, vectors, None, context).score for task in SIMILARITY_TASKS]

    all_sets()  # builds the word index of both sides
    ours = timed(all_sets, repeats)
    gensim = timed(lambda: peers.gensim_pairs(keyed, distinct), repeats)
    return row(f"13 similarity sets, {vectors.name}; gensim", ours, gensim, f"{len(SIMILARITY_TASKS)} sets")


def alignment(vectors: Embedding, context: Context, repeats: int) -> Row:
    task = OPEN_2026.task("qvec-en")

    def ours_of() -> float:
        common = common_words(task, vectors, context)
        return qvec(common.vectors, common.weights)

    common, ours = common_words(task, vectors, context), timed(ours_of, repeats)
    lists = common.vectors.tolist(), common.weights.tolist()
    loops = timed(lambda: peers.qvec_by_loops(*lists), 1)
    return row(f"QVEC, {vectors.name}; nested loops, once", ours, loops, f"{ours[1]:.4f} and {loops[1]:.4f}")


def intrusion(vectors: Embedding, threads: int, repeats: int) -> Row:
    def runs() -> float:
        order = order_of(vectors.matrix, 5, threads)
        return float(np.mean([ratios_of(vectors.matrix, order.top, drawn) for drawn in intruders(order, 10, 0)]))

    ours = timed(runs, repeats)
    plain = timed(lambda: float(np.mean(peers.intrusion_by_sorting(vectors.matrix, 5, 10))), 1)
    return row(f"Intrusion, 10 runs, {vectors.name}; plain, once", ours, plain, f"{ours[1]:.3f} and {plain[1]:.3f}")


def neighbours(directory: Path, repeats: int) -> str:
    """A sentence on the time of a look-up in prepared vectors that are in the page cache."""
    search = open_search(directory)
    search.nearest(0)
    words = [search.embedding.words[i] for i in range(0, 2_000, 100)]

    def ask() -> None:
        for word in words:
            place = search.row_of(word)
            assert place is not None
            search.nearest(place)

    seconds, _ = timed(ask, repeats)
    return f"Ten neighbours of a word in prepared vectors: {1000 * seconds / len(words):.0f} ms."


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", help="default: the baseline of open-2026, trained first")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--words", type=int, default=400_000, help="fewer: is all well?")
    arguments = parser.parse_args()
    words, repeats = arguments.words, arguments.repeats
    data = DataStore.default()
    front = read(arguments.file) if arguments.file else train_for(OPEN_2026, data, no_progress)
    context = Context(OPEN_2026, data, range(1), threads=arguments.threads)
    used = versions("SciPy", "scikit-learn", "gensim")
    print(f"{platform.machine()}, {arguments.threads} threads, medians of {repeats}; {used}")
    wide, narrow = extended(front, words, 300), extended(front, words, 50)
    small = extended(front, min(36_000, words), 50)
    with threadpool_limits(limits=arguments.threads):
        rows = [
            alignment(small, context, repeats),
            similarities(narrow, context, repeats),
            intrusion(wide, arguments.threads, repeats),
            analogies(narrow, context, repeats),
        ]
    print(table(("what; peer", "ours, s", "peer, s", "times", "results"), rows), flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        directory = store(wide, Path(scratch))
        del wide, narrow, small
        print(neighbours(directory, repeats), flush=True)
        subprocess.run([sys.executable, "-m", BATTERY, str(directory), str(arguments.threads)], check=True)


if __name__ == "__main__":
    main()
