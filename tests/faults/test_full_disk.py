"""The disk fills up while a prepared matrix or a result is stored: said in words, and repaired by a retry."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import Fault
from tests.faults.test_memory import RETRY, error_of
from tests.workers.running_site import IMPATIENT, Site, scores, scores_of_the_script, small_file

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small tmpfs to fill up")
SmallDisk = Callable[[Path, str], None]


@pytest.fixture
def small_disk() -> Iterator[SmallDisk]:
    """Mount a file system of a given size at a folder."""
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


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site", **IMPATIENT)
    yield site
    site.kill_all()


def fails_for_the_disk_then_succeeds(site: Site, folder: Path) -> None:
    submission = site.submit(small_file())
    site.start_worker()
    site.start_beat()
    site.wait_until(lambda: site.is_over(submission))
    assert site.state(submission) == "failed"
    assert "full" in error_of(site, submission)
    assert not list(folder.rglob("*.part"))
    assert not list(folder.rglob(".partial-*"))
    enlarge(folder)
    site.python(RETRY, submission)
    site.wait_until(lambda: site.is_over(submission))
    assert scores(site.report(submission)) == scores_of_the_script()


def test_the_disk_is_full_while_the_prepared_vectors_are_stored(
    site: Site, small_disk: SmallDisk, fault: Fault
) -> None:
    small_disk(site.var / "prepared", "16k")
    fails_for_the_disk_then_succeeds(site, site.var / "prepared")
    fault("the disk is full while the prepared matrix is stored", 3, "fails with the reason; a retry succeeds")


@pytest.mark.slow
def test_the_disk_is_full_while_a_result_is_stored(site: Site, small_disk: SmallDisk, fault: Fault) -> None:
    small_disk(site.var / "storage" / "outcomes", "24k")
    fails_for_the_disk_then_succeeds(site, site.var / "storage" / "outcomes")
    fault("the disk is full while a result is stored", 3, "fails with the reason; a retry succeeds")
