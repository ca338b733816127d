"""Bundles of all shipped entries verify, here and as on another processor."""

from __future__ import annotations

import io
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from benchmark.shipped.dump import dump_path, outcomes_key, stored_entries
from extensions.verify.measure.bundle import write
from extensions.verify.measure.crate import About
from extensions.verify.measure.verify import verify
from tasks.metrics import METRICS, SPEARMAN
from tasks.results import Report
from tasks.suites import get

OTHER_PROCESSOR = {
    "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX2 FMA3",
    "OPENBLAS_CORETYPE": "Prescott",
}
"""Without the instructions of the last twenty years, NumPy and OpenBLAS add in another order."""


def bundles() -> Iterator[bytes]:
    """Bundles of the shipped entries."""
    suite = get("open-2026")
    for stored in stored_entries(suite, dump_path(suite)):
        report = Report.from_json(stored.details["report"])
        results = [replace(r, outcomes=stored.outcomes.get(outcomes_key(r.task, r.mode))) for r in report.results]
        file = io.BytesIO()
        write(file, replace(report, results=tuple(results)), About(date(2026, 11, 28)))
        yield file.getvalue()


@pytest.mark.slow
def test_every_shipped_entry_verifies() -> None:
    verified = [verify(io.BytesIO(content)) for content in bundles()]
    assert len(verified) >= 16
    for one in verified:
        assert one.rounded == () or max(item.size for item in one.rounded) < 1e-14
        without = {result.metric for result in one.report.results if result.outcomes is None}
        assert not any(METRICS[name].is_of_sums or METRICS[name] is SPEARMAN for name in without)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the features are of this processor")
def test_a_bundle_verifies_on_another_processor_up_to_rounding(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    path.write_bytes(next(bundles()))
    command = [sys.executable, "-W", "ignore", "-m", "tasks", "verify", str(path)]
    run = subprocess.run(command, env=os.environ | OTHER_PROCESSOR, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "values differ by at most" in run.stdout
