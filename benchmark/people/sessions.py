"""Pages for raters: consent, instructions, one item after the other, the end. No addresses are stored."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.crypto import salted_hmac
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmark.inputs import whole_number
from benchmark.operations.counting import Limit, spend
from benchmark.people import rating
from benchmark.people.access import network_hash
from benchmark.people.exchange import participant_hash
from benchmark.people.models import Rater, RaterState, Study
from benchmark.people.rating import Barred, Barrier, step_of
from benchmark.people.texts import language_shown, texts_of
from benchmark.responses import keep_secret
from tasks.people.free_associations import LONGEST_WORD, WORDS_A_CUE

NEW_SESSIONS = Limit("new-sessions", 600, 3600)  # six hundred an hour from one address: a full lecture hall twice
ANSWERS = Limit("answers", 120, 60)  # two a second in one session: no person answers faster
ERASURES = Limit("erasures", 30, 3600)  # thirty an hour: too few to guess an id of 60 bits
BROWSER_COOKIE = "rater"
_BROWSER = re.compile(r"[A-Za-z0-9_-]{24}")
# Query parameters in which recruiting services pass the participant's id
PARTICIPANT_PARAMETERS = ("participant", "PROLIFIC_PID", "workerId")
MOST_PARTICIPANT_CHARACTERS = 100
BARRED_STATUS: dict[Barrier, int] = {"not_open": 403, "closed": 410, "full": 410, "other_task": 403, "taken": 403}


def session_cookie(study: Study) -> str:
    return f"session-{study.pk}"


def _rater(request: HttpRequest, study: Study) -> Rater | None:
    """The session of this browser in this study."""
    return study.raters.with_id(request.COOKIES.get(session_cookie(study), "")).first()


def _page(request: HttpRequest, study: Study, template: str, status: int = 200, **context: object) -> HttpResponse:
    frame = {"study": study, "t": texts_of(study.language), "language": language_shown(study.language)}
    return render(request, f"people/{template}.html", frame | context, status=status)


def _barred(request: HttpRequest, study: Study, reason: Barrier) -> HttpResponse:
    texts = texts_of(study.language)
    context = {"title": texts[reason], "text": texts[f"{reason}_text"], "may_resume": reason == "taken"}
    return _page(request, study, "barred", BARRED_STATUS[reason], **context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: HttpRequest, link: str) -> HttpResponse:
    """Page of the raters' link, which describes the study; POST is the consent and begins a session."""
    study = get_object_or_404(Study, link=link)
    if _rater(request, study) is not None:
        return redirect("people:session", link)
    if not study.is_open:
        return _barred(request, study, "closed" if study.is_closed else "not_open")
    if request.method != "POST":
        return _page(request, study, "consent", participant=_participant(request.GET), browser=_new_browser())
    if not spend(NEW_SESSIONS, network_hash(request)):
        return _slow_down(request, study)
    return _resume(request, study) if request.POST.get("rater") else _begin(request, study)


def _participant(data: Any) -> str:
    found = next((data[name] for name in PARTICIPANT_PARAMETERS if data.get(name)), "")
    return str(found).strip()[:MOST_PARTICIPANT_CHARACTERS]


def _new_browser() -> str:
    return secrets.token_urlsafe(18)


def _browser(request: HttpRequest) -> str:
    """The browser's secret. The form contains a new one, so that sending it twice begins one session."""
    given = request.COOKIES.get(BROWSER_COOKIE, "") or request.POST.get("browser", "")
    return given if _BROWSER.fullmatch(given) else _new_browser()


def _begin(request: HttpRequest, study: Study) -> HttpResponse:
    browser = _browser(request)
    participant = _participant(request.POST) if study.asks_participant else ""
    participant = participant_hash(participant) if participant else ""
    try:
        browser_hash = salted_hmac("people.browser", browser, algorithm="sha256").hexdigest()
        rater = rating.begin(study, browser_hash=browser_hash, participant_hash=participant)
    except Barred as barred:
        return _barred(request, study, barred.reason)
    return _in_this_browser(request, study, rater, browser)


def _resume(request: HttpRequest, study: Study) -> HttpResponse:
    """Resume a session in another browser by the rater id."""
    rater = study.raters.with_id(request.POST["rater"].strip().lower()).first()
    if rater is None:
        texts = texts_of(study.language)
        context = {"title": texts["taken"], "text": texts["erase_unknown"], "may_resume": True}
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
    texts = texts_of(study.language)
    written = {name: texts[name].format_map(words) for name in ("triads_do", "associations_do", "focus")}
    counted = texts["progress"].format(done=min(step.done + 1, step.total), total=step.total)
    frame = {"rater": rater, "step": step, "counted": counted, "written": written}
    return _page(request, study, step.place, status, **frame, **context)


def _fields(study: Study, values: list[str], refused: Mapping[int, str]) -> list[dict[str, object]]:
    texts = texts_of(study.language)
    return [
        {
            "name": f"word{nth}",
            "label": texts["word"].format(place=nth),
            "value": value[: 2 * LONGEST_WORD],
            "error": texts[f"refusal_{refused[nth - 1]}"] if nth - 1 in refused else "",
        }
        for nth, value in enumerate(values, start=1)
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
        rating.instructed(rater)
    elif place == "triad":
        nth = whole_number(request.POST.get("place"))
        if not rating.choose(rater, -1 if nth is None else nth, request.POST.get("side", ""), _time(request)):
            return _practice_again(request, study, rater)
    elif place == "associations":
        return _associations(request, study, rater)
    elif place == "questions":
        rating.reply(rater, _replies(request, study))
    return redirect("people:session", link)


def _practice_again(request: HttpRequest, study: Study, rater: Rater) -> HttpResponse:
    item = step_of(rater).item
    assert item is not None
    right = item.left if item.correct == "left" else item.right
    hint = texts_of(study.language)["practice_wrong"].format(right=right, cue=item.cue)
    return _step_page(request, study, rater, hint=hint)


def _associations(request: HttpRequest, study: Study, rater: Rater) -> HttpResponse:
    written = [request.POST.get(f"word{nth}", "") for nth in range(1, WORDS_A_CUE + 1)]
    refused = rating.associate(rater, request.POST.get("cue", ""), written, _time(request))
    if refused:
        return _step_page(request, study, rater, 400, fields=_fields(study, written, refused), refused=True)
    return redirect("people:session", study.link)


def _replies(request: HttpRequest, study: Study) -> dict[str, str]:
    """Replies that are among the options; unanswered questions are left out."""
    replies = {}
    for nth, question in enumerate(study.questions, start=1):
        given = request.POST.get(f"question{nth}", "")
        if given in question["options"]:
            replies[question["question"]] = given
    return replies


def _time(request: HttpRequest) -> int | None:
    return whole_number(request.POST.get("milliseconds"), digits=9) or None


def _slow_down(request: HttpRequest, study: Study) -> HttpResponse:
    response = _page(request, study, "barred", 429, title=texts_of(study.language)["slow_down"], text="")
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
    given = request.POST.get("rater", "").strip().lower()
    rater = study.raters.with_id(given).first()
    if rater is None:
        return _page(request, study, "erase", 404, given=given, unknown=True)
    rater.delete()  # with all its answers
    response = _page(request, study, "erase", erased=True)
    response.delete_cookie(session_cookie(study))
    return response
