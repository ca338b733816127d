"""The API's page for people, generated from its own description."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmark.api.api import api

ROOT = "/api/v1"
_PARAMETER = re.compile(r"\{\w+\}")


@dataclass(frozen=True)
class Operation:
    """``path`` is relative to the root, as short as people write it; in the description words and code alternate."""

    method: str
    path: str
    description: tuple[str, ...]
    parameters: tuple[str, ...]


@cache
def operations() -> tuple[Operation, ...]:
    """Every operation of the API, in its order; a HEAD goes with its GET."""
    return tuple(
        Operation(
            method.upper(),
            _PARAMETER.sub("{id}", path.removeprefix(ROOT)),
            tuple(operation.get("description", "").split("``")),
            tuple(part["name"] for part in operation.get("parameters", ()) if part["in"] == "query"),
        )
        for path, methods in api.get_openapi_schema()["paths"].items()
        for method, operation in methods.items()
        if method != "head"
    )


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    return render(request, "api/about.html", {"operations": operations(), "root": ROOT})
