"""Speed of association tests, axes, à la carte contexts and drift: ``python -m research.performance.associations``.

Prints the seconds of our code and of a plain program in the same run, on the same vectors and texts: NumPy with a loop,
SciPy's Procrustes, gensim. "from" marks a peer whose time is extrapolated from a part of the work. A line that begins
with ``tasks`` is a whole command as a user types it: start, reading, work, and printing. The vectors are random: only
cost matters here; their words are those of the ten published tests, those of the State of the Union, or arbitrary. The
last column is the difference between both results.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from research.performance.peers import associations as peers
from research.performance.peers.intrinsic import keyed_vectors
from research.performance.timing import timed
from research.performance.versions import versions
from tasks.associations import drift as of_drift
from tasks.associations.axes import WordAxis, parse_formula, project, solve
from tasks.associations.contexts import Contexts, Tokens, mean_contexts
from tasks.associations.measure import question_of
from tasks.associations.weat import MOST, associate
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.local_training.documents import collection
from tasks.metrics.distances import exact_unit_rows
from tasks.neighbours import Rows32, centred_unit_rows, open_search
from tasks.prepared import excerpt, open_prepared, store
from tasks.statistics.bootstrap import RESAMPLES
from tasks.suites import OPEN_2026
from tasks.vectors import Embedding
from tasks.word_tasks import ASSOCIATION_TASKS

Row = tuple[str, str, str, str, str]
LOOK_UP = OPEN_2026.look_up
SHARE = 100
"""Divisor of the work for peers that would take minutes."""


def row(what: str, ours: float, target: str = "", peer: str = "", agree: str = "") -> Row:
    return what, f"{ours:.2f}", target, peer, agree


def random_vectors(words: Sequence[str], count: int, dimensions: int, seed: int = 0) -> Embedding:
    """These words first, then others, with random numbers."""
    spelled = [*dict.fromkeys(words)][:count]
    spelled += [f"w{i}" for i in range(count - len(spelled))]
    matrix = np.random.default_rng(seed).standard_normal((count, dimensions), dtype=np.float32)
    return Embedding.of("random", spelled, matrix)


def write_binary(embedding: Embedding, path: Path) -> Path:
    """word2vec's binary form."""
    with path.open("wb") as file:
        file.write(f"{len(embedding.words)} {embedding.dimensions}\n".encode())
        for word, vector in zip(embedding.words, embedding.matrix, strict=True):
            file.write(word.encode() + b" " + vector.tobytes())
    return path


def command(*arguments: object) -> float:
    """Seconds of a whole ``python -m tasks`` command; its output is discarded."""
    typed = [sys.executable, "-m", "tasks", *map(str, arguments)]
    seconds, done = timed(lambda: subprocess.run(typed, stdout=subprocess.DEVNULL, check=False))
    assert done.returncode in (0, 1), typed  # 1: part of the request has no answer
    return seconds


def tests(words: int, dimensions: int, folder: Path) -> list[Row]:
    """The ten published tests, an axis and a formula."""
    data = DataStore.default()
    questions = [question_of(task, data) for task in ASSOCIATION_TASKS]
    listed = [word for question in questions for each in question.lists for word in each.words]
    vectors = random_vectors(["king", "man", "woman", *listed], words, dimensions)
    size = f"{words:,} × {dimensions}"
    file = write_binary(vectors, folder / "associations.bin")
    whole = command("associate", file)
    directory = store(vectors, folder)
    opened = open_prepared(directory, name="prepared")
    ours, answers = timed(lambda: [associate(opened, LOOK_UP, question) for question in questions])
    units = dict(zip(listed, exact_unit_rows(vectors.matrix[vectors.find(listed)]), strict=True))
    plain, of_peer = timed(lambda: [peers.weat(units, question, MOST, RESAMPLES) for question in questions])
    d, p = (
        max(abs(float(getattr(a, name) or 0) - b[place]) for a, b in zip(answers, of_peer, strict=True))
        for place, name in enumerate(("d", "p"))
    )
    agree = f"d to {d:.0e}, p to {p:.3f}"
    return [
        row(f"ten tests, {size}, prepared vectors; NumPy, a loop", ours, "5", f"{plain:.1f}", agree),
        row(f"tasks associate FILE, {size}, word2vec's binary form", whole),
        *answered(vectors, directory, size),
    ]


def answered(vectors: Embedding, directory: Path, size: str) -> list[Row]:
    """An axis and a formula, as requested by a page of the site."""
    axis, placed = WordAxis(("king",), ("woman",)), [f"w{i}" for i in range(100)]
    terms = parse_formula("king - man + woman")

    def ask_axis() -> None:
        opened = open_prepared(directory, name="prepared")
        project(excerpt(opened, [*axis.positive, *axis.negative, *placed]), LOOK_UP, axis, placed)

    ask_axis()
    solve(open_search(directory), terms)  # the first look-up stores the rows' lengths
    of_axis, _ = timed(ask_axis)
    ours, answer = timed(lambda: solve(open_search(directory), terms))
    keyed = keyed_vectors(vectors)
    keyed.fill_norms()
    of_gensim, near = timed(lambda: keyed.most_similar(positive=["king", "woman"], negative=["man"]))
    same = len({neighbour.word for neighbour in answer.neighbours} & {word for word, _ in near})
    return [
        row(f"an axis with 100 words, {size}, prepared vectors", of_axis, "0.3"),
        row(
            f"king − man + woman, {size}, prepared vectors; gensim",
            ours,
            "0.3",
            f"{of_gensim:.2f}",
            f"{same} of {len(near)} words alike",
        ),
    ]


def contexts(dimensions: int, folder: Path) -> list[Row]:
    """The State of the Union, by party."""
    seconds, tokens = timed(lambda: Tokens.of(collection("sotu", DataStore.default()).documents))
    frequent = [tokens.types[i] for i in np.argsort(-tokens.counts, kind="stable")]
    vectors = random_vectors(frequent, len(frequent), dimensions)
    file = write_binary(vectors, folder / "contexts.bin")
    arguments = ("--cues", "political-en", "--by", "party", "--groups", "Republican,Democratic")
    whole = command("contexts", "sotu", file, *arguments)
    learned, model = timed(lambda: Contexts.learn(tokens, vectors, LOOK_UP))
    rows, known_vectors = model.rows, model.vectors
    ours, means = timed(lambda: mean_contexts(tokens, rows, known_vectors))
    plain, of_peer = timed(lambda: peers.mean_contexts(tokens, rows, known_vectors))
    size = f"{len(tokens.ids):,} tokens, {dimensions} dimensions"
    agree = f"to {np.abs(means - of_peer).max():.0e}"
    return [
        row(f"tasks contexts sotu FILE --cues political-en --by party …, {size}", whole, "60"),
        row("… of it: the corpus as numbers", seconds),
        row("… of it: the transformation", learned),
        row("… of that: mean contexts; NumPy, a loop", ours, "", f"{plain:.1f}", agree),
    ]


def alignment(words: int, dimensions: int, folder: Path) -> list[Row]:
    """Two sets of vectors for the same words; the second is the first with noise, turned."""
    first = random_vectors([], words, dimensions)
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((dimensions, dimensions)))[0].astype(np.float32)
    noise = random_vectors([], words, dimensions, seed=2).matrix
    second = Embedding("turned", first.words, ((first.matrix + noise) @ turn).astype(np.float32), "turned")
    files = [write_binary(vectors, folder / f"{vectors.name}.bin") for vectors in (first, second)]
    whole = command("drift", *files)
    size = f"{words:,} × {dimensions}"
    sides = centred_unit_rows(first.matrix), centred_unit_rows(second.matrix)
    places = np.arange(min(of_drift.MOST_WORDS, words))
    named = places[: 2 * of_drift.NAMED]

    def aligned() -> tuple[object, object]:
        left, right = centred_unit_rows(first.matrix), centred_unit_rows(second.matrix)
        return of_drift._change(left, right, places), of_drift._intervals(left, right, named)

    both, (change, intervals) = timed(aligned)
    alone, _ = timed(lambda: of_drift._change(*sides, places))
    of_scipy, of_peer = timed(lambda: peers.aligned_change(*sides))
    agree = f"to {np.abs(np.asarray(change) - of_peer[places]).max():.0e}"
    return [
        row(f"alignment with intervals of {len(named)} words, {size}", both, "10"),
        row("… of it: one alignment; SciPy", alone, "", f"{of_scipy:.2f}", agree),
        _intervals(sides, named, np.asarray(intervals)),
        _neighbours(sides, first.words, places),
        row(f"tasks drift A B, {size}, word2vec's binary form", whole),
    ]


def _intervals(sides: tuple[Rows32, Rows32], named: of_drift.Places, intervals: Rows32) -> Row:
    ours, _ = timed(lambda: of_drift._intervals(*sides, named))
    resamples = of_drift.RESAMPLES // 10
    plain, drawn = timed(lambda: peers.resampled_changes(*sides, named.tolist(), resamples))
    ratio = float(np.median(np.diff(intervals).ravel() / (2 * 1.96 * drawn.std(axis=0, ddof=1))))
    what = f"… of it: {of_drift.RESAMPLES} resamples of the anchors; SciPy, a loop"
    return row(what, ours, "", f"from {10 * plain:.0f}", f"widths {ratio:.2f} × the peer's, median")


def _neighbours(sides: tuple[Rows32, Rows32], words: Sequence[str], places: of_drift.Places) -> Row:
    ours, changes = timed(lambda: of_drift.neighbour_change(*sides, places))
    keyed = [keyed_vectors(Embedding("", list(words), side, "")) for side in sides]
    few = places[: max(1, len(places) // SHARE)]
    names = [words[i] for i in few]
    plain, of_gensim = timed(lambda: peers.changed_neighbours(keyed[0], keyed[1], names, of_drift.NEAREST))
    difference = float(np.abs(changes[: len(few)] - np.array(of_gensim)).max())
    scaled = plain * len(places) / len(few)
    return row(
        f"neighbours of {len(places):,} words, both sides; gensim",
        ours,
        "",
        f"from {scaled:.0f}",
        f"to {difference:.0e}",
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=400_000, help="of association tests, axes and formulas")
    parser.add_argument("--aligned", type=int, default=100_000, help="words of the alignment")
    parser.add_argument("--dimensions", type=int, default=300)
    arguments = parser.parse_args()
    dimensions = arguments.dimensions
    print(versions())
    rows: list[Row] = []
    parts: tuple[Callable[[Path], list[Row]], ...] = (
        lambda folder: tests(arguments.words, dimensions, folder),
        lambda folder: contexts(dimensions, folder),
        lambda folder: alignment(arguments.aligned, dimensions, folder),
    )
    for part in parts:
        with tempfile.TemporaryDirectory() as folder:
            rows += part(Path(folder))
    print(table(("what; peer", "ours, s", "target, s", "peer, s", "results agree"), rows), flush=True)


if __name__ == "__main__":
    main()
