"""The endpoints of a measurement, which each of its features adds to the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired

from django.http import HttpRequest, HttpResponse
from ninja import Router
from typing_extensions import TypedDict

from benchmark.api.schema import TOKEN_OPTIONAL, multipart, properties_of
from benchmark.api.submissions import authorize_submission
from benchmark.compare.entries import marked
from benchmark.inputs import only
from benchmark.responses import unstored
from benchmark.submissions.access import bearer_token
from benchmark.submissions.forms import first_error
from extensions.texts.forms import find, read_form, start
from extensions.texts.pages import Row, TextsPages
from tasks.answers import ErrorAnswer, ErrorDetails
from tasks.fields import doc


class TextsAnswer(TypedDict):
    """A measurement. ``share``, ``step`` and ``seconds_left`` are of an open one."""

    id: Annotated[str, doc("id of the report")]
    state: Annotated[
        Literal["waiting", "running", "done", "refused", "failed", "cancelled"],
        doc("open until done, refused, failed or cancelled"),
    ]
    url: Annotated[str, doc("page of the report")]
    error: Annotated[ErrorDetails | None, doc("for the owner: why it was refused or failed")]
    share: NotRequired[Annotated[float, doc("share of the expected work that is done, a fraction")]]
    step: NotRequired[Annotated[str, doc("what the measurement does now, in words")]]
    seconds_left: NotRequired[Annotated[tuple[int, int] | None, doc("[least, most], in seconds; null if unknown")]]
    token: NotRequired[Annotated[str, doc("secret of the owner; returned only once, when the file is accepted")]]


def texts_router(
    pages: TextsPages[Row], *, fields: Mapping[str, str], answer: type[TextsAnswer], question: str
) -> Router:
    """Endpoints that send a file, return its report, and delete both.

    Parameters
    ----------
    fields : meanings of the form's fields.
    answer : a :class:`TextsAnswer` with more fields, which are null until the report is finished.
    question : what is sent, and asked of it, as a sentence.
    """
    router, model, address = Router(), pages.model, f"/{pages.address}"
    report = f"{address}/{{report_id}}"
    entries = {
        "type": "array",
        "minItems": pages.least,
        "maxItems": pages.most,
        "items": {"type": "string"},
        "description": "id of an entry; repeat it for several",
    }
    seen_by = "for the owner" if model.IS_PRIVATE else "for everyone with the id"
    required = [name for name, field in pages.form().fields.items() if field.required] + ["e"] * pages.least
    body = multipart({"e": entries, **properties_of(pages.form(), fields)}, required=required)
    needs_token: dict[str, object] = {"x-token-optional": False}
    refused: dict[int, object] = dict.fromkeys((400, 401, 404, 413, 429, 507), ErrorAnswer)
    missing: dict[int, object] = dict.fromkeys((400, 404), ErrorAnswer)

    @router.post(
        address,
        response={202: answer} | refused,
        openapi_extra=TOKEN_OPTIONAL | body,
        description=f"{question}\n\nSave the token: it is shown only once, and makes its holder the owner.",
        operation_id=f"send_{pages.address}",
    )
    def send(request: HttpRequest) -> HttpResponse:
        authorize_submission(request)
        form = read_form(pages.form, request)
        only(request.POST, ("e", *form.fields), repeated=("e",), what="field")
        if not form.is_valid():
            raise first_error(form)
        row, token = start(model, form, marked(request, pages.most + 1), pages.most, request.user)
        return unstored({**pages.answer(row, request), "token": token}, 202)

    @router.get(
        report,
        response={200: answer} | missing,
        openapi_extra=needs_token if model.IS_PRIVATE else {},
        description=f"State and, at the end, the report, {seen_by}; ``Retry-After`` gives the seconds to wait.",
        operation_id=f"read_{pages.address}",
    )
    def read(request: HttpRequest, report_id: str) -> HttpResponse:
        row = find(model, report_id, bearer_token(request), request.user)
        response = unstored(pages.answer(row, request))
        if row.is_open:
            response["Retry-After"] = "10"
        return response

    @router.delete(
        report,
        response={204: None} | missing,
        openapi_extra=needs_token,
        description="Delete the report and its files, as their owner; an open measurement ends.",
        operation_id=f"delete_{pages.address}",
    )
    def delete(request: HttpRequest, report_id: str) -> HttpResponse:
        model.erase(find(model, report_id, bearer_token(request), request.user, for_owner=True).pk)
        return HttpResponse(status=204)

    return router
