"""A real site for all tests of the client."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workers.running_site import Site
from vecboard import Keyring


@pytest.fixture(scope="session")
def site(web_site: Site) -> Site:
    return web_site


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
