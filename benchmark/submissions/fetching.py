"""Files that the site fetches from a URL: who may ask for one, and whose turn it is.

The submission waits in the state ``receiving``, like one whose file is being sent. Only the fetches whose turn it is
have a job, so that they never take more than ``VECBOARD_FETCHES_AT_ONCE`` places of the workers.
"""

from __future__ import annotations

from collections import Counter

from django.conf import settings

from benchmark.fields import one_at_a_time
from benchmark.operations import fair_queue, quotas
from benchmark.operations.counting import Visitor, payer_with, share_of
from benchmark.operations.models import Job
from benchmark.submissions import intake
from benchmark.submissions.forms import UploadForm
from benchmark.submissions.intake import Received
from benchmark.submissions.listed_hosts import web_file
from benchmark.submissions.models import PartialFile
from benchmark.submissions.states import State
from workers import queue

KIND = "fetch"
_TURNS = "turns to fetch"


def accept(form: UploadForm, user: Visitor = None) -> Received:
    """Keep the files of a valid form, or begin to fetch the one that it names.

    Raises
    ------
    InputError
        it is more than this person may bring now.
    """
    url = form.cleaned_data.get("url", "")
    return begin(form, url, user) if url else intake.keep(form, user)


def begin(form: UploadForm, url: str, user: Visitor = None) -> Received:
    """Make a submission that waits for its file to be fetched.

    Raises
    ------
    InputError
        the URL is not one of a listed host, or it is more than this person may bring now.
    """
    file, received = web_file(url), intake.draft(form, user)
    payer = payer_with(user)
    with one_at_a_time(quotas.lock_of(payer)):
        quotas.authorize_submission(payer)
        received.submission.save(force_insert=True)
        PartialFile.objects.create(submission=received.submission, position=1, name=file.name, bytes=0, url=file.url)
    take_turns()
    return received


def take_turns() -> None:
    """Queue the fetches whose turn it is."""
    with one_at_a_time(_TURNS):
        for submission_id in due():
            enqueue(submission_id)


def enqueue(submission_id: str) -> None:
    """Queue the job that fetches a submission's file."""
    queue.enqueue(KIND, submission_id, submission_id=submission_id, level=fair_queue.FIRST)


def due() -> list[str]:
    """Submissions whose file is to be fetched next: everybody's first before anybody's second, then the oldest.

    At most as many as may be fetched at once beside those that have a job, and of one payer that payer's share.
    """
    files = PartialFile.objects.exclude(url="").filter(submission__state=State.RECEIVING)
    rows = files.order_by("submission__created_at").values_list("submission", "submission__ticket__payer")
    at_work = set(Job.objects.filter(kind=KIND).values_list("subject", flat=True))
    payers = Counter(payer for submission, payer in rows if submission in at_work)
    turns = []
    for nth, (submission, payer) in enumerate(rows):
        if submission not in at_work and payers[payer] < share_of(settings.VECBOARD_FETCHES_AT_ONCE):
            turns.append((payers[payer], nth, submission))
            payers[payer] += 1
    free = max(settings.VECBOARD_FETCHES_AT_ONCE - len(at_work), 0)
    return [submission for *_, submission in sorted(turns)[:free]]
