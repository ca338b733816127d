"""The R package: built with its vignette and checked against a real site, without errors or warnings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from tests.workers.running_site import ONE_EACH, ROOT, Site, running_site, small_file

PACKAGE = ROOT / "r" / "vecboard"
NEEDED = ("httr2", "jsonlite", "knitr", "markdown", "testthat")
DEBIAN = "apt install r-base-core " + " ".join(f"r-cran-{name}" for name in NEEDED)
BOARD = (
    b'{"suite": {"id": "demo", "version": 1}, "sort": "overall", "ranked_by": "overall", "columns": [], "entries": []}'
)
EXPLAINED = ("unable to verify current time",)
"""Notes of ``R CMD check`` that depend on the machine, not on the package."""


def missing_packages() -> str:
    """What R lacks here; empty if nothing."""
    if shutil.which("Rscript") is None:
        return "R"
    code = f"cat(setdiff(c({', '.join(map(repr, NEEDED))}), rownames(installed.packages())))"
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    if missing := missing_packages():
        pytest.skip(f"not on this machine: {missing} (Debian: {DEBIAN})")
    with running_site(tmp_path_factory.mktemp("site"), **ONE_EACH, VECBOARD_UPLOADS_PER_DAY="100") as site:
        yield site


@pytest.fixture(scope="module")
def checked(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the built package and the log of its check."""
    folder = tmp_path_factory.mktemp("r")
    index = folder / "repository" / "src" / "contrib" / "PACKAGES"  # empty, so that the check asks no other machine
    index.parent.mkdir(parents=True)
    index.touch()
    (folder / "Rprofile").write_text(f"options(repos = c(CRAN = '{(folder / 'repository').as_uri()}'))\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VECBOARD_")} | {
        "VECBOARD_URL": f"http://127.0.0.1:{site.port}",
        "VECBOARD_KEYRING": str(folder / "keyring.json"),
        "VECBOARD_EXAMPLE_VECTORS": str(small_file()),
        "VECBOARD_FOLDER": str(ROOT),
        "VECBOARD_PYTHON": sys.executable,
        "LC_ALL": "C.UTF-8",
        "R_PROFILE": str(folder / "Rprofile"),
    }
    run(folder, environment, "build", str(PACKAGE))  # executes the vignette
    (package,) = folder.glob("vecboard_*.tar.gz")
    run(folder, environment, "check", "--no-manual", "--no-vignettes", package.name)
    return folder


def run(folder: Path, environment: dict[str, str], *command: str) -> None:
    done = subprocess.run(
        ["R", "CMD", *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    tests = folder / "vecboard.Rcheck" / "tests" / "testthat.Rout.fail"
    failed = tests.read_text(errors="replace")[-6000:] if tests.exists() else ""
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-2000:]}\n{failed}"


def test_every_function_is_on_the_page_of_the_package_and_no_other() -> None:
    exported = set(re.findall(r"^export\((\w+)\)$", (PACKAGE / "NAMESPACE").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bvb_\w+", (ROOT / "docs" / "r.md").read_text())) == exported


@pytest.mark.slow
def test_the_check_has_no_error_and_no_warning_and_every_note_is_explained(checked: Path) -> None:
    log = (checked / "vecboard.Rcheck" / "00check.log").read_text()
    assert re.search(r"^Status: (OK|\d+ NOTEs?)$", log, re.MULTILINE), log
    notes = re.findall(r"^\* (.*) \.\.\. NOTE\n(.*)$", log, re.MULTILINE)
    assert [note for note in notes if not any(known in " ".join(note) for known in EXPLAINED)] == []


@pytest.mark.slow
def test_the_vignette_goes_from_vectors_to_a_report(checked: Path) -> None:
    (checked / "vecboard").mkdir(exist_ok=True)
    (package,) = checked.glob("vecboard_*.tar.gz")
    subprocess.run(["tar", "-xzf", package.name], cwd=checked, check=True)
    shown = (checked / "vecboard" / "inst" / "doc" / "vecboard.html").read_text()
    assert "Mean relative error reduction against the baseline" in shown
    assert "Part-of-speech" in shown


class Busy(BaseHTTPRequestHandler):
    """Refuses every other request with ``Retry-After``."""

    times: ClassVar[list[float]] = []

    def do_GET(self) -> None:
        self.times.append(time.monotonic())
        is_busy = len(self.times) % 2 == 1
        body = b'{"error": {"code": "busy", "message": "Busy."}}' if is_busy else BOARD
        self.send_response(429 if is_busy else 200)
        self.send_header("Content-Length", str(len(body)))
        if is_busy:
            self.send_header("Retry-After", "2")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Nothing is printed."""


@pytest.mark.slow
def test_a_busy_site_is_asked_again_after_the_time_that_it_names(checked: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Busy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        code = f"library(vecboard, lib.loc = '{checked / 'vecboard.Rcheck'}'); cat(vb_board(url = '{{}}')$sort)"
        address = f"http://127.0.0.1:{server.server_address[1]}"
        done = subprocess.run(
            ["Rscript", "-e", code.format(address)], capture_output=True, text=True, check=True, timeout=60
        )
        server.shutdown()
    assert done.stdout == "overall"
    first, second = Busy.times
    assert second - first >= 2


@pytest.mark.slow
def test_all_tests_of_the_package_ran(checked: Path) -> None:
    shown = (checked / "vecboard.Rcheck" / "tests" / "testthat.Rout").read_text()
    counted = re.search(r"\[ FAIL 0 \| WARN 0 \| SKIP (\d+) \| PASS (\d+) \]", shown)
    assert counted is not None, shown
    assert counted[1] == "0"
    assert int(counted[2]) > 100
