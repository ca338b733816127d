"""Short ways to declare files, so that a declaration is a list of names, sizes and hashes."""

from __future__ import annotations

from collections.abc import Iterable

from tasks.datasets.dataset import DataFile
from tasks.datasets.recipes import Plain

Row = tuple[str, int, str]
"""File name, size and SHA-256 of the (unpacked) content."""


def github(repository: str, commit: str, folder: str = "") -> str:
    """Address of a folder of a repository at one commit, without a slash at the end."""
    return f"https://raw.githubusercontent.com/{repository}/{commit}/{folder}".rstrip("/")


def plain(dataset: str, base: str, rows: Iterable[Row], *, read: bool = True) -> tuple[DataFile, ...]:
    """Files published under ``base`` with their names; a name that ends in ``.gz`` is published without the ``.gz``."""
    return tuple(
        DataFile(f"{dataset}/{name}", size, sha256, Plain(f"{base}/{name.removesuffix('.gz')}"), read)
        for name, size, sha256 in rows
    )
