"""Every URL of the site with values filled in, and a site on which each of them exists."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client

from benchmark.accounts.models import ApiToken
from benchmark.submissions.models import PartialFile, Submission
from benchmark.submissions.states import State
from extensions.people import sessions
from extensions.people.models import Kind, Study, StudyState
from extensions.people.sessions import session_cookie
from extensions.people.tests.conftest import TOKEN as STUDY_TOKEN
from extensions.people.tests.conftest import finish
from tests.benchmark.reports import TOKEN
from tests.hostile.test_access import patterns

_ROUTE = re.compile(r"(?<!P)<(?:\w+:)?(\w+)>")
_GROUP = re.compile(r"\(\?P<(\w+)>((?:[^()]|\([^()]*\))*)\)")
_DRAWN = ("submission_id", "upload_id", "study_id", "human", "link")
_CHOICE = re.compile(r"[\w-]+(\|[\w-]+)+")


@dataclass(frozen=True)
class Site:
    """People with their browsers, and values for the names in URLs and forms."""

    owner: Client
    stranger: Client
    secret: str
    known: dict[str, str]

    def value(self, name: str) -> str:
        """A plausible value for this name if one is known, otherwise a small number."""
        return self.known.get(name, "1")

    def named(self, text: str) -> str:
        """A text with each site's random parts replaced, so that two sites can be compared."""
        for name in _DRAWN:
            text = text.replace(self.known[name], f"<{name}>")
        return re.sub(r"/sources/[0-9]+", "/sources/<id>", text)

    def addresses(self) -> list[str]:
        """Every URL of the configuration, once per alternative in its pattern."""
        return sorted({address for pattern in patterns() for address in self._filled(pattern)})

    def _filled(self, pattern: str) -> list[str]:
        plain = _ROUTE.sub(lambda found: self.value(found[1]), pattern)
        choices = [
            [(name, choice) for choice in (form.split("|") if _CHOICE.fullmatch(form) else [self.value(name)])]
            for name, form in _GROUP.findall(plain)
        ]
        found = []
        for chosen in product(*choices):
            values = dict(chosen)
            text = _GROUP.sub(lambda part: values[part[1]], plain)  # noqa: B023 - used at once
            found.append("/" + re.sub(r"[\^$\\?]", "", text))
        return found


def made(submission: Callable[..., Submission], study: Callable[..., Study]) -> Site:
    """An owner with two reports, an upload in progress, a study of each kind with raters, and an API token."""
    user = get_user_model().objects.create_user("owner", "owner@example.org", "a long password 1")
    _, secret = ApiToken.objects.issue(user, "hostile", ApiToken.Scope.WRITE)
    entry, other = (submission(State.DONE, owner=user, vectors_sha256=digit * 64) for digit in "ab")
    receiving = submission(State.RECEIVING, owner=user)
    PartialFile.objects.create(submission=receiving, position=1, name="a.gz", bytes=100)
    triads, lists = study(owner=user), study(Kind.FREE_ASSOCIATIONS, owner=user, publishes_results=True)
    draft = study(state=StudyState.DRAFT, owner=user, title="draft")
    finish(sessions.begin(triads))
    rater, writer = sessions.begin(triads), sessions.begin(lists)
    for one in (rater, writer):
        sessions.instructed(one)
    asked = writer.plan[0]  # the order of cues is drawn, and only an answer to the first one is looked at
    owner, stranger = Client(raise_request_exception=False), Client(raise_request_exception=False)
    owner.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[0])
    for client in (owner, stranger):
        client.cookies[session_cookie(triads)], client.cookies[session_cookie(lists)] = rater.pk, writer.pk
        client.cookies["csrftoken"] = "c" * 32
    for row in (entry, other, receiving):
        owner.cookies[row.cookie_name(row.pk)] = TOKEN
    for row in (triads, lists, draft):
        owner.cookies[row.cookie_name(row.pk)] = STUDY_TOKEN
    source = draft.sources.order_by("position").first()
    assert source is not None
    known = {
        **{"submission_id": entry.pk, "upload_id": receiving.pk, "e": entry.pk, "entry": entry.pk, "token": TOKEN},
        **{"study_id": draft.pk, "link": lists.link, "source_id": str(source.pk), "human": lists.pk},
        **{"suite_id": "demo", "suite": "demo", "task": "pos", "mode": "fixed", "extension": "csv"},
        **{"name": "small", "title": "words", "language": "en", "track": "other", "visibility": "public"},
        **{"kind": "list", "cues": "cue0\ncue1", "cue": asked, "word": "rain", "variant": "rain", "set": "random"},
        **{"licence": "CC BY 4.0", "retention_days": "30", "raters_wanted": "10", "scope": "read"},
        **{"files": '[{"name": "a.gz", "bytes": 100}]', "offset": "0", "file": "1"},
        **{"page": "associations", "place": "0", "side": "left"},
        **{"email": "a@example.org", "login": "owner@example.org", "password": "a long password 1"},
        **{"lists": "cue,word\ncue0,rain\ncue0,snow", "given": "cue,word\ncue0,rain", "answers": "cue,word\n"},
        **{f"word{nth}": f"word {nth}" for nth in range(1, 11)},
    }
    return Site(owner, stranger, secret, known)
