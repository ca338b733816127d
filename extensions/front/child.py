"""The process that looks for smaller vectors within limits: ``python -m extensions.front.child PARENT``."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from extensions.front.measure import choose
from extensions.front.measure.report import REPORT, report_of
from extensions.front.measure.variants import original_of, warnings_of
from extensions.shared.measure.vectors import NamedVectors
from extensions.texts.child import MADE, MeasureRequest, run
from tasks.formats import Limits
from tasks.formats.source import MEGABYTE
from tasks.languages import ENGLISH
from tasks.processes import Progress
from tasks.suites import get


@dataclass(frozen=True)
class FrontRequest(MeasureRequest):
    """Vectors to make smaller: those of an entry or, without one, of the file.

    Parameters
    ----------
    title : name of a file's vectors.
    budget : megabytes.
    margin : points.
    """

    title: str
    budget: float
    margin: float
    suite: str


def shrink(request: FrontRequest, progress: Progress) -> dict[str, object]:
    """The report; makes a file of the chosen variant, if that is not inferior.

    Raises
    ------
    InputError
        the vectors cannot be read, or no variant of them can be measured.
    """
    progress(0.0, "Reading the vectors")
    scratch, suite = Path(tempfile.gettempdir()), get(request.suite)
    sent = NamedVectors(request.title, Path(request.path), request.language or ENGLISH)
    vectors = request.pretrained[0] if request.pretrained else sent
    limits = Limits(expanded_bytes=request.limits.expanded_bytes)
    probes = choose.here(choose.probes_of(suite, vectors.language))
    original, whole = original_of(vectors, suite, scratch, limits=limits)
    budget = round(request.budget * MEGABYTE)
    measured, choice = choose.front(original, whole, budget, suite, probes, request.margin, scratch, progress)
    if choice.verdict == "not inferior":
        shutil.move(choice.chosen.file, scratch / MADE)
    warnings = warnings_of(original, whole)
    report = report_of(vectors.name, measured, budget, request.margin, choice, warnings)
    return {"report": json.loads(REPORT.dump_json(report)), "language": vectors.language}


REQUEST = FrontRequest

if __name__ == "__main__":
    run(REQUEST, shrink)
