"""The API's description of corpora agrees with the form and with the answers."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmark.api.api import api
from benchmark.submissions.models import Submission
from benchmark.sufficiency import views
from benchmark.sufficiency.api import ACCEPTED, DESCRIBED, CorpusAccepted
from tasks.results import adapter
from tests.benchmark.sufficiency.conftest import CORPUS


def test_it_has_the_fields_of_the_form_with_their_limits() -> None:
    asked = api.get_openapi_schema()["paths"]["/api/v1/suffices"]["post"]
    body = asked["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert set(body["properties"]) == {"e", *views.CorpusForm().fields}
    for name, field in views.CorpusForm().fields.items():
        assert body["properties"][name].get("maxLength") == getattr(field, "max_length", None), name


@pytest.mark.django_db
def test_it_has_the_fields_of_the_answer(entry: Submission) -> None:
    sent = {"e": [entry.pk], "file": SimpleUploadedFile("speeches.jsonl", CORPUS)}
    answer = Client().post("/api/v1/suffices", sent).json()
    assert adapter(CorpusAccepted).validate_python(answer, strict=False)["state"] == "waiting"
    described = api.get_openapi_schema()["components"]["schemas"]["CorpusAccepted"]["properties"]
    assert set(answer) == set(described) == set(ACCEPTED)


def test_every_description_is_of_a_field() -> None:
    types = api.get_openapi_schema()["components"]["schemas"]
    fields = {f"{name}.{field}" for name, node in types.items() for field in node.get("properties", ())}
    assert set(DESCRIBED) - fields == {"?report_id"}
