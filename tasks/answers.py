"""Bodies and answers of the HTTP API, shared by the site, its schema and the client.

Fields that servers of other versions may omit are optional.
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
    """The fields of the upload form, and the files to send."""

    files: Required[list[AnnouncedFile]]
    name: Required[str]
    member: str


class PartAnswer(TypedDict):
    """A file of an upload; ``offset`` is the number of bytes received."""

    position: int
    name: str
    bytes: int
    offset: int


class UploadAnswer(TypedDict):
    """An upload; ``token`` is returned only once, at its beginning."""

    id: str
    name: str
    state: str
    piece_bytes: NotRequired[int]
    files: list[PartAnswer]
    token: NotRequired[str]


class OffsetAnswer(TypedDict):
    offset: int


class Accepted(TypedDict):
    """A submission; ``token`` controls it and is returned only once."""

    id: str
    state: str
    token: str
    owner_url: str
    status_url: str


class RunningJob(TypedDict):
    """A running job; ``share`` is the finished share, in [0, 1]."""

    task: str
    mode: Literal["fixed", "fine-tuned"] | None
    share: float
    what: str


class JobProgress(TypedDict):
    """Progress of a submission; ``share`` in [0, 1]; ``expected_seconds`` has the bounds of the remaining time."""

    done: int
    total: int
    running: list[RunningJob]
    share: float
    expected_seconds: list[int] | None
    ahead: int


class WarningAnswer(TypedDict):
    """A remark on the file, one sentence."""

    code: str
    message: str
    count: int


class SuiteNamed(TypedDict):
    """A suite version with the hash of its definition, None for an earlier version."""

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
    """A column of the board, with the unit and decimals of its scores.

    ``detectable`` is the smallest detectable difference between two entries, in the unit of ``scores``: a test at 5 %
    finds it in 80 % of the cases. None for columns without tests.
    """

    key: str
    title: str
    group: str
    kind: str
    better: str
    unit: str
    decimals: int
    explanation: str
    detectable: float | None


class BoardEntry(TypedDict):
    """One row of the board; ``rank`` holds the first and last rank open to the entry.

    ``rank_without_a_task`` holds its best and worst position by points if each task of the overall mean is left out in
    turn; None without a rank, and on a board ranked by another column.
    Scores, intervals, coverage, marks and reasons for blank cells are by column key.
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
    device_bytes: int | None
    finished: str | None
    suite_version: int
    rank: list[int] | None
    rank_without_a_task: list[int] | None
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
