"""The job that looks for smaller vectors."""

from __future__ import annotations

from extensions.front.child import FrontRequest
from extensions.front.models import SmallerVectors
from extensions.texts.jobs import TextsJob

JOB = TextsJob(SmallerVectors, FrontRequest)
KINDS = {SmallerVectors.KIND: JOB.kind()}
