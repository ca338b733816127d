"""Rights to a study: one function returns the study with the visitor's rights; strangers get 404."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import models
from django.http import Http404, HttpRequest
from django.utils.crypto import salted_hmac

from benchmark.operations.counting import client_address, network_of
from extensions.people.models import REPEATED, Kind, Study

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


def repeated_hash(browser_hash: str, participant: str) -> str:
    """The stored form of a participant's id that has taken part, for a further session in one browser."""
    code = salted_hmac("people.repeated", f"{browser_hash} {participant}", algorithm="sha256").hexdigest()
    return f"{REPEATED}{code[:50]}"


def find(request: HttpRequest, study_id: str) -> StudyAccess:
    """The study with the rights of this visitor; its owner is an account or any browser with its secret.

    Raises
    ------
    Http404
        it does not exist, or this visitor may see nothing of it.
    """
    study = Study.objects.filter(pk=study_id).first()
    if study is None:
        raise Http404("There is no such study.")
    access = StudyAccess(study, study.is_owned_by(request.user, Study.secret_in(request, study_id)))
    if not (access.sees_lists or access.sees_results):
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


def owned_studies(request: HttpRequest) -> models.QuerySet[Study]:
    """Studies of this account or with their secret in this browser, newest first."""
    return Study.objects.with_finished().filter(Study.of_visitor(request)).order_by("-created_at")


def studies_with_lists(request: HttpRequest) -> list[Study]:
    """Studies of free associations whose lists this visitor may use: own ones, then the latest public ones."""
    owned = owned_studies(request).filter(kind=Kind.FREE_ASSOCIATIONS)
    published = Study.objects.with_public_lists().exclude(pk__in=[study.pk for study in owned])
    return [*owned, *published[:MOST_OFFERED]]
