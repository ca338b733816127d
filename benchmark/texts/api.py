"""The description of the API of a file of texts, which the URLs of its feature answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from benchmark.api.schema import TOKEN_OPTIONAL, Endpoint
from tasks.answers import ErrorAnswer, ErrorDetails


class TextsAnswer(TypedDict):
    """The measurement of a file of texts. The last three are of an open one."""

    id: Annotated[str, Field(description="id of the report")]
    state: Annotated[
        Literal["waiting", "running", "done", "refused", "failed", "cancelled"],
        Field(description="open until done, refused, failed or cancelled"),
    ]
    url: Annotated[str, Field(description="page of the report")]
    error: Annotated[ErrorDetails | None, Field(description="for the owner: why it was refused or failed")]
    share: NotRequired[Annotated[float, Field(description="share of the expected work that is done, a fraction")]]
    step: NotRequired[Annotated[str, Field(description="what the measurement does now, in words")]]
    seconds_left: NotRequired[
        Annotated[tuple[int, int] | None, Field(description="[least, most], in seconds; null if unknown")]
    ]


Token = Annotated[str, Field(description="secret of the owner; returned only once")]
TEXT: dict[str, object] = {"type": "string"}
"""A field of the form."""
PARAMETERS = {"?report_id": "id of the report"}
"""Meaning of the parameters, for the ``DESCRIBED`` of each feature."""


def endpoints(
    address: str,
    *,
    most: int,
    fields: Mapping[str, object],
    form: Sequence[str],
    results: Sequence[str],
    accepted: object,
    answer: object,
    sentences: tuple[str, str, str],
    is_private: bool,
) -> tuple[Endpoint, ...]:
    """Sending a file, asking for its report, and deleting both.

    Parameters
    ----------
    address : below the root of the API.
    most : entries of one measurement.
    fields : of the form, besides ``e`` (entries), by name.
    form : a sample of the form, as options of curl.
    results : fields of the answer that are null until the report is finished.
    accepted, answer : types of the answers to the first request and to later ones.
    sentences : about the three endpoints.
    is_private : whether only the owner sees the report.
    """
    entries = {
        "type": "array",
        "minItems": 1,
        "maxItems": most,
        "items": TEXT,
        "description": "id of an entry that everyone may see; repeat it for several",
    }
    sample = {
        "id": "4kq1z0c7m2xa",
        "state": "waiting",
        "url": f"https://vecboard.example{address}/4kq1z0c7m2xa",
        "error": None,
        **dict.fromkeys(results),
        "share": 0.0,
        "step": "",
        "seconds_left": None,
        "token": "NnX0…",
    }
    body = {"type": "object", "required": ["file", "e"], "properties": {"e": entries, **fields}}
    asked = {
        "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": body}}},
        "x-form": form,
        "x-sample": sample,
    }
    refused: dict[int, object] = dict.fromkeys((400, 401, 404, 413, 429, 507), ErrorAnswer)
    missing: dict[int, object] = dict.fromkeys((400, 404), ErrorAnswer)
    one, needed = f"{address}/{{report_id}}", {"x-token-optional": False}
    return (
        Endpoint("post", address, sentences[0], {202: accepted} | refused, TOKEN_OPTIONAL | asked),
        Endpoint("get", one, sentences[1], {200: answer} | missing, needed if is_private else {}),
        Endpoint("delete", one, sentences[2], {204: None} | missing, needed),
    )
