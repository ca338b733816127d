"""The shapes that the API answers with, for its OpenAPI description and for its own checks."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema

from tasks.languages import LANGUAGES


class ErrorObject(Schema):
    code: str
    message: str
    field: str | None = None
    line: int | None = None
    word: str | None = None


class ErrorAnswer(Schema):
    error: ErrorObject


class Accepted(Schema):
    id: str
    state: str
    token: str
    owner_url: str
    status_url: str


class RunningJob(Schema):
    task: str
    mode: Literal["fixed", "fine-tuned"] | None
    share: float
    what: str


class ProgressAnswer(Schema):
    done: int
    total: int
    running: list[RunningJob]
    share: float
    expected_seconds: list[int] | None
    ahead: int


class SubmissionAnswer(Schema):
    id: str
    name: str
    state: str
    suite: dict[str, Any]
    progress: ProgressAnswer
    error: ErrorObject | None
    warnings: list[dict[str, Any]]
    vectors_sha256: str | None
    facts: dict[str, Any]
    created_at: datetime
    finished_at: datetime | None
    report_url: str | None


class PartAnswer(Schema):
    position: int
    name: str
    bytes: int
    offset: int


class UploadAnswer(Schema):
    """``token`` is returned only once, when the upload begins."""

    id: str
    name: str
    state: str
    piece_bytes: int
    files: list[PartAnswer]
    token: str | None = None


class OffsetAnswer(Schema):
    offset: int


class OwnEntry(Schema):
    id: str
    name: str
    state: str


class MeAnswer(Schema):
    name: str
    scope: Literal["read", "write"]
    submissions: list[OwnEntry]


class NotReady(Schema):
    error: ErrorObject
    state: str


class BoardAnswer(Schema):
    suite: dict[str, Any]
    comparable: bool
    sort: str
    ranked_by: str
    total: int
    next: str | None
    columns: list[dict[str, Any]]
    entries: list[dict[str, Any]]


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
_COUNT = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
UPLOAD_BODY: dict[str, object] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {
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
                            "maxLength": 2000,
                        },
                        "name": {"type": "string", "maxLength": 80},
                        "member": {
                            "description": "of a zip archive of several files, the one to read",
                            "type": "string",
                            "maxLength": 200,
                        },
                        "description": {"type": "string", "maxLength": 2000},
                        "language": {"type": "string", "default": "en", "enum": list(LANGUAGES)},
                        "track": {"type": "string", "enum": ["prescribed", "other"], "default": "other"},
                        "trained_on_task_data": {"type": "boolean", "default": False},
                        "licence": {"type": "string", "maxLength": 80},
                        "corpus": {"type": "string", "maxLength": 120},
                        "algorithm": {"type": "string", "maxLength": 80},
                        "window": _COUNT,
                        "iterations": _COUNT,
                        "loss": {"type": "number"},
                        "training_minutes": {"type": "number", "minimum": 0},
                        "tokens": {"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
                        "technical_notes": {"type": "string", "maxLength": 2000},
                        "visibility": {
                            "type": "string",
                            "enum": ["public", "unlisted", "private", "anonymous"],
                            "default": "public",
                        },
                        "offers_download": {"type": "boolean", "default": False},
                    },
                }
            }
        },
    }
}
