"""The job that measures a corpus."""

from __future__ import annotations

from extensions.sufficiency.child import CorpusRequest
from extensions.sufficiency.models import CorpusReport
from extensions.texts.jobs import TextsJob

JOB = TextsJob(CorpusReport, CorpusRequest)
KINDS = {CorpusReport.KIND: JOB.kind()}
