"""Answers of a server; fields that a server of another version may omit are not required."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class ErrorDetails(TypedDict, total=False):
    """Reason of a refused request."""

    code: str
    message: str
    field: str
    line: int
    word: str


class Details(TypedDict, total=False):
    """Optional details about the vectors."""

    description: str
    language: str
    track: str
    trained_on_task_data: bool
    licence: str
    corpus: str
    algorithm: str
    window: int
    iterations: int
    loss: float
    training_minutes: float
    tokens: int
    technical_notes: str
    visibility: str
    offers_download: bool


class FileOffset(TypedDict):
    """Number of bytes that the server has of a file."""

    offset: int


class UploadBegun(TypedDict):
    """An upload; the server returns its ``token`` only once, when it begins."""

    id: str
    token: str
    state: str
    files: list[FileOffset]
    piece_bytes: NotRequired[int]


class SubmissionId(TypedDict):
    """The part of a submission that a sender needs."""

    id: str


class JobProgress(TypedDict):
    """Progress of a submission; ``share`` in [0, 1]."""

    done: int
    total: int
    share: float
    expected_seconds: NotRequired[list[int] | None]


class WarningAnswer(TypedDict):
    """A sentence for the user."""

    message: str


class SubmissionStatus(TypedDict):
    """State, progress, warnings and error of a submission."""

    id: str
    name: str
    state: str
    progress: JobProgress
    error: ErrorDetails | None
    warnings: list[WarningAnswer]
    report_url: str | None


class SuiteNamed(TypedDict):
    """A suite version."""

    id: str
    version: int
    comparable: NotRequired[bool]


class VectorsNamed(TypedDict):
    """The vectors of a report."""

    name: str
    words: int
    dimensions: int


class Means(TypedDict):
    """Mean relative error reductions, each with its interval or the reason for its absence."""

    fixed: float | None
    fine_tuned: float | None
    overall: float | None
    intervals: NotRequired[dict[str, list[float]]]
    reasons: NotRequired[dict[str, str]]


class ScoreAnswer(TypedDict):
    """One task in one mode."""

    task: str
    mode: str | None
    metric: str
    score: float
    interval: NotRequired[list[float] | None]
    baseline: NotRequired[float | None]
    relative_error_reduction: NotRequired[float | None]
    relative_error_reduction_interval: NotRequired[list[float] | None]


class NoScoreAnswer(TypedDict):
    """A task without a score, and the reason."""

    task: str
    reason: str


class ReportAnswer(TypedDict):
    """A report, as the site stores it."""

    suite: SuiteNamed
    vectors: VectorsNamed
    results: list[ScoreAnswer]
    aggregates: Means
    unavailable: list[NoScoreAnswer]


class BoardColumn(TypedDict):
    """A column of the board, with the unit and decimals of its scores."""

    key: str
    title: str
    kind: str
    unit: str
    decimals: int


class BoardEntry(TypedDict):
    """One line of the board; ``rank`` is a place, or the first and the last of a shared one."""

    id: str | None
    name: str
    dimensions: int | None
    rank: NotRequired[list[int] | int | None]
    figures: dict[str, float | None]


class BoardPage(TypedDict):
    """One page of a suite's leaderboard; ``next`` is the cursor of the following page."""

    suite: SuiteNamed
    sort: str
    total: int
    next: str | None
    columns: list[BoardColumn]
    entries: list[BoardEntry]


class KeysOfServer(TypedDict, total=False):
    """Keyring entries of a server: the account's token, secrets by submission, unfinished uploads by key."""

    token: str
    submissions: dict[str, str]
    uploads: dict[str, str]
