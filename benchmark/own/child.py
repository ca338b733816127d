"""The process that measures vectors on labelled texts within limits: ``python -m benchmark.own.child PARENT``."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmark.texts.child import MeasureRequest, run
from tasks.errors import InputError
from tasks.own.labelled import labelled
from tasks.own.measure import measure
from tasks.own.report import DISAGREEMENTS, REPORT
from tasks.processes import Progress
from tasks.suites import get


@dataclass(frozen=True)
class OwnRequest(MeasureRequest):
    """Labelled texts to measure; ``texts`` is the maximum of texts, ``suite`` tells how words are looked up."""

    label_field: str
    split_field: str | None
    margin: float
    suite: str
    texts: int


def score(request: OwnRequest, progress: Progress) -> dict[str, object]:
    """The report, and the texts on which sets differ.

    Raises
    ------
    InputError
        the texts cannot be used, or there are too many.
    """
    progress(0.0, "Reading the texts")
    data = labelled(
        Path(request.path),
        request.label_field,
        text_field=request.text_field,
        split_field=request.split_field,
        group_field=request.group_by,
    )
    if len(data.texts) > request.texts:
        message = f"The file has {len(data.texts):,} labelled texts; the limit is {request.texts:,}. Send a part of it."
        raise InputError("too-many-texts", message, field="data")
    files = [(one.name, Path(one.path)) for one in request.pretrained]
    scratch = Path(tempfile.gettempdir())
    report, differing = measure(data, files, get(request.suite).look_up, scratch, request.margin, progress)
    return {"report": json.loads(REPORT.dump_json(report)), "quoted": json.loads(DISAGREEMENTS.dump_json(differing))}


if __name__ == "__main__":
    run(OwnRequest, score)
