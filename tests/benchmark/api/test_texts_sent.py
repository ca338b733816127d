"""The API's description of files of texts agrees with the forms that read them and the answers that are given."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

import extensions.claim.api
import extensions.claim.views
import extensions.front.api
import extensions.front.views
import extensions.own.api
import extensions.own.views
import extensions.sufficiency.api
import extensions.sufficiency.views
from benchmark.api.api import api
from benchmark.submissions.models import Submission
from extensions.sufficiency.tests.conftest import CORPUS, entry
from extensions.texts.forms import MeasurementForm
from tasks.results import adapter

__all__ = ["entry"]
pytestmark = pytest.mark.django_db
FORMS: dict[str, tuple[type[MeasurementForm], int, object]] = {
    "suffices": (
        extensions.sufficiency.views.CorpusForm,
        extensions.sufficiency.views.CorpusPages.most,
        extensions.sufficiency.api.CorpusAnswer,
    ),
    "own": (
        extensions.own.views.OwnForm,
        extensions.own.views.OwnPages.most,
        extensions.own.api.OwnAnswer,
    ),
    "front": (
        extensions.front.views.FrontForm,
        extensions.front.views.FrontPages.most,
        extensions.front.api.FrontAnswer,
    ),
    "claim": (
        extensions.claim.views.ClaimForm,
        extensions.claim.views.ClaimPages.most,
        extensions.claim.api.MeasuredClaimAnswer,
    ),
}


@pytest.mark.parametrize("address", FORMS)
def test_the_description_has_the_fields_of_the_form(address: str) -> None:
    form, most, _ = FORMS[address]
    asked = api.get_openapi_schema()["paths"][f"/api/v1/{address}"]["post"]
    fields = asked["requestBody"]["content"]["multipart/form-data"]["schema"]["properties"]
    assert set(fields) == {"e", *form().fields}
    assert fields["e"]["maxItems"] == most
    for name, field in form().fields.items():
        assert fields[name].get("maxLength") == getattr(field, "max_length", None), name


@pytest.mark.parametrize("address", FORMS)
def test_the_description_has_the_fields_of_the_answer(address: str, entry: Submission) -> None:
    _, _, answer_type = FORMS[address]
    file = SimpleUploadedFile("speeches.jsonl", CORPUS)
    needed = {"front": {"budget": 5}, "claim": {"kind": "groups", "word": "cat", "by": "speaker"}}
    sent = {"file": file} | needed.get(address, {"e": [entry.pk]})
    answer = Client().post(f"/api/v1/{address}", sent).json()
    assert adapter(answer_type).validate_python(answer, strict=False)["state"] == "waiting"  # type: ignore[arg-type]
    described = api.get_openapi_schema()["components"]["schemas"][answer_type.__name__]  # type: ignore[attr-defined]
    assert set(answer) == set(described["properties"])
