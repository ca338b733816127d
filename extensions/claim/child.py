"""The process that measures a claim within limits: ``python -m extensions.claim.child PARENT``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from extensions.associations.measure.regression import Unit
from extensions.claim.measure.answer import answer
from extensions.claim.measure.claim import Claim
from extensions.claim.measure.effects import Kind
from extensions.claim.measure.plan import LOCAL, Settings
from extensions.claim.measure.report import MOST_WORDS, REPORT, report_of
from extensions.claim.measure.study import FinishedModels
from extensions.claim.measure.study import run as measure_models
from extensions.shared.measure.documents import collection
from extensions.texts.child import TextsRequest, folder_of_all_tries, run
from tasks.datasets.store import DataStore
from tasks.processes import Progress
from tasks.suites import get
from tasks.text import LeftOut


@dataclass(frozen=True)
class ClaimRequest(TextsRequest):
    """A claim to measure, and the settings of its plan.

    Parameters
    ----------
    suite : tells how words are looked up in pre-trained vectors.
    """

    kind: Kind
    lists: Sequence[Sequence[str]]
    by: str | None
    at: float | None
    between: str | None
    windows: tuple[int, ...]
    dimensions: tuple[int, ...]
    samples: int
    minimum_count: int
    processes: int
    suite: str


def measure(request: ClaimRequest, progress: Progress) -> dict[str, object]:
    """The report; a later try goes on after the models that this one has finished.

    Raises
    ------
    InputError
        the corpus or the claim cannot be used, or the plan is too large.
    """
    progress(0.0, "Reading the corpus")
    left_out = LeftOut()
    texts = collection(
        request.path, DataStore.default(), left_out, request.text_field, request.language, request.limits
    )
    settings = Settings(
        request.windows, request.dimensions, samples=request.samples, minimum_count=request.minimum_count
    )
    claim = Claim(request.kind, request.lists, request.by, request.at, request.between, Unit(request.group_by))
    starts = [replace(start, name=f"{LOCAL} (entry)") if start.name == LOCAL else start for start in request.pretrained]
    study = claim.study(texts.documents, settings, starts, get(request.suite).look_up, left_out, MOST_WORDS)
    plan = f"{len(study.models)} models of {len(study.tokens.ids):,} words"
    progress(0.0, f"{plan}: the first one shows how long they take")

    def announce(seconds: float) -> None:
        nonlocal plan
        plan += f", at most {ceil(seconds / 60)} minutes"
        progress(1 / len(study.models), plan)

    finished = FinishedModels(folder_of_all_tries() / f"{study.digest}.jsonl", study.digest)
    measure_models(study, finished, request.processes, announce, lambda share, what: progress(share, f"{plan}: {what}"))
    result, analyses = answer(study, [finished.measured[model] for model in study.models])
    report = report_of(study, result, analyses, left_out)
    return {"report": json.loads(REPORT.dump_json(report)), "language": texts.language}


REQUEST = ClaimRequest

if __name__ == "__main__":
    run(REQUEST, measure)
