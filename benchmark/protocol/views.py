"""What is measured: the suites' pages and the prescribed corpus."""

from __future__ import annotations

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmark.protocol import corpus as corpora
from benchmark.submissions.models import Submission
from benchmark.suites import current_suite, suite_or_404
from tasks.datasets import REGISTRY
from tasks.results import MODES
from tasks.suites import SUITES
from tasks.vectors import AS_WRITTEN_THEN_CASE_THEN_DIGITS, LOWER_CASED

FAMILIES = {
    "window": "Window of five words, linear, tanh, dropout 0.5, linear, softmax",
    "sentence": "LSTM over the words, dropout 0.5 on its state at the last word, linear, softmax",
    "pair": "Two LSTMs on one table, dropout 0.5 on each last state, concatenation, linear, tanh, linear, softmax",
}
LOOK_UPS = {
    AS_WRITTEN_THEN_CASE_THEN_DIGITS.id: "as written, lower-cased, Capitalised; then the same with every digit as 0",
    LOWER_CASED.id: "the file's words and the tasks' words lower-cased; the file's last one wins",
}
UNKNOWN = {
    "mean": "the mean of all the file's vectors",
    "mean-outside-vocabulary": "the mean of the file's vectors outside the original's word list; zeros if none",
}


@require_safe
def suite(request: HttpRequest, suite_id: str) -> HttpResponse:
    """A suite: its tasks, data sets with licences, and the numbers of its protocol."""
    shown = suite_or_404(suite_id)
    training = [
        (family, mode, shown.training[family, mode], network)
        for family, network in FAMILIES.items()
        for mode in MODES
        if (family, mode) in shown.training
    ]
    context = {
        "suite": shown,
        "suites": SUITES.values(),
        "tasks": [(task, REGISTRY.get(task.dataset or ""), shown.task_hash(task)) for task in shown.tasks],
        "training": training,
        "look_up": LOOK_UPS.get(shown.look_up.id, shown.look_up.id),
        "unknown": UNKNOWN[shown.unknown],
    }
    return render(request, "protocol/suite.html", context)


@require_safe
def corpus(request: HttpRequest, suite_id: str | None = None) -> HttpResponse:
    """The text that entries of the prescribed track are trained on."""
    shown = suite_or_404(suite_id) if suite_id else current_suite()
    baseline = Submission.objects.on_board(shown.id).filter(is_baseline=True).first()
    context = {
        "suite": shown,
        "dataset": REGISTRY.get(shown.corpus.dataset),
        "file": corpora.ready(shown),
        "baseline": baseline,
    }
    return render(request, "protocol/corpus.html", context)


@require_safe
def corpus_text(request: HttpRequest, suite_id: str) -> FileResponse:
    """The gzipped text, streamed from disk."""
    shown = suite_or_404(suite_id)
    if corpora.ready(shown) is None:
        raise Http404("The corpus text of this suite has not been built on this site.")
    name = f"{shown.id}-{shown.version}-corpus.txt.gz"
    return FileResponse(
        corpora.text_path(shown).open("rb"), as_attachment=True, filename=name, content_type="application/gzip"
    )
