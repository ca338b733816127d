"""How to get a file: one small type per way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plain:
    """Published as it is, whether it is stored plain or gzipped; the *unpacked* content is verified."""

    url: str


@dataclass(frozen=True)
class ZipMember:
    """One member of a published zip archive."""

    url: str
    member: str


@dataclass(frozen=True)
class Assembled:
    """Made from several published files by a named routine of :mod:`tasks.datasets.assembly`; the hash decides.

    Without a routine (``how`` is None) the file was made once, by other tools, and can only be copied.
    """

    urls: tuple[str, ...]
    how: str | None


@dataclass(frozen=True)
class Packaged:
    """A file of an installed Python package; never downloaded."""

    package: str
    member: str


@dataclass(frozen=True)
class Licensed:
    """Only the operator can supply it; ``where`` is a sentence on where to get it and where to put it."""

    where: str


Recipe = Plain | ZipMember | Assembled | Packaged | Licensed
"""Every way to get a file."""


def fetchable(recipe: Recipe) -> bool:
    """Whether anyone can download the file."""
    match recipe:
        case Plain() | ZipMember():
            return True
        case Assembled(_, how):
            return how is not None
        case _:
            return False


def urls_of(recipe: Recipe) -> tuple[str, ...]:
    """Public addresses that a file comes from; none for packaged and licence-bound files."""
    match recipe:
        case Plain(url) | ZipMember(url, _):
            return (url,)
        case Assembled(urls, _):
            return urls
        case _:
            return ()
