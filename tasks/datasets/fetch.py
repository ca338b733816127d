"""Fetch missing data sets: one thread per host, so that a host which fails holds up only its own files.

Every published file is downloaded into a folder of its own and verified there; the files of a set are made from these.
A failure is noted, and tried again after growing pauses, honouring Retry-After; nothing that has arrived is lost.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import httpx

from tasks.datasets.arrival import FILE, Arrival, MissingSet
from tasks.datasets.assembly import assemble
from tasks.datasets.dataset import DataFile, DataSet
from tasks.datasets.packing import packed_writer
from tasks.datasets.recipes import Assembled, Plain, Published, Twin, ZipMember
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.datasets.verify import content_sha256, problem
from tasks.download import DownloadFailed, DownloadFile, download, web_client
from tasks.errors import VecboardError
from tasks.files import whole

DOWNLOADS = ".downloads"
"""Folder of the data directory for published files that a set's files are made from; may be emptied at any time."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 30.0, 3600.0
SILENT_PAUSE_SECONDS = 300.0
"""The longest pause while a host does not answer at all: a network that comes back is noticed within minutes."""
MOST_FAILURES = 3
"""After this many in a row nobody waits for a set any more; it is still tried again."""
UNREACHABLE_SECONDS = 8.0
"""Without any answer for this long the network counts as unreachable, until an address answers."""
TICK_SECONDS = 0.5
OF_THE_HOST = (401, 403, 408, 425, 429)
"""Statuses that concern every file of a host, as those from 500 do; others concern the one that was asked for."""
OnArrival = Callable[[Arrival], None]


class AlreadyFetching(VecboardError):
    """Another process fetches data sets into the same directory."""


@dataclass(eq=False)
class _Source:
    """One published file."""

    published: Published
    part: DownloadFile
    failures: int = 0
    reason: str = ""
    is_refused: bool = False
    due: float = 0.0
    """Of the next try, by the monotonic clock; infinite: never."""
    has_arrived: bool = False

    @property
    def host(self) -> str:
        return urlsplit(self.published.url).netloc

    @property
    def is_coming(self) -> bool:
        return not self.is_refused and self.failures < MOST_FAILURES


@dataclass(eq=False)
class _Wanted:
    """One missing file of a data set, and what it is made from."""

    dataset: DataSet
    file: DataFile
    sources: list[_Source]


@dataclass(eq=False)
class _Hosts:
    """What the threads share."""

    sources: dict[str, _Source] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)
    is_over: bool = False
    answered: bool = False


def fetch(
    store: DataStore, datasets: Sequence[str], on_arrival: OnArrival = lambda _: None, *, patient: bool = False
) -> Arrival:
    """Download what is missing of data sets, in their order, and make their files.

    Parameters
    ----------
    on_arrival : called twice a second, and at the end.
    patient : go on until everything is there; otherwise every address has one round of tries.

    Returns
    -------
    Arrival
        ``missing`` is empty if everything is there; it never names sets that no address serves.

    Raises
    ------
    AlreadyFetching
        another process does the same.
    """
    with _only_one(store.data_dir):
        return _Fetch(store, datasets, patient=patient).run(on_arrival)


@contextmanager
def _only_one(directory: Path) -> Iterator[None]:
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / f"{FILE}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyFetching(f"Another process is fetching data sets into {directory}; it goes on.") from None
        yield


class _Fetch:
    """One run."""

    def __init__(self, store: DataStore, datasets: Sequence[str], *, patient: bool) -> None:
        self._data_dir, self._patient = store.data_dir, patient
        self._hosts = _Hosts()
        self._began = time.monotonic()
        self._wanted = [
            _Wanted(REGISTRY[name], file, [self._source(one) for one in file.published])
            for name in datasets
            if store.can_fetch(name)
            for file in store.missing_files(name)
        ]
        self._total = sum(source.published.bytes for source in self._hosts.sources.values())

    def _source(self, published: Published) -> _Source:
        name = published.url.split("://", 1)[1].replace("/", "_")
        path = self._data_dir / DOWNLOADS / name
        # A server that has more than was published sends something else; a little more is told apart by its hash.
        found = _Source(published, DownloadFile(path, 2 * published.bytes + (1 << 20)))
        return self._hosts.sources.setdefault(published.url, found)

    def run(self, on_arrival: OnArrival) -> Arrival:
        sources, hosts = self._hosts.sources.values(), self._hosts
        for host in dict.fromkeys(source.host for source in sources):
            own = [source for source in sources if source.host == host]
            threading.Thread(target=self._serve, args=(own,), name=f"fetch {host}", daemon=True).start()
        try:
            while self._wanted and not self._is_stuck():
                with hosts.changed:
                    if not self._next():
                        hosts.changed.wait(TICK_SECONDS)
                if (wanted := self._next()) is not None:
                    self._make(wanted)
                self._tell(on_arrival)
        finally:
            with hosts.changed:
                hosts.is_over = True
                hosts.changed.notify_all()
        arrival = self._tell(on_arrival)
        if not arrival.missing:
            (self._data_dir / FILE).unlink(missing_ok=True)
        return arrival

    def _next(self) -> _Wanted | None:
        """A file that can be made now."""
        return next((one for one in self._wanted if all(source.has_arrived for source in one.sources)), None)

    def _is_stuck(self) -> bool:
        """Whether nothing more will arrive."""
        due = [source for one in self._wanted for source in one.sources if not source.has_arrived]
        return self._next() is None and all(source.due == float("inf") for source in due)

    def _tell(self, on_arrival: OnArrival) -> Arrival:
        now, wall, sources = time.monotonic(), time.time(), self._hosts.sources.values()
        reachable = self._hosts.answered or (None if now - self._began < UNREACHABLE_SECONDS else False)
        if not self._hosts.answered and all(source.failures for source in sources):
            reachable = False
        missing: dict[str, MissingSet] = {}
        for one in self._wanted:
            left = [source for source in one.sources if not source.has_arrived]
            failed = next((source for source in left if source.reason), None)
            is_coming = reachable is not False and all(source.is_coming for source in left)
            if failed is None:
                new = MissingSet(is_coming)
            else:
                new = MissingSet(is_coming, failed.reason, wall + failed.due - now if self._patient else 0.0)
            known = missing.get(one.dataset.id)
            if one.file.read and (known is None or known.is_coming > is_coming or not known.reason):
                missing[one.dataset.id] = new
        here = sum(
            source.published.bytes if source.has_arrived else min(source.part.size, source.published.bytes)
            for source in sources
        )
        arrival = Arrival(reachable, here, self._total, missing)
        arrival.write(self._data_dir)
        on_arrival(arrival)
        return arrival

    def _serve(self, own: Sequence[_Source]) -> None:
        """Download the files of one host, one after the other, until the run is over."""
        hosts, failures = self._hosts, 0
        with web_client() as client:
            while (source := self._due(own)) is not None:
                try:
                    self._download(client, source)
                except (DownloadFailed, OSError) as error:
                    failures += 1
                    self._note_failure(source, own, error, failures)
                    continue
                failures = 0
                with hosts.changed:
                    source.has_arrived, source.failures, source.reason = True, 0, ""
                    hosts.changed.notify_all()

    def _due(self, own: Sequence[_Source]) -> _Source | None:
        """The next file of a host, once its time has come; None: the run is over."""
        with self._hosts.changed:
            while not self._hosts.is_over:
                left = [source for source in own if not source.has_arrived]
                first = min(left, key=lambda source: source.due, default=None)
                pause = first.due - time.monotonic() if first is not None else float("inf")
                if first is not None and pause <= 0:
                    return first
                self._hosts.changed.wait(min(pause, threading.TIMEOUT_MAX))
        return None

    def _download(self, client: httpx.Client, source: _Source) -> None:
        part, published = source.part, source.published

        def on_bytes(here: int, total: int) -> None:
            self._hosts.answered = True
            if self._hosts.is_over:
                raise DownloadFailed(published.url, "the program is stopping")

        if not part.path.is_file():
            download(client, published.url, part, on_bytes, tries=MOST_FAILURES)
        if published.sha256:
            with part.path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != published.sha256:
                part.forget()
                raise DownloadFailed(published.url, f"{source.host} serves another file than was published", 200)

    def _note_failure(
        self, source: _Source, own: Sequence[_Source], error: DownloadFailed | OSError, failures: int
    ) -> None:
        """Set the time of the next try: of all files of the host, or of this one where only it is refused."""
        status, asked = (error.status, error.retry_after) if isinstance(error, DownloadFailed) else (0, 0.0)
        concerns_host = not status or status in OF_THE_HOST or status >= 500
        with self._hosts.changed:
            self._hosts.answered |= status != 0
            longest = LONGEST_PAUSE_SECONDS if status else SILENT_PAUSE_SECONDS
            failed = failures if concerns_host else source.failures + 1
            pause = max(min(FIRST_PAUSE_SECONDS * 2 ** min(failed - 1, 20), longest), asked)
            for one in own if concerns_host else [source]:
                if not one.has_arrived:
                    one.failures, one.reason = failed, str(error)
                    one.is_refused = isinstance(error, DownloadFailed) and error.is_final
                    one.due = time.monotonic() + pause if self._patient else float("inf")
            self._hosts.changed.notify_all()

    def _make(self, wanted: _Wanted) -> None:
        """Make a file from what has arrived; it appears under its name only when it is complete and verified."""
        target = self._data_dir / wanted.file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with whole(target) as partial:
                _write(wanted.file, [source.part.path for source in wanted.sources], partial)
                if why := problem(wanted.file, partial, content_sha256):
                    raise ValueError(f"what was made from it {why}")
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            self._spoiled(wanted, _first_line(error))
            return
        self._wanted.remove(wanted)
        needed = {id(source) for one in self._wanted for source in one.sources}
        for source in wanted.sources:
            if id(source) not in needed:
                source.part.forget()

    def _spoiled(self, wanted: _Wanted, why: str) -> None:
        """Download again those files that nothing but the result can verify."""
        suspects = [one for one in wanted.sources if not one.published.sha256] or wanted.sources
        with self._hosts.changed:
            for source in suspects:
                source.part.forget()
                source.has_arrived = False
            failures = suspects[0].failures + 1
        reason = f"{suspects[0].host} serves another file than was published ({why})"
        for source in suspects:
            self._note_failure(source, [], DownloadFailed(source.published.url, reason, 200), failures)


def _write(file: DataFile, parts: Sequence[Path], out: Path) -> None:
    match file.recipe:
        case Plain() | Twin() if not file.gzipped:
            shutil.copyfile(parts[0], out)
        case Plain() | Twin():
            _copy(parts[0].open("rb"), out, gzipped=True)
        case ZipMember(_, member):
            with zipfile.ZipFile(parts[0]) as packed:
                _copy(packed.open(member), out, gzipped=file.gzipped)
        case Assembled(_, how):
            with packed_writer(out, gzipped=file.gzipped) as target:
                target.writelines(f"{line}\n".encode() for line in assemble(how, parts))
        case _:
            raise ValueError(f"{file.path} has no public address")


def _copy(source: IO[bytes], out: Path, *, gzipped: bool) -> None:
    with source, packed_writer(out, gzipped=gzipped) as target:
        shutil.copyfileobj(source, target)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
