"""Translation between two entries: a form for a dictionary, and the results."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods

from benchmark.compare.entries import CHOICE, LEAST, NO_FILE, Marked, address_of, choice, has_vectors_of, marked
from benchmark.compare.parts import Part
from benchmark.inputs import Parameters, is_storable, takes
from benchmark.operations import quotas
from benchmark.operations.counting import Limit, TooMuch, payer_of, spend
from benchmark.responses import guarded
from benchmark.submissions.models import Submission
from extensions.shared.inputs import pasted_text, uploaded_bytes
from extensions.shared.measure.texts import text_of
from extensions.shared.requested import request_figures
from extensions.translation.measure.translation import read_dictionary
from extensions.translation.models import WordTranslation
from tasks.errors import InputError

MOST_PAIRS = 20_000
MOST_BYTES = 1_000_000
MOST_PASTED = 80_000
DICTIONARIES = Limit("translate", 30, 3_600)
"""Thirty per visitor and hour: each takes a worker half a minute at most."""
_FIELD = "dictionary"


@takes(*CHOICE, "key")
@require_http_methods(["GET", "HEAD", "POST"])
def translation(request: HttpRequest) -> HttpResponse:
    """GET shows the results for the link's entries and dictionary; POST submits a dictionary."""
    entries = marked(request, LEAST)
    problem = None
    if request.method == "POST":
        try:
            return redirect(
                f"{reverse('translation:translation')}?{urlencode(address_of(entries, key=_take(request, entries)))}"
            )
        except TooMuch:
            raise
        except InputError as error:
            problem = error
    parameters = Parameters(request.GET)
    row = _stored_row(entries, key := parameters.text("key", 80))
    if key and row is None and len(entries) == LEAST:
        parameters.ignore("key", "the key of a dictionary that was sent for these entries")
    context = {
        **choice(request, entries, LEAST, usable=has_vectors_of, equal_dimensions=True),
        "ignored": parameters.ignored,
        "key": key if row else "",
        "row": row,
        "is_waiting": row is not None and row.figures is None,
        "obstacle": why_not_aligned(entries) if len(entries) == LEAST else "",
        "answer": row.figures if row is not None else None,
        "problem": problem,
        "given": request.POST.get(_FIELD, ""),
        "most_pairs": MOST_PAIRS,
        "most_bytes": MOST_BYTES,
        "most_pasted": MOST_PASTED,
    }
    return guarded(
        render(request, "translation/translation.html", context, status=400 if problem else 200), is_listed=False
    )


def _stored_row(entries: Sequence[Marked], key: str) -> WordTranslation | None:
    if len(entries) < LEAST:
        return None
    left, right = (entry.submission for entry in entries)
    rows = WordTranslation.objects.filter(left_sha256=left.vectors_sha256, right_sha256=right.vectors_sha256)
    return rows.filter(dictionary_key=key).first()


def _take(request: HttpRequest, entries: Sequence[Marked]) -> str:
    """Request the results from a worker; return the dictionary's key.

    Raises
    ------
    InputError
        the entries cannot be aligned, or the dictionary is too large or cannot be read.
    TooMuch
        this visitor has sent too many dictionaries or has too many open requests.
    """
    left, right = _both(entries)
    sent = uploaded_bytes(request, MOST_BYTES, field=_FIELD) or pasted_text(request, _FIELD, MOST_PASTED).encode()
    text = text_of(sent, "the dictionary", field=_FIELD)
    read_dictionary(text, MOST_PAIRS)
    if not is_storable(text):
        raise InputError("bad-text", "The dictionary has a character that cannot be stored; remove it.", field=_FIELD)
    key = hashlib.sha256(text.encode()).hexdigest()
    if not spend(DICTIONARIES, payer_of(request)):
        message = (
            f"You sent more than {DICTIONARIES.most} dictionaries within an hour; try again later, or use the command."
        )
        raise TooMuch("too-many-dictionaries", message, field=None)
    with quotas.asking():
        row, _ = WordTranslation.objects.get_or_create(
            left_sha256=left.vectors_sha256,
            right_sha256=right.vectors_sha256,
            dictionary_key=key,
            defaults={"left": left, "right": right},
        )
        due = request_figures("translate", WordTranslation, [row])
        WordTranslation.objects.filter(pk__in=due).update(dictionary=text)
    return key


def _both(entries: Sequence[Marked]) -> tuple[Submission, Submission]:
    """The two entries, after checking that they can be aligned."""
    if len(entries) < LEAST:
        raise InputError("too-few-entries", "Choose two entries first.", field=None)
    obstacle = why_not_aligned(entries)
    if obstacle:
        raise InputError("not-alignable", obstacle, field=None)
    left, right = (entry.submission for entry in entries)
    return left, right


def why_not_aligned(entries: Sequence[Marked]) -> str:
    """Reason why two entries cannot be aligned; empty if they can."""
    for entry in entries:
        if not entry.submission.has_vectors:
            return NO_FILE.format(name=entry.name)
    left, right = (entry.submission.dimensions for entry in entries)
    return "" if left == right else f"The entries have {left} and {right} dimensions; only equal ones can be aligned."


PARTS = (Part("translation/_part.html"),)
app_name = "translation"
urlpatterns = [path("compare/translate", translation, name="translation")]
