"""Sessions of raters: their rules, which record each answer once, and their pages.

Progress follows from the stored rows alone, so that sessions resume after lost connections. No addresses are stored.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmark.inputs import takes, whole_number
from benchmark.operations.counting import Limit, spend
from benchmark.responses import keep_secret
from extensions.people.access import network_hash, participant_hash, repeated_hash
from extensions.people.measure import triads
from extensions.people.measure.free_associations import (
    LONGEST_WORD,
    WORDS_A_CUE,
    Refusal,
    as_written,
    normalise,
    refusal,
)
from extensions.people.measure.triads import Item
from extensions.people.models import Choice, FreeAssociation, Rater, RaterState, Study, language_shown, move_to

Place = Literal["instructions", "triad", "associations", "questions", "end"]
Barrier = Literal["not_open", "closed", "full", "other_task"]
SIDES = ("left", "right")


class Barred(Exception):
    """This person cannot take part; ``reason`` is a key of the rater's texts."""

    def __init__(self, reason: Barrier) -> None:
        self.reason: Barrier = reason
        super().__init__(reason)


@dataclass(frozen=True)
class SessionStep:
    """Current step of a session; ``done`` of ``total`` items are answered."""

    place: Place
    done: int = 0
    total: int = 0
    item: Item | None = None
    cue: str = ""


def begin(study: Study, browser_hash: str = "", participant_hash: str = "") -> Rater:
    """A new session in the comparison with the fewest raters, or the one that this browser has begun.

    If the response with the cookie was lost, sending the form again finds the session by the browser's secret, together
    with the participant id if there is one.

    Raises
    ------
    Barred
        the study is not open or full, or this browser has taken part in its other half.

    A participant id that has taken part begins a session like any other, which doesn't count: others may know the id,
    and nothing that they see may depend on it.
    """
    with transaction.atomic():
        # One at a time, so that comparisons stay even
        row = Study.objects.select_for_update().filter(pk=study.pk).first()
        if row is None:  # deleted meanwhile
            raise Barred("closed")
        study = row
        if not study.is_open:
            raise Barred("closed" if study.is_closed else "not_open")
        repeated = repeated_hash(browser_hash, participant_hash) if participant_hash else ""
        of_browser = study.raters.filter(browser_hash=browser_hash)
        rater = of_browser.filter(participant_hash__in=(participant_hash, repeated)).first()
        if browser_hash and rater is not None:
            return rater
        others = Rater.objects.filter(study__in=study.relatives())
        if browser_hash and others.filter(browser_hash=browser_hash).exists():
            raise Barred("other_task")
        if participant_hash and (others | study.raters.all()).filter(participant_hash=participant_hash).exists():
            participant_hash = repeated
        rater = Rater(study=study, browser_hash=browser_hash, participant_hash=participant_hash)
        if study.asks_triads:
            # It may exceed its number of raters, as running sessions can always finish.
            rater.comparison = study.comparisons.least_judged(study.raters_wanted)
            if rater.comparison is None:
                raise Barred("full")
            checks = study.practice_items, study.screener_items
            rater.plan = [
                asdict(item) for item in triads.session(rater.comparison.lists_by_cue, *checks, seed=rater.seed)
            ]
        else:
            if study.is_full:
                raise Barred("full")
            rater.plan = [str(cue) for cue in np.random.default_rng(rater.seed).permutation(study.cues)]
        rater.save(force_insert=True)
        return rater


def step_of(rater: Rater) -> SessionStep:
    """The next step."""
    if rater.state != RaterState.RUNNING:
        return SessionStep("end")
    if rater.instructed_at is None:
        return SessionStep("instructions", total=len(rater.plan))
    answered = rater.choices if rater.study.asks_triads else rater.associations.values("cue").distinct()
    done = answered.count()
    if done == len(rater.plan):
        return SessionStep("questions", done, done)
    if rater.study.asks_triads:
        return SessionStep("triad", done, len(rater.plan), item=rater.items[done])
    return SessionStep("associations", done, len(rater.plan), cue=rater.plan[done])


def instructed(rater: Rater) -> None:
    """Record that the rater has read the instructions."""
    Rater.objects.filter(pk=rater.pk, instructed_at=None).update(instructed_at=timezone.now())


def choose(rater: Rater, place: int, side: str, milliseconds: int | None = None) -> bool:
    """Record the answer to the triad at this place; a repeated or late one changes nothing.

    Returns
    -------
    bool
        False if the practice item was answered wrongly, which isn't recorded: it is shown again.
    """
    step = step_of(rater)
    if step.item is None or place != step.done or side not in SIDES:
        return True
    right = step.item.correct in (None, side)
    if step.item.kind == "practice" and not right:
        return False
    time = _time_taken(rater, milliseconds)
    try:
        with transaction.atomic():
            Choice.objects.create(rater=rater, place=place, side=side, milliseconds=time)
            if not right:
                move_to(rater, RaterState.SCREENED_OUT)
            elif step.done + 1 == step.total:
                _finish_unless_asked(rater)
    except IntegrityError:
        pass  # the same answer was sent twice at once; the first one counts
    return True


def associate(
    rater: Rater, cue: str, written: Sequence[str], milliseconds: int | None = None
) -> dict[int, Refusal] | None:
    """Record the context words of a cue, all or none.

    Returns
    -------
    dict or None
        reason of refusal by field number (from 0); None if the words are recorded, now or before.
    """
    step = step_of(rater)
    if step.place != "associations" or cue != step.cue:
        return None
    words = [normalise(word) for word in written]
    refused = {place: why for place, word in enumerate(words) if (why := refusal(word, cue, words[:place]))}
    if refused:
        return refused
    time = _time_taken(rater, milliseconds)
    rows = [
        FreeAssociation(rater=rater, cue=cue, place=place, word=word, written=as_written(text), milliseconds=time)
        for place, (word, text) in enumerate(zip(words, written, strict=True), start=1)
    ]
    try:
        with transaction.atomic():
            FreeAssociation.objects.bulk_create(rows)
            if step.done + 1 == step.total:
                _finish_unless_asked(rater)
    except IntegrityError:
        pass  # the same page was sent twice at once; the first one counts
    return None


def _finish_unless_asked(rater: Rater) -> None:
    if not rater.study.questions:
        _finish(rater)


def _finish(rater: Rater) -> None:
    move_to(rater, RaterState.SCREENED_OUT if rater.is_repeated else RaterState.DONE)


def reply(rater: Rater, replies: dict[str, str]) -> None:
    """Record the replies to the owner's questions and end the session."""
    if step_of(rater).place == "questions":
        Rater.objects.filter(pk=rater.pk, state=RaterState.RUNNING).update(replies=replies)
        rater.replies = replies
        _finish(rater)


def _time_taken(rater: Rater, reported: int | None) -> int:
    """Milliseconds since the last answer or as measured by the page, whichever is less, as breaks don't count."""
    answers = rater.choices if rater.study.asks_triads else rater.associations
    last: datetime | None = answers.order_by("-created_at").values_list("created_at", flat=True).first()
    passed = int((timezone.now() - (last or rater.instructed_at or rater.started_at)).total_seconds() * 1000)
    return min(passed, reported) if reported is not None and reported > 0 else passed


NEW_SESSIONS = Limit("new-sessions", 600, 3600)  # six hundred an hour from one address: a full lecture hall twice
ANSWERS = Limit("answers", 120, 60)  # two a second in one session: no person answers faster
ERASURES = Limit("erasures", 30, 3600)  # thirty an hour: too few to guess an id of 60 bits
BROWSER_COOKIE = "rater"
_BROWSER = re.compile(r"[A-Za-z0-9_-]{24}")
# Query parameters in which recruiting services pass the participant's id
PARTICIPANT_PARAMETERS = ("participant", "PROLIFIC_PID", "workerId")
MOST_PARTICIPANT_CHARACTERS = 100
BARRED_STATUS: dict[Barrier, int] = {"not_open": 403, "closed": 410, "full": 410, "other_task": 403}


def session_cookie(study: Study) -> str:
    return f"session-{study.pk}"


def _rater(request: HttpRequest, study: Study) -> Rater | None:
    """The session of this browser in this study."""
    return study.raters.with_id(request.COOKIES.get(session_cookie(study), "")).first()


def _page(request: HttpRequest, study: Study, template: str, status: int = 200, **context: object) -> HttpResponse:
    frame = {"study": study, "t": study.texts, "language": language_shown(study.language)}
    return render(request, f"people/{template}.html", frame | context, status=status)


def _barred(request: HttpRequest, study: Study, reason: Barrier) -> HttpResponse:
    texts = study.texts
    may_resume = reason == "full" and study.asks_participant
    context = {"title": texts[reason], "text": texts[f"{reason}_text"], "may_resume": may_resume}
    return _page(request, study, "barred", BARRED_STATUS[reason], **context)


@takes(*PARTICIPANT_PARAMETERS)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: HttpRequest, link: str) -> HttpResponse:
    """Page of the raters' link, which describes the study; POST is the consent and begins a session."""
    study = get_object_or_404(Study, link=link)
    if _rater(request, study) is not None:
        return redirect("people:session", link)
    if not study.is_open:
        return _barred(request, study, "closed" if study.is_closed else "not_open")
    if request.method != "POST" and study.is_full:
        return _barred(request, study, "full")
    if request.method != "POST":
        return _page(request, study, "consent", participant=_participant(request.GET), browser=_new_browser())
    if not spend(NEW_SESSIONS, network_hash(request)):
        return _slow_down(request, study)
    return _resume(request, study) if request.POST.get("rater") else _begin(request, study)


def _participant(data: Any) -> str:
    id = next((data[name] for name in PARTICIPANT_PARAMETERS if data.get(name)), "")
    return str(id).strip()[:MOST_PARTICIPANT_CHARACTERS]


def _new_browser() -> str:
    return secrets.token_urlsafe(18)


def _browser(request: HttpRequest) -> str:
    """The browser's secret. The form contains a new one, so that sending it twice begins one session."""
    secret = request.COOKIES.get(BROWSER_COOKIE, "") or request.POST.get("browser", "")
    return secret if _BROWSER.fullmatch(secret) else _new_browser()


def _begin(request: HttpRequest, study: Study) -> HttpResponse:
    browser = _browser(request)
    participant = _participant(request.POST) if study.asks_participant else ""
    participant = participant_hash(participant) if participant else ""
    try:
        browser_hash = salted_hmac("people.browser", browser, algorithm="sha256").hexdigest()
        rater = begin(study, browser_hash=browser_hash, participant_hash=participant)
    except Barred as barred:
        return _barred(request, study, barred.reason)
    return _in_this_browser(request, study, rater, browser)


def _resume(request: HttpRequest, study: Study) -> HttpResponse:
    """Resume a session in another browser by the rater id."""
    rater = study.raters.with_id(request.POST["rater"].strip().lower()).first()
    if rater is None:
        texts = study.texts
        context = {"title": texts["rater_id"], "text": texts["erase_unknown"], "may_resume": True}
        return _page(request, study, "barred", 404, **context)
    return _in_this_browser(request, study, rater, _browser(request))


def _in_this_browser(request: HttpRequest, study: Study, rater: Rater, browser: str) -> HttpResponse:
    response = redirect("people:session", study.link)
    for name, value in ((BROWSER_COOKIE, browser), (session_cookie(study), rater.pk)):
        keep_secret(response, request, name, value)
    return response


@never_cache
@require_safe
def session(request: HttpRequest, link: str) -> HttpResponse:
    """The next step according to the stored answers, so that it survives reloads and lost connections."""
    study = get_object_or_404(Study, link=link)
    rater = _rater(request, study)
    if rater is None:
        return redirect("people:consent", link)
    if study.is_closed and rater.state == RaterState.RUNNING:
        return _barred(request, study, "closed")
    return _step_page(request, study, rater)


def _step_page(request: HttpRequest, study: Study, rater: Rater, status: int = 200, **context: object) -> HttpResponse:
    step = step_of(rater)
    if step.place == "associations" and "fields" not in context:
        context["fields"] = _fields(study, [""] * WORDS_A_CUE, {})
    words = {"items": len(rater.plan), "focus": study.focus}
    texts = study.texts
    written = {name: texts[name].format_map(words) for name in ("triads_do", "associations_do", "focus")}
    counted = texts["progress"].format(done=min(step.done + 1, step.total), total=step.total)
    frame = {"rater": rater, "step": step, "counted": counted, "written": written}
    return _page(request, study, step.place, status, **frame, **context)


def _fields(study: Study, values: list[str], refused: Mapping[int, str]) -> list[dict[str, object]]:
    texts = study.texts
    return [
        {
            "name": f"word{place}",
            "label": texts["word"].format(place=place),
            "value": value[: 2 * LONGEST_WORD],
            "error": texts[f"refusal_{refused[place - 1]}"] if place - 1 in refused else "",
        }
        for place, value in enumerate(values, start=1)
    ]


@never_cache
@require_POST
def answer(request: HttpRequest, link: str) -> HttpResponse:
    """Record the answers of the current page; repeated or late ones are ignored."""
    study = get_object_or_404(Study, link=link)
    rater = _rater(request, study)
    if rater is None:
        return redirect("people:consent", link)
    if not study.is_open:
        return _barred(request, study, "closed")
    if not spend(ANSWERS, rater.pk):
        return _slow_down(request, study)
    place = request.POST.get("page", "")
    if place == "instructions":
        instructed(rater)
    elif place == "triad":
        number = whole_number(request.POST.get("place"))
        if not choose(rater, -1 if number is None else number, request.POST.get("side", ""), _time(request)):
            return _practice_again(request, study, rater)
    elif place == "associations":
        return _associations(request, study, rater)
    elif place == "questions":
        reply(rater, _replies(request, study))
    return redirect("people:session", link)


def _practice_again(request: HttpRequest, study: Study, rater: Rater) -> HttpResponse:
    item = step_of(rater).item
    assert item is not None
    right = item.left if item.correct == "left" else item.right
    hint = study.texts["practice_wrong"].format(right=right, cue=item.cue)
    return _step_page(request, study, rater, hint=hint)


def _associations(request: HttpRequest, study: Study, rater: Rater) -> HttpResponse:
    written = [request.POST.get(f"word{place}", "") for place in range(1, WORDS_A_CUE + 1)]
    refused = associate(rater, request.POST.get("cue", ""), written, _time(request))
    if refused:
        return _step_page(request, study, rater, 400, fields=_fields(study, written, refused), refused=True)
    return redirect("people:session", study.link)


def _replies(request: HttpRequest, study: Study) -> dict[str, str]:
    """Replies that are among the options; unanswered questions are left out."""
    replies = {}
    for number, question in enumerate(study.questions, start=1):
        reply = request.POST.get(f"question{number}", "")
        if reply in question["options"]:
            replies[question["question"]] = reply
    return replies


def _time(request: HttpRequest) -> int | None:
    return whole_number(request.POST.get("milliseconds"), digits=9) or None


def _slow_down(request: HttpRequest, study: Study) -> HttpResponse:
    response = _page(request, study, "barred", 429, title=study.texts["slow_down"], text="")
    response["Retry-After"] = "60"
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: HttpRequest, link: str) -> HttpResponse:
    """Erase the answers of the rater with this id."""
    study = get_object_or_404(Study, link=link)
    if request.method != "POST":
        return _page(request, study, "erase", given=request.COOKIES.get(session_cookie(study), ""))
    if not spend(ERASURES, network_hash(request)):
        return _slow_down(request, study)
    name = request.POST.get("rater", "").strip().lower()
    rater = study.raters.with_id(name).first()
    if rater is None:
        return _page(request, study, "erase", 404, given=name, unknown=True)
    rater.delete()  # with all its answers
    response = _page(request, study, "erase", erased=True)
    response.delete_cookie(session_cookie(study))
    return response
