"""Pages of suites, and the prescribed corpus as a download, which a job builds once its data set has arrived."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from django.core.cache import cache
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import path
from django.views.decorators.http import require_safe

from benchmark import storage
from benchmark.data import current_suite, suite_or_404
from benchmark.leaderboard import page_cache
from benchmark.leaderboard.columns import MEANS, columns_of
from benchmark.leaderboard.overall import controls, shares_of_variance
from benchmark.leaderboard.table import Table, current
from benchmark.operations import fair_queue
from benchmark.operations.kinds import JobContext, JobKind
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from tasks.base import GROUPS, PAIR, SENTENCE, SHARED_PAIR, WINDOW, Task
from tasks.baseline.corpus_text import write_corpus
from tasks.baseline.published import sizes_of
from tasks.datasets.dataset import DataSet
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.hashes import suite_hash, task_hash
from tasks.languages import ENGLISH, language_name
from tasks.metrics import SPEARMAN
from tasks.processes import Progress, no_progress
from tasks.results import Mode, cell_key
from tasks.suite import Suite
from tasks.suites import SUITES
from tasks.vectors import AS_WRITTEN_THEN_CASE_THEN_DIGITS, LOWER_CASED
from workers import queue

log = logging.getLogger(__name__)
ALL_ABOVE = "All tasks above, except those for other languages"
"""Tasks in English: the table of tasks above has just listed them."""


@dataclass(frozen=True)
class CorpusFile:
    """A corpus text that is ready to download: SHA-256, sizes and lines."""

    sha256: str
    bytes: int
    gzip_bytes: int
    lines: int


def text_path(suite: Suite) -> Path:
    return storage.path_of(f"corpus/{suite.id}-{suite.version}.txt.gz")


def _description_path(suite: Suite) -> Path:
    return storage.path_of(f"corpus/{suite.id}-{suite.version}.json")


def describe(suite: Suite, file: CorpusFile) -> None:
    """Write the description, after which the page offers the text."""
    draft = _description_path(suite).with_suffix(".draft")
    draft.write_text(json.dumps(asdict(file)), encoding="utf-8")
    draft.replace(_description_path(suite))


def ready(suite: Suite) -> CorpusFile | None:
    """The text to download; None until it is built."""
    try:
        described = json.loads(_description_path(suite).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return CorpusFile(**described) if text_path(suite).exists() else None


KIND = "build_corpus"
_PAUSE_SECONDS = 3600
_BLOCK_BYTES = 1 << 20


def build(job: Job, context: JobContext) -> None:
    """Build the text, unless it exists."""
    suite = SUITES[job.subject]
    if ready(suite) is None:
        write(suite, context.progress)


def give_up(job: Job, reason: str) -> None:
    """Log the reason, and retry in an hour."""
    log.error("The corpus text of %s could not be made: %s.", job.subject, reason)
    cache.set(_pause_key(job.subject), True, _PAUSE_SECONDS)


def owed() -> list[str]:
    """The site's suite, if its corpus can be built and doesn't exist."""
    suite = current_suite()
    if cache.get(_pause_key(suite.id)) or ready(suite) is not None:
        return []
    return [suite.id] if DataStore.default().status(suite.corpus.dataset).available else []


def enqueue(suite_id: str) -> None:
    """Queue the job after all work that people wait for."""
    queue.enqueue(KIND, suite_id, level=fair_queue.LAST)


def _pause_key(suite_id: str) -> str:
    return f"corpus-given-up:{suite_id}"


def write(suite: Suite, progress: Progress = no_progress) -> None:
    """Write the text into the storage.

    Raises
    ------
    DataUnavailable
        the data set is missing.
    ValueError
        the text differs from the one that the suite prescribes.
    """
    path = text_path(suite)
    sha256 = write_corpus(suite, DataStore.default(), path, progress)
    if suite.corpus.sha256 not in (None, sha256):
        path.unlink()
        raise ValueError(f"the text has the SHA-256 {sha256}, but {suite.id} prescribes {suite.corpus.sha256}")
    describe(suite, CorpusFile(sha256, *_size_and_lines(path)))


def _size_and_lines(path: Path) -> tuple[int, int, int]:
    """Bytes of a gzipped text and of its file, and its lines."""
    size = lines = 0
    with gzip.open(path) as text:
        while block := text.read(_BLOCK_BYTES):
            size += len(block)
            lines += block.count(b"\n")
    return size, path.stat().st_size, lines


NETWORKS = {
    WINDOW.id: f"Window of five words, linear, tanh, dropout {WINDOW.constants['dropout']}, linear, softmax",
    SENTENCE.id: f"LSTM over the words, dropout {SENTENCE.constants['dropout']} on its state at the last word, linear, "
    "softmax",
    PAIR.id: f"Two LSTMs on one table, dropout {PAIR.constants['dropout']} on each last state, concatenation, linear, "
    "tanh, linear, softmax",
    SHARED_PAIR.id: f"One LSTM for both sides, dropout {SHARED_PAIR.constants['dropout']} on each last state u and v; "
    "[u, v, |u − v|, u ∗ v], linear, tanh, linear, softmax",
}
OPTIMISERS = {"adam": "Adam", "rmsprop": "RMSprop", "adagrad": "Adagrad"}
LOOK_UPS = {
    AS_WRITTEN_THEN_CASE_THEN_DIGITS.id: "as written, lower-cased, Capitalised; then the same with every digit as 0",
    LOWER_CASED.id: "the file's words and the tasks' words lower-cased; the file's last one wins",
}
UNKNOWN = {
    "mean": "the mean of all the file's vectors",
    "mean-outside-vocabulary": "the mean of the file's vectors outside the original's word list; zeros if none",
}


NO_BOARD = "Needs two ranked entries with a score."
DESCRIPTIVE = "Descriptive, not compared."
NO_TEST = "Differences are not tested."
CARRIERS = 3
"""Cells that the sentence on the variance of the overall mean names."""


class ListedTask(NamedTuple):
    """A task with its data set, the mode (or an empty string) and hash of each of its cells.

    ``detectable`` has the smallest detectable differences as text or, without one, is empty, with a ``reason``.
    """

    task: Task
    dataset: DataSet | None
    hashes: list[tuple[str, str]]
    detectable: list[str]
    reason: str


class TaskGroup(NamedTuple):
    """Tasks that show the same property; ``citation`` and ``note`` are set if all tasks share them."""

    shows: str
    citation: str
    note: str
    rows: list[ListedTask]


def _groups(shown: Suite, table: Table) -> list[TaskGroup]:
    """A suite's tasks by the property that they show, in the suite's order."""
    languages = sorted(table.detectable, key=lambda language: (language != ENGLISH, language_name(language)))
    sizes = {language: _sizes(shown, table, language) for language in languages}
    by_question: dict[str, list[Task]] = {}
    for task in shown.tasks:
        by_question.setdefault(task.shows, []).append(task)
    return [
        TaskGroup(
            shows,
            _shared([task.citation for task in tasks]),
            _shared([task.note for task in tasks]),
            [_row(shown, task, sizes) for task in tasks],
        )
        for shows, tasks in by_question.items()
    ]


def _row(shown: Suite, task: Task, sizes: dict[str, dict[str, str]]) -> ListedTask:
    detectable = []
    for language, texts in sizes.items():
        for mode in task.modes:
            if text := texts.get(cell_key(task.id, mode)):
                labels = [language_name(language)] if language != ENGLISH and len(task.languages) != 1 else []
                detectable.append("\N{NO-BREAK SPACE}".join([*labels, *([mode] if mode else []), text]))
    is_tested = task.metric.is_of_sums or task.metric is SPEARMAN
    reason = "" if detectable else DESCRIPTIVE if task.descriptive else NO_BOARD if is_tested else NO_TEST
    hashes: list[tuple[str, str]] = [(mode or "", task_hash(shown, task, mode)) for mode in task.modes]
    return ListedTask(task, REGISTRY.get(task.dataset or ""), hashes, detectable, reason)


def _sizes(shown: Suite, table: Table, language: str) -> dict[str, str]:
    """Smallest detectable differences in a language as text, by column."""
    columns = columns_of(shown, (), language)
    return {column.key: text for column in columns if (text := table.detectable_in_words(language, column))}


def _of_means(shown: Suite, table: Table) -> list[str]:
    """Sentences on the means of each language: the cells that carry the overall one, smallest detectable sizes."""
    without = controls(shown.id, shown.version)
    sentences = []
    for language in shown.languages_of_means:
        among = "" if language == ENGLISH else f" in {language_name(language)}"
        shares = shares_of_variance(table, shown, language, without)
        if shares:
            sentences.append(_carriers(shares[:CARRIERS], among))
        sizes = _sizes(shown, table, language)
        named = [f"{mean.title.lower()} {sizes[mean.key]}" for mean in MEANS if mean.key in sizes]
        if named:
            sentences.append(f"Smallest detectable differences of the means{among}: {', '.join(named)}.")
    return sentences


def _carriers(shares: Sequence[tuple[Task, Mode, float]], among: str) -> str:
    *cells, last = (f"{task.title.lower()} {mode} ({_whole(share)})" for task, mode, share in shares)
    named = f"{', '.join(cells)} and {last}" if cells else last
    together = _whole(sum(share for *_, share in shares))
    between = f"between the ranked entries{among}, without controls"
    return f"{named[0].upper()}{named[1:]} carry {together} of the variance of the overall mean {between}."


def _whole(share: float) -> str:
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


def _folds(shown: Suite, table: Table) -> list[tuple[str, int, list[TaskGroup]]]:
    """Name, number of tasks and task groups of each group of families."""
    all_groups = _groups(shown, table)
    folds: list[tuple[str, int, list[TaskGroup]]] = []
    for name in GROUPS:
        groups = [group for group in all_groups if group.rows[0].task.family.group == name]
        if groups:
            folds.append((name, sum(len(group.rows) for group in groups), groups))
    return folds


def _name(optimiser: str | None) -> str:
    """``sparse-adagrad`` → ``Adagrad, sparse``; empty for none."""
    *kind, rule = (optimiser or "").split("-")
    return ", ".join([OPTIMISERS.get(rule, rule), *kind])


def _shared(texts: list[str]) -> str:
    return texts[0] if len(set(texts)) == 1 else ""


@require_safe
def suite(request: HttpRequest, suite_id: str) -> HttpResponse:
    """A suite: tasks, data sets with licences, and protocol settings."""
    shown = suite_or_404(suite_id)
    hash_ = suite_hash(shown)
    return page_cache.answer(request, lambda: _suite_page(request, shown, hash_), hash_)


def _suite_page(request: HttpRequest, shown: Suite, hash_: str) -> str:
    table, _ = current(shown.id, shown.version)
    training = [
        (titles, mode, used, NETWORKS[family], _name(used.optimiser), _name(used.vector_optimiser))
        for family, titles, mode, used in shown.settings_in_use()
    ]
    context = {
        "suite": shown,
        "baseline_sizes": sizes_of(shown) or shown.baseline_sizes,
        "hash": hash_,
        "suites": SUITES.values(),
        "folds": _folds(shown, table),
        "of_means": _of_means(shown, table),
        "datasets": [
            REGISTRY[name] for name in dict.fromkeys(task.dataset for task in shown.tasks) if name in REGISTRY
        ],
        "languages": [
            (
                [language_name(code) for code in codes],
                [ALL_ABOVE] if codes == (ENGLISH,) else [task.title for task in tasks],
            )
            for codes, tasks in shown.tasks_by_language()
        ],
        "training": training,
        "look_up": LOOK_UPS.get(shown.look_up.id, shown.look_up.id),
        "unknown": UNKNOWN[shown.unknown],
    }
    return render_to_string("protocol/suite.html", context, request)


@require_safe
def corpus(request: HttpRequest, suite_id: str | None = None) -> HttpResponse:
    """The text that entries of the prescribed track are trained on."""
    shown = suite_or_404(suite_id)
    baseline = Submission.objects.on_board(shown.id).filter(is_baseline=True).first()
    context = {
        "suite": shown,
        "dataset": REGISTRY.get(shown.corpus.dataset),
        "file": ready(shown),
        "baseline": baseline,
    }
    return render(request, "protocol/corpus.html", context)


@require_safe
def corpus_text(request: HttpRequest, suite_id: str) -> FileResponse:
    """The gzipped text, streamed from disk."""
    shown = suite_or_404(suite_id)
    if ready(shown) is None:
        raise Http404("This site has not built the corpus text of this suite yet.")
    name = f"{shown.id}-{shown.version}-corpus.txt.gz"
    return FileResponse(text_path(shown).open("rb"), as_attachment=True, filename=name, content_type="application/gzip")


KINDS = {KIND: JobKind(build, give_up, owed=owed, enqueue=enqueue, about="suite")}

app_name = "protocol"
urlpatterns = [
    path("corpus", corpus, name="corpus"),
    path("corpus/<slug:suite_id>", corpus, name="corpus-of"),
    path("corpus/<slug:suite_id>.txt.gz", corpus_text, name="corpus-text"),
    path("suites/<slug:suite_id>", suite, name="suite"),
]
