"""Rights to a study: one function returns the study with the visitor's rights; strangers get 404."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest
from django.utils.crypto import salted_hmac

from benchmark.operations.counting import client_address, network_of
from benchmark.people.models import Kind, Study

MOST_OFFERED = 100


@dataclass(frozen=True)
class StudyAccess:
    """A study with the rights of this visitor."""

    study: Study
    is_owner: bool

    @property
    def sees_lists(self) -> bool:
        """Lists of free associations are public once the study is closed."""
        return self.is_owner or (not self.study.asks_triads and self.study.is_closed)

    @property
    def sees_results(self) -> bool:
        return self.is_owner or (self.study.is_closed and self.study.publishes_results)


def network_hash(request: HttpRequest) -> str:
    """Keyed hash of the client's network, for limits: addresses are never stored."""
    return salted_hmac("people.limits", network_of(client_address(request))).hexdigest()[:32]


def participant_hash(participant: str) -> str:
    """The stored form of a participant's id: a keyed hash, equal in all studies."""
    return salted_hmac("people.participant", participant.strip(), algorithm="sha256").hexdigest()


def cookie_name(study_id: str) -> str:
    return f"study-{study_id}"


def find(request: HttpRequest, study_id: str) -> StudyAccess:
    """The study with the rights of this visitor; its owner is an account or any browser with its secret.

    Raises
    ------
    Http404
        it does not exist, or this visitor may see nothing of it.
    """
    study = Study.objects.filter(pk=study_id).first()
    access = StudyAccess(study, _owns(request, study)) if study is not None else None
    if access is None or not (access.sees_lists or access.sees_results):
        raise Http404("There is no such study.")
    return access


def find_owned(request: HttpRequest, study_id: str) -> Study:
    """The study, only for its owner.

    Raises
    ------
    Http404
        it does not exist or belongs to someone else.
    """
    access = find(request, study_id)
    if not access.is_owner:
        raise Http404("There is no such study.")
    return access.study


def _owns(request: HttpRequest, study: Study) -> bool:
    if request.user.is_authenticated and request.user.pk == study.owner_id:
        return True
    return study.is_owned_with(request.COOKIES.get(cookie_name(study.pk), ""))


def owned_studies(request: HttpRequest) -> list[Study]:
    """Studies of this account or with their secret in this browser, newest first."""
    prefix = cookie_name("")
    kept = [name.removeprefix(prefix) for name in request.COOKIES if name.startswith(prefix)]
    studies = Study.objects.with_finished()
    found = {study.pk: study for study in studies.filter(pk__in=kept) if _owns(request, study)}
    if request.user.is_authenticated:
        found |= {study.pk: study for study in studies.filter(owner=request.user)}
    return sorted(found.values(), key=lambda study: study.created_at, reverse=True)


def studies_with_lists(request: HttpRequest) -> list[Study]:
    """Studies of free associations whose lists this visitor may use: own ones, then the latest public ones."""
    own = [study for study in owned_studies(request) if study.kind == Kind.FREE_ASSOCIATIONS]
    published = Study.objects.with_public_lists().exclude(pk__in=[study.pk for study in own])
    return [*own, *published[:MOST_OFFERED]]
