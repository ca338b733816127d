"""Every link and every form, with its default choices, leads to an answer on a site that has just been installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tasks.datasets.store import DataStore
from tests.databases import ROOT
from tests.web import environment_of


@pytest.mark.slow
@pytest.mark.parametrize("has_data", [True, False])
def test_every_offer_of_a_fresh_site_has_an_answer(tmp_path: Path, has_data: bool) -> None:
    if has_data and DataStore.default().mirror is None:
        pytest.skip("no data sets here; set VECBOARD_DATA_MIRROR to a directory with them")
    site = environment_of(tmp_path / "var", suite="open-2026") | {"VECBOARD_OFFLINE": "1"}
    if not has_data:
        site["VECBOARD_DATA_MIRROR"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "tests.fresh_site"],
        cwd=ROOT,
        env=os.environ | site | {"DJANGO_SETTINGS_MODULE": "benchmark.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
