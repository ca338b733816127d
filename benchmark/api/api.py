"""API version 1: endpoints, errors, and the pages about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, get_args

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import RawPostDataException, UnreadablePostError
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_safe
from ninja import NinjaAPI, Router
from ninja.errors import HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.parser import Parser
from typing_extensions import get_type_hints

from benchmark.api.entries import router as entries_router
from benchmark.api.schema import BOARD_PARAMETERS, SENTENCES, completed
from benchmark.api.submissions import router
from benchmark.compare.entries import MOST
from benchmark.data import suite_or_404
from benchmark.features import modules
from benchmark.inputs import MOST_DEPTH, json_of, only, refuse, unknown_names
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.exports import answer_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.operations.gate import refused
from benchmark.responses import Middleware, error_answer
from benchmark.submissions.forms import CODES_OF_ERRORS
from benchmark.submissions.states import IllegalMove
from benchmark.templatetags.figures import size
from tasks.answers import BoardPage, ErrorAnswer
from tasks.errors import InputError

ROOT = "/api/v1"
BOARD_PAGE = 1000
OF_STATUS = {
    401: "no-token", 403: "not-owner", 404: "not-found", 405: "bad-method", 409: "wrong-state", 413: "too-large",
}  # fmt: skip
"""Codes of errors that have only a status."""


class BoundedJson(Parser):
    """Parser of JSON bodies, within the site's limits on size and content."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        body: dict[str, Any] = json_of(request.body)
        return body


class DescribedApi(NinjaAPI):
    """The API with a complete description, which is made once."""

    _description: OpenAPISchema | None = None

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        if self._description is None:
            self._description = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
            completed(self._description)
        return self._description


api = DescribedApi(
    title="Vecboard",
    version="1",
    description="Evaluate word embeddings on a versioned suite of tasks against an SVD-PPMI baseline.",
    parser=BoundedJson(),
    docs_url=None,  # the site has its own page around the same program
    urls_namespace="api",
    servers=[{"url": "/", "description": "this site"}],
)
ROUTERS: list[Router] = [entries_router, router, *(module.router for module in modules("api"))]
for part in ROUTERS:
    api.add_router("", part)


def _refusal(code: str) -> HttpResponse:
    status, sentence = SENTENCES[code]
    return error_answer(status, code, sentence)


api.exception_handler(InputError)(refused)


@api.exception_handler(Http404)
def _missing(request: HttpRequest, error: Http404) -> HttpResponse:
    return error_answer(404, "not-found", str(error) or "There is nothing at this URL.")


@api.exception_handler(IllegalMove)
def _illegal(request: HttpRequest, error: IllegalMove) -> HttpResponse:
    return error_answer(409, "wrong-state", str(error))


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    first = error.errors[0] if error.errors else {}
    *place, name = first.get("loc", ["?"])
    if first.get("type") == "extra_forbidden":
        refuse(unknown_names([str(name)], fields_at(request, place[1:]), "field"))
    sentence = SENTENCES["invalid"][1].format(name=name, problem=first.get("msg", ""))
    return refused(request, InputError("invalid", sentence, field=str(name)))


def fields_at(request: HttpRequest, place: Sequence[str | int]) -> list[str]:
    """Names of the fields at a place, such as ``body``, ``files``, 0, in the JSON body that an endpoint takes."""
    assert request.resolver_match is not None
    assert request.method is not None
    models = operations_of(request.resolver_match.route)[request.method].models
    model = next(model for model in models if model.__ninja_param_source__ == "body")
    kind = model.model_fields[place[0]].annotation
    for step in place[1:]:
        kind = get_args(kind)[0] if isinstance(step, int) else get_type_hints(kind)[step]
    return list(get_type_hints(kind))


@api.exception_handler(RequestDataTooBig)
def _too_long(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
    most = size(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    return error_answer(413, "too-large", f"The body is longer than {most}; shorten its texts.")


@api.exception_handler(RawPostDataException)
def _form(request: HttpRequest, error: RawPostDataException) -> HttpResponse:
    return _refusal("bad-json")


@api.exception_handler(UnreadablePostError)
def _broke_off(request: HttpRequest, error: UnreadablePostError) -> HttpResponse:
    return _refusal("broken-upload")


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    if isinstance(error.__cause__, InputError):  # raised by the parser
        return refused(request, error.__cause__)
    return error_answer(error.status_code, OF_STATUS.get(error.status_code, "bad-request"), str(error))


@api.get("/", include_in_schema=False)
def root(request: HttpRequest) -> dict[str, str]:
    """API index."""
    pages = {"documentation": "about-api", "openapi": "api:openapi-json"}
    pages |= {name: f"api:{name}" for name in ("reference", "leaderboard")}
    return {"version": api.version} | {name: request.build_absolute_uri(reverse(view)) for name, view in pages.items()}


@api.get("/reference", include_in_schema=False)
def reference(request: HttpRequest) -> HttpResponse:
    """Every endpoint and type, as Swagger UI shows the description."""
    return render(request, "api/reference.html")


@api.get(
    "/leaderboard",
    response={200: BoardPage, 400: ErrorAnswer, 404: ErrorAnswer},
    openapi_extra=BOARD_PARAMETERS,
)
def leaderboard(request: HttpRequest, response: HttpResponse) -> BoardPage:
    """The board of a suite, with the same filters, columns and order as the page; pass ``next`` as ``after``."""
    response["Cache-Control"] = "no-cache"  # an entry may become private at any moment
    query = BoardQuery.parse(request.GET)
    board = board_of(suite_or_404(query.suite), query, size=BOARD_PAGE, all_by_default=True)
    refuse(board.query.ignored)
    return answer_of(board)


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """How to use the API, the codes of its errors, and the limits of this site."""
    errors = [(status, code, re.sub(r"\{(\w+)\}", r"`\1`", text)) for code, (status, text) in SENTENCES.items()]
    limits = {
        "file": settings.VECBOARD_MAX_UPLOAD_BYTES,
        "runs": settings.DATA_UPLOAD_MAX_NUMBER_FILES,
        "json": settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
        "depth": MOST_DEPTH,
        "per_day": settings.VECBOARD_UPLOADS_PER_DAY,
        "board": BOARD_PAGE,
        "entries": MOST,
    }
    site = request.build_absolute_uri("/").rstrip("/")
    context: dict[str, object] = {"root": ROOT, "site": site, "errors": errors, "limits": limits}
    context["codes_of_fields"] = sorted(
        {*CODES_OF_ERRORS.values(), "unknown-field", "unknown-parameter", "unknown-value", "given-twice"}
    )
    return render(request, "api/about.html", context)


EVERY_VERSION = "/api/"
KEPT_HEADERS = ("Allow", "Retry-After", "WWW-Authenticate", "Cache-Control")


class JsonErrors(Middleware):
    """Middleware: below ``/api/``, errors are JSON, even without a view, and HEAD is answered as GET."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_head = request.method == "HEAD" and request.path.startswith(EVERY_VERSION)
        if is_head:
            request.method = "GET"  # the web server omits the body
        response = self.get_response(request)
        if is_head:
            request.method = "HEAD"
        is_answer = response.status_code < 400 or response.get("Content-Type", "").startswith("application/json")
        return response if is_answer or not request.path.startswith(EVERY_VERSION) else as_json(request, response)

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponse | None:
        """Refuse parameters that the endpoint doesn't have, and second values of those that take one."""
        match = request.resolver_match
        if not request.GET or match is None or "api" not in match.namespaces:
            return None
        allowed = parameters_of(match.route, request.method or "")
        if allowed is None:
            return None
        try:
            only(request.GET, allowed, repeated=[name for name, is_repeated in allowed.items() if is_repeated])
        except InputError as error:
            return refused(request, error)
        return None


def operations_of(route: str) -> dict[str, Operation]:
    """Operations of an endpoint by method."""
    below = "/" + re.sub(r"<(\w+)>", r"{\1}", route).removeprefix(f"{ROOT}/".lstrip("/"))
    routers = (api.default_router, *ROUTERS)
    views = [each.path_operations[below] for each in routers if below in each.path_operations]
    return {method: operation for view in views for operation in view.operations for method in operation.methods}


@cache
def parameters_of(route: str, method: str) -> dict[str, bool] | None:
    """Names of an endpoint's parameters, and whether each may be repeated; None if it lacks the method.

    They are read from the endpoints and not from the description, which takes a second to make.
    """
    operations = operations_of(route)
    if not operations:
        return {}
    if method not in operations:
        return None
    operation = operations[method]
    of_the_view = [model for model in operation.models if model.__ninja_param_source__ == "query"]
    described = (operation.openapi_extra or {}).get("parameters", ())
    return {name: False for model in of_the_view for name in model.__ninja_flatten_map__} | {
        field["name"]: field["schema"].get("type") == "array" and field.get("explode", True) for field in described
    }


def as_json(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    status = response.status_code
    code = OF_STATUS.get(status, "broken" if status >= 500 else "bad-request")
    message = SENTENCES[code][1].format(method=request.method, allowed=response.get("Allow", "others"))
    answer = error_answer(status, code, message)
    for name in KEPT_HEADERS:
        if name in response:
            answer[name] = response[name]
    return answer


urlpatterns = [path("", about, name="about-api"), path("/v1/", api.urls)]
