"""Pages of suites, and of the prescribed corpus."""

from __future__ import annotations

from typing import NamedTuple

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import path
from django.views.decorators.http import require_safe

from benchmark.data import suite_or_404
from benchmark.leaderboard import page_cache
from benchmark.protocol import jobs
from benchmark.submissions.models import Submission
from tasks.base import GROUPS, PAIR, SENTENCE, SHARED_PAIR, WINDOW, Task
from tasks.datasets.dataset import DataSet
from tasks.datasets.registry import REGISTRY
from tasks.hashes import suite_hash, task_hash
from tasks.languages import language_name
from tasks.suite import Suite
from tasks.suites import SUITES
from tasks.vectors import AS_WRITTEN_THEN_CASE_THEN_DIGITS, LOWER_CASED

NETWORKS = {
    WINDOW.id: f"Window of five words, linear, tanh, dropout {WINDOW.constants['dropout']}, linear, softmax",
    SENTENCE.id: f"LSTM over the words, dropout {SENTENCE.constants['dropout']} on its state at the last word, linear, "
    "softmax",
    PAIR.id: f"Two LSTMs on one table, dropout {PAIR.constants['dropout']} on each last state, concatenation, linear, "
    "tanh, linear, softmax",
    SHARED_PAIR.id: f"One LSTM for both sides, dropout {SHARED_PAIR.constants['dropout']} on each last state u and v; "
    "[u, v, |u − v|, u ∗ v], linear, tanh, linear, softmax",
}
LOOK_UPS = {
    AS_WRITTEN_THEN_CASE_THEN_DIGITS.id: "as written, lower-cased, Capitalised; then the same with every digit as 0",
    LOWER_CASED.id: "the file's words and the tasks' words lower-cased; the file's last one wins",
}
UNKNOWN = {
    "mean": "the mean of all the file's vectors",
    "mean-outside-vocabulary": "the mean of the file's vectors outside the original's word list; zeros if none",
}


class TaskGroup(NamedTuple):
    """Tasks that show the same property; ``citation`` and ``note`` are set if all tasks share them.

    ``rows`` hold a task, its data set, and the mode (or an empty string) and hash of each of its cells.
    """

    shows: str
    citation: str
    note: str
    rows: list[tuple[Task, DataSet | None, list[tuple[str, str]]]]


def _groups(shown: Suite) -> list[TaskGroup]:
    """A suite's tasks by the property that they show, in the suite's order."""
    by_question: dict[str, list[Task]] = {}
    for task in shown.tasks:
        by_question.setdefault(task.shows, []).append(task)
    return [
        TaskGroup(
            shows,
            _shared([task.citation for task in tasks]),
            _shared([task.note for task in tasks]),
            [
                (
                    task,
                    REGISTRY.get(task.dataset or ""),
                    [(mode or "", task_hash(shown, task, mode)) for mode in task.modes],
                )
                for task in tasks
            ],
        )
        for shows, tasks in by_question.items()
    ]


def _folds(shown: Suite) -> list[tuple[str, int, list[TaskGroup]]]:
    """Name, number of tasks and task groups of each group of families."""
    found: list[tuple[str, int, list[TaskGroup]]] = []
    for name in GROUPS:
        groups = [group for group in _groups(shown) if group.rows[0][0].family.group == name]
        if groups:
            found.append((name, sum(len(group.rows) for group in groups), groups))
    return found


def _shared(texts: list[str]) -> str:
    return texts[0] if len(set(texts)) == 1 else ""


@require_safe
def suite(request: HttpRequest, suite_id: str) -> HttpResponse:
    """A suite: tasks, data sets with licences, and protocol settings."""
    shown = suite_or_404(suite_id)
    hash_ = suite_hash(shown)
    return page_cache.answer(request, lambda: _suite_page(request, shown, hash_), hash_)


def _suite_page(request: HttpRequest, shown: Suite, hash_: str) -> str:
    training = [(title, mode, used, NETWORKS[family]) for family, title, mode, used in shown.settings_in_use()]
    context = {
        "suite": shown,
        "hash": hash_,
        "suites": SUITES.values(),
        "folds": _folds(shown),
        "datasets": [
            REGISTRY[name] for name in dict.fromkeys(task.dataset for task in shown.tasks) if name in REGISTRY
        ],
        "languages": [
            ([language_name(code) for code in codes], [task.title for task in tasks])
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
        "file": jobs.ready(shown),
        "baseline": baseline,
    }
    return render(request, "protocol/corpus.html", context)


@require_safe
def corpus_text(request: HttpRequest, suite_id: str) -> FileResponse:
    """The gzipped text, streamed from disk."""
    shown = suite_or_404(suite_id)
    if jobs.ready(shown) is None:
        raise Http404("This site has not built the corpus text of this suite yet.")
    name = f"{shown.id}-{shown.version}-corpus.txt.gz"
    return FileResponse(
        jobs.text_path(shown).open("rb"), as_attachment=True, filename=name, content_type="application/gzip"
    )


app_name = "protocol"
urlpatterns = [
    path("corpus", corpus, name="corpus"),
    path("corpus/<slug:suite_id>", corpus, name="corpus-of"),
    path("corpus/<slug:suite_id>.txt.gz", corpus_text, name="corpus-text"),
    path("suites/<slug:suite_id>", suite, name="suite"),
]
