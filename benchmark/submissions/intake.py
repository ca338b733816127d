"""From a request to a submission: the one path that page and API share."""

from __future__ import annotations

from typing import NamedTuple

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import transaction
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError

from benchmark import storage
from benchmark.submissions.forms import SubmissionForm
from benchmark.submissions.models import Submission, new_token, token_hash
from benchmark.submissions.receiving import ReceivedFile, discard, refusal
from benchmark.submissions.states import Actor, State, move
from benchmark.suites import current_suite
from tasks.errors import InputError


class Received(NamedTuple):
    """``token`` is the owner's secret; it is told once and only its hash is kept."""

    submission: Submission
    token: str


CODES = {"required": "missing", "max_length": "too-long", "invalid_choice": "unknown-choice", "invalid": "invalid"}


def read_form(request: HttpRequest) -> SubmissionForm:
    """Parse the body (this is where the file arrives) and bind the form.

    Raises
    ------
    InputError
        the file was refused while it arrived, or the body is no proper multipart form.
    """
    try:
        form = SubmissionForm(request.POST, request.FILES)
    except (RequestDataTooBig, TooManyFieldsSent):
        raise InputError(
            "too-much-text", "The form's text fields are too long; shorten the description.", field="description"
        ) from None
    except TooManyFilesSent:
        raise InputError("too-many-files", "More than one file arrived; submit one vector file at a time.") from None
    except (MultiPartParserError, UnreadablePostError):
        discard(request)
        raise InputError("broken-upload", "The upload broke off before its end; send it again.") from None
    refused = refusal(request)
    if refused is not None:
        raise refused
    return form


def first_error(form: SubmissionForm) -> InputError:
    """The form's first problem, as the API's error object."""
    field, errors = next(iter(form.errors.as_data().items()))
    error = errors[0]
    code = (
        "no-file"
        if field == "file" and error.code == "required"
        else CODES.get(error.code or "", error.code or "invalid")
    )
    return InputError(code, error.messages[0], field=field)


def keep(form: SubmissionForm) -> Received:
    """Store a valid form's file, then its row, then the message to the workers: each is durable before the next."""
    from workers.queue import enqueue_check

    file: ReceivedFile = form.cleaned_data["file"]
    token = new_token()
    suite = current_suite()
    submission: Submission = form.save(commit=False)
    submission.suite, submission.suite_version = suite.id, suite.version
    submission.owner_token_hash = token_hash(token)
    submission.original_name = (file.name or "")[:200]
    submission.file_key = storage.upload_key(submission.pk)
    submission.file_bytes, submission.file_sha256 = file.size or 0, file.sha256
    file.keep(submission.file_key)
    with transaction.atomic():
        submission.save(force_insert=True)
        move(submission, State.UPLOADED, Actor.SITE)
        enqueue_check(submission.pk)  # sends its message after the commit
    return Received(submission, token)
