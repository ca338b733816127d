"""A small file system that a test fills."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SmallDisk = Callable[[Path, str], None]


@contextmanager
def mounting() -> Iterator[SmallDisk]:
    """A function that mounts a file system of a given size at a folder; all are unmounted at the end."""
    mounted: list[Path] = []

    def mount(folder: Path, size: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=False)
        if done.returncode:
            pytest.skip("this machine does not let root mount a tmpfs")
        mounted.append(folder)

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def enlarge(folder: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=200m", str(folder)], check=True)


class Filler:
    """Another program that fills the same disk, and frees it again."""

    def __init__(self, storage: Path) -> None:
        self.path = storage / "filler"

    def fill(self, block: int = 64 * 1024) -> None:
        """Write until not even a block of this size fits."""
        with self.path.open("ab", buffering=0) as file:
            try:
                while file.write(bytes(block)):
                    pass
            except OSError:
                return

    def go(self) -> None:
        self.path.unlink()
