"""A copy of everything that cannot be recreated: rows as JSON lines, files by their keys.

``<folder>/<time>/`` holds ``manifest.json`` and one ``<app>.<model>.jsonl.gz`` for every kind of row, from one snapshot
of the database. ``<folder>/files/`` holds the files of all backups; a published file never changes, so each is copied
once.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core import serializers
from django.core.management.color import no_style
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models, transaction

from benchmark import storage
from benchmark.leaderboard.models import Entry
from benchmark.operations.mending import mend
from benchmark.submissions.models import RunFile, Submission, TaskRun

FORMAT_VERSION = 1
MADE_BY_MIGRATIONS = {"contenttypes.contenttype", "auth.permission", "sites.site"}
PASSING = {"sessions.session", "submissions.workerbeat", "admin.logentry", "accounts.mail"}
_MANIFEST = "manifest.json"
_BLOCK = 1024 * 1024
Say = Callable[[str], None]


class _WholeTimes(DjangoJSONEncoder):
    """Times with their microseconds, which identify rows; Django's encoder cuts them to milliseconds."""

    def default(self, o: object) -> object:
        return o.isoformat() if isinstance(o, datetime | time) else super().default(o)


class Unusable(Exception):
    """The backup cannot be restored, or not here; says why."""


def kept_models() -> list[type[models.Model]]:
    """Every kind of row that a backup holds."""
    return [
        model
        for model in apps.get_models()
        if not model._meta.proxy and model._meta.managed and model._meta.label_lower not in MADE_BY_MIGRATIONS | PASSING
    ]


def back_up(folder: Path, say: Say) -> Path:
    """Write a backup; returns its directory, which is there whole or not at all."""
    target = folder / datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    draft = target.with_name(f".{target.name}.part")
    draft.mkdir(parents=True, mode=0o700)
    with one_snapshot():
        rows = {model._meta.label_lower: _write_rows(model, draft) for model in kept_models()}
        keys = sorted(referenced_keys())
    say(f"{sum(rows.values())} rows of {len(rows)} kinds.")
    files = {key: digest for key in keys if (digest := _copy_out(key, folder / "files")) is not None}
    say(f"{len(files)} files; {len(keys) - len(files)} named by rows are no longer in the storage.")
    manifest = {"format_version": FORMAT_VERSION, "made_at": target.name, "rows": rows, "files": files}
    (draft / _MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    draft.rename(target)
    return target


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Rows of different tables fit together. (SQLite's transactions give that by themselves.)"""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _write_rows(model: type[models.Model], folder: Path) -> int:
    rows = model._base_manager.order_by("pk")
    with gzip.open(folder / f"{model._meta.label_lower}.jsonl.gz", "wt", encoding="utf-8") as stream:
        serializers.serialize(
            "jsonl",
            rows.iterator(chunk_size=500),
            stream=stream,
            cls=_WholeTimes,
            use_natural_foreign_keys=True,
            ensure_ascii=True,  # half a surrogate pair in one row would else be the end of the whole backup
        )
    return rows.count()


def referenced_keys() -> set[str]:
    """Keys of all files that a row names."""
    columns = ((Submission, "file_key"), (RunFile, "key"), (TaskRun, "outcomes_key"), (Entry, "ranking_key"))
    return {key for model, column in columns for key in model._base_manager.values_list(column, flat=True) if key}


def _copy_out(key: str, files: Path) -> str | None:
    """The file's SHA-256 once it is in the backup; None if the storage does not have it (any more)."""
    copy = files / key
    if not copy.exists():
        if not storage.exists(key):
            return None
        copy.parent.mkdir(parents=True, exist_ok=True)
        draft = copy.with_name(f".{copy.name}.part")
        with storage.opened(key) as source, draft.open("wb") as target:
            shutil.copyfileobj(source, target, _BLOCK)
        draft.rename(copy)
    return _sha256(copy)


def restore(backup: Path, say: Say) -> None:
    """Fill an empty, migrated database and the storage from a backup.

    Raises
    ------
    Unusable
        the database is not empty, or the backup is damaged; nothing was changed.
    """
    manifest = _manifest(backup)
    if any(model._base_manager.exists() for model in kept_models() if model._meta.app_label != "auth"):
        raise Unusable("The database is not empty. Restore into a new one: set DATABASE_URL, then run migrate.")
    _verify_files(backup.parent / "files", manifest["files"])
    with transaction.atomic():
        for label in manifest["rows"]:
            _read_rows(backup / f"{label}.jsonl.gz", say)
        _reset_sequences()
    say(f"{sum(manifest['rows'].values())} rows.")
    for key in manifest["files"]:
        _copy_in(backup.parent / "files" / key, key)
    say(f"{len(manifest['files'])} files.")


def _manifest(backup: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((backup / _MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Unusable(f"{backup} is not a backup: it has no {_MANIFEST}.") from None
    if manifest["format_version"] != FORMAT_VERSION:
        raise Unusable(f"The backup has format {manifest['format_version']}; this program reads {FORMAT_VERSION}.")
    missing = [label for label in manifest["rows"] if not (backup / f"{label}.jsonl.gz").exists()]
    if missing:
        raise Unusable(f"The backup is incomplete: {', '.join(missing)} is missing.")
    return manifest


def _verify_files(files: Path, digests: dict[str, str]) -> None:
    for key, digest in digests.items():
        if not (files / key).is_file() or _sha256(files / key) != digest:
            raise Unusable(f"The backup is damaged: files/{key} is missing or differs from what was stored.")


def _read_rows(path: Path, say: Say) -> None:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        # A backup of an earlier version may name columns that are gone since.
        for row in serializers.deserialize("jsonl", stream, ignorenonexistent=True):
            if mended := mend(row.object):
                which = f"{row.object._meta.verbose_name} {row.object.pk}"
                say(f"{which}: {', '.join(mended)} had values that some databases cannot store; repaired.")
            row.save()


def _reset_sequences() -> None:
    """New rows get numbers after the restored ones (PostgreSQL counts apart from the rows)."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), kept_models()):
            cursor.execute(statement)


def _copy_in(copy: Path, key: str) -> None:
    draft = storage.path_of(f"incoming/restored-{hashlib.sha256(key.encode()).hexdigest()}")
    shutil.copyfile(copy, draft)
    storage.publish(draft, key)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def backups_in(folder: Path) -> Iterator[Path]:
    """Complete backups, the latest first."""
    return (path.parent for path in sorted(folder.glob(f"[0-9]*/{_MANIFEST}"), reverse=True))
