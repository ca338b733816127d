"""Typed environment variables: a bad value fails loudly at start, in a sentence."""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from tasks.files import sync_folder

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")
"""A name with a domain: never an address, and no name of this machine or its network."""

LEAST_SECRET = 24
_SECRET = re.compile(rf"[!-~]{{{LEAST_SECRET},}}")


def env_str(name: str, default: str) -> str:
    """The variable, or the default when it is not set or empty."""
    return os.environ.get(name, "").strip() or default


def env_optional(name: str) -> str | None:
    """The variable, or None when it is not set or empty."""
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
    """An address with one of these schemes and a host. A wrong one is not repeated: it may hold a password."""
    value = env_str(name, default)
    try:
        parts = urlsplit(value)
        is_one = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if value and not is_one:
        begins = " or ".join(f"{scheme}://" for scheme in schemes)
        raise ImproperlyConfigured(f"{name} is not a valid URL: it must start with {begins}, followed by a host.")
    return value


def env_path(name: str, default: Path) -> Path:
    """An absolute path; a relative one is taken from the directory that the process started in."""
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
    found = []
    for item in env_list(name, []):
        host, colon, port = item.lower().partition(":")
        is_port = port.isascii() and port.isdigit() and 0 < int(port) < 65536 if colon else True
        if not _HOST.fullmatch(host) or not is_port:
            raise ImproperlyConfigured(
                f"{name} is not a list of host names, each with a port unless that is 443: {item!r} is not one."
            )
        found.append((host, int(port or 443)))
    return tuple(found)


def env_secret(name: str, *, generated_in: Path) -> str:
    """The secret, or one that is generated once and kept, readable by this user only, in ``generated_in``."""
    given = env_optional(name)
    if given is not None:
        if len(given) < LEAST_SECRET:
            raise ImproperlyConfigured(f"{name} has {len(given)} characters; a secret needs at least {LEAST_SECRET}.")
        return given
    try:
        if not generated_in.exists():
            _write_once(generated_in, secrets.token_urlsafe(50))
        kept = generated_in.read_text(encoding="ascii", errors="replace").strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"The secret key cannot be kept in {generated_in}: {error.strerror}. Free some space or correct the file's "
            f"rights, or set {name}."
        ) from None
    if not _SECRET.fullmatch(kept):
        raise ImproperlyConfigured(
            f"{generated_in} is damaged: a secret key has at least {LEAST_SECRET} characters, all of them printable. "
            "Restore the file from a copy. If there is none, delete it: the next start generates a new key. "
            "Everybody then has to sign in again, and links in mails that were sent no longer work."
        )
    return kept


def _write_once(path: Path, text: str) -> None:
    """Several processes may start at once: the first link wins and everybody reads the same, whole file."""
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
