"""Submissions as people and workers leave them."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from benchmark.fields import token_hash
from benchmark.submissions.models import StoredReport, Submission
from benchmark.submissions.states import State
from tests.benchmark.reports import TOKEN, report_of


def submitted(state: State = State.DONE, *, shift: float = 0.1, body: str = "", **columns: Any) -> Submission:
    """Make a submission; a finished one has a report."""
    defaults = {"name": "small", "suite": "demo", "owner_token_hash": token_hash(TOKEN), "uploaded_at": timezone.now()}
    if state in (State.DONE, State.FAILED, State.RUNNING):
        defaults |= {"checked_at": timezone.now(), "file_key": "uploads/xx/x.gz", "words": 200, "dimensions": 10}
    if state == State.DONE:
        defaults["finished_at"] = timezone.now()
    row = Submission.objects.create(state=state, **(defaults | columns))
    if state == State.DONE:
        StoredReport.objects.create(submission=row, body=body or report_of(shift).to_json())
    return row
