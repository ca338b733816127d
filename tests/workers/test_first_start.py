"""The site serves before the packages that only workers need are installed."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from tests.browser.whole_site import whole_site
from tests.servers import eventually
from tests.web import ROOT
from tests.workers.running_site import small_file

pytestmark = pytest.mark.slow
MISSING = ("torch", "sympy", "networkx", "rdata", "pandas", "xarray", "boto3", "storages")
INSTALL = """
if [ ! -e {folder}/tried ]; then touch {folder}/tried; echo "no space is left"; exit 1; fi
until [ -e {folder}/go ]; do sleep 0.1; done
rm -r {folder}/missing
"""
NOTICE = "its packages are still being installed"
SECONDS = 240


@pytest.fixture
def site(tmp_path: Path) -> Iterator[httpx.Client]:
    """A site whose installation fails once, then waits for the file ``go``; until then no process has the packages."""
    (tmp_path / "missing").mkdir()
    for name in MISSING:
        (tmp_path / "missing" / f"{name}.py").write_text(f"raise ModuleNotFoundError('{name} is not installed')")
    install = tmp_path / "install"
    install.write_text(INSTALL.format(folder=tmp_path))
    path = {"PYTHONPATH": str(tmp_path / "missing"), "VECBOARD_OFFLINE": "1"}
    with (
        whole_site(tmp_path, "demo", "--install", f"sh {install}", **path) as address,
        httpx.Client(base_url=address, trust_env=False, timeout=60, follow_redirects=True) as client,
    ):
        yield client


def linked(client: httpx.Client, page: str) -> set[str]:
    """Pages of the site to which a page links."""
    places = {urlsplit(link) for link in re.findall(r'<a [^>]*href="([^"#]+)', client.get(page).text)}
    return {place.path for place in places if not place.netloc and place.path.startswith("/")}


def test_without_torch_all_pages_are_served_and_files_are_checked_and_then_they_are_measured(
    site: httpx.Client, tmp_path: Path
) -> None:
    def entry() -> dict[str, Any]:
        answer: dict[str, Any] = site.get(f"/api/v1/submissions/{sent['id']}").json()
        return answer

    log = tmp_path / "site.log"
    eventually(lambda: NOTICE in site.get("/").text, SECONDS)
    eventually(lambda: "install ended with exit status 1; it is started again in 1 s." in log.read_text(), SECONDS)
    eventually(lambda: site.get("/healthz").json() == {"status": "ok", "installation": "running"}, SECONDS)
    assert site.get("/readyz").json()["parts"]["worker"] == "is still being installed"
    pages = {page for first in linked(site, "/") for page in linked(site, first)} | linked(site, "/")
    pages = {page for page in pages if not page.startswith("/docs/")}
    assert len(pages) > 30
    assert {page: status for page in pages if (status := site.get(page).status_code) != 200} == {}
    with small_file().open("rb") as stream:
        sent = site.post("/api/v1/submissions", data={"name": "Early"}, files={"file": stream}).json()
    eventually(lambda: entry()["state"] == "queued", SECONDS)
    assert NOTICE in site.get(f"/s/{sent['id']}").text
    text = log.read_text()
    assert "install | no space is left" in text
    assert "install | Until then files are checked, but not measured. To repeat it by hand: sh " in text
    assert "worker |" not in text
    (tmp_path / "go").touch()
    eventually(lambda: entry()["state"] == "done", SECONDS)
    assert site.get("/healthz").json() == {"status": "ok"}


def test_a_stop_during_the_installation_ends_it_and_the_next_start_installs(tmp_path: Path) -> None:
    begun, endless = tmp_path / "begun", "600.00123"
    with whole_site(tmp_path, "demo", "--install", f"touch {begun} && sleep {endless}"):
        eventually(begun.exists, SECONDS)
    assert [process for process in psutil.process_iter(["cmdline"]) if endless in (process.info["cmdline"] or [])] == []
    assert "Stopped." in (tmp_path / "site.log").read_text()
    with whole_site(tmp_path, "demo", "--install", f"touch {tmp_path / 'again'}") as address:
        eventually(lambda: httpx.get(f"{address}/healthz", trust_env=False).json() == {"status": "ok"}, SECONDS)
        assert (tmp_path / "again").exists()
        page = httpx.get(address, trust_env=False).text
        sheet = httpx.get(address + re.findall(r'href="(/static/css/[^"]+)"', page)[0], trust_env=False)
        assert sheet.headers["Content-Encoding"] == "gzip"
        assert "immutable" in sheet.headers["Cache-Control"]


def test_a_taken_port_is_one_sentence_and_the_end(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        environment = os.environ | {"VECBOARD_VAR": str(tmp_path), "HOST": "127.0.0.1", "PORT": str(port)}
        command = [sys.executable, "manage.py", "up"]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    sentence = f"127.0.0.1:{port} cannot be used (Address already in use). Set PORT to another one, as in PORT=8001."
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"CommandError: {sentence}\n")
