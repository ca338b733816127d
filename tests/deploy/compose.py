"""compose.yaml with its variables filled in, as Docker Compose reads it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
SECRETS = {
    "SECRET_KEY": "a secret of these tests only, long enough",
    "POSTGRES_PASSWORD": "0123456789abcdef",
    "REDIS_PASSWORD": "fedcba9876543210",
}
"""Settings that compose.yaml requires."""
_VARIABLE = re.compile(r"\$\$|\$\{(\w+):([-?])([^}]*)\}")


def compose(**settings: str) -> Any:
    """The file's content under these settings and ``SECRETS``."""
    return _filled_in(yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8")), SECRETS | settings)


def words(command: str | list[str]) -> list[str]:
    """A service's command; text is split as by a shell."""
    return shlex.split(command) if isinstance(command, str) else command


def _filled_in(part: Any, settings: dict[str, str]) -> Any:
    if isinstance(part, dict):
        return {name: _filled_in(value, settings) for name, value in part.items()}
    if isinstance(part, list):
        return [_filled_in(value, settings) for value in part]
    return _VARIABLE.sub(lambda named: _value(named, settings), part) if isinstance(part, str) else part


def _value(named: re.Match[str], settings: dict[str, str]) -> str:
    """``$$`` is a dollar; an empty setting counts as unset."""
    name, how, rest = named.groups()
    if name is None:
        return "$"
    if how == "?" and not settings.get(name):
        raise ValueError(f"{name}: {rest}")
    return settings.get(name) or rest
