"""Interrupted uploads: a proxy cuts the connection."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.servers import eventually
from tests.workers.running_site import Site
from vecboard import Client, Keyring, Unreachable
from vecboard.connection import ServerConnection
from vecboard.upload import Upload

TEXT = {"name": "Broken off"}


class Cutter:
    """Forwards ``after`` bytes to a server, then cuts the connection, a given number of times."""

    def __init__(self, port: int, after: int, cuts: int) -> None:
        self.port, self.after, self.cuts = port, after, cuts
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.port))
            threading.Thread(target=self._pass, args=(server, client, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(client, server, True), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, counted: bool) -> None:
        passed = 0
        try:
            while block := source.recv(65536):
                passed += len(block)
                if counted and self.cuts and passed > self.after:
                    self.cuts -= 1
                    break
                target.sendall(block)
        except OSError:
            pass
        for one in (source, target):
            one.close()

    def close(self) -> None:
        self.listener.close()


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few megabytes, more than one piece, so that a cut falls into the second."""
    rows = np.random.default_rng(3).normal(size=(12000, 100))
    lines = (f"word{i} " + " ".join(f"{x:.6f}" for x in row) for i, row in enumerate(rows))
    path = tmp_path_factory.mktemp("big") / "big.txt.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", 1, mtime=0))
    return path


@pytest.fixture
def cutters(site: Site, server: str) -> Iterator[list[Cutter]]:
    made: list[Cutter] = []
    yield made
    for cutter in made:
        cutter.close()


def sha256_of(site: Site, submission: str) -> str:
    return str(site.rows("select file_sha256 from submissions_submission where id = ?", submission)[0][0])


def arrived(site: Site) -> int:
    return sum(path.stat().st_size for path in (site.var / "storage" / "incoming").glob("*.part"))


def test_an_upload_resumes_by_itself_after_two_cut_connections(
    site: Site, keyring: Keyring, big: Path, cutters: list[Cutter]
) -> None:
    import hashlib

    cutters.append(Cutter(site.port, after=300_000, cuts=2))
    with Client(cutters[0].address, keyring=keyring) as client:
        accepted = client.submit(big, "Cut twice")
    assert cutters[0].cuts == 0
    assert sha256_of(site, accepted.id) == hashlib.sha256(big.read_bytes()).hexdigest()


def test_the_same_call_sends_only_the_rest(
    site: Site, server: str, keyring: Keyring, big: Path, cutters: list[Cutter]
) -> None:
    cutters.append(Cutter(site.port, after=4_500_000, cuts=10**6))
    broken, progress = ServerConnection(cutters[0].address, patience=0), []
    with pytest.raises(Unreachable):
        Upload(broken, keyring, reconnect=0).send([big], TEXT)
    cutters[0].cuts = 0
    eventually(lambda: arrived(site) > 0)  # the first piece
    Upload(broken, keyring).send([big], TEXT, lambda sent, total: progress.append(sent))
    assert 0 < progress[0] < big.stat().st_size == progress[-1]
    assert site.rows("select count(*) from submissions_submission where name = ?", "Broken off") == [(1,)]


def test_an_upload_that_the_server_forgot_begins_again(site: Site, server: str, keyring: Keyring, big: Path) -> None:
    connection = ServerConnection(server)
    begun = Upload(connection, keyring)._begin("key", [(big.name, big.stat().st_size)], TEXT)
    connection.once("DELETE", f"/uploads/{begun['id']}", begun["token"])
    assert Upload(connection, keyring)._begun("key") is None
    connection.close()
