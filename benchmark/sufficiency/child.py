"""The process that measures a corpus within limits: ``python -m benchmark.sufficiency.child PARENT``.

No answer quotes the corpus, except for names of its fields and values of the one that groups it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from benchmark.texts.child import MeasureRequest, run
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.local_training.documents import NOT_STATED, Collection, check_text_field, documents_of
from tasks.political.human import published_in
from tasks.processes import Progress
from tasks.sufficiency.measure import Settings, suffices
from tasks.sufficiency.report import REPORT
from tasks.text import LeftOut


@dataclass(frozen=True)
class CorpusRequest(MeasureRequest):
    """A corpus to measure; ``words`` is the maximum of words."""

    title: str
    cues: tuple[str, ...]
    language: str
    words: int
    processes: int
    repeats: int = 5


def corpus_of(request: CorpusRequest, left_out: LeftOut) -> Collection:
    """The documents, up to the limit of words.

    Raises
    ------
    InputError
        there are none, or too many words, or the file cannot be read.
    """
    path = Path(request.path)
    check_text_field(request.path, request.text_field)
    documents, words = [], 0
    for document in documents_of(path, left_out, request.text_field):
        words += len(document.text.split())
        if words > request.words:
            message = f"The corpus has more than {request.words:,} words, the limit. Send a part of it."
            raise InputError("too-many-words", message, field="corpus")
        documents.append(document)
    if not words:
        left_out.refuse()
        raise InputError("no-documents", f"{path.name} has no text.", field="corpus")
    return Collection("corpus", request.title, NOT_STATED, documents)


def measure(request: CorpusRequest, progress: Progress) -> dict[str, object]:
    """The report."""
    progress(0.0, "Reading the corpus")
    left_out = LeftOut()
    corpus = corpus_of(request, left_out)
    settings = Settings(
        group_by=request.group_by,
        cues=request.cues,
        language=request.language,
        processes=request.processes,
        repeats=request.repeats,
        people=published_in(request.language, DataStore.default()),
    )
    return {"report": json.loads(REPORT.dump_json(suffices(corpus, request.pretrained, settings, progress, left_out)))}


if __name__ == "__main__":
    run(CorpusRequest, measure)
