"""Access to a submission: one helper returns the object with the visitor's rights; strangers get 404."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from django.conf import settings
from django.http import Http404, HttpRequest
from django.utils import timezone

from benchmark.submissions.models import Submission
from benchmark.submissions.states import LANGUAGE_OPEN, UNDO, Actor, State, may_move
from benchmark.submissions.visibility import SubmissionQuerySet

if TYPE_CHECKING:
    from benchmark.operations.counting import Visitor


class Access:
    """A submission with a visitor's rights to it. The owner is the account that owns it, or anyone with its secret.

    The account is looked up only if a right depends on it, so that other pages can be cached.
    """

    def __init__(self, submission: Submission, token: str = "", user: Visitor = None) -> None:
        self.submission, self.token, self.user = submission, token, user

    @cached_property
    def is_owner(self) -> bool:
        return self.submission.is_owned_by(self.user, self.token)

    @cached_property
    def is_operator(self) -> bool:
        return bool(self.user is not None and self.user.is_authenticated and self.user.is_staff)

    @cached_property
    def may_see(self) -> bool:
        if self.submission.deleted_at is not None:
            return False
        return self.submission.is_open_to_all or self.is_owner or self.is_operator

    @property
    def may_cancel(self) -> bool:
        return self.is_owner and may_move(self.submission.state, State.CANCELLED, Actor.OWNER)

    @property
    def may_retry(self) -> bool:
        """Whether a failed or cancelled submission can continue from its file or fetch it again."""
        failed = self.submission.state == State.FAILED
        if not self.submission.file_key:
            return self.is_owner and failed and self.submission.web_file is not None
        return self.is_owner and (failed or self.submission.state == State.CANCELLED)

    @property
    def may_correct_language(self) -> bool:
        """Whether its vectors are kept and can be measured again, or have not been checked."""
        able = self.submission.state in LANGUAGE_OPEN and bool(self.submission.file_key)
        return self.may_edit and able

    @property
    def may_withdraw(self) -> bool:
        return self.is_owner and self.submission.is_final and not self.submission.is_withdrawn

    @property
    def may_undo_withdrawal(self) -> bool:
        return self.is_owner and is_recent(self.submission.withdrawn_at)

    @property
    def may_adopt(self) -> bool:
        """Whether a visitor with the secret and an account can add an ownerless entry to that account."""
        has_account = self.user is not None and self.user.is_authenticated
        return self.is_owner and has_account and self.submission.owner_id is None and not self.submission.is_baseline

    @property
    def may_delete(self) -> bool:
        return self.is_owner and not self.submission.is_baseline

    @property
    def may_edit(self) -> bool:
        """Whether its name, visibility, download offer and ranking can be edited."""
        return self.is_owner and not self.submission.is_withdrawn and not self.submission.is_baseline


def is_recent(moment: datetime | None) -> bool:
    """Whether an action at that time can still be undone."""
    return moment is not None and moment > timezone.now() - UNDO


def deleted_of(request: HttpRequest, submission_id: str) -> Submission:
    """A submission that the visitor has recently deleted.

    Raises
    ------
    Http404
        it isn't deleted, belongs to someone else, or can no longer be restored.
    """
    submission = Submission.objects.filter(pk=submission_id).exclude(deleted_at=None).first()
    if submission is None or not is_recent(submission.deleted_at):
        raise Http404("There is no such submission.")
    if not submission.is_owned_by(request.user, Submission.secret_in(request, submission_id)):
        raise Http404("There is no such submission.")
    return submission


def recognised_by(request: HttpRequest) -> Literal["account", "submissions", ""]:
    """Traces of an earlier visit in this browser's cookies: a session, or only the secrets of submissions.

    No query, so that cached pages and those that report a broken database can use it.
    """
    if settings.SESSION_COOKIE_NAME in request.COOKIES:
        return "account"
    return "submissions" if Submission.secrets_in(request) else ""


def own_unlisted(request: HttpRequest) -> SubmissionQuerySet:
    """Checked entries of a visitor that no board has: unlisted, private, or without a report."""
    if not recognised_by(request):
        return Submission.objects.none()
    shown = Submission.objects.filter(withdrawn_at=None, hidden_at=None, deleted_at=None)
    listed = Submission.objects.listed().with_report().values("pk")
    return shown.filter(Submission.of_visitor(request)).exclude(vectors_sha256="").exclude(pk__in=listed)


def bearer_token(request: HttpRequest) -> str:
    """The secret in the Authorization header; the API trusts only this, as other sites can't make a browser send it."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def find(submission_id: str, token: str = "", user: Visitor = None) -> Access:
    """A submission with the rights of this secret (if it is not empty) or this account.

    Raises
    ------
    Http404
        there is none, or it is private, withdrawn or hidden and the visitor is not its owner.
    """
    try:  # first() would also sort
        submission = Submission.objects.select_related("report", "owner").get(pk=submission_id)
    except Submission.DoesNotExist:
        raise Http404("There is no such submission.") from None
    access = Access(submission, token, user)
    if not access.may_see:
        raise Http404("There is no such submission.")
    return access


def access_of(request: HttpRequest, submission_id: str) -> Access:
    """A submission with a visitor's rights on pages; the API has its own rules and ignores cookies."""
    return find(submission_id, Submission.secret_in(request, submission_id), request.user)
