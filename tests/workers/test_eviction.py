"""Prepared vectors are a cache of bounded size."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from workers.vectors import eviction


@pytest.fixture
def forms(tmp_path: Path, settings: Any) -> Path:
    """Three prepared forms of 1,000 bytes each, used one after the other."""
    settings.VECBOARD_DISK_LOW_BYTES = 0
    for nth, name in enumerate(("old", "middle", "new")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "matrix.npy").write_bytes(b"x" * 998)
        (tmp_path / name / "meta.json").write_bytes(b"{}")
        os.utime(tmp_path / name / "meta.json", (nth, nth))
    return tmp_path


def left(forms: Path) -> set[str]:
    return {form.directory.name for form in eviction.stored(forms)}


def test_within_its_bound_nothing_goes(forms: Path, settings: Any) -> None:
    settings.VECBOARD_PREPARED_BYTES = 3_000
    eviction.make_room(forms)
    assert left(forms) == {"old", "middle", "new"}


def test_what_was_not_used_for_the_longest_time_goes_first(forms: Path, settings: Any) -> None:
    settings.VECBOARD_PREPARED_BYTES = 2_000
    eviction.used(forms / "old")
    eviction.make_room(forms)
    assert left(forms) == {"old", "new"}


def test_what_is_needed_now_stays_even_when_it_is_too_much(forms: Path, settings: Any) -> None:
    settings.VECBOARD_PREPARED_BYTES = 1
    eviction.make_room(forms, keep="middle")
    assert left(forms) == {"middle"}


def test_a_disk_that_runs_low_is_relieved(forms: Path, settings: Any) -> None:
    settings.VECBOARD_DISK_LOW_BYTES = 10**18
    eviction.make_room(forms, keep="new")
    assert left(forms) == {"new"}


def test_what_a_killed_process_left_half_written_goes_after_a_day(forms: Path) -> None:
    for name in (".partial-old", ".partial-new"):
        (forms / name).mkdir()
    os.utime(forms / ".partial-old", (0, 0))
    eviction.make_room(forms)
    assert not (forms / ".partial-old").exists()
    assert (forms / ".partial-new").exists()
