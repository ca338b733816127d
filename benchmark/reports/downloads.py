"""Per-example outcomes of a report, to download."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from benchmark import evidence
from benchmark.reports.baselines import baseline_outcomes
from benchmark.submissions.access import access_of
from benchmark.submissions.models import Submission
from tasks.results import Outcomes

NOTHING = "No outcomes are stored for this task."


def outcomes_of(submission: Submission, task: str, mode: str) -> Outcomes:
    """Outcomes of one cell.

    Raises
    ------
    Http404
        there are none.
    """
    if submission.is_baseline:
        shipped = baseline_outcomes(submission, task, mode)
        if shipped is None:
            raise Http404(NOTHING)
        return shipped
    key = submission.runs.filter(task=task, mode=mode).values_list("outcomes_key", flat=True).first()
    if not key or not evidence.exists(key):
        raise Http404(NOTHING)
    return evidence.load(key)


def as_csv(outcomes: Outcomes) -> tuple[bytes, str]:
    """One line per example, in the order of the test set; an empty field means no number."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["example", *outcomes.columns])
    for i, row in enumerate(outcomes.values.tolist()):
        writer.writerow([i, *("" if number != number else f"{number:.6g}" for number in row)])
    return out.getvalue().encode(), "text/csv; charset=utf-8"


def as_npz(outcomes: Outcomes) -> tuple[bytes, str]:
    """``columns`` and ``values`` (float32, examples × columns), for ``numpy.load``."""
    stream = io.BytesIO()
    np.savez_compressed(stream, columns=np.array(outcomes.columns), values=outcomes.values)
    return stream.getvalue(), "application/octet-stream"


FORMATS: dict[str, Callable[[Outcomes], tuple[bytes, str]]] = {"csv": as_csv, "npz": as_npz}


@require_safe
def outcomes(request: HttpRequest, submission_id: str, task: str, mode: str, extension: str) -> HttpResponse:
    """What happened to every test example of one cell, as CSV or as the arrays that were kept."""
    submission = access_of(request, submission_id).submission
    found = outcomes_of(submission, task, mode)
    response = HttpResponse(*FORMATS[extension](found))
    name = f"vecboard-{submission.pk}-{task}{f'-{mode}' if mode else ''}.{extension}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    if not submission.is_open_to_all:
        response["Cache-Control"] = "private, no-store"
    return response
