"""The API's OpenAPI descriptions beyond the shared forms of :mod:`tasks.answers`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from django import forms
from django.core.validators import BaseValidator, MaxLengthValidator, MaxValueValidator, MinValueValidator

from benchmark.submissions.fetching import LONGEST_URL
from benchmark.submissions.forms import UploadForm
from benchmark.submissions.visibility import Facts
from tasks.answers import SubmissionStatus
from tasks.languages import LANGUAGES


class SubmissionAnswer(SubmissionStatus):
    """A submission with its public facts."""

    facts: Facts


def _parameter(name: str, what: str, **schema: object) -> dict[str, object]:
    kind = schema or {"type": "string"}
    return {"name": name, "in": "query", "required": False, "description": what, "schema": kind}


BOARD_PARAMETERS: dict[str, object] = {
    "parameters": [
        _parameter("suite", "suite id; the site's own by default"),
        _parameter("version", "suite version; the current one by default", type="integer", minimum=1),
        _parameter("sort", "column key or name; -column reverses the order"),
        _parameter("c", "columns by key or group; all by default", type="array", items={"type": "string"}),
        _parameter("language", "language of the entries; English by default", type="string", enum=list(LANGUAGES)),
        _parameter("q", "text in name, description, corpus or algorithm"),
        _parameter("track", "which corpus", type="string", enum=["prescribed", "other"]),
        _parameter("task-data", "whether trained on task data", type="string", enum=["no", "yes"]),
        _parameter("vocabulary", "whether composed for a list of words", type="string", enum=["closed", "open"]),
        _parameter("dim-min", "fewest dimensions", type="integer"),
        _parameter("dim-max", "most dimensions", type="integer"),
        _parameter("corpus", "text in the corpus"),
        _parameter("algorithm", "text in the algorithm"),
        _parameter("owner", "account name"),
        _parameter("after", "next from the previous answer"),
    ]
}


SENTENCES = {
    "bad-request": (400, "The request cannot be read; check its URL, headers and body."),
    "bad-json": (400, "Send the body as JSON, with Content-Type: application/json, not as a form."),
    "broken-upload": (400, "The body ended early; send it again."),
    "invalid": (400, "The parameter {name} is wrong: {problem}."),
    "not-found": (404, "There is nothing at this URL; /api lists all endpoints."),
    "bad-method": (405, "This URL does not allow {method}; it allows {allowed}."),
    "no-report": (409, "There is no report: the submission is {state}."),
    "too-large": (413, "The body is too long; shorten its texts."),
    "broken": (500, "Something went wrong on our side. The error has been logged; try again later."),
}
"""Status and sentence of each code that doesn't concern a field or a file."""


KINDS: dict[type[forms.Field], str] = {
    forms.BooleanField: "boolean", forms.IntegerField: "integer", forms.FloatField: "number",
}  # fmt: skip
LIMITS: dict[type[BaseValidator], str] = {
    MaxLengthValidator: "maxLength", MinValueValidator: "minimum", MaxValueValidator: "maximum",
}  # fmt: skip


DESCRIBED = {
    "name": "shown on the board", "track": "which corpus", "trained_on_task_data": "whether trained on task data",
    "licence": "of the vectors; required with offers_download", "language": "English by default",
    "member": "the file to read in a zip archive of several", "window": "words on each side",
    "loss": "at convergence", "tokens": "of the corpus", "visibility": "public by default",
    "offers_download": "whether everybody may download the vectors",
}  # fmt: skip
"""What the names of the form's fields don't say."""


def python(source: str) -> dict[str, object]:
    """The same request with the Python client, as OpenAPI's extension for samples of code."""
    return {"x-codeSamples": [{"lang": "Python", "source": source}]}


def upload_body() -> dict[str, object]:
    """The multipart body of an upload, described by its form."""
    form = UploadForm()
    properties: dict[str, dict[str, object]] = {
        "file": {
            "description": "vector file; several files are runs of the same settings",
            "type": "array",
            "minItems": 1,
            "maxItems": 20,
            "items": {"type": "string", "format": "binary"},
        },
        "url": {
            "description": "instead of file: an https URL on a host that this site fetches files from",
            "type": "string",
            "maxLength": LONGEST_URL,
        },
    }
    for name, field in form.fields.items():
        properties.setdefault(name, _schema(name, field))
    schema = {"type": "object", "required": ["name"], "properties": properties}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


def _schema(name: str, field: forms.Field) -> dict[str, object]:
    """The JSON schema of a form's field."""
    found: dict[str, object] = {"type": KINDS.get(type(field), "string"), "description": DESCRIBED.get(name, "")}
    if isinstance(field, forms.ChoiceField):
        found["enum"] = [value for value, _ in cast("Iterable[tuple[str, str]]", field.choices)]
    for validator in field.validators:
        if isinstance(validator, BaseValidator) and type(validator) in LIMITS:
            found[LIMITS[type(validator)]] = validator.limit_value
    return found
