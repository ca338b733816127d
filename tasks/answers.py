"""Bodies and answers of the HTTP API: the site builds and describes them with these forms, and the client reads them.

Fields that a server of another version may omit are not required.
"""

from __future__ import annotations

from typing import Literal, NotRequired, Required

from typing_extensions import TypedDict


class ErrorDetails(TypedDict, total=False):
    """Reason of a refused request."""

    code: Required[str]
    message: Required[str]
    field: str | None
    line: int | None
    word: str | None


class ErrorAnswer(TypedDict):
    error: ErrorDetails


class NotReady(ErrorAnswer):
    """There is no report."""

    state: str


class Details(TypedDict, total=False):
    """Optional details about the vectors."""

    description: str
    language: str
    track: str
    trained_on_task_data: bool
    licence: str
    corpus: str
    algorithm: str
    window: int | None
    iterations: int | None
    loss: float | None
    training_minutes: float | None
    tokens: int | None
    technical_notes: str
    visibility: str
    offers_download: bool


class AnnouncedFile(TypedDict):
    name: str
    bytes: int


class NewUpload(Details, total=False):
    """The fields of the upload form, and the files to be sent."""

    files: Required[list[AnnouncedFile]]
    name: Required[str]
    member: str


class PartAnswer(TypedDict):
    """A file of an upload; ``offset`` is the number of bytes that the server has."""

    position: int
    name: str
    bytes: int
    offset: int


class UploadAnswer(TypedDict):
    """An upload; ``token`` is returned only once, when it begins."""

    id: str
    name: str
    state: str
    piece_bytes: NotRequired[int]
    files: list[PartAnswer]
    token: NotRequired[str]


class OffsetAnswer(TypedDict):
    offset: int


class Accepted(TypedDict):
    """A submission; ``token`` is returned only once, and controls it."""

    id: str
    state: str
    token: str
    owner_url: str
    status_url: str


class RunningJob(TypedDict):
    """``share`` of the job that is done, in [0, 1]."""

    task: str
    mode: Literal["fixed", "fine-tuned"] | None
    share: float
    what: str


class JobProgress(TypedDict):
    """Progress of a submission; ``share`` in [0, 1]; ``expected_seconds`` until its end, at best and at worst."""

    done: int
    total: int
    running: list[RunningJob]
    share: float
    expected_seconds: list[int] | None
    ahead: int


class WarningAnswer(TypedDict):
    """A remark on the file, in a sentence."""

    code: str
    message: str
    count: int


class SuiteNamed(TypedDict):
    """A suite version; ``hash`` is that of its definition, None for an earlier version."""

    id: str
    version: int
    hash: NotRequired[str | None]


class SubmissionStatus(TypedDict):
    """State, progress, warnings and error of a submission."""

    id: str
    name: str
    state: str
    suite: SuiteNamed
    progress: JobProgress
    error: ErrorDetails | None
    warnings: list[WarningAnswer]
    vectors_sha256: str | None
    created_at: str
    finished_at: str | None
    report_url: str | None


class OwnEntry(TypedDict):
    id: str
    name: str
    state: str


class Me(TypedDict):
    """An account and its latest submissions."""

    name: str
    scope: Literal["read", "write"]
    submissions: list[OwnEntry]


class BoardColumn(TypedDict):
    """A column of the board, with the unit and decimals of its scores."""

    key: str
    title: str
    group: str
    kind: str
    better: str
    unit: str
    decimals: int
    explanation: str


class BoardEntry(TypedDict):
    """One line of the board; ``rank`` holds the first and the last of the shared places.

    The others are by the key of the column: scores, intervals, coverage, marks, and the reasons for blank cells.
    """

    id: str | None
    name: str
    owner: str
    owner_runs: int | None
    baseline: bool
    language: str
    track: str
    corpus: str
    algorithm: str
    trained_on_task_data: bool
    open_vocabulary: bool
    words: int | None
    dimensions: int | None
    finished: str | None
    suite_version: int
    rank: list[int] | None
    scores: dict[str, float | None]
    intervals: dict[str, list[float]]
    coverage: dict[str, float]
    marks: dict[str, str]
    blank: dict[str, str]


class BoardPage(TypedDict):
    """One page of a suite's leaderboard; ``next`` is the cursor of the following page."""

    suite: SuiteNamed
    comparable: bool
    sort: str
    ranked_by: str
    total: int
    next: str | None
    columns: list[BoardColumn]
    entries: list[BoardEntry]
