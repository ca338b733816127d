"""Public facts about an entry: the only source of page, API, CSV, badge and e-mail for text written by a person."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmark.submissions.models import Report, Submission

WRITTEN = ("description", "licence", "corpus", "algorithm", "technical_notes")
"""Free text: under review none of it is shown, as any of it can name its author."""


@dataclass(frozen=True)
class Facts:
    """``owner_runs``: number of files that this owner had measured with this suite; None if that must not be shown."""

    id: str
    name: str
    owner: str
    owner_runs: int | None
    anonymous: bool
    baseline: bool
    ranked: bool
    language: str
    track: str
    trained_on_task_data: bool
    open_vocabulary: bool
    description: str
    licence: str
    corpus: str
    algorithm: str
    technical_notes: str
    window: int | None
    iterations: int | None
    loss: float | None
    training_minutes: float | None
    tokens: int | None
    words: int | None
    dimensions: int | None
    suite: str
    suite_version: int
    offers_download: bool
    finished_at: datetime | None

    def as_dict(self) -> dict[str, object]:
        return asdict(self) | {"finished_at": self.finished_at.isoformat() if self.finished_at else None}


def facts_of(submission: Submission) -> Facts:
    """Public facts about an entry, equal for all visitors, so that cached pages never reveal hidden text.

    ``owner_runs`` needs ``Submission.objects.with_owner_runs()``.
    """
    hidden = submission.is_anonymous
    written: dict[str, Any] = {field: "" if hidden else getattr(submission, field) for field in WRITTEN}
    return Facts(
        id=submission.pk,
        name=submission.display_name,
        owner=submission.display_owner,
        owner_runs=None if hidden or submission.owner_id is None else getattr(submission, "owner_runs_count", None),
        anonymous=hidden,
        baseline=submission.is_baseline,
        ranked=submission.ranked,
        language=submission.language,
        track=submission.track,
        trained_on_task_data=submission.trained_on_task_data,
        open_vocabulary=submission.open_vocabulary,
        words=submission.words,
        dimensions=submission.dimensions,
        suite=submission.suite,
        suite_version=submission.suite_version,
        offers_download=submission.offers_download and not hidden,
        finished_at=submission.finished_at,
        window=submission.window,
        iterations=submission.iterations,
        loss=submission.loss,
        training_minutes=submission.training_minutes,
        tokens=submission.tokens,
        **written,
    )


def served_body(submission: Submission, report: Report) -> str:
    """The report's stored text; under review, with the entry's neutral name in place of its own."""
    if not submission.is_anonymous:
        return report.body
    body = json.loads(report.body)
    body["vectors"]["name"] = submission.display_name
    return json.dumps(body, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
