"""One variable chooses the database, another the place of files: SQLite and a directory by default."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

BUSY_SECONDS = 20
KEPT_OPEN_SECONDS = 60
"""A thread of the web process opens the database once a minute, not once a request."""


def sqlite(path: Path) -> dict[str, object]:
    """WAL lets pages be read while a worker writes; immediate transactions queue writers instead of failing them."""
    return {
        "ENGINE": "benchmark.sqlite",
        "NAME": str(path),
        "CONN_MAX_AGE": KEPT_OPEN_SECONDS,
        "OPTIONS": {
            "timeout": BUSY_SECONDS,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON;",
        },
        "TEST": {"NAME": ":memory:"},  # the tests' plugin knows this of Django's own backend only
    }


def from_url(url: str) -> dict[str, object]:
    """Settings of ``postgresql://user:password@host:port/name?option=value`` or ``sqlite:///path``."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ImproperlyConfigured(
            "DATABASE_URL is not a URL; use postgresql://user:password@host:5432/name."
        ) from None
    if parts.scheme == "sqlite":
        return sqlite(Path(unquote(parts.path)))
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured(
            f"DATABASE_URL starts with {parts.scheme + ':'!r}; only postgresql: and sqlite: are supported."
        )
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ImproperlyConfigured("DATABASE_URL does not name a database; it must end with /name.")
    options: dict[str, object] = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        "CONN_MAX_AGE": KEPT_OPEN_SECONDS,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }


def file_storage(root: Path, bucket: str | None, endpoint: str | None, region: str | None) -> dict[str, object]:
    """Django's storage of published files: an S3 bucket if one is named, else a directory."""
    if not bucket:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(root)}}
    options = {
        "bucket_name": bucket,
        "endpoint_url": endpoint,
        "region_name": region,
        "file_overwrite": True,  # keys are the site's own; equal evidence has an equal key
        "default_acl": None,
        "querystring_auth": True,
    }
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
