"""Room that is set aside for what makes room."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from benchmark.operations import space

THREADS = 16


def test_threads_that_set_room_aside_at_once_do_not_disturb_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ballast, together = tmp_path / "ballast", Barrier(THREADS)
    monkeypatch.setattr(space, "_ballast", lambda: ballast)

    def keep(_: int) -> None:
        together.wait()
        space.keep_ballast()

    for _ in range(20):
        with ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(keep, range(THREADS)))
        assert [(path.name, path.stat().st_size) for path in tmp_path.iterdir()] == [("ballast", space.BALLAST_BYTES)]
        ballast.unlink()
