"""Fixtures and hooks of all tests."""

from __future__ import annotations

import gzip
import ipaddress
import shutil
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from django.conf import settings
from django.core.cache import caches
from django.test import override_settings

from tasks.datasets.store import DataStore
from tests.servers import S3, Postgres, Redis
from tests.workers.running_site import ONE_EACH, Site
from workers import broker
from workers.app import app

# Every change gets the same generated examples, and no deadline, because machines are slow at times.
# Other examples: pytest --hypothesis-profile explore
hypothesis.settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture, hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile("quick", hypothesis.settings.get_profile("steady"), max_examples=12)
hypothesis.settings.register_profile(
    "explore", hypothesis.settings.get_profile("steady"), derandomize=False, print_blob=True
)
hypothesis.settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    """Draw fewer examples if only quick tests run."""
    if "not slow" in config.option.markexpr and not config.getoption("--hypothesis-profile"):
        hypothesis.settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave unread the folders whose tests all have a mark that isn't wanted: importing them takes seconds."""
    unwanted = {"browser": "not slow", "faults": "not fault"}.get(collection_path.name, "none of these folders")
    return (collection_path.parent == Path(__file__).parent / "tests" and unwanted in config.option.markexpr) or None


LONGEST_FILES = (
    "tests/r/test_package.py",
    *("tests/browser/test_first_start_anywhere.py", "tests/docs/test_shell_blocks.py"),
    *("tests/hostile/test_inputs_on_both.py", "tests/browser/test_shipped_board.py", "tests/browser/test_board.py"),
    *("tests/browser/test_people.py", "tests/browser/test_german_upload.py", "tests/tasks/test_open_2026.py"),
    *("tests/benchmark/test_postgres.py", "tests/research/board/test_numbers.py", "tests/hostile/test_inputs.py"),
    *("tests/hostile/test_flood.py", "tests/browser/test_upload.py", "tests/workers/test_two_processes.py"),
    *("tests/benchmark/test_serve.py", "tests/workers/test_reading.py", "tests/workers/test_at_once.py"),
    *("tests/tasks/test_measurement.py", "tests/test_architecture.py", "tests/tasks/formats/test_bombs.py"),
    *("tests/hostile/test_access.py", "tests/benchmark/shipped/test_first_start.py", "tests/hostile/test_files.py"),
    *("extensions/front/tests/test_front.py", "extensions/own/tests/test_own.py", "tests/workers/test_own_texts.py"),
    *("tests/workers/test_smaller_vectors.py", "tests/workers/test_corpora.py"),
    *("tests/faults/test_slow_connections.py", "tests/faults/test_scaling.py", "tests/faults/test_killed_worker.py"),
)
"""Slow tests that take a minute, then others that take more than five seconds, then the longest faults."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest files first, and require unique ids of tests.

    Processes that share the work take it file by file: all others would wait for one that began a long file at the end.
    Of several tests with the same id they run only one; tests generated from the API's description have names but no
    ids.
    """
    turns = {Path(__file__).parent / file: turn for turn, file in enumerate(LONGEST_FILES)}
    items.sort(key=lambda item: turns.get(item.path, len(turns)))
    for item in items:
        if not item.nodeid.endswith(item.name):
            item._id = item.parent.id.child(item.name)  # type: ignore[union-attr]
    ids = Counter(item.nodeid for item in items)
    if len(ids) < len(items):
        raise pytest.UsageError(f"Several tests have the id {ids.most_common(1)[0][0]}.")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose ``@pytest.mark.data`` names data sets that are not on this machine."""
    store = DataStore.default()
    wanted = dict.fromkeys(id for marker in item.iter_markers("data") for id in marker.args)
    if missing := [id for id in wanted if not store.status(id).available]:
        pytest.skip(f"not on this machine: {', '.join(missing)}; set VECBOARD_DATA_MIRROR to a directory that has it")


ASKED_OUTSIDE: list[str] = []
"""Connections and look-ups outside this machine that this process tried."""


def in_numbers(host: object) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Address of a host; None for a name that needs a look-up."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "")
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return ipaddress.ip_address("127.0.0.1") if name in ("", "localhost") else None
    return getattr(address, "ipv4_mapped", None) or address


def refuse_the_network(event: str, arguments: tuple[Any, ...]) -> None:
    """Audit hook that refuses connections to other machines and notes the attempt."""
    if event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        address = in_numbers(arguments[1][0])
        is_outside = address is None or not (address.is_loopback or address.is_unspecified)
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        is_outside = in_numbers(arguments[0]) is None
    else:
        return
    if is_outside:
        ASKED_OUTSIDE.append(f"{event}: {arguments}")
        raise OSError(f"A test asked for the network; {ASKED_OUTSIDE[-1]}")


sys.addaudithook(refuse_the_network)


@pytest.fixture(autouse=True)
def no_network() -> Iterator[list[str]]:
    """Fail a test that uses the network, even if the tested code handles the error; the attempts so far."""
    yield ASKED_OUTSIDE
    asked = ASKED_OUTSIDE.copy()
    ASKED_OUTSIDE.clear()
    assert asked == []


@pytest.fixture(scope="session", autouse=True)
def cheaper_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Replace work that is slow by design, or done once per process, and would be repeated in every test.

    Argon2 takes 0.2 s of processor time for each account and each sign-in. WhiteNoise lists every static file at the
    first request of each client; here it stays in the chain with nothing to serve. Sites in processes of their own, and
    tests that say so, use both as they are. Caches are this process's own.
    """
    base = tmp_path_factory.getbasetemp()
    files = {
        name: {"BACKEND": "benchmark.caches.JsonFileCache", "LOCATION": base / folder}
        for name, folder in (("default", "cache"), ("files", "cache-files"))
    }
    with override_settings(
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        WHITENOISE_USE_FINDERS=False,
        CACHES=settings.CACHES | files,
    ):
        yield


@pytest.fixture
def vector_file(tmp_path: Path) -> Path:
    """A small vector file: 200 words, 10 dimensions."""
    rng = np.random.default_rng(7)
    rows = ["word" + str(i) + " " + " ".join(f"{x:.4f}" for x in rng.normal(size=10)) for i in range(200)]
    path = tmp_path / "small.txt.gz"
    path.write_bytes(gzip.compress(("\n".join(rows) + "\n").encode(), mtime=0))
    return path


@pytest.fixture(autouse=True)
def empty_caches() -> None:
    """Every test begins with nothing in the caches."""
    for name in caches:
        caches[name].clear()


@pytest.fixture(scope="session", autouse=True)
def own_broker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedded broker in a directory of its own. Messages wait there, as these tests have no worker."""
    folder = tmp_path_factory.mktemp("broker")
    app.conf.update(broker.broker_settings(None, folder))
    return folder


@pytest.fixture
def messages(own_broker: Path) -> Callable[[], list[tuple[str, str]]]:
    """Take the messages sent since, as jobs and their subjects, in a worker's order."""
    broker.clear(own_broker)

    def take() -> list[tuple[str, str]]:
        found = []
        for name in (broker.AT_ONCE_QUEUE, broker.QUEUE, broker.TRAINED_QUEUE):
            with app.connection() as connection, connection.SimpleQueue(name) as queue:
                while queue.qsize():
                    message = queue.get_nowait()
                    found.append((message.headers["task"].rpartition(".")[2], message.payload[0][0]))
                    message.ack()
        return found

    return take


@pytest.fixture
def dead_broker(own_broker: Path) -> Iterator[None]:
    """A broker that neither takes messages nor answers: its folder is a file."""
    folder, _ = broker.directories(own_broker)
    shutil.rmtree(folder)
    folder.touch()
    yield
    folder.unlink()
    broker.directories(own_broker)


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Downloads try again after some hundredths of a second instead of seconds."""
    pauses = {"datasets.fetch.FIRST_PAUSE": 0.1, "datasets.fetch.TICK": 0.02}
    for name, seconds in (pauses | {"download.PAUSE": 0.01}).items():
        monkeypatch.setattr(f"tasks.{name}_SECONDS", seconds)


@pytest.fixture(scope="session")
def web_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site of its own processes with the demo suite and without a worker, so that submissions wait."""
    site = Site(tmp_path_factory.mktemp("site"), VECBOARD_FETCH_HOSTS="files.example.invalid", **ONE_EACH)
    try:
        site.start_web()
        yield site
    finally:
        site.kill_all()


@pytest.fixture(scope="session")
def redis() -> Iterator[Redis]:
    """redis-server on a free port."""
    with Redis() as server:
        yield server


@pytest.fixture
def redis_url(redis: Redis) -> str:
    """An empty Redis."""
    redis.empty()
    return redis.url


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """PostgreSQL server on a free port."""
    with Postgres() as server:
        yield server


@pytest.fixture
def database_url(postgres: Postgres) -> str:
    """URL of a new PostgreSQL database with the site's tables."""
    return postgres.create(f"test_{uuid.uuid4().hex[:12]}")


@pytest.fixture(scope="session")
def s3() -> Iterator[S3]:
    """S3 server with a bucket."""
    with S3("s3") as server:
        yield server
