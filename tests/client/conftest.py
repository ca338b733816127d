"""A real site for all tests of the client: the demo suite without a worker, so that submissions wait."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workers.running_site import ONE_EACH, Site
from vecboard import Keyring


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("site"), VECBOARD_FETCH_HOSTS="files.example.invalid", **ONE_EACH)
    try:
        site.start_web()
        yield site
    finally:
        site.kill_all()


@pytest.fixture
def server(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The site's address, also for the command, with an empty keyring."""
    return use(site, tmp_path, monkeypatch)


def use(site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make client and command use a site; return its address."""
    address = f"http://127.0.0.1:{site.port}"
    monkeypatch.setenv("VECBOARD_URL", address)
    monkeypatch.setenv("VECBOARD_KEYRING", str(folder / "keyring.json"))
    monkeypatch.delenv("VECBOARD_TOKEN", raising=False)
    return address


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "keyring.json")
