"""The process that measures a corpus within limits: ``python -m extensions.sufficiency.child PARENT``.

No answer quotes the corpus, except for names of its fields and values of the one that groups it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from extensions.shared.measure.documents import collection
from extensions.sufficiency.measure.measure import Settings, suffices
from extensions.sufficiency.measure.people_lists import published_in
from extensions.sufficiency.measure.report import REPORT
from extensions.texts.child import TextsRequest, run
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.processes import Progress
from tasks.text import LeftOut


@dataclass(frozen=True)
class CorpusRequest(TextsRequest):
    """A corpus to measure; the limit of records is also that of words."""

    title: str
    cues: tuple[str, ...]
    processes: int
    repeats: int = 5


def measure(request: CorpusRequest, progress: Progress) -> dict[str, object]:
    """The report.

    Raises
    ------
    InputError
        the corpus cannot be read or compared, or has too many words.
    """
    progress(0.0, "Reading the corpus")
    left_out, store = LeftOut(), DataStore.default()
    documents = collection(request.path, store, left_out, request.text_field, request.language, request.limits)
    if (words := sum(len(document.text.split()) for document in documents.documents)) > request.limits.records:
        message = f"The corpus has {words:,} words; the limit is {request.limits.records:,}. Send a part of it."
        raise InputError("too-many-words", message, field="corpus")
    settings = Settings(
        group_by=request.group_by,
        cues=request.cues,
        processes=request.processes,
        repeats=request.repeats,
        people=published_in(documents.language, store),
    )
    report = suffices(replace(documents, title=request.title), request.pretrained, settings, progress, left_out)
    return {"report": json.loads(REPORT.dump_json(report)), "language": documents.language}


REQUEST = CorpusRequest

if __name__ == "__main__":
    run(REQUEST, measure)
