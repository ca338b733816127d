"""Typed environment variables, and the settings of database and storage: a bad value fails loudly at start."""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from tasks.files import sync_folder

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")
"""A name with a domain; no IP address, and no name of this machine or its network."""

LEAST_SECRET = 24
_SECRET = re.compile(rf"[!-~]{{{LEAST_SECRET},}}")


def env_str(name: str, default: str) -> str:
    """The variable, or the default if it is unset or empty."""
    return os.environ.get(name, "").strip() or default


def env_optional(name: str) -> str | None:
    """The variable, or None if it is unset or empty."""
    return env_str(name, "") or None


def env_bool(name: str, default: bool) -> bool:
    value = env_str(name, "true" if default else "false").lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} is {value!r}, which is neither true nor false; use 1 or 0.")


def env_choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    value = env_str(name, default).lower()
    if value not in choices:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(choices)}.")
    return value


def env_int(name: str, default: int, *, least: int = 0) -> int:
    text = env_str(name, str(default)).replace("_", "")
    try:
        value = int(text)
    except ValueError:
        raise ImproperlyConfigured(f"{name} is {text!r}, which is not an integer.") from None
    if value < least:
        raise ImproperlyConfigured(f"{name} is {value}, but must be at least {least}.")
    return value


def env_url(name: str, schemes: tuple[str, ...], default: str = "") -> str:
    """A URL with one of these schemes and a host. Errors don't repeat it, as it may hold a password."""
    value = env_str(name, default)
    try:
        parts = urlsplit(value)
        is_valid = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if value and not is_valid:
        begins = " or ".join(f"{scheme}://" for scheme in schemes)
        raise ImproperlyConfigured(f"{name} is not a valid URL: it must start with {begins}, followed by a host.")
    return value


def env_site(name: str) -> tuple[str, str]:
    """A site's address and its host, both empty if unset. A path is refused: links begin at the root of the host."""
    parts = urlsplit(env_url(name, ("http", "https")))
    if parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise ImproperlyConfigured(
            f"{name} must be a scheme and a host, perhaps with a port. The site cannot run below a path such as "
            "/vectors: give it a host name of its own, as in https://vectors.example.org."
        )
    host = parts.netloc.lower()
    return f"{parts.scheme}://{host}" if host else "", re.sub(r":\d+$", "", host)


def env_path(name: str, default: Path) -> Path:
    """An absolute path; relative ones start at the working directory."""
    return Path(env_str(name, str(default))).expanduser().resolve()


def env_list(name: str, default: list[str]) -> list[str]:
    """Comma-separated values without the empty ones."""
    value = env_optional(name)
    return default if value is None else [item.strip() for item in value.split(",") if item.strip()]


def env_networks(name: str, default: list[str]) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
    """Comma-separated addresses and networks, as in ``10.0.0.2, 2001:db8::/64``."""
    try:
        return tuple(ipaddress.ip_network(item) for item in env_list(name, default))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must contain only addresses and networks: {error}.") from None


def env_hosts(name: str) -> tuple[tuple[str, int], ...]:
    """Comma-separated host names, each with a port unless it is 443, as in ``files.example.org, example.org:8443``."""
    hosts = []
    for item in env_list(name, []):
        host, colon, port = item.lower().partition(":")
        is_port = port.isascii() and port.isdigit() and 0 < int(port) < 65536 if colon else True
        if not _HOST.fullmatch(host) or not is_port:
            raise ImproperlyConfigured(
                f"{name} is not a list of host names, each with a port unless that is 443: {item!r} is not one."
            )
        hosts.append((host, int(port or 443)))
    return tuple(hosts)


ANOTHER_KEY = "everybody then has to sign in again, and links in mails that were sent no longer work."


def env_secret(name: str, *, generated_in: Path, with_another: str = ANOTHER_KEY) -> str:
    """The secret, or one that is generated once and stored in ``generated_in``, readable by this user only.

    ``with_another``: what follows if another is generated.
    """
    secret = env_optional(name)
    if secret is not None:
        if len(secret) < LEAST_SECRET:
            raise ImproperlyConfigured(f"{name} has {len(secret)} characters; a secret needs at least {LEAST_SECRET}.")
        return secret
    try:
        if not generated_in.exists():
            _write_once(generated_in, secrets.token_urlsafe(50))
        stored = generated_in.read_text(encoding="ascii", errors="replace").strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"The secret of {name} cannot be kept in {generated_in}: {error.strerror}. Free some space or correct the "
            f"file's rights, or set {name}."
        ) from None
    if not _SECRET.fullmatch(stored):
        raise ImproperlyConfigured(
            f"{generated_in} is damaged: a secret key has at least {LEAST_SECRET} characters, all of them printable. "
            f"Restore the file from a copy. If there is none, delete it, and a new key is generated: {with_another}"
        )
    return stored


def _write_once(path: Path, text: str) -> None:
    """Create a file with this text, once: of several processes, the first link wins and all read the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
        sync_folder(path.parent)
    finally:
        draft.unlink()


BUSY_SECONDS = 20
KEPT_OPEN_SECONDS = 60
"""A web thread reopens its connection once a minute instead of for each request."""


def sqlite(path: Path) -> dict[str, object]:
    """SQLite in WAL mode, which doesn't block readers, with immediate transactions, which queue writers."""
    return {
        "ENGINE": "benchmark.sqlite",
        "NAME": str(path),
        "CONN_MAX_AGE": KEPT_OPEN_SECONDS,
        "OPTIONS": {
            "timeout": BUSY_SECONDS,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON;",
        },
        "TEST": {"NAME": ":memory:"},  # pytest-django sets this for Django's own backend only
    }


def from_url(url: str) -> dict[str, object]:
    """Database settings from ``postgresql://user:password@host:port/name?option=value`` or ``sqlite:///path``."""
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
    """Django's storage settings for published files: an S3 bucket if given, else a directory."""
    if not bucket:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(root)}}
    if find_spec("storages") is None or find_spec("boto3") is None:
        raise ImproperlyConfigured(
            "VECBOARD_S3_BUCKET needs packages that are not installed: `make install` installs them, and so does "
            "`pip install --require-hashes -r requirements-extras.txt`."
        )
    options = {
        "bucket_name": bucket,
        "endpoint_url": endpoint,
        "region_name": region,
        "file_overwrite": True,  # equal outcomes have equal keys
        "default_acl": None,
        "querystring_auth": True,
    }
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


NOBODY_ELSE = 0o077
FOLDER, FILE = 0o700, 0o600


def keep_to_oneself(*folders: Path) -> None:
    """Make this process create files of mode 0600 and folders of 0700, and close these folders and their databases."""
    os.umask(NOBODY_ELSE)
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ImproperlyConfigured(
                f"The directory {folder} cannot be created: {error.strerror}. Free some space or correct its rights, "
                "or set VECBOARD_VAR (VECBOARD_STORAGE) to another directory."
            ) from None
        with suppress(PermissionError):  # another account owns it
            folder.chmod(FOLDER)
    for database in folders[0].glob("*.sqlite3*"):
        with suppress(PermissionError, FileNotFoundError):
            database.chmod(FILE)
