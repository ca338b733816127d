"""``python -m research own``: ``python -m tasks own`` on two examples with published vectors.

- *questions*: TREC's questions and their kinds, with the published split;
- *threads*: the subject of each thread of at least five newsgroup posts is a query, and its posts are to be found.

``--intervals`` draws small samples of questions, sentences and posts instead, cross-validates classifiers on each, and
counts how often the intervals hold the classifiers' mean scores on all other texts.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit
from tqdm import tqdm

from extensions.own.measure.labelled import Labelled, Places, labelled, stratified
from extensions.own.measure.measure import estimate, measure
from extensions.own.measure.report import OwnFigure, OwnReport
from extensions.own.measure.retrieval import Retrieval, retrieval
from extensions.shared.measure.vectors import NamedVectors
from research import pages
from research.findings.finding import number
from research.findings.finding import table as markdown
from tasks.cli.tables import step_bar
from tasks.datasets.examples import Document, LabelledText, numbered
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.files import temporary_folder
from tasks.gate import MARGIN
from tasks.probes import Floats, subject_of, text_vectors, units_of_posts, words_of
from tasks.processes import end_with_parent
from tasks.statistics.intervals import LEVEL
from tasks.suites import DEFAULT, get
from tasks.text import LeftOut
from vecboard.fetch import fetch
from vecboard.public import public_entry

PAGE = Path(__file__).resolve().parents[1] / "docs" / "own.md"
VECTORS = ("glove-6b-50d", "wordllama-l2-256d")
LEAST_POSTS = 5
SIZES = (100, 200, 300, 1000)
DIMENSIONS, OTHERS = 20, 2_000
NOISE, MORE_NOISE = 0.5, 1.0
"""Standard deviation of the noise of two equal sets and of a worse one, in those of the texts' means."""
RARE = "ABBR"
STRENGTH, STEPS = 0.1, 15


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "own",
        help="published vectors on questions and threads, as one's own data",
        description="Writes two data sets as anyone's own and scores published vectors on them (minutes).",
    )
    parser.add_argument("--example", action="append", choices=EXAMPLES, help="only this one (default: all)")
    parser.add_argument("--file", action="append", default=[], nargs=2, metavar=("ID", "FILE"), help="a local copy")
    parser.add_argument("--intervals", action="store_true", help="check the intervals with simulated samples (minutes)")
    parser.add_argument("--runs", type=int, default=300, help="samples of a size (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help=f"write the tables into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Score, print, write if asked."""
    store, paths = DataStore.default(), {name: Path(path) for name, path in parsed.file}
    with temporary_folder() as folder:
        files = [NamedVectors(name, Path(paths.get(name) or fetch(public_entry(name), folder))) for name in VECTORS]
        if parsed.intervals:
            text = interval_table(list(populations(store, files[0], folder)), parsed.runs, parsed.workers)
            print(text)
            if parsed.write:
                pages.put("own intervals", text, PAGE)
            return
        for example in parsed.example or EXAMPLES:
            place = folder / example
            place.mkdir()
            with step_bar(example, even=True) as progress:
                data = EXAMPLES[example](store, place)
                report, _ = measure(data, files, get(DEFAULT).look_up, place, MARGIN, progress)
            text = report_table(report)
            print(f"{text}\n")
            if parsed.write:
                pages.put(f"own {example}", text, PAGE)


def _write(path: Path, *rows: Sequence[object]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def questions(store: DataStore, folder: Path) -> Labelled:
    """TREC's questions."""
    parts = store.load("trec-qc").items()
    texts = [(part, example) for part, examples in parts for example in examples if isinstance(example, LabelledText)]
    rows = ((" ".join(example.words), example.label, part) for part, example in texts)
    return labelled(_write(folder / "questions.csv", ("text", "label", "part"), *rows), "label", split_field="part")


def threads(store: DataStore, folder: Path) -> Retrieval:
    """Subjects of threads, and posts without them."""
    posts = _posts(store)
    of_thread: dict[int, list[int]] = {}
    for i, thread in enumerate(units_of_posts(post.text for post in posts)[1].tolist()):
        of_thread.setdefault(thread, []).append(i)
    large = [ids for ids in of_thread.values() if len(ids) >= LEAST_POSTS]
    _write(folder / "queries.csv", ("id", "text"), *((ids[0], subject_of(posts[ids[0]].text)) for ids in large))
    _write(folder / "texts.csv", ("id", "text"), *((i, " ".join(words_of(post.text))) for i, post in enumerate(posts)))
    _write(folder / "judgements.csv", ("query-id", "corpus-id"), *((ids[0], i) for ids in large for i in ids))
    return retrieval(folder)


EXAMPLES = {"questions": questions, "threads": threads}


def _posts(store: DataStore) -> list[Document]:
    return [post for examples in store.load("20ng").values() for post in examples if isinstance(post, Document)]


@dataclass(frozen=True)
class Population:
    """Texts to draw samples from: standardised mean vectors, shape (n, D), labels and units, both of shape (n,)."""

    name: str
    means: Floats
    labels: NDArray[np.str_]
    units: Places


def populations(store: DataStore, file: NamedVectors, folder: Path) -> Iterator[Population]:
    """Questions, sentences and, with their threads as units, posts; a repeated text once."""
    posts = _posts(store)
    threads = units_of_posts(post.text for post in posts)[1].tolist()
    named: dict[str, dict[tuple[str, ...], tuple[str, int]]] = {
        "questions": _texts(store, "trec-qc"),
        "sentences": _texts(store, "sst2"),
        "posts, by thread": {
            words_of(post.text): (post.label, thread) for post, thread in zip(posts, threads, strict=True)
        },
    }
    for name, texts in named.items():
        embedding = file.with_words(dict.fromkeys(word for text in texts for word in text), folder)
        means = text_vectors(embedding, get(DEFAULT).look_up, list(texts)).means[:, :DIMENSIONS]
        labels, units = (numbered(values) for values in zip(*texts.values(), strict=True))
        yield Population(name, (means - means.mean(axis=0)) / means.std(axis=0), labels.astype("U1"), units)


def _texts(store: DataStore, name: str) -> dict[tuple[str, ...], tuple[str, int]]:
    """Label and number of each text, without the label that is too rare for small samples."""
    examples = [text for part in store.load(name).values() for text in part if isinstance(text, LabelledText)]
    return {text.words: (text.label, place) for place, text in enumerate(examples) if text.label != RARE}


def simulate(population: Population, size: int, number: int) -> Floats:
    """Checks of a sample's accuracy and macro-F1, and of its differences of an equal and a worse set from the first.

    Returns
    -------
    shape (4, 4): whether the 95 % interval holds the truth, whether it leaves out zero, the truth, degrees of freedom
    """
    generator = np.random.default_rng([size, number])
    counts = np.bincount(population.units)
    while True:  # until every label has enough texts
        drawn = generator.permutation(len(counts))
        is_inside = np.isin(population.units, drawn[np.cumsum(counts[drawn]) <= size])
        inside = np.flatnonzero(is_inside)
        with suppress(InputError):
            divisions = list(stratified(population.labels[inside], population.units[inside], inside))
            break
    places = np.concatenate([inside, generator.permutation(np.flatnonzero(~is_inside))[:OTHERS]])
    n, outside, labels = len(inside), np.arange(len(inside), len(places)), population.labels[places]
    units = np.unique(population.units[places], return_inverse=True)[1]
    divisions = [(train, np.concatenate([test, outside])) for train, test in divisions]
    data = Labelled((), (), labels, divisions, LeftOut(), None, places, units)
    tested = np.concatenate([test for _, test in divisions])
    sets = []
    for deviation in (NOISE, NOISE, MORE_NOISE):
        of_texts, of_units = generator.standard_normal((2, len(places), DIMENSIONS))
        means = population.means[places] + deviation * (of_texts + of_units[units]) / math.sqrt(2)
        predicted = np.concatenate([fitted(means[train], labels[train], means)[test] for train, test in divisions])
        sets.append([data.response(tested[part], predicted[part]) for part in (tested < n, tested >= n)])
    first, equal, worse = sets
    checked = [[response.values[figure] for response in first] for figure in first[0].values]
    checked += [
        [new.right - old.right for new, old in zip(compared, first, strict=True)] for compared in (equal, worse)
    ]
    rows = []
    for values, true_values in checked:
        value, error, freedom = estimate(data, values)
        truth, half = float(np.nanmean(true_values)), float(stdtrit(freedom, 1 - LEVEL / 2)) * error
        # The mean of the other texts has an error of its own.
        reach = half * math.sqrt(1 + n / len(outside))
        rows.append((abs(value - truth) <= reach, abs(value) > half, truth, freedom))
    return np.array(rows, dtype=np.float64)


def fitted(train: Floats, labels: NDArray[np.str_], means: Floats) -> NDArray[np.str_]:
    """Predictions for means of a logistic regression with C = 0.1, fitted to some of them.

    Nesterov's steps with the fixed bound of the Hessian of Böhning (1992), which for few columns are several times as
    fast as a library's checks of what it is given.
    """
    names, places = np.unique(labels, return_inverse=True)
    centre, targets = train.mean(axis=0), np.eye(len(names))[places]
    columns = np.insert(train - centre, 0, 1.0, axis=1)
    penalty = np.diag([0.0, *[1 / STRENGTH] * train.shape[1]])
    step = np.linalg.inv(columns.T @ columns / 2 + penalty)
    weights = before = np.zeros((columns.shape[1], len(names)))
    for i in range(STEPS):
        ahead = weights + i / (i + 3) * (weights - before)
        likely = np.exp(columns @ ahead)
        gap = targets - likely / likely.sum(axis=1, keepdims=True)
        before, weights = weights, ahead + step @ (columns.T @ gap - penalty @ ahead)
    return np.asarray(names[((means - centre) @ weights[1:] + weights[0]).argmax(axis=1)])


def interval_table(drawn_from: Sequence[Population], runs: int, workers: int) -> str:
    """A row for each population and size."""
    rows = []
    with ProcessPoolExecutor(workers, initializer=end_with_parent) as pool:
        for population, size in tqdm(list(product(drawn_from, SIZES)), desc="samples", disable=None):
            samples = np.array(list(pool.map(partial(simulate, population, size), range(runs), chunksize=10)))
            covers, excludes, truth, freedom = samples.mean(axis=0).T
            shares = (f"{100 * share:.1f}" for share in (*covers, *excludes[2:]))
            points, units = number(100 * truth[3], 1), number(freedom[0] + 1, 0)
            rows.append((f"{population.name}, {size:,}", units, *shares, points))
    head = ("sample", "G*", "accuracy", "macro-F1", "equal", "worse", "equal differ", "worse differs", "by points")
    caption = (
        f"{runs:,} samples of each size: per cent of the 95 % intervals that hold the true accuracy, macro-F1, and "
        "difference of an equal and of a worse set from the first; per cent of the differences whose interval leaves "
        "out zero."
    )
    return markdown(head, rows, caption)


def report_table(report: OwnReport) -> str:
    """A row for each set, and the verdicts."""
    rows = [
        (
            each["name"],
            "–" if each["known"] is None else f"{100 * each['known']:.1f}",
            *(_figure(figure) for figure in each["figures"]),
        )
        for each in report["scores"]
    ]
    named = (f"{figure['name']}, {figure['unit']}" for figure in report["scores"][0]["figures"])
    text = markdown(("vectors", "known words, %", *named), rows, f"{report['data']['sentence']}.")
    return "\n".join([text, "", *(f"- {each['sentence']}" for each in report["comparisons"])])


def _figure(figure: OwnFigure) -> str:
    interval = figure["interval"]
    of = f" ({interval[0]:.1f} to {interval[1]:.1f})" if interval else ""
    return f"{number(figure['value'], 1)}{of}"
