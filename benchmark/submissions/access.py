"""Who may see and steer a submission: one helper gives the object and the rights; strangers get 404."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse

from benchmark.submissions.models import Submission
from benchmark.submissions.states import Actor, State, may_move

COOKIE_SECONDS = 365 * 24 * 3600


@dataclass(frozen=True)
class Access:
    """A submission and what this visitor may do with it."""

    submission: Submission
    is_owner: bool

    @property
    def may_cancel(self) -> bool:
        return self.is_owner and may_move(self.submission.state, State.CANCELLED, Actor.OWNER)

    @property
    def may_retry(self) -> bool:
        return self.is_owner and self.submission.state == State.FAILED and bool(self.submission.file_key)

    @property
    def may_withdraw(self) -> bool:
        return self.is_owner and self.submission.is_final and not self.submission.is_withdrawn


def cookie_name(submission_id: str) -> str:
    return f"owner-{submission_id}"


def cookie_token(request: HttpRequest, submission_id: str) -> str:
    """The secret in the cookie that the upload left; pages believe it, behind their CSRF check."""
    return request.COOKIES.get(cookie_name(submission_id), "")


def bearer_token(request: HttpRequest) -> str:
    """The secret in the Authorization header, all that the API believes: no other site can make a browser send it."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def find(submission_id: str, token: str) -> Access:
    """The submission with the rights of a visitor who presents this secret (or an empty one).

    Raises
    ------
    Http404
        there is none, or it was withdrawn and the visitor is not its owner.
    """
    submission = Submission.objects.filter(pk=submission_id).first()
    if submission is None:
        raise Http404("There is no such submission.")
    is_owner = submission.is_owned_with(token)
    if submission.is_withdrawn and not is_owner:
        raise Http404("There is no such submission.")
    return Access(submission, is_owner)


def remember_owner(response: HttpResponse, request: HttpRequest, submission_id: str, token: str) -> None:
    """Keep the secret in this browser; scripts cannot read it and other sites cannot send it."""
    response.set_cookie(
        cookie_name(submission_id),
        token,
        max_age=COOKIE_SECONDS,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )
