"""The shapes that the API answers with, for its OpenAPI description and for its own checks."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema


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
    created_at: datetime
    finished_at: datetime | None
    report_url: str | None


class NotReady(Schema):
    error: ErrorObject
    state: str


class BoardAnswer(Schema):
    suite: dict[str, Any]
    comparable: bool
    sort: str
    columns: list[dict[str, Any]]
    entries: list[dict[str, Any]]


UPLOAD_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file", "name"],
                    "properties": {
                        "file": {"type": "string", "format": "binary", "description": "gzipped vector file"},
                        "name": {"type": "string", "maxLength": 80},
                        "description": {"type": "string", "maxLength": 2000},
                        "language": {"type": "string", "default": "en", "description": "ISO 639-1"},
                        "track": {"type": "string", "enum": ["prescribed", "other"], "default": "other"},
                        "trained_on_task_data": {"type": "boolean", "default": False},
                        "licence": {"type": "string", "maxLength": 80},
                    },
                }
            }
        },
    }
}
