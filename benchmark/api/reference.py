"""The API's reference, read from its OpenAPI schema: what the page shows is what the schema says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict, cast

ROOT = "/api/v1"
MOST_VALUES = 8
"""Of longer lists of values, the page shows the number."""
_PARAMETER = re.compile(r"\{\w+\}")
_BOUNDS = (
    ("minimum", "≥ {:,}"), ("maximum", "≤ {:,}"), ("maxLength", "at most {:,} characters"),
    ("minItems", "at least {:,}"), ("maxItems", "at most {:,}"),
)  # fmt: skip
_TYPES = {"number": 0.5, "integer": 1, "boolean": False}
_TIME = "2026-05-04T09:30:00+00:00"
SAMPLES: dict[str, object] = {
    "id": "4kq1z0c7m2xa", "name": "My vectors", "entry": "4kq1z0c7m2xa", "against": "7j3q6plpoaos",
    "word": "freedom", "found": "freedom", "column": "pos.fixed", "letter": "A", "reference": "4kq1z0c7m2xa",
    "AnnouncedFile": {"name": "vectors.txt.gz", "bytes": 9437184}, "bytes": 9437184,
    "piece_bytes": 8388608,
    "token": "NnX0…", "owner_url": "https://vecboard.example/s/4kq1z0c7m2xa/owner/NnX0…",
    "status_url": "https://vecboard.example/s/4kq1z0c7m2xa", "SubmissionState": "uploaded",
    "language": "de", "offset": 8388608,
    "error": None, "next": None, "created_at": _TIME, "finished_at": _TIME,
    "SuiteNamed": {"id": "open-2026", "version": 3},
    "SuiteUsed": {"id": "open-2026", "version": 3, "hash": "…", "comparable": True},
}  # fmt: skip
"""Sample values by the name of a field or type; all others follow from the type."""

Node = TypedDict(
    "Node",
    {
        "$ref": str, "type": str, "description": str, "default": object, "enum": list[str], "format": str,
        "anyOf": "list[Node]", "items": "Node", "prefixItems": "list[Node]", "additionalProperties": "Node",
        "properties": "dict[str, Node]", "required": list[str],
        "x-enum-descriptions": dict[str, str],
    },
    total=False,
)  # fmt: skip
"""A JSON schema, as far as the API uses it."""
_Parameter = TypedDict(
    "_Parameter",
    {"name": str, "in": str, "required": bool, "description": str, "schema": Node},
    total=False,
)
_Content = dict[str, dict[Literal["schema"], Node]]


class _Sample(TypedDict):
    lang: str
    source: str


class _Body(TypedDict, total=False):
    description: str
    content: _Content


_Operation = TypedDict(
    "_Operation",
    {
        "description": str, "parameters": list[_Parameter], "requestBody": _Body, "responses": dict[int | str, _Body],
        "x-codeSamples": list[_Sample], "x-query": str, "x-form": list[str], "x-sample": object,
        "security": list[dict[str, list[str]]],
    },
    total=False,
)  # fmt: skip


class Schema(TypedDict):
    """An OpenAPI description."""

    paths: dict[str, dict[str, _Operation]]
    components: dict[Literal["schemas"], dict[str, Node]]


@dataclass(frozen=True)
class SchemaField:
    """A parameter or field; ``kind`` is its type in words around ``of``, the name of a type of its own."""

    name: str
    kind: tuple[str, str, str]
    place: str
    is_required: bool
    description: str = ""


@dataclass(frozen=True)
class SchemaType:
    """An object of the answers with its fields, or a word with its possible ``values`` and their meanings."""

    name: str
    description: str
    fields: tuple[SchemaField, ...]
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class AnswerKind:
    """A status of an operation; ``kind`` as in a field."""

    status: int
    meaning: str
    kind: tuple[str, str, str]


@dataclass(frozen=True)
class Operation:
    """An endpoint; ``path`` is relative to the root, ``options`` are those of curl before the URL."""

    id: str
    method: str
    path: str
    description: str
    parameters: tuple[SchemaField, ...]
    body: str
    body_fields: tuple[SchemaField, ...]
    answers: tuple[AnswerKind, ...]
    errors: tuple[int, ...]
    options: str
    curl_path: str
    python: str
    sample: str
    needs_token: bool


class Reference:
    """Operations and types of a schema."""

    def __init__(self, schema: Mapping[str, object]) -> None:
        read = cast("Schema", schema)
        self._types = read["components"]["schemas"]
        self.operations = tuple(
            self._operation(method, path, operation)
            for path, methods in read["paths"].items()
            for method, operation in methods.items()
        )
        self.types = tuple(
            SchemaType(
                name,
                node.get("description", ""),
                tuple(self._fields(node)),
                tuple((value, node["x-enum-descriptions"][value]) for value in node.get("enum", ())),
            )
            for name, node in self._types.items()
        )

    def _operation(self, method: str, path: str, operation: _Operation) -> Operation:
        below = _PARAMETER.sub("{id}", path.removeprefix(ROOT))
        parameters = tuple(
            SchemaField(
                "id" if part["in"] == "path" else part["name"],
                self._kind(part["schema"]),
                part["in"],
                part.get("required", False),
                part.get("description", _default(part["schema"])),
            )
            for part in operation.get("parameters", ())
        )
        media, body = _content(operation.get("requestBody", {}))
        answers = {int(status): answer for status, answer in operation["responses"].items()}
        good = sorted(status for status in answers if status < 400)
        _, shown = _content(answers[good[0]] if good else {})
        sample = operation.get("x-sample", self._sample(shown) if shown else None)
        samples = {sample["lang"]: sample["source"] for sample in operation.get("x-codeSamples", ())}
        needed = [field.name for field in parameters if field.is_required and field.place == "query"]
        query = operation.get("x-query", "&".join(f"{name}=0" for name in needed))
        return Operation(
            id=f"{method}{below}".replace("/", "-").replace("{id}", "id"),
            method=method.upper(),
            path=below,
            description=operation.get("description", ""),
            parameters=parameters,
            body=media,
            body_fields=tuple(sorted(self._fields(body), key=lambda field: not field.is_required)),
            answers=tuple(
                AnswerKind(status, answers[status].get("description", ""), self._content_kind(answers[status]))
                for status in good
            ),
            errors=tuple(sorted(status for status in answers if status >= 400)),
            options="".join(
                f"{option} \\\n  " for option in self._options(method, media, body, answers, operation.get("x-form"))
            ),
            curl_path=below.replace("{id}", "$ID") + (f"?{query}" if query else ""),
            python=samples.get("Python", ""),
            sample=json.dumps(sample, indent=2, ensure_ascii=False) if shown else "",
            needs_token={} not in operation.get("security", [{}]),
        )

    def _resolved(self, node: Node) -> Node:
        return self._types[node["$ref"].rpartition("/")[2]] if "$ref" in node else node

    def _fields(self, node: Node) -> Iterator[SchemaField]:
        schema = self._resolved(node)
        for name, of in schema.get("properties", {}).items():
            description = of.get("description", _default(of))
            yield SchemaField(name, self._kind(of), "body", name in schema.get("required", ()), description)

    def _content_kind(self, answer: _Body) -> tuple[str, str, str]:
        _, node = _content(answer)
        names = [media.rpartition("/")[2].upper() for media in answer.get("content", {})]
        return self._kind(node) if node else (" or ".join(names) or "no body", "", "")

    def _kind(self, node: Node) -> tuple[str, str, str]:
        """The type in words: before the name of a type of its own, this name, and after it."""
        if "$ref" in node:
            return "", node["$ref"].rpartition("/")[2], ""
        if "anyOf" in node:
            first, *others = (self._kind(option) for option in node["anyOf"])
            return first[0], first[1], first[2] + "".join(f" or {''.join(other)}" for other in others)
        if "enum" in node:
            values = node["enum"]
            return (" | ".join(values) if len(values) <= MOST_VALUES else f"one of {len(values)} values"), "", ""
        inner = node.get("items") or next(iter(node.get("prefixItems", ())), None) or node.get("additionalProperties")
        bounds = [text.format(node[key]) for key, text in _BOUNDS if key in node]  # type: ignore[literal-required]
        if isinstance(inner, dict) and inner:
            before, name, after = self._kind(inner)
            many = "list of " if node.get("type") == "array" else "object of "
            return many + before, name, ", ".join((after, *bounds)) if bounds else after
        plain = "file" if node.get("format") == "binary" else node.get("type", "any")
        return ", ".join((plain, *bounds)), "", ""

    def _sample(self, node: Node, name: str = "") -> object:
        for title in (name, node.get("$ref", "").rpartition("/")[2]):
            if title in SAMPLES:
                return SAMPLES[title]
        node = self._resolved(node)
        if "anyOf" in node:
            return self._sample(node["anyOf"][0], name)
        if "enum" in node:
            return node["enum"][0]
        if "prefixItems" in node:
            return [self._sample(part, name) for part in node["prefixItems"]]
        if "items" in node:
            return [self._sample(node["items"], "")]
        if "properties" in node:
            return {key: self._sample(of, key) for key, of in node["properties"].items()}
        return {} if node.get("type") == "object" else _TYPES.get(node.get("type", ""), "…")

    def _options(
        self, method: str, media: str, body: Node, answers: Mapping[int, _Body], form: list[str] | None
    ) -> Iterator[str]:
        has_form = media == "multipart/form-data"
        if method != "get" and not (method == "post" and media):
            yield f"--request {method.upper()}"
        if 401 in answers:
            yield '--header "Authorization: Bearer $TOKEN"'
        if has_form:
            yield from (f"--form {field}" for field in form or ("file=@vectors.txt.gz", 'name="My vectors"'))
        elif media == "application/json":
            properties = self._resolved(body)["properties"]
            required = {name: self._sample(properties[name], name) for name in self._resolved(body)["required"]}
            yield f"--json '{json.dumps(required)}'"
        elif media:
            yield "--data-binary @vectors.txt.gz"


def _content(body: _Body) -> tuple[str, Node]:
    """The media type and schema of a body; empty without one."""
    media, content = next(iter(body.get("content", {}).items()), ("", cast("dict[Literal['schema'], Node]", {})))
    return media, content.get("schema", {})


def _default(node: Node) -> str:
    return f"{node['default']} by default" if node.get("default") is not None else ""
