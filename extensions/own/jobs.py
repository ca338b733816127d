"""The job that measures vectors on one's own data. One processor suffices: a second thread would change figures."""

from __future__ import annotations

from extensions.own.child import OwnRequest
from extensions.own.models import OwnTexts
from extensions.texts.jobs import TextsJob

JOB = TextsJob(OwnTexts, OwnRequest)
KINDS = {OwnTexts.KIND: JOB.kind()}
