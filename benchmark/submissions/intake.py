"""From a request to a submission: the one path that page and API share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from django.conf import settings
from django.db import DatabaseError
from django.forms import BaseForm
from django.http import HttpRequest

from benchmark import storage
from benchmark.data import suite_for_new_files
from benchmark.fields import one_at_a_time
from benchmark.inputs import file_name
from benchmark.operations import quotas, space
from benchmark.operations.counting import Visitor, payer_with
from benchmark.submissions.forms import SubmissionForm, UploadForm
from benchmark.submissions.ids import new_token, token_hash
from benchmark.submissions.models import RunFile, Submission
from benchmark.submissions.moves import move
from benchmark.submissions.receiving import refusal
from benchmark.submissions.states import Actor, IllegalMove, State
from tasks.errors import InputError
from workers import queue


class Received(NamedTuple):
    """``token`` is the owner's secret; it is shown once and only its hash is kept."""

    submission: Submission
    token: str


class Arrived(Protocol):
    """A file that is here whole, in one piece or in many."""

    @property
    def name(self) -> str | None: ...
    @property
    def size(self) -> int | None: ...
    @property
    def sha256(self) -> str: ...
    def keep(self, key: str) -> None:
        """Move the synced file to its place in the storage."""


CODES = {"required": "missing", "max_length": "too-long", "invalid_choice": "unknown-choice", "invalid": "invalid"}


def may_submit(user: Visitor) -> bool:
    """Whether somebody may upload: anybody with an account, and without one if the operator says so."""
    return bool(user is not None and user.is_authenticated) or settings.VECBOARD_ANONYMOUS_UPLOADS


def read_form(request: HttpRequest) -> UploadForm:
    """Bind the form; its file arrived with it.

    Raises
    ------
    InputError
        a file was refused while it arrived, or is in a field of another name.
    """
    form = UploadForm(request.POST, request.FILES)
    refused = refusal(request)
    if refused is not None:
        raise refused
    if set(request.FILES) - {"file"}:
        raise InputError(
            "unknown-field", "A file was sent in a field other than file; send every file as file.", field="file"
        )
    return form


def first_error(form: BaseForm) -> InputError:
    """The form's first problem, as the API's error object."""
    field, errors = next(iter(form.errors.as_data().items()))
    error = errors[0]
    code = (
        "no-file"
        if field == "file" and error.code == "required"
        else CODES.get(error.code or "", error.code or "invalid")
    )
    return InputError(code, error.messages[0], field=field)


def draft(form: SubmissionForm, user: Visitor) -> Received:
    """A submission of what a valid form says, not saved yet. Without an account it belongs to who has the secret."""
    token = new_token()
    suite = suite_for_new_files()
    submission: Submission = form.save(commit=False)
    submission.suite, submission.suite_version = suite.id, suite.version
    submission.owner_token_hash = token_hash(token)
    if user is not None and user.is_authenticated:
        submission.owner = user
        # An owner who chose which entry is ranked has not chosen this one.
        chosen = Submission.objects.filter(owner=user, suite=suite.id, ranked=False)
        submission.ranked = not chosen.exists()
    return Received(submission, token)


def keep(form: UploadForm, user: Visitor = None) -> Received:
    """Store a valid form's files, then its rows, then the message to the workers: each is durable before the next."""
    received = draft(form, user)
    take_files(received.submission, form.cleaned_data["file"])
    return received


def take_files(submission: Submission, files: Sequence[Arrived]) -> Submission:
    """Keep what arrived: the first file is the submission's own, the others are its further runs.

    Raises
    ------
    IllegalMove
        the submission was stopped while the files arrived; nothing of them stays.
    InputError
        it is new, and more than its sender may bring today; nothing of the files stays.
    """
    is_new = submission._state.adding
    first, *others = files
    submission.original_name = file_name(first.name)
    submission.file_key = storage.upload_key(submission.pk)
    submission.file_bytes, submission.file_sha256 = first.size or 0, first.sha256
    first.keep(submission.file_key)
    runs = [_run_file(submission, position, file) for position, file in enumerate(others, start=2)]
    keys = [submission.file_key, *(run.key for run in runs)]
    try:
        return _enter(submission, runs)
    except IllegalMove:
        if Submission.objects.filter(pk=submission.pk, state=State.CANCELLED).exists():
            _delete(keys)
        raise
    except (InputError, DatabaseError) as error:
        if is_new and (isinstance(error, InputError) or space.is_full(error)):
            _delete(keys)  # no row names them; an upload in pieces keeps its files, and can be finished later
        raise


def _delete(keys: Sequence[str]) -> None:
    for key in keys:
        storage.delete(key)


def _enter(submission: Submission, runs: list[RunFile]) -> Submission:
    payer = payer_with(submission.owner)
    files, together = 1 + len(runs), submission.file_bytes + sum(run.bytes for run in runs)
    with one_at_a_time(quotas.lock_of(payer)):
        if submission._state.adding:
            quotas.authorize_submission(payer, together, files)
            submission.save(force_insert=True)
        else:
            submission.save(update_fields=["original_name", "file_key", "file_bytes", "file_sha256"])
        quotas.charge(submission, files, together)
        RunFile.objects.bulk_create(runs)
        submission.partial_files.filter(bucket_upload="").delete()
        row = move(submission, State.UPLOADED, Actor.SITE)
        queue.enqueue_check(submission.pk)  # sends its message after the commit
    return row


def _run_file(submission: Submission, position: int, file: Arrived) -> RunFile:
    key = storage.upload_key(submission.pk, position)
    file.keep(key)
    columns = {"original_name": file_name(file.name), "bytes": file.size or 0, "sha256": file.sha256}
    return RunFile(submission=submission, position=position, key=key, **columns)
