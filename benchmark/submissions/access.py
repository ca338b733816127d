"""Who may see and steer a submission: one helper gives the object and the rights; strangers get 404."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest

from benchmark.submissions.models import Submission
from benchmark.submissions.states import Actor, State, may_move

if TYPE_CHECKING:
    from benchmark.visitors import Visitor


class Access:
    """A submission and what this visitor may do with it: the account that owns it, or anyone with its secret.

    Who the visitor is, is looked up only when a right depends on it: pages that are the same for everybody stay so.
    """

    def __init__(self, submission: Submission, token: str = "", user: Visitor = None) -> None:
        self.submission, self.token, self.user = submission, token, user

    @cached_property
    def is_owner(self) -> bool:
        if self.submission.is_owned_with(self.token):
            return True
        if self.submission.owner_id is None or self.user is None:
            return False
        return self.user.is_authenticated and self.user.pk == self.submission.owner_id

    @cached_property
    def is_operator(self) -> bool:
        return bool(self.user is not None and self.user.is_authenticated and self.user.is_staff)

    @cached_property
    def may_see(self) -> bool:
        return self.submission.is_open_to_all or self.is_owner or self.is_operator

    @property
    def may_cancel(self) -> bool:
        return self.is_owner and may_move(self.submission.state, State.CANCELLED, Actor.OWNER)

    @property
    def may_retry(self) -> bool:
        """From the file, or from the URL that it is fetched from."""
        own = self.is_owner and self.submission.state == State.FAILED
        return own and (bool(self.submission.file_key) or self.submission.web_file is not None)

    @property
    def may_withdraw(self) -> bool:
        return self.is_owner and self.submission.is_final and not self.submission.is_withdrawn

    @property
    def may_adopt(self) -> bool:
        """Anyone with the secret and an account can add an ownerless entry to that account."""
        known = self.user is not None and self.user.is_authenticated
        return self.is_owner and known and self.submission.owner_id is None and not self.submission.is_baseline

    @property
    def may_delete(self) -> bool:
        return self.is_owner and not self.submission.is_baseline

    @property
    def may_edit(self) -> bool:
        """Rename, visibility, download offer, ranking."""
        return self.is_owner and not self.submission.is_withdrawn and not self.submission.is_baseline


def cookie_name(submission_id: str) -> str:
    return f"owner-{submission_id}"


def cookie_token(request: HttpRequest, submission_id: str) -> str:
    """The secret in the cookie that the upload left; pages believe it, behind their CSRF check."""
    return request.COOKIES.get(cookie_name(submission_id), "")


def remembered_tokens(request: HttpRequest) -> dict[str, str]:
    """Every secret that this browser keeps, by submission."""
    prefix = cookie_name("")
    return {name.removeprefix(prefix): token for name, token in request.COOKIES.items() if name.startswith(prefix)}


def bearer_token(request: HttpRequest) -> str:
    """The secret in the Authorization header, all that the API believes: no other site can make a browser send it."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def find(submission_id: str, token: str = "", user: Visitor = None) -> Access:
    """The submission with the rights of a visitor who presents this secret (or an empty one) or this account.

    Raises
    ------
    Http404
        there is none, or it is private, withdrawn or hidden and the visitor is not its owner.
    """
    submission = Submission.objects.select_related("report", "owner").filter(pk=submission_id).first()
    if submission is None:
        raise Http404("There is no such submission.")
    access = Access(submission, token, user)
    if not access.may_see:
        raise Http404("There is no such submission.")
    return access


def access_of(request: HttpRequest, submission_id: str) -> Access:
    """What a page may show and offer to a visitor; the API has its own rules and ignores cookies."""
    return find(submission_id, cookie_token(request, submission_id), request.user)
