"""Vector files, and vectors in memory, into the prepared form, which :mod:`tasks.prepared` opens."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from tasks.blocks import Moments, row_blocks
from tasks.prepared import FORMAT_VERSION, META_FILE, StoredMoments, is_whole
from tasks.progress import Progress, no_progress
from tasks.steps import Steps, steps_in
from tasks.vector_files.scan import Scanned, scan
from tasks.vector_files.source import Limits, WordsToCompose, no_word_list
from tasks.vector_files.spool import Spool
from tasks.vectors import Embedding, FileWarning

_DEFAULT = Limits()


@dataclass(frozen=True)
class Prepared(Scanned):
    """What a file held, and where it is in the prepared form.

    Parameters
    ----------
    sha256 : content hash of words and matrix, and the directory's name.
    directory : where they are stored.
    """

    sha256: str
    directory: Path


def prepare(
    path: Path | str,
    root: Path | str,
    *,
    limits: Limits = _DEFAULT,
    member: str = "",
    progress: Progress = no_progress,
    block_bytes: int | None = None,
    words: WordsToCompose = no_word_list,
) -> Prepared:
    """Read, check and store a vector file in one pass, with memory use that does not grow with its dimensions.

    Safe to run twice at once: both write the same bytes, and the first to finish renames its directory.

    Parameters
    ----------
    path : of any format of :mod:`tasks.vector_files.registry`.
    root : directory that holds the prepared vectors; created if it is missing.
    limits, member, progress, block_bytes, words : see :func:`tasks.vector_files.scan.scan`.

    Raises
    ------
    InputError
        the file is rejected; nothing is left behind.
    """
    with _writing(Path(root)) as (spool, publish):
        scanned = scan(
            Path(path),
            spool,
            limits=limits,
            member=member,
            progress=progress,
            block_bytes=block_bytes,
            words=words,
            scratch=Path(root),
        )
        progress(1.0, "storing")
        sha256, directory = publish(scanned.warnings, scanned.open_vocabulary)
    return Prepared(**vars(scanned), sha256=sha256, directory=directory)


def store(embedding: Embedding, root: Path | str) -> Path:
    """Store vectors from memory in the prepared form; return their directory.

    Raises
    ------
    ValueError
        a word holds a newline.
    """
    with _writing(Path(root)) as (spool, publish):
        spool.begin(embedding.dimensions)
        start = 0
        for rows in row_blocks(embedding.matrix):
            words = list(embedding.words[start : start + len(rows)])
            if any("\n" in word for word in words):
                raise ValueError("A word with a newline cannot be stored.")
            spool.add(words, rows)
            start += len(rows)
        _, directory = publish(embedding.warnings, embedding.open_vocabulary)
    return directory


_Publish = Callable[[tuple[FileWarning, ...], bool], tuple[str, Path]]


@contextmanager
def _writing(root: Path) -> Iterator[tuple[Spool, _Publish]]:
    """A spool in a new directory under ``root``, and a function that renames the directory once it is complete."""
    root.mkdir(parents=True, exist_ok=True)
    directory = Path(mkdtemp(prefix=".partial-", dir=root))
    try:
        with Spool(directory) as spool:

            def publish(warnings: tuple[FileWarning, ...], open_vocabulary: bool) -> tuple[str, Path]:
                sha256, moments = spool.finish()
                meta = {
                    "format_version": FORMAT_VERSION,
                    "sha256": sha256,
                    "words": spool.words,
                    "dimensions": spool.dimensions,
                    "open_vocabulary": open_vocabulary,
                    "warnings": [warning.as_dict() for warning in warnings],
                    **_summary(moments, steps_in(spool.rows)),
                }
                _write_meta(directory / META_FILE, meta)
                for file in spool.files:
                    os.fsync(file.fileno())
                return sha256, put(directory, root / sha256)

            yield spool, publish
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _summary(moments: Moments, steps: Steps | None) -> dict[str, object]:
    found = None if steps is None else {"size": steps.size, "moments": _plain(steps.moments)}
    return {"moments": _plain(moments), "steps": found}


def _write_meta(path: Path, meta: Mapping[str, object]) -> None:
    with path.open("w", encoding="utf-8") as file:
        json.dump(meta, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())


def _plain(moments: Moments) -> StoredMoments:
    return {"mean": moments.mean.tolist(), "standard_deviation": moments.standard_deviation}


def put(directory: Path, final: Path) -> Path:
    """Move a complete directory to its name, unless another writer has stored the same vectors there meanwhile.

    What is there and damaged is replaced.
    """
    directory.chmod(final.parent.stat().st_mode & 0o777)  # same permissions as the parent directory
    try:
        directory.rename(final)
    except OSError:
        if is_whole(final):
            return final
        damaged = final.with_name(f".partial-damaged-{directory.name}")
        final.rename(damaged)
        directory.rename(final)
        shutil.rmtree(damaged, ignore_errors=True)
    return final
