"""An invisible name counts as missing everywhere: it would leave a blank heading."""

from __future__ import annotations

import sys
import unicodedata
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmark.accounts.models import ApiToken
from benchmark.inputs import file_name, lines, one_line
from benchmark.submissions.models import Submission
from extensions.people.list_comparison import keep_lists
from extensions.people.measure.free_associations import normalise
from extensions.people.models import GivenLists, Study
from extensions.people.tests.test_study_pages import make_through_the_form
from tasks.text import is_blank
from tests.benchmark.people_accounts import PASSWORD, browser_of, confirmed, person

BLANK = [
    "\u200b",
    "\u2800",
    "\ufeff",
    "\u00ad",
    "\u3164",
    "\u115f\u1160\uffa0",
    "\ufe0f \U000e0101",
    "\u180b\U000e0041",
]
PREPENDED = {0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD, *range(0x0600, 0x0606)}
"""Format characters with a glyph: Arabic and Kaithi number signs, and the Syriac abbreviation mark."""


def test_every_format_character_without_a_glyph_is_blank() -> None:
    found = {code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in ("Cf", "Zs", "Zl", "Zp")}
    assert {code for code in found if not is_blank(chr(code))} == PREPENDED & found


@pytest.mark.parametrize("text", ["a", "0", "—", "\u0301", "民", "\U0001f469\u200d\U0001f680", "\u200bx\ufeff", "𓀀"])
def test_text_with_anything_visible_is_not_blank(text: str) -> None:
    assert not is_blank(text)
    assert one_line(text)


@pytest.mark.parametrize("text", BLANK)
def test_blank_text_is_empty_in_every_kind_of_name(text: str) -> None:
    assert (one_line(text), lines(f"{text}\n{text}"), normalise(text), file_name(text)) == ("", "", "", "vectors")


@pytest.mark.django_db
@pytest.mark.parametrize("text", BLANK)
@pytest.mark.parametrize("path", ["/submit", "/api/v1/submissions", "/api/v1/uploads"])
def test_a_submission_needs_a_visible_name(path: str, text: str) -> None:
    body: dict[str, Any] = {"name": text}
    if path.endswith("uploads"):
        sent = body | {"files": [{"name": "a.txt", "bytes": 9}]}
        answer = Client().post(path, sent, content_type="application/json")
    else:
        answer = Client().post(path, body | {"file": SimpleUploadedFile("a.txt", b"a 1 2\n")})
    assert (answer.status_code, "The name is missing" in answer.content.decode()) == (400, True)
    assert not Submission.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("text", BLANK)
@pytest.mark.parametrize("field", ["title", "cues", "practice"])
def test_a_study_needs_visible_texts(field: str, text: str) -> None:
    response = make_through_the_form(**{field: f"kitchen: oven / {text}" if field == "practice" else text})[1]
    assert (response.status_code, Study.objects.exists()) == (400, False)


@pytest.mark.django_db
@pytest.mark.parametrize("text", BLANK)
def test_a_token_needs_a_visible_name(text: str) -> None:
    page = confirmed(browser_of(person("ada"))).post("/account/tokens", {"name": text, "scope": "read"})
    assert "The name is missing" in page.content.decode()
    assert not ApiToken.objects.exists()


@pytest.mark.django_db
def test_an_account_needs_a_visible_name() -> None:
    new = {"email": "b@vectors.example", "username": "\u3164" * 3, "password1": PASSWORD, "password2": PASSWORD}
    assert "A username may contain letters" in Client().post("/account/signup/", new).content.decode()
    assert not User.objects.exists()


@pytest.mark.django_db
def test_lists_with_a_blank_title_get_the_usual_one() -> None:
    assert GivenLists.objects.get(key=keep_lists("\u2800" * 70 + "x", {"law": ["court"]})).title == "Your own lists"
