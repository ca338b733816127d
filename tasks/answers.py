"""Bodies and answers of the HTTP API, shared by the site, its schema and the client.

Fields that servers of other versions may omit are optional.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, Required, get_args

from pydantic import Field, with_config
from typing_extensions import TypeAliasType, TypedDict

STATES: Mapping[str, str] = {
    "receiving": "The file is still arriving, or the site is fetching it from a URL.",
    "uploaded": "The file has arrived and waits for its check.",
    "checking": "The file is being read and checked.",
    "rejected": "The check found a problem in the file, which `error` names. Final: send a corrected file.",
    "queued": "The file is valid; its tasks wait for a worker.",
    "running": "At least one task is being measured.",
    "done": "The report is finished. Final.",
    "failed": "The site could not finish it, through no fault of the file. Final, unless the owner retries it.",
    "cancelled": "The owner or the operator cancelled it. Final, unless the owner retries it.",
}
"""States of a submission with their meanings."""
SubmissionState = TypeAliasType(
    "SubmissionState",
    Annotated[
        str,
        Field(
            description="State of a submission.",
            json_schema_extra={"enum": list(STATES), "x-enum-descriptions": dict(STATES)},
        ),
    ],
)

ExportForm = Literal["model-index", "mteb", "every-eval-ever"]
EXPORT_FORMS: tuple[ExportForm, ...] = get_args(ExportForm)
"""Forms of others in which a report can be had (:mod:`tasks.exports`)."""


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

    state: SubmissionState


Whole = Annotated[int, Field(strict=True)]
Number = Annotated[float, Field(strict=True)]
"""Numbers for which neither ``true`` nor a text is taken."""


class Details(TypedDict, total=False):
    """Optional details about the vectors."""

    description: str
    language: str
    track: str
    trained_on_task_data: bool
    licence: str
    corpus: str
    algorithm: str
    window: Whole | None
    iterations: Whole | None
    loss: Number | None
    training_minutes: Number | None
    tokens: Whole | None
    technical_notes: str
    visibility: str
    offers_download: bool


@with_config(extra="forbid")
class AnnouncedFile(TypedDict):
    name: str
    bytes: Whole


@with_config(extra="forbid")
class NewUpload(Details, total=False):
    """The fields of the upload form, and the files to send."""

    files: Required[list[AnnouncedFile]]
    name: Required[str]
    member: str


@with_config(extra="forbid")
class LanguageBody(TypedDict):
    """A language by its code or English name."""

    language: str


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
    state: SubmissionState
    piece_bytes: NotRequired[int]
    files: list[PartAnswer]
    token: NotRequired[str]


class OffsetAnswer(TypedDict):
    offset: int


class Accepted(TypedDict):
    """A submission; ``token`` controls it and is returned only once."""

    id: str
    state: SubmissionState
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
    state: SubmissionState
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
    state: SubmissionState


class Me(TypedDict):
    """An account and its latest submissions."""

    name: str
    scope: Literal["read", "write"]
    submissions: list[OwnEntry]


class BoardColumn(TypedDict):
    """A column of the board, with the unit and decimals of its scores.

    With ``fraction``, scores, intervals and ``detectable`` are fractions, which pages multiply by 100 and show in the
    ``unit`` %. Otherwise, they are as shown.

    ``detectable`` is the smallest detectable difference between two entries, in the unit of ``scores``: a test at 5 %
    finds it in 80 % of the cases. None for columns without tests.
    """

    key: str
    title: str
    group: str
    kind: str
    better: str
    unit: str
    fraction: bool
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


class Preparing(TypedDict):
    """A worker prepares what the request needs; repeat it after the seconds in ``Retry-After``."""

    preparing: str


class NearWord(TypedDict):
    """A neighbour of a word."""

    word: str
    cosine: float


class WordNeighbours(TypedDict):
    """The nearest words of one word, nearest first; none, with the ``reason``, for a word outside the vocabulary."""

    word: str
    found: str | None
    neighbours: list[NearWord]
    reason: str


class NeighboursAnswer(TypedDict):
    """The nearest words of several words in one entry."""

    entry: str
    name: str
    among: str
    words: list[WordNeighbours]


class ComparedEntry(TypedDict):
    """A compared entry with the letter that stands for it in the verdict."""

    letter: str
    id: str
    name: str
    suite_version: int


class ComparedColumn(TypedDict):
    """A mean or a cell of a comparison, all of them relative error reductions."""

    key: str
    title: str
    group: str
    is_mean: bool


class Finding(TypedDict):
    """The verdict of a comparison in sentences; ``note`` names the tests and their correction."""

    title: str
    details: list[str]
    note: str


class ScoreOfEntry(TypedDict):
    """An entry's relative error reduction in a column, or the reason why it has none."""

    entry: str
    column: str
    score: float | None
    interval: list[float] | None
    reason: str


class DifferenceOfEntries(TypedDict):
    """``entry`` minus ``against`` in a column; every pair of entries occurs once, those with the reference against it.

    ``significant`` is at 5 % after Holm's correction over all tests of the answer; the interval is not corrected.
    """

    entry: str
    against: str
    column: str
    difference: float | None
    interval: list[float] | None
    p: float | None
    p_corrected: float | None
    significant: bool
    detectable: float | None
    reason: str


class CorrelationOfEntry(TypedDict):
    """An entry's correlation with people in a word similarity task, on the pairs that all compared entries know.

    The tests are against the reference, with Holm's correction over all tests of this list; None for the reference.
    """

    entry: str
    task: str
    title: str
    pairs: int
    common_pairs: int
    correlation: float | None
    correlation_of_own_pairs: float | None
    p: float | None
    p_corrected: float | None
    p_of_williams: float | None
    significant: bool


class PairOfEntries(TypedDict):
    """How alike two entries rank words around cues: the mean over cues of Pearson's correlation of their cosines.

    ``state``: known, with a ``reason`` instead of a correlation if there is none; waiting for a worker; impossible, for
    the ``reason``; same: both entries have the same vectors.
    """

    entry: str
    against: str
    state: Literal["known", "waiting", "impossible", "same"]
    correlation: float | None
    standard_error: float | None
    cues: int
    reason: str


class RankingPairs(TypedDict):
    """Ranking correlations of all pairs; ``cues`` are the words, None for words drawn from each pair's vocabularies."""

    set: str
    cues: list[str] | None
    pairs: list[PairOfEntries]


class ComparisonAnswer(TypedDict):
    """Entries compared by their scores, with the figures of the page; ``pairs`` only on request."""

    address: str
    suite: str
    reference: str
    entries: list[ComparedEntry]
    verdict: Finding | None
    tests: int
    columns: list[ComparedColumn]
    scores: list[ScoreOfEntry]
    differences: list[DifferenceOfEntries]
    correlations: list[CorrelationOfEntry]
    pairs: RankingPairs | None


class NamedWords(TypedDict):
    """A list of words with its name."""

    name: str
    words: list[str]


class WordAssociation(TypedDict):
    """One target word alone: its effect size, None if it is equally near to all attributes."""

    d: float | None
    p: float


class EntryAssociation(TypedDict, total=False):
    """One entry's answer to an association test, or the ``problem`` if its vectors are missing.

    ``words`` are the known words by list, ``single`` every known target word; ``left_out`` has known words that don't
    count, with the reason; ``reason`` says why there is no score. The last two are there only if not empty.
    """

    id: Required[str]
    name: Required[str]
    problem: str
    d: float | None
    p: float | None
    interval: list[float] | None
    partitions: int
    exact: bool
    words: dict[str, list[str]]
    missing: list[str]
    single: dict[str, WordAssociation]
    left_out: dict[str, str]
    reason: str


class AssociationsAnswer(TypedDict):
    """An association test on several entries: are the first targets nearer to the first attributes?"""

    address: str
    test: str | None
    targets: list[NamedWords]
    attributes: list[NamedWords]
    caution: str
    entries: list[EntryAssociation]
