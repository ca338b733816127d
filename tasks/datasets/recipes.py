"""How to get a file: one small type per way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """A file that an address serves, with its size and SHA-256; an empty one: only what is made from it is verified."""

    url: str
    bytes: int
    sha256: str = ""


@dataclass(frozen=True)
class Plain:
    """Published as it is, whether it is stored plain or gzipped; the *unpacked* content is verified."""

    url: str


@dataclass(frozen=True)
class ZipMember:
    """One member of a published zip archive."""

    archive: Published
    member: str


@dataclass(frozen=True)
class Assembled:
    """Made from several published files by a named routine of :mod:`tasks.datasets.assembly`; the hash decides."""

    parts: tuple[Published, ...]
    how: str


@dataclass(frozen=True)
class Packaged:
    """A file of an installed Python package; never downloaded."""

    package: str
    member: str


@dataclass(frozen=True)
class Twin:
    """Published, and also carried by a Python package; downloaded only where the package isn't installed."""

    packaged: Packaged
    published: Plain


@dataclass(frozen=True)
class Licensed:
    """Only the operator can supply it; ``where`` is a sentence on where to get it and where to put it."""

    where: str


Recipe = Plain | ZipMember | Assembled | Packaged | Twin | Licensed
"""Every way to get a file."""
