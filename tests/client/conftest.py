"""One real site for all tests of the client: gunicorn, a worker, the demo suite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workers.running_site import Site, running_site
from vecboard import Keyring


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("site"), VECBOARD_FETCH_HOSTS="files.example.invalid") as site:
        yield site


@pytest.fixture
def server(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The site's address, for the command too, with an empty keyring of this test's own."""
    address = f"http://127.0.0.1:{site.port}"
    monkeypatch.setenv("VECBOARD_URL", address)
    monkeypatch.setenv("VECBOARD_KEYRING", str(tmp_path / "keyring.json"))
    monkeypatch.delenv("VECBOARD_TOKEN", raising=False)
    return address


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "keyring.json")
