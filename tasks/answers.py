"""Bodies and answers of the HTTP API, shared by the site, its schema and the client.

Fields that servers of other versions may omit are optional.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, Required, get_args

from pydantic import Field, with_config
from typing_extensions import TypeAliasType, TypedDict

from tasks.fields import (
    FRACTION,
    INTERVAL,
    Algorithm,
    ColumnKey,
    Corpus,
    DeviceBytes,
    EntryId,
    EntryName,
    IsOpen,
    Language,
    Owner,
    OwnerRuns,
    Reason,
    Reduction,
    SuiteId,
    SuiteVersion,
    TaskId,
    Track,
    UsesTaskData,
    doc,
)

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

FLOORS = ("random", "shuffled")
"""Algorithms of controls, whose numbers do not depend on the words."""
ExportForm = Literal["model-index", "mteb", "every-eval-ever"]
EXPORT_FORMS: tuple[ExportForm, ...] = get_args(ExportForm)
"""Forms of others in which a report can be had."""


class ErrorDetails(TypedDict, total=False):
    """Reason of a refused request."""

    code: Required[Annotated[str, doc("for programs")]]
    message: Required[Annotated[str, doc("one sentence")]]
    field: Annotated[str | None, doc("parameter or field of the request")]
    line: Annotated[int | None, doc("line of the file, from 1")]
    word: Annotated[str | None, doc("the word in question")]


class ErrorAnswer(TypedDict):
    error: Annotated[ErrorDetails, doc("reason of the refusal or of the end")]


class NotReady(ErrorAnswer):
    """There is no report."""

    state: Annotated[SubmissionState, doc("see the type")]


Whole = Annotated[int, Field(strict=True)]
Number = Annotated[float, Field(strict=True)]
"""Numbers for which neither ``true`` nor a text is taken."""


class Details(TypedDict, total=False):
    """Optional details about the vectors."""

    description: Annotated[str, doc("by the owner")]
    language: Language
    track: Track
    trained_on_task_data: UsesTaskData
    authors: Annotated[str, doc("of the vectors")]
    licence: Annotated[str, doc("of the vectors; required with `offers_download`")]
    corpus: Corpus
    algorithm: Algorithm
    window: Annotated[Whole | None, doc("words on each side")]
    iterations: Annotated[Whole | None, doc("over the corpus")]
    loss: Annotated[Number | None, doc("at convergence, in the algorithm's own unit")]
    training_minutes: Annotated[Number | None, doc("duration of the training, in minutes")]
    tokens: Annotated[Whole | None, doc("of the corpus, in words")]
    technical_notes: Annotated[str, doc("by the owner")]
    visibility: Annotated[str, doc("`public` by default")]
    public_from: Annotated[str, doc("end of an embargo, in ISO 8601, UTC without an offset: then it becomes public")]
    offers_download: Annotated[bool, doc("whether everybody may download the vectors")]


@with_config(extra="forbid")
class AnnouncedFile(TypedDict):
    name: Annotated[str, doc("of the file")]
    bytes: Annotated[Whole, doc("size of the file")]


@with_config(extra="forbid")
class NewUpload(Details, total=False):
    """The fields of the upload form, and the files to send."""

    files: Required[Annotated[list[AnnouncedFile], doc("in the order of their runs")]]
    name: Required[EntryName]
    member: Annotated[str, doc("the file to read in a zip archive of several")]


@with_config(extra="forbid")
class LanguageBody(TypedDict):
    """A language by its code or English name."""

    language: Language


class PartAnswer(TypedDict):
    """A file of an upload; ``offset`` is the number of bytes received."""

    position: Annotated[int, doc("number of the file, from 1")]
    name: Annotated[str, doc("of the file")]
    bytes: Annotated[int, doc("size of the file")]
    offset: Annotated[int, doc("bytes that have arrived")]


class UploadAnswer(TypedDict):
    """An upload; ``token`` is returned only once, at its beginning."""

    id: EntryId
    name: EntryName
    state: Annotated[SubmissionState, doc("see the type")]
    piece_bytes: NotRequired[Annotated[int, doc("recommended size of a piece")]]
    files: Annotated[list[PartAnswer], doc("in the order of their runs")]
    token: NotRequired[Annotated[str, doc("secret that controls the submission; returned only once")]]


class OffsetAnswer(TypedDict):
    offset: Annotated[int, doc("bytes that have arrived")]


class Accepted(TypedDict):
    """A submission; ``token`` controls it and is returned only once."""

    id: EntryId
    state: Annotated[SubmissionState, doc("see the type")]
    token: Annotated[str, doc("secret that controls the submission; returned only once")]
    owner_url: Annotated[str, doc("page of the owner; the URL contains the secret")]
    status_url: Annotated[str, doc("page of the submission")]


class RunningJob(TypedDict):
    """A running job; ``share`` is the finished share, in [0, 1]."""

    task: TaskId
    mode: Annotated[Literal["fixed", "fine-tuned"] | None, doc("use of the vectors; null without one")]
    share: Annotated[float, doc(f"finished part, {FRACTION}")]
    what: Annotated[str, doc("what the job does now, in words")]


class JobProgress(TypedDict):
    """Progress of a submission; ``share`` in [0, 1]; the remaining time is typical or within bounds."""

    done: Annotated[int, doc("finished cells")]
    total: Annotated[int, doc("cells of the suite for this file")]
    running: Annotated[list[RunningJob], doc("jobs at work now")]
    share: Annotated[float, doc(f"finished part, {FRACTION}")]
    typical_seconds: Annotated[int | None, doc("typical remaining time, in seconds; null if unknown")]
    expected_seconds: Annotated[list[int] | None, doc("remaining time as [least, most], in seconds; null if unknown")]
    ahead: Annotated[int, doc("jobs of others that come first")]


class WarningAnswer(TypedDict):
    """A remark on the file, one sentence."""

    code: Annotated[str, doc("for programs")]
    message: Annotated[str, doc("one sentence")]
    count: Annotated[int, doc("number of places in the file")]


class SuiteNamed(TypedDict):
    """A suite version with the hash of its definition, None for an earlier version."""

    id: SuiteId
    version: Annotated[int, doc("number of the version")]
    hash: NotRequired[Annotated[str | None, doc("of the definition; null for an earlier version")]]


class SubmissionStatus(TypedDict):
    """State, progress, warnings and error of a submission."""

    id: EntryId
    name: EntryName
    state: Annotated[SubmissionState, doc("see the type")]
    suite: Annotated[SuiteNamed, doc("suite and version of the measurement")]
    progress: Annotated[JobProgress, doc("of the measurement")]
    error: Annotated[ErrorDetails | None, doc("reason of the refusal or of the end")]
    warnings: Annotated[list[WarningAnswer], doc("remarks on the file")]
    vectors_sha256: Annotated[str | None, doc("hash of words and numbers; null before the check")]
    created_at: Annotated[str, doc("time in ISO 8601")]
    finished_at: Annotated[str | None, doc("time in ISO 8601; null until the end")]
    report_url: Annotated[str | None, doc("the report in this API; null until it exists")]


class OwnEntry(TypedDict):
    id: EntryId
    name: EntryName
    state: Annotated[SubmissionState, doc("see the type")]


class Me(TypedDict):
    """An account and its latest submissions."""

    name: Annotated[str, doc("of the account")]
    scope: Annotated[Literal["read", "write"], doc("of the token")]
    submissions: Annotated[list[OwnEntry], doc("the latest first")]


class BoardColumn(TypedDict):
    """A column of the board."""

    key: ColumnKey
    title: Annotated[str, doc("heading")]
    group: Annotated[str, doc("heading of a group of columns")]
    kind: Annotated[str, doc("`reduction`, `score`, `coverage`, `count` or `rank`")]
    better: Annotated[str, doc("the better end: `high` or `low`; empty for descriptive columns")]
    unit: Annotated[str, doc("on pages; empty for numbers without one")]
    fraction: Annotated[bool, doc("whether values are fractions (0.05) that pages show in per cent (5)")]
    decimals: Annotated[int, doc("on pages")]
    explanation: Annotated[str, doc("in a sentence")]
    detectable: Annotated[
        float | None,
        doc("smallest difference that a test at 5 % finds in 80 % of cases, in the unit of scores; null without tests"),
    ]
    detectable_corrected: Annotated[
        float | None, doc("the same of a test corrected as ranks are, in the unit of scores; null without ranks")
    ]


class BoardEntry(TypedDict):
    """One row of the board."""

    id: Annotated[str | None, doc("id of the entry, as in URLs")]
    name: EntryName
    owner: Owner
    owner_runs: OwnerRuns
    baseline: Annotated[bool, doc("whether it is the baseline")]
    language: Language
    track: Track
    corpus: Corpus
    algorithm: Algorithm
    trained_on_task_data: UsesTaskData
    open_vocabulary: IsOpen
    words: Annotated[int | None, doc("number of words in the vocabulary")]
    dimensions: Annotated[int | None, doc("numbers per vector")]
    device_bytes: DeviceBytes
    finished: Annotated[str | None, doc("day of the report, ISO 8601, UTC")]
    suite_version: SuiteVersion
    rank: Annotated[list[int] | None, doc("first and last rank that the tests leave open; null without a rank")]
    rank_within_size: NotRequired[
        Annotated[
            list[int] | None, doc("the same by the overall mean among entries of as many dimensions; null without one")
        ]
    ]
    rank_without_a_task: Annotated[
        list[int] | None,
        doc(
            "best and worst position by points if each task of the overall mean is left out; null without a rank by it"
        ),
    ]
    scores: Annotated[dict[str, float | None], doc("by column key, in the unit of the column; null for a blank cell")]
    intervals: Annotated[
        dict[str, list[float]], doc("95 % intervals [low, high] by column key, in the unit of the column")
    ]
    coverage: Annotated[dict[str, float], doc("share of the test's words in the vocabulary, a fraction, by column key")]
    marks: Annotated[dict[str, str], doc("`best`, or `equal` if not different from the best, by column key")]
    blank: Annotated[dict[str, str], doc("reason of a blank cell")]


class BoardPage(TypedDict):
    """One page of a suite's leaderboard; ``next`` is the cursor of the following page."""

    suite: Annotated[SuiteNamed, doc("suite and version of the measurement")]
    comparable: Annotated[bool, doc("false for demonstrations, whose scores mean nothing")]
    sort: Annotated[str, doc("key of the column that orders the board; `-` reverses")]
    ranked_by: Annotated[str, doc("key of the column of the ranks")]
    total: Annotated[int, doc("entries on all pages")]
    next: Annotated[str | None, doc("send it as `after` for the next page; null on the last")]
    columns: Annotated[list[BoardColumn], doc("in the board's order")]
    entries: Annotated[list[BoardEntry], doc("in the order of the answer")]


class Preparing(TypedDict):
    """A worker prepares what the request needs; repeat it after the seconds in ``Retry-After``."""

    preparing: Annotated[str, doc("what a worker does, in a sentence")]


class NearWord(TypedDict):
    """A neighbour of a word."""

    word: Annotated[str, doc("as spelled in the file")]
    cosine: Annotated[float, doc("from −1 to 1")]


class WordNeighbours(TypedDict):
    """The nearest words of one word, nearest first; none, with the ``reason``, for a word outside the vocabulary."""

    word: Annotated[str, doc("as given")]
    found: Annotated[str | None, doc("as spelled in the file; null if unknown")]
    neighbours: Annotated[list[NearWord], doc("nearest first")]
    reason: Reason


class NeighboursAnswer(TypedDict):
    """The nearest words of several words in one entry."""

    entry: EntryId
    name: Annotated[str, doc("of the entry")]
    among: Annotated[str, doc("the words searched")]
    words: Annotated[list[WordNeighbours], doc("in the order of the request")]


class ComparedEntry(TypedDict):
    """A compared entry; sentences have its name."""

    letter: Annotated[str, doc("of its place in the request, as in the parameter ref")]
    id: EntryId
    name: EntryName
    suite_version: SuiteVersion


class ComparedColumn(TypedDict):
    """A mean or a cell of a comparison, all of them relative error reductions."""

    key: ColumnKey
    title: Annotated[str, doc("heading")]
    group: Annotated[str, doc("heading of a group of columns")]
    is_mean: Annotated[bool, doc("whether a mean over cells")]


class Finding(TypedDict):
    """The verdict of a comparison in sentences; ``note`` names the tests and their correction."""

    title: Annotated[str, doc("the finding, with names of the entries")]
    details: Annotated[list[str], doc("what the title leaves out, in sentences")]
    note: Annotated[str, doc("tests, correction and unit")]


class ScoreOfEntry(TypedDict):
    """An entry's relative error reduction in a column, or the reason why it has none."""

    entry: EntryId
    column: ColumnKey
    score: Reduction
    interval: Annotated[list[float] | None, doc(f"{INTERVAL}, in the unit of the value")]
    reason: Reason


class DifferenceOfEntries(TypedDict):
    """``entry`` minus ``against`` in a column; every pair occurs once, those with the reference against it."""

    entry: EntryId
    against: Annotated[str, doc("id of the other entry")]
    column: ColumnKey
    difference: Annotated[float | None, doc("difference of error reductions, a fraction: 0.01 is one point")]
    interval: Annotated[list[float] | None, doc(f"{INTERVAL}, fractions, not corrected")]
    p: Annotated[float | None, doc(f"p value without correction, {FRACTION}")]
    p_corrected: Annotated[
        float | None,
        doc(f"after Holm's correction, {FRACTION}; null for the overall mean, whose verdict is the board's"),
    ]
    significant: Annotated[bool, doc("the verdict: whether the two differ after the correction")]
    tests: Annotated[int, doc("number of tests that the correction covers")]
    detectable: Annotated[
        float | None, doc("smallest detectable difference of the two, a fraction; null without a test")
    ]
    detectable_corrected: Annotated[float | None, doc("the same after correction, a fraction")]
    reason: Reason


class CorrelationOfEntry(TypedDict):
    """An entry's correlation with people in a word similarity task; the tests are against the reference."""

    entry: EntryId
    task: TaskId
    title: Annotated[str, doc("title of the task")]
    pairs: Annotated[int, doc("pairs of the data set")]
    common_pairs: Annotated[int, doc("pairs that every entry knows")]
    correlation: Annotated[float | None, doc("Spearman's, from −1 to 1, on the common pairs")]
    correlation_of_own_pairs: Annotated[
        float | None, doc("Spearman's, from −1 to 1, on the pairs that the entry knows")
    ]
    p: Annotated[float | None, doc(f"p value without correction, {FRACTION}; null for the reference")]
    p_corrected: Annotated[float | None, doc(f"p value after Holm's correction over this list's tests, {FRACTION}")]
    p_of_williams: Annotated[float | None, doc(f"p value of Williams' test, {FRACTION}")]
    significant: Annotated[bool, doc("whether the corrected p is 0.05 at most")]


class PairOfEntries(TypedDict):
    """How alike two entries rank words around cues: the mean over cues of Pearson's correlation of their cosines."""

    entry: EntryId
    against: Annotated[str, doc("id of the other entry")]
    state: Annotated[
        Literal["known", "waiting", "impossible", "same"],
        doc("known, waiting for a worker, impossible for the `reason`, or the same vectors"),
    ]
    correlation: Annotated[
        float | None, doc("Pearson's, mean over cues, from −1 to 1; null for the `reason`, and until it is known")
    ]
    standard_error: Annotated[float | None, doc("of the correlation over cues, in its unit")]
    cues: Annotated[int, doc("number of cues behind the correlation")]
    reason: Reason


class RankingPairs(TypedDict):
    """Ranking correlations of all pairs; ``cues`` are the words, None for words drawn from each pair's vocabularies."""

    set: Annotated[str, doc("name of the set of cues; `typed` for the request's own")]
    cues: Annotated[list[str] | None, doc("null if drawn from the vocabularies")]
    pairs: Annotated[list[PairOfEntries], doc("each pair once")]


class ComparisonAnswer(TypedDict):
    """Entries compared by their scores, with the figures of the page; ``pairs`` only on request."""

    address: Annotated[str, doc("page with the same figures")]
    suite: SuiteId
    reference: Annotated[str, doc("id of the reference entry")]
    entries: Annotated[list[ComparedEntry], doc("in the order of the answer")]
    verdict: Annotated[Finding | None, doc("null without anything to compare")]
    columns: Annotated[list[ComparedColumn], doc("in the board's order")]
    scores: Annotated[list[ScoreOfEntry], doc("of every entry")]
    differences: Annotated[list[DifferenceOfEntries], doc("of all pairs")]
    correlations: Annotated[list[CorrelationOfEntry], doc("with people, in word similarity")]
    pairs: Annotated[RankingPairs | None, doc("null unless requested")]


class NamedWords(TypedDict):
    """A list of words with its name."""

    name: Annotated[str, doc("of the list")]
    words: Annotated[list[str], doc("as given")]


class WordAssociation(TypedDict):
    """One target word alone: its effect size, None if it is equally near to all attributes."""

    d: Annotated[float | None, doc("effect size, in standard deviations")]
    p: Annotated[float, doc(f"p value without correction, {FRACTION}")]


class EntryAssociation(TypedDict, total=False):
    """One entry's answer to an association test, or the ``problem`` if its vectors are missing."""

    id: Required[EntryId]
    name: Required[EntryName]
    problem: Annotated[str, doc("why there is no answer")]
    d: Annotated[float | None, doc("effect size, in standard deviations")]
    p: Annotated[float | None, doc(f"one-sided p value of the permutation test, {FRACTION}")]
    interval: Annotated[list[float] | None, doc(f"{INTERVAL} of d")]
    partitions: Annotated[int, doc("number of permutations")]
    exact: Annotated[bool, doc("whether the permutations are all there are")]
    words: Annotated[dict[str, list[str]], doc("known words by list")]
    missing: Annotated[list[str], doc("words outside the vocabulary")]
    single: Annotated[dict[str, WordAssociation], doc("each target word alone")]
    left_out: Annotated[dict[str, str], doc("known words that don't count, with the reason; absent without any")]
    among: Annotated[str, doc("words that it is measured on, if the site has only these; otherwise absent")]
    reason: Reason


class AssociationsAnswer(TypedDict):
    """An association test on several entries: are the first targets nearer to the first attributes?"""

    address: Annotated[str, doc("page with the same figures")]
    test: Annotated[str | None, doc("name of the test; null for lists of the request")]
    targets: Annotated[list[NamedWords], doc("lists X and Y")]
    attributes: Annotated[list[NamedWords], doc("lists A and B")]
    caution: Annotated[str, doc("what such a test does not show")]
    entries: Annotated[list[EntryAssociation], doc("in the order of the answer")]
