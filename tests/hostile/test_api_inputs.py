"""Hostile values in every parameter and body of the API's schema, so that new endpoints are covered automatically."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from benchmark.api.api import api
from extensions.people.tests.conftest import study
from tests.benchmark.conftest import own_files, submission
from tests.hostile.everywhere import Site
from tests.hostile.judging import Sent, Verdicts, site, some_and_all
from tests.hostile.values import JSON, TEXTS

__all__ = ["own_files", "site", "study", "submission"]
pytestmark = pytest.mark.django_db


def resolved(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema or "anyOf" in schema:
        if "anyOf" in schema:
            schema = next((one for one in schema["anyOf"] if one.get("type") != "null"), {})
        else:
            schema = root["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def example(schema: dict[str, Any], root: dict[str, Any], site: Site, name: str = "") -> Any:
    """The smallest valid value."""
    plain = resolved(schema, root)
    if plain.get("type") == "object":
        return {key: example(part, root, site, key) for key, part in plain.get("properties", {}).items()}
    if plain.get("type") == "array":
        return [example(plain["items"], root, site, name)]
    if "default" in schema and schema["default"] is not None:
        return schema["default"]
    return {"integer": 100, "number": 0.5, "boolean": False}.get(plain.get("type", ""), "small")


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to all parts of a JSON value, including itself."""
    yield way
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from places(part, (*way, key))


def with_raw(value: Any, way: tuple[Any, ...], raw: str) -> bytes:
    """JSON text of a value with this text at one place."""
    mark = "-the-hostile-place-"
    copy = json.loads(json.dumps(value))
    if not way:
        return raw.encode()
    inside = copy
    for key in way[:-1]:
        inside = inside[key]
    inside[way[-1]] = mark
    return json.dumps(copy).replace(f'"{mark}"', raw).encode()


def operations() -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    root = api.get_openapi_schema()
    for path, methods in root["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation, dict(root)


@some_and_all
def test_a_hostile_value_in_the_api_breaks_nothing(site: Site, every: int) -> None:
    verdicts = Verdicts(site, every)
    people: list[tuple[str, dict[str, str]]] = [
        ("stranger", {}),
        ("account", {"Authorization": f"Bearer {site.secret}"}),
    ]
    for method, path, operation, root in operations():
        for who, headers in people:
            for sent in hostile_requests(site, method, path, operation, root):
                verdicts.judge(who, Client(raise_request_exception=False), sent._replace(headers=headers))
    verdicts.finish(2_000)


def hostile_requests(
    site: Site, method: str, path: str, operation: dict[str, Any], root: dict[str, Any]
) -> Iterator[Sent]:
    parameters = operation.get("parameters", [])
    query = {part["name"]: site.value(part["name"]).encode() for part in parameters if part["in"] == "query"}
    in_path = {part["name"]: site.value(part["name"]) for part in parameters if part["in"] == "path"}
    address = path.format_map(in_path)
    for name in query:
        for what, value in TEXTS.items():
            yield Sent(method, address, f"{what} in {name}", query | {name: value})
    for name in in_path:
        for what, value in TEXTS.items():
            if len(value) < 10_000:
                hostile = in_path | {name: value.decode("utf-8", "replace").replace("/", "")}
                yield Sent(method, path.format_map(hostile), f"{what} in {name}", query)
    contents = operation.get("requestBody", {}).get("content", {})
    for kind, content in contents.items():
        if kind == "application/json":
            body = example(content["schema"], root, site)
            for way in places(body):
                for what, raw in JSON.items():
                    yield Sent(method, address, f"{what} in {way}", query, with_raw(body, way, raw), kind)
        else:
            for what, value in TEXTS.items():
                yield Sent(method, address, f"{what} as the body", query, value, kind)
