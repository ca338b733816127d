"""The prepared form of a submission's vectors on this machine."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from django.conf import settings

from benchmark import storage
from benchmark.submissions.models import Submission
from benchmark.submissions.receiving import MOST_RUNS
from tasks import suites, word_list
from tasks.formats import Limits, ReadRequest
from tasks.formats.archives import Run
from tasks.formats.source import WordsToCompose
from tasks.prepared import Prepared, is_whole, open_prepared
from tasks.progress import Progress, no_progress
from tasks.vectors import Embedding
from workers.vectors import eviction, reading


def prepared_root() -> Path:
    """Directory of all prepared vectors of this machine; created if missing."""
    root = storage.prepared_root()
    root.mkdir(parents=True, exist_ok=True)
    return root


def site_limits() -> Limits:
    """Limits on uploaded files (the site's settings)."""
    return Limits(
        uploaded_bytes=settings.VECBOARD_MAX_UPLOAD_BYTES,
        expanded_bytes=settings.VECBOARD_MAX_EXPANDED_BYTES,
        words=settings.VECBOARD_MAX_WORDS,
        dimensions=settings.VECBOARD_MAX_DIMENSIONS,
        runs=MOST_RUNS,
        memory_bytes=settings.VECBOARD_PARSE_MEMORY_MB * 1024 * 1024,
        seconds=settings.VECBOARD_PARSE_SECONDS,
    )


def prepare_file(
    key: str, sha256: str, progress: Progress = no_progress, member: str = "", words: WordsToCompose | None = None
) -> Prepared:
    """Read a stored file once: check it completely and write its prepared form.

    ``words`` makes the list that a file of open vocabulary is composed for.

    Raises
    ------
    InputError
        the file is rejected; the message says where and why.
    """
    prepared = prepare_or_unpack(key, sha256, "", progress, member, words)
    assert not isinstance(prepared, list)  # without a runs_prefix, an archive is rejected
    return prepared


def prepare_or_unpack(
    key: str,
    sha256: str,
    runs_prefix: str,
    progress: Progress,
    member: str = "",
    words: WordsToCompose | None = None,
) -> Prepared | list[Run]:
    """Like :func:`prepare_file`, but unpacks an archive of runs into files whose paths begin with the prefix."""
    root = prepared_root()
    with storage.at_hand(key, sha256) as path:
        request = ReadRequest(path, member, site_limits(), words, runs_prefix)
        found = reading.read(request, root, progress)
    if not isinstance(found, list):
        eviction.make_room(root, keep=found.sha256)
    return found


def embedding_of(submission: Submission, progress: Progress = no_progress) -> Embedding:
    """The submission's vectors, memory-mapped; prepared first if this machine does not have them."""
    own = submission.file_key, submission.file_sha256, submission.vectors_sha256
    directory = _directory(*own, words_of(submission), progress, submission.member)
    return _opened(directory, submission.name, submission.language)


def run_directories(submission: Submission, progress: Progress = no_progress, *, most: int | None = None) -> list[Path]:
    """Prepared forms of the other runs of the same settings; prepared first if this machine does not have them.

    ``most``: how many at most, from the first on.
    """
    runs = submission.run_files.order_by("position")[:most]
    return [_directory(run.key, run.sha256, run.vectors_sha256, words_of(submission), progress) for run in runs]


def words_of(submission: Submission) -> WordsToCompose:
    """Makes the list of its suite, for a file of open vocabulary."""
    return word_list.words_for(suites.get(submission.suite))


def _directory(
    key: str, file_sha256: str, vectors_sha256: str, words: WordsToCompose, progress: Progress, member: str = ""
) -> Path:
    """A prepared form on this machine, in use from now on; prepared first if it is not there."""
    directory = prepared_root() / vectors_sha256
    if not is_whole(directory) and prepare_file(key, file_sha256, progress, member, words).sha256 != vectors_sha256:
        raise RuntimeError(f"The stored file {key} is no longer the one that was checked.")
    eviction.used(directory)
    return directory


@lru_cache(maxsize=1)
def _opened(directory: Path, name: str, language: str) -> Embedding:
    """Open prepared vectors, cached: the cells of a submission run one after the other and share its word index."""
    return open_prepared(directory, name=name, language=language)
