"""The description of the API of a file of texts, which the URLs of its feature answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from benchmark.api.schema import TOKEN_OPTIONAL, Endpoint, multipart, properties_of
from benchmark.texts.pages import Row, TextsPages
from tasks.answers import ErrorAnswer, ErrorDetails
from tasks.fields import doc


class TextsAnswer(TypedDict):
    """The measurement of a file of texts. ``share``, ``step`` and ``seconds_left`` are of an open one."""

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


def endpoints(
    pages: type[TextsPages[Row]],
    *,
    fields: Mapping[str, str],
    sample: Sequence[str],
    answer: type[TextsAnswer],
    sentences: tuple[str, str, str],
) -> tuple[Endpoint, ...]:
    """Sending a file, asking for its report, and deleting both.

    Parameters
    ----------
    fields : meanings of the form's fields.
    sample : of the form, as options of curl.
    answer : a :class:`TextsAnswer` with more fields, which are null until the report is finished.
    sentences : about the three endpoints.
    """
    entries = {
        "type": "array",
        "minItems": 1,
        "maxItems": pages.most,
        "items": {"type": "string"},
        "description": "id of an entry that everyone may see; repeat it for several",
    }
    accepted = {
        "id": "4kq1z0c7m2xa",
        "state": "waiting",
        "url": f"https://vecboard.example/{pages.address}/4kq1z0c7m2xa",
        "error": None,
        **{name: None for name in answer.__annotations__ if name not in TextsAnswer.__annotations__},
        "share": 0.0,
        "step": "",
        "seconds_left": None,
        "token": "NnX0…",
    }
    body = multipart({"e": entries, **properties_of(pages.form(), fields)}, required=["file", "e"])
    request = TOKEN_OPTIONAL | body | {"x-form": sample, "x-sample": accepted}
    refused: dict[int, object] = dict.fromkeys((400, 401, 404, 413, 429, 507), ErrorAnswer)
    missing: dict[int, object] = dict.fromkeys((400, 404), ErrorAnswer)
    address, needed = f"/{pages.address}", {"x-token-optional": False}
    report = f"{address}/{{report_id}}"
    return (
        Endpoint("post", address, sentences[0], {202: answer} | refused, request),
        Endpoint("get", report, sentences[1], {200: answer} | missing, needed if pages.model.IS_PRIVATE else {}),
        Endpoint("delete", report, sentences[2], {204: None} | missing, needed),
    )
