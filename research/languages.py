"""``python -m research languages``: scores of vectors trained on small corpora in other languages.

The texts are in Debian packages, so anyone can train the same vectors.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmark.shipped.trained import random_vectors
from research import pages
from research.debian_texts import LICENCE, PACKAGE, TITLE, paragraphs_of_help
from research.findings.finding import table as markdown
from tasks.baseline.svd_ppmi import train
from tasks.cli.tables import step_bar
from tasks.datasets.examples import Document
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.evaluate import evaluate
from tasks.languages import language_name
from tasks.local_training.corpora import TrainingCorpus, documents_corpus
from tasks.local_training.plan import Plan
from tasks.local_training.train import train_runs
from tasks.results import CellResult
from tasks.suites import OPEN_2026
from tasks.vectors import Embedding

PAGE = Path(__file__).resolve().parents[1] / "docs" / "languages.md"
LANGUAGES = ("de", "it", "ru")
"""Languages of the help that have word groups and similarity sets."""
DIMENSIONS, WINDOW, MINIMUM_COUNT, EPOCHS = 100, 5, 5, 5
RANDOM_RUNS = 10
GROUPS = "odd-one-out"


@dataclass(frozen=True)
class Measured:
    """One row: vectors of a language, and their results by task."""

    language: str
    trained_by: str
    words: int
    results: dict[str, CellResult]


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "languages",
        help="train vectors on small corpora in other languages and score them",
        description="Trains vectors on the LibreOffice help of Debian packages (unpacked into FOLDER by dpkg-deb "
        "--extract), and scores word groups and similarity, with random vectors for comparison.",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the packages are unpacked")
    parser.add_argument("--language", action="append", help="only this one (repeatable)")
    parser.add_argument("--write", action="store_true", help=f"write the tables into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Train, score, print; write if asked."""
    texts = [corpus_in(language, arguments.folder) for language in arguments.language or LANGUAGES]
    rows = [row for corpus in texts for row in measured(corpus)]
    corpora, scores = corpora_table(texts), scores_table(rows)
    print(f"{corpora}\n\n{scores}")
    if arguments.write:
        for name, text in (("small corpora", corpora), ("small corpora scored", scores)):
            pages.put(name, text, PAGE)
    return 0


def corpus_in(language: str, folder: Path) -> TrainingCorpus:
    """The text of a language; its id is the language.

    Raises
    ------
    InputError
        its package is not unpacked in the folder.
    """
    text = "\n".join(paragraphs_of_help(folder, language))
    if not text:
        package = PACKAGE.format(language=language)
        message = f"{folder} has no {TITLE} in {language_name(language)}: apt-get download {package}, and "
        raise InputError("no-package", f"{message}dpkg-deb --extract it into {folder}.", field="folder")
    return documents_corpus(language, TITLE, LICENCE, [Document(language, "", text)])


def measured(corpus: TrainingCorpus) -> Iterator[Measured]:
    """The vectors of every method, then random ones for the same words."""
    language = corpus.id
    vectors: Embedding | None = None
    for name, vectors in trained(corpus):
        yield Measured(language, name, len(vectors.words), results_of(vectors))
    if vectors is not None:
        yield Measured(language, f"random, mean of {RANDOM_RUNS}", len(vectors.words), random_results(vectors))


def trained(corpus: TrainingCorpus) -> Iterator[tuple[str, Embedding]]:
    """Vectors of SVD-PPMI, as the baseline's, and skip-gram as ``python -m tasks train`` trains it."""
    with step_bar(f"{language_name(corpus.id)}, SVD-PPMI") as progress:
        words, matrix = train(corpus.read(), DIMENSIONS, progress, minimum_count=MINIMUM_COUNT)
    yield "SVD-PPMI", Embedding.of("SVD-PPMI", words, matrix, corpus.id)
    plan = Plan("skip-gram", WINDOW, DIMENSIONS, MINIMUM_COUNT, EPOCHS)
    with step_bar(f"{language_name(corpus.id)}, skip-gram") as progress:
        (run,) = train_runs(corpus, plan, progress)
    yield "skip-gram", replace(run.embedding, language=corpus.id)


def results_of(vectors: Embedding) -> dict[str, CellResult]:
    """Scores of word groups and similarity; tasks without a score are left out."""
    word_tasks = [task for task in OPEN_2026.tasks if task.id == GROUPS or task.family.id == "similarity"]
    tasks = [task.id for task in word_tasks if task.applies_to(vectors.language)]
    report = evaluate(vectors, OPEN_2026, tasks=tasks, data=DataStore.default())
    return {result.task: result for result in report.results}


def random_results(like: Embedding) -> dict[str, CellResult]:
    """Mean scores of random vectors over seeds, each with the interval in which 95 % of the seeds are."""
    runs = [results_of(random_vectors(like, seed)) for seed in range(RANDOM_RUNS)]
    results = {}
    for task, first in runs[0].items():
        scores = [run[task].score for run in runs]
        low, high = np.percentile(scores, [2.5, 97.5]).tolist()
        results[task] = replace(first, score=float(np.mean(scores)), interval=(low, high))
    return results


def corpora_table(texts: Sequence[TrainingCorpus]) -> str:
    """Size, sources and licences of the texts."""
    rows = []
    for text in texts:
        tokens = sum(line.count(" ") + 1 for line in text.read())
        rows.append((language_name(text.id), text.title, text.licence, f"{tokens:,}"))
    caption = "The texts; repeated paragraphs are used once, and tokens without a letter are left out."
    return markdown(("Language", "Text", "Licence", "Words"), rows, caption)


def scores_table(rows: Sequence[Measured]) -> str:
    """One row per vectors: word groups with their interval, similarity with the pairs that are known."""
    table = []
    for row in rows:
        groups = row.results.get(GROUPS)
        table.append(
            (
                language_name(row.language),
                row.trained_by,
                f"{row.words:,}",
                "–" if groups is None else f"{100 * groups.score:.1f} % {_interval(groups, 100)}",
                "–" if groups is None else f"{groups.n}",
                _similarity(row, "sim-simlex-999"),
                _similarity(row, "sim-ws-353-all"),
            )
        )
    head = ("Language", "Trained by", "Vocabulary", "Word groups", "Groups", "SimLex-999, ρ", "WordSim-353, ρ")
    caption = (
        f"Vectors of {DIMENSIONS} dimensions, window {WINDOW}, words with at least {MINIMUM_COUNT} occurrences, "
        f"skip-gram with {EPOCHS} passes, one run each, with 95 % intervals; for random vectors, "
        f"the mean of {RANDOM_RUNS} seeds and the range that holds 95 % of them."
    )
    return markdown(head, table, caption)


def _similarity(row: Measured, task: str) -> str:
    result = row.results.get(f"{task}-{row.language}")
    return "–" if result is None else f"{result.score:.2f} {_interval(result)}, {result.n} pairs"


def _interval(result: CellResult, unit: float = 1.0) -> str:
    if result.interval is None:
        return ""
    low, high = (unit * bound for bound in result.interval)
    return f"({low:.0f} to {high:.0f})" if unit > 1 else f"({low:.2f} to {high:.2f})"
