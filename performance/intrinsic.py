"""Word tasks beside gensim's own evaluation: ``python performance/intrinsic.py [FILE] [--peers]``.

Prints seconds and scores on the file, then seconds and peak memory of the analogies for larger random vocabularies.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tasks.base import Context, no_progress
from tasks.baseline.train import train_for
from tasks.cli.tables import table
from tasks.datasets import DataStore
from tasks.suites import OPEN_2026
from tasks.vector_files import read
from tasks.vectors import Embedding

SIZES = ((100_000, 50), (400_000, 50), (400_000, 300))
TASKS = ("sim-ws-353-all", "analogy-google")
Row = tuple[str, str, str, str]


def measured(task_id: str, embedding: Embedding, threads: int) -> Row:
    """Seconds and score of one task, and the most memory that the process has held so far."""
    task = OPEN_2026.task(task_id)
    context = Context(OPEN_2026, DataStore.default(), range(1), threads=threads)
    context.data.load(task.dataset)
    began = time.perf_counter()
    result = task.family.evaluate(task, embedding, None, context)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{task_id}, {embedding.name}", f"{seconds:.2f}", f"{peak:,.0f}", f"{result.score:.4f}"


def measured_gensim(embedding: Embedding) -> Row:
    """gensim's evaluation of the same questions on the same vectors."""
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(embedding.dimensions)
    vectors.add_vectors(list(embedding.words), embedding.matrix)
    questions = DataStore.default().path("analogy", "analogy/questions-words.txt")
    began = time.perf_counter()
    score, _ = vectors.evaluate_word_analogies(str(questions))
    return f"gensim analogies, {embedding.name}", f"{time.perf_counter() - began:.2f}", "", f"{score:.4f}"


def random_embedding(like: Embedding, words: int, dimensions: int) -> Embedding:
    """Random vectors; the file's words come first, so that as many questions are known."""
    matrix = np.random.default_rng(0).standard_normal((words, dimensions), dtype=np.float32)
    spelled = [*like.words[:words], *(f"\x7f{i}" for i in range(words - len(like.words)))]
    return Embedding(f"{words:,} x {dimensions} ({matrix.nbytes / 2**20:,.0f} MB)", spelled, matrix, "")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", help="default: the baseline of open-2026, trained first")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peers", action="store_true", help="measure gensim too (minutes)")
    arguments = parser.parse_args()
    embedding = read(arguments.file) if arguments.file else train_for(OPEN_2026, DataStore.default(), no_progress)
    rows = [measured(task, embedding, arguments.threads) for task in TASKS]
    if arguments.peers:
        rows.append(measured_gensim(embedding))
    for words, dimensions in SIZES:
        rows.append(measured("analogy-google", random_embedding(embedding, words, dimensions), arguments.threads))
    print(table(("what", "seconds", "peak MB so far", "score"), rows))


if __name__ == "__main__":
    main()
