"""Real servers on free ports, each in its own directory."""

from __future__ import annotations

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import pytest

from tests.databases import migrate

NO_REDIS = "redis-server is not installed (Debian: apt install redis-server)"
NO_POSTGRES = "PostgreSQL's server is not installed (Debian: apt install postgresql)"


CLAIMED: list[socket.socket] = []
"""Datagram sockets on the ports that this process has handed out; other processes of tests skip these."""


def hear_ctrl_c() -> None:
    """End at Ctrl-C, which a process that a shell started in the background ignores, as its children do."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def free_port() -> int:
    """A port for one server of this process.

    It stays free until the server starts, seconds later: no other test gets it, and the kernel gives ports of this
    range only to programs that name them. Browsers refuse some below.
    """
    while True:
        port = random.randrange(11_000, 32_768)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            claim = socket.socket(type=socket.SOCK_DGRAM)
            CLAIMED.append(claim)
            claim.bind(("127.0.0.1", port))
            return port


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for_port(port: int, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if is_open(port):
            return
        time.sleep(0.05)
    raise TimeoutError(f"nothing opened port {port} within {seconds:.0f} s")


def wait_for_answer(url: str, process: subprocess.Popen[bytes], log: Path, seconds: float) -> None:
    """Wait until a page answers; on a timeout, or if the server ended, fail with its last lines."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert process.poll() is None, f"the server of {url} ended:\n{log.read_text()[-3000:]}"
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            time.sleep(0.3)
    raise TimeoutError(f"{url} did not answer within {seconds:.0f} s:\n{log.read_text()[-3000:]}")


class Server:
    """A process that can be stopped, killed and started again on the same port with the same files."""

    def __init__(self, prefix: str) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix=f"vecboard-{prefix}-"))
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        raise NotImplementedError

    def start(self) -> None:
        log = (self.directory / "server.log").open("ab")
        self.process = subprocess.Popen(
            self.command(), cwd=self.directory, stdout=log, stderr=log, preexec_fn=self.become
        )
        wait_for_port(self.port)

    def become(self) -> None:
        """Preparation in the child before it runs the program."""

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(self.end_signal)
        shutil.rmtree(self.directory, ignore_errors=True)

    end_signal = signal.SIGTERM


class Redis(Server):
    """A redis-server; with ``keep`` it writes every change to disk, as in compose.yaml."""

    def __init__(self, *, keep: bool = False) -> None:
        if shutil.which("redis-server") is None:
            pytest.skip(NO_REDIS)
        super().__init__("redis")
        self.keep = keep

    def command(self) -> list[str]:
        keep = ["--appendonly", "yes", "--appendfsync", "always"] if self.keep else ["--save", ""]
        where = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.directory)]
        return ["redis-server", *where, "--maxmemory-policy", "noeviction", *keep]

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def empty(self) -> None:
        subprocess.run(["redis-cli", "-p", str(self.port), "flushall"], check=True, stdout=subprocess.DEVNULL)


class Postgres(Server):
    """A PostgreSQL server as a user of its own, since it refuses to run as root."""

    end_signal = signal.SIGINT  # "fast": clients are cut off, the files are left in order

    def __init__(self) -> None:
        self.bin = _postgres_programs()
        super().__init__("postgres")
        self.account = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self.account:
            os.chown(self.directory, self.account.pw_uid, self.account.pw_gid)
        self._run("initdb", "--auth=trust", "--username=vecboard", "--no-sync", "--pgdata", self._data)

    @property
    def _data(self) -> str:
        return str(self.directory / "data")

    def command(self) -> list[str]:
        options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "120"}
        settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        return [str(self.bin / "postgres"), "-D", self._data, "-p", str(self.port), *settings]

    def become(self) -> None:
        if self.account:
            os.setgroups([])
            os.setgid(self.account.pw_gid)
            os.setuid(self.account.pw_uid)

    def start(self) -> None:
        super().start()
        ready = [str(self.bin / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        eventually(lambda: subprocess.run(ready, check=False).returncode == 0, every=0.05)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.bin / program), *arguments]
        done = subprocess.run(command, cwd=self.directory, capture_output=True, preexec_fn=self.become, check=False)
        assert done.returncode == 0, done.stderr.decode(errors="replace")

    def url(self, database: str) -> str:
        return f"postgresql://vecboard@127.0.0.1:{self.port}/{database}"

    def create(self, database: str) -> str:
        """A new database with the site's tables; its URL."""
        self._createdb("--template", self._migrated, database)
        return self.url(database)

    def create_empty(self, database: str) -> str:
        self._createdb(database)
        return self.url(database)

    def _createdb(self, *arguments: str) -> None:
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "vecboard", *arguments)

    @cached_property
    def _migrated(self) -> str:
        """Name of the template database."""
        migrate({"DATABASE_URL": self.create_empty("migrated"), "VECBOARD_VAR": str(self.directory / "var")})
        return "migrated"


class S3(Server):
    """moto's S3 server with one empty bucket: the real protocol, over HTTP."""

    bucket = "vecboard-files"

    def command(self) -> list[str]:
        return [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(self.port)]

    @property
    def environment(self) -> dict[str, str]:
        """Environment of a process that uses the bucket."""
        return {
            "VECBOARD_S3_BUCKET": self.bucket,
            "VECBOARD_S3_ENDPOINT": f"http://127.0.0.1:{self.port}",
            "VECBOARD_S3_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        }

    def client(self) -> Any:
        import boto3

        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
        return boto3.client("s3", endpoint_url=f"http://127.0.0.1:{self.port}", **keys)

    def start(self) -> None:
        super().start()
        self.client().create_bucket(Bucket=self.bucket)

    def empty(self) -> None:
        """Delete the leftovers of earlier tests from the bucket, unfinished uploads included."""
        client, bucket = self.client(), self.bucket
        for file in client.list_objects_v2(Bucket=bucket).get("Contents", []):
            client.delete_object(Bucket=bucket, Key=file["Key"])
        for begun in client.list_multipart_uploads(Bucket=bucket).get("Uploads", []):
            client.abort_multipart_upload(Bucket=bucket, Key=begun["Key"], UploadId=begun["UploadId"])


def _postgres_programs() -> Path:
    """The directory of the newest PostgreSQL of this machine (Debian keeps it out of the PATH)."""
    on_path = shutil.which("postgres")
    found = [Path(on_path).resolve().parent] if on_path else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not found or not (found[-1] / "initdb").exists():
        pytest.skip(NO_POSTGRES)
    return found[-1]


def eventually(condition: Callable[[], bool], seconds: float = 60, every: float = 0.1) -> None:
    """Wait for something that happens in another process."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"it did not happen within {seconds:.0f} s"
        time.sleep(every)
