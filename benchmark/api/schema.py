"""The API's OpenAPI descriptions beyond the shared forms of :mod:`tasks.answers`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, cast

from django import forms
from django.core.validators import BaseValidator, MaxLengthValidator, MaxValueValidator, MinValueValidator

from benchmark.submissions.fetching import LONGEST_URL
from benchmark.submissions.forms import UploadForm
from benchmark.submissions.visibility import Facts
from tasks.answers import NewUpload, SubmissionStatus
from tasks.fields import doc
from tasks.languages import LANGUAGES
from tasks.results import adapter


class SubmissionAnswer(SubmissionStatus):
    """A submission with its public facts."""

    facts: Annotated[Facts, doc("public facts")]


def parameter(name: str, what: str, *, required: bool = False, **schema: object) -> dict[str, object]:
    """A parameter of the URL; an array is repeated: ``c=pos&c=ner``."""
    kind = schema or {"type": "string"}
    return {"name": name, "in": "query", "required": required, "description": what, "schema": kind}


def listed(name: str, what: str, *, required: bool = False) -> dict[str, object]:
    """A list in one value, as people write lists."""
    words = {"type": "array", "items": {"type": "string"}}
    array = parameter(name, f"{what}; separated by commas: `{name}=one,two`", required=required, **words)
    return array | {"style": "form", "explode": False}


BOARD_PARAMETERS: dict[str, object] = {
    "parameters": [
        parameter("suite", "suite id; the site's own by default"),
        parameter("version", "suite version; the current one by default", type="integer", minimum=1),
        parameter("sort", "column key or name; -column reverses the order"),
        parameter(
            "c",
            "column by key or group; repeat it for several: `c=pos.fixed&c=ner.fixed`; all by default",
            type="array",
            items={"type": "string"},
        ),
        parameter("language", "language of the entries; English by default", type="string", enum=list(LANGUAGES)),
        parameter("q", "text in name, description, corpus or algorithm"),
        parameter("track", "which corpus", type="string", enum=["prescribed", "other"]),
        parameter("task-data", "whether trained on task data", type="string", enum=["no", "yes"]),
        parameter("vocabulary", "whether composed for a list of words", type="string", enum=["closed", "open"]),
        parameter("dim-min", "fewest dimensions", type="integer"),
        parameter("dim-max", "most dimensions", type="integer"),
        parameter("corpus", "text in the corpus"),
        parameter("algorithm", "text in the algorithm"),
        parameter("owner", "account name"),
        parameter("after", "next from the previous answer"),
        parameter("as-of", "hash of a permanent link, for the values of its day"),
    ]
}


SENTENCES = {
    "bad-request": (400, "The request cannot be read; check its URL, headers and body."),
    "bad-json": (400, "Send the body as JSON, with Content-Type: application/json, not as a form."),
    "broken-upload": (400, "The body ended early; send it again."),
    "invalid": (400, "The parameter {name} is wrong: {problem}."),
    "no-token": (401, "A token is needed; send one in the header Authorization: Bearer."),
    "unknown-token": (401, "The token belongs to no account, or has been revoked."),
    "read-only": (403, "This token is read-only; create one that can also write."),
    "not-owner": (403, "This is not the token of the owner."),
    "not-found": (404, "There is nothing at this URL; /api lists all endpoints."),
    "bad-method": (405, "This URL does not allow {method}; it allows {allowed}."),
    "wrong-state": (409, "This is not possible in the present state, which the message names."),
    "no-report": (409, "There is no report: the submission is {state}."),
    "too-large": (413, "The body is too long; shorten its texts."),
    "broken": (500, "Something went wrong on our side. The error has been logged; try again later."),
}
"""Status and sentence of each code that doesn't concern a field or a file; 401, 403 and 409 have longer ones."""


KINDS: dict[type[forms.Field], str] = {
    forms.BooleanField: "boolean", forms.IntegerField: "integer", forms.FloatField: "number",
}  # fmt: skip
LIMITS: dict[type[BaseValidator], str] = {
    MaxLengthValidator: "maxLength", MinValueValidator: "minimum", MaxValueValidator: "maximum",
}  # fmt: skip


PARAMETERS = {
    "upload_id": "id of the submission",
    "version": "version of the suite; the current one by default",
    "file": "number of the file, from 1; 1 by default",
    "offset": "byte at which the body continues the file",
}
"""Meaning of the parameters that the signatures of endpoints only name; other ids are called after their object."""


Description = dict[str, Any]
"""An OpenAPI description, which django-ninja makes."""


def completed(schema: Description) -> None:
    """Add what signatures don't say: groups by the first part of paths, meanings of parameters, who needs a token."""
    for node in schema["components"]["schemas"].values():
        if "description" in node:  # a docstring
            node["description"] = node["description"].replace("None", "null").replace("False", "false")
    schema["components"]["securitySchemes"] = {"token": TOKEN}
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            operation["tags"] = [path.split("/")[3]]
            needed: list[dict[str, list[str]]] = [{"token": []}]
            may_lack = operation.pop("x-token-optional", 401 not in operation["responses"])
            operation["security"] = [{}, *needed] if may_lack else needed
            for part in operation.get("parameters", ()):
                kind = part["name"].removesuffix("_id")
                description = f"id of the {kind}" if kind != part["name"] else ""
                part.setdefault("description", PARAMETERS.get(part["name"], description))


TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": "A token of an account (read, or read and write), or the token that a submission returned.",
}
"""The API ignores cookies. Public data needs no token; private entries need their owner's."""
TOKEN_OPTIONAL: dict[str, object] = {"x-token-optional": True}
"""For uploads: only some sites accept them from accounts only."""


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
    described = adapter(NewUpload).json_schema()["properties"]
    meanings = {name: described[name]["description"] for name in form.fields if name not in properties}
    return multipart({**properties, **properties_of(form, meanings)}, required=["name"])


def multipart(properties: Mapping[str, object], required: Sequence[str]) -> dict[str, object]:
    schema = {"type": "object", "required": required, "properties": properties}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


def properties_of(form: forms.BaseForm, meanings: Mapping[str, str]) -> dict[str, object]:
    """JSON schemas of the fields of a form whose meanings are given."""
    return {name: _schema(form.fields[name]) | {"description": meaning} for name, meaning in meanings.items()}


def _schema(field: forms.Field) -> dict[str, object]:
    """The JSON schema of a form's field."""
    schema: dict[str, object] = {"type": KINDS.get(type(field), "string")}
    if isinstance(field, forms.FileField):
        schema["format"] = "binary"
    if isinstance(field, forms.ChoiceField):
        schema["enum"] = [value for value, _ in cast("Iterable[tuple[str, str]]", field.choices)]
    for validator in field.validators:
        if isinstance(validator, BaseValidator) and type(validator) in LIMITS:
            schema[LIMITS[type(validator)]] = validator.limit_value
    return schema
