"""The first start on another machine: no data, no mirror, and hosts with faults."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tasks.datasets.store import DataStore, arrival_in
from tasks.suites import SUITES
from tests.browser.whole_site import whole_site
from tests.internet import cut, internet, keep_silent, refuse
from tests.workers.running_site import write_vectors

pytestmark = [pytest.mark.slow, pytest.mark.data]
SECONDS = 400
GITHUB = "raw.githubusercontent.com"
FAULTS = {
    "ndownloader.figshare.com": refuse(403),
    f"{GITHUB}/UniversalDependencies": refuse(429, Retry_After=5),
    f"{GITHUB}/mfaruqui": cut,
    f"{GITHUB}/ytsvetko": keep_silent,
}
LATE, CUT = {"20ng", "ud-ewt", "qvec", "metaphor-an"}, {"word-sim"}
"""The sets of the hosts that send nothing, and of the one whose files break off: they are continued after a pause."""


def eventually(is_so: Callable[[], bool], what: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, what()
        time.sleep(0.5)


def visitor(address: str) -> httpx.Client:
    return httpx.Client(base_url=address, trust_env=False, timeout=60)


def test_the_real_benchmark_starts_and_faults_cost_only_their_own_data(tmp_path: Path) -> None:
    suite, store = SUITES["open-2026"], DataStore(tmp_path / "var" / "data")

    def missing() -> set[str]:
        return {name for name in suite.datasets if not store.status(name).available}

    with internet(tmp_path) as web:
        web.faults |= FAULTS
        own = {**web.environment, "VECBOARD_DATA_MIRROR": str(tmp_path / "none")}
        with whole_site(tmp_path, "", **own) as address, visitor(address) as client:
            assert "Open 2026, version " in client.get("/").text
            assert client.get("/docs/").status_code == 200
            file = write_vectors(tmp_path / "vectors.txt.gz", [f"word{n}" for n in range(200)])
            sent = client.post("/api/v1/submissions", data={"name": "Early"}, files={"file": file.open("rb")}).json()
            eventually(lambda: missing() <= LATE | CUT, missing)
            assert missing() >= LATE
            assert "ndownloader.figshare.com answers HTTP 403" in client.get("/").text

            def early() -> dict[str, Any]:
                found: dict[str, Any] = client.get(f"/api/v1/submissions/{sent['id']}").json()
                return found

            assert early()["suite"]["id"] == "open-2026"
            eventually(lambda: early()["state"] in ("queued", "running"), early)
            owner = {"Authorization": f"Bearer {sent['token']}"}
            assert client.post(f"/api/v1/submissions/{sent['id']}/cancel", headers=owner).json()["state"] == "cancelled"
            web.faults.clear()  # early, as pauses double with each failure
            eventually(lambda: not missing(), lambda: arrival_in(store.data_dir))
            eventually(lambda: 'id="data"' not in client.get("/").text, lambda: arrival_in(store.data_dir))


def test_without_any_network_new_files_are_measured_with_demo_and_the_board_is_the_real_one(tmp_path: Path) -> None:
    own = {"HTTPS_PROXY": "http://127.0.0.1:9", "VECBOARD_DATA_MIRROR": str(tmp_path / "none")}
    with whole_site(tmp_path, "", **own) as address, visitor(address) as client:
        eventually(
            lambda: "This machine cannot reach the network." in client.get("/").text, lambda: client.get("/").text
        )
        assert "Open 2026, version " in client.get("/").text
        file = write_vectors(tmp_path / "vectors.txt.gz", [f"word{n}" for n in range(200)])
        sent = client.post("/api/v1/submissions", data={"name": "Demo"}, files={"file": file.open("rb")}).json()
        assert client.get(f"/api/v1/submissions/{sent['id']}").json()["suite"]["id"] == "demo"
