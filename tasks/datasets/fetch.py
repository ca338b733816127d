"""Fetch missing data sets, in threads per publisher, so that a failing publisher delays only its own files.

Published files are downloaded into a folder of their own and verified there; the files of a set are made from them.
Failures are retried with exponential backoff that honours Retry-After; finished and partial downloads are kept.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import httpx

from tasks.datasets.assembly import assemble
from tasks.datasets.dataset import (
    Assembled,
    DataFile,
    DataSet,
    Plain,
    Published,
    Twin,
    ZipMember,
    content_sha256,
    packed_writer,
    problem,
)
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import FILE, Arrival, DataStore, MissingSet
from tasks.download import DownloadFailed, DownloadFile, download, web_client
from tasks.errors import VecboardError
from tasks.files import FULL_DISK, whole

DOWNLOADS = ".downloads"
"""Folder of the data directory for published files; safe to empty at any time."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 30.0, 3600.0
"""Backoff for one file: first and longest pause; each is twice the one before."""
FIRST_REST_SECONDS, SILENT_REST_SECONDS = 4.0, 300.0
"""Backoff for a publisher: the first pause, and the longest while it does not answer at all, as a network may come back
any minute."""
MOST_FAILURES = 3
"""Failures in a row after which a set no longer counts as coming, although it is still retried."""
CONNECTIONS = 2
"""Per publisher."""
SILENCE_SECONDS = 15.0
"""Read timeout of a connection."""
UNREACHABLE_SECONDS = 8.0
"""Time without any answer after which the network counts as unreachable, until a server answers."""
TICK_SECONDS = 0.5
OF_THE_PUBLISHER = (401, 403, 408, 425, 429)
"""Statuses below 500 that concern all files of a publisher; others below 500 concern only the requested file."""
OnArrival = Callable[[Arrival], None]


class AlreadyFetching(VecboardError):
    """Another process is fetching data sets into the same directory."""


@dataclass(eq=False)
class _Publisher:
    """A host, or one account on it, whose files tend to fail together.

    ``failures`` counts since its last complete file.
    """

    host: str
    sources: list[_Source] = field(default_factory=list)
    failures: int = 0
    rests_until: float = 0.0
    """By the monotonic clock; infinite: no further requests."""


@dataclass(eq=False)
class _Source:
    """One published file."""

    published: Published
    part: DownloadFile
    publisher: _Publisher
    failures: int = 0
    reason: str = ""
    is_refused: bool = False
    due: float = 0.0
    """Time of the next try by the monotonic clock; infinite: never."""
    is_taken: bool = False
    has_arrived: bool = False

    @property
    def next_try(self) -> float:
        return max(self.due, self.publisher.rests_until)

    @property
    def is_coming(self) -> bool:
        return not self.is_refused and max(self.failures, self.publisher.failures) < MOST_FAILURES


@dataclass(eq=False)
class _Wanted:
    """One missing file of a data set, with the published files that it is made from."""

    dataset: DataSet
    file: DataFile
    sources: list[_Source]
    failures: int = 0
    reason: str = ""
    """Cause of a failure to make it from complete downloads."""
    due: float = 0.0

    @property
    def can_be_made(self) -> bool:
        return self.due <= time.monotonic() and all(source.has_arrived for source in self.sources)

    @property
    def is_coming(self) -> bool:
        left = [source for source in self.sources if not source.has_arrived]
        return self.failures < MOST_FAILURES and all(source.is_coming for source in left)


def fetch(
    store: DataStore, datasets: Sequence[str], on_arrival: OnArrival = lambda _: None, *, patient: bool = False
) -> Arrival:
    """Download the missing files of data sets, in order, and make the sets from them.

    Parameters
    ----------
    on_arrival : called twice a second, and at the end.
    patient : continue until everything has arrived; otherwise try each URL once per round of retries.

    Returns
    -------
    Arrival
        ``missing`` is empty if everything has arrived; it never lists sets without a public URL.

    Raises
    ------
    AlreadyFetching
        another process is fetching into the same directory.
    """
    store.data_dir.mkdir(parents=True, exist_ok=True)
    with (store.data_dir / f"{FILE}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"Another process is fetching data sets into {store.data_dir}; it continues."
            raise AlreadyFetching(message) from None
        return _Fetch(store, datasets, patient=patient).run(on_arrival)


class _Fetch:
    """One call of :func:`fetch`."""

    def __init__(self, store: DataStore, datasets: Sequence[str], *, patient: bool) -> None:
        self._data_dir, self._datasets, self._patient = store.data_dir, datasets, patient
        self._sources: dict[str, _Source] = {}
        self._publishers: dict[tuple[str, str], _Publisher] = {}
        self._changed = threading.Condition()
        self._is_over = self._answered = False
        self._began = time.monotonic()
        self._wanted = [
            _Wanted(REGISTRY[name], file, [self._source(one) for one in file.published])
            for name in datasets
            if store.can_fetch(name)
            for file in store.missing_files(name)
        ]
        self._total = sum(source.published.bytes for source in self._sources.values())

    def _source(self, published: Published) -> _Source:
        if published.url not in self._sources:
            parts = urlsplit(published.url)
            account = parts.path.split("/")[1]
            publisher = self._publishers.setdefault((parts.netloc, account), _Publisher(parts.netloc))
            path = self._data_dir / DOWNLOADS / published.url.split("://", 1)[1].replace("/", "_")
            # Refuse files far larger than published at once; the hash catches smaller differences.
            source = _Source(published, DownloadFile(path, 2 * published.bytes + (1 << 20)), publisher)
            publisher.sources.append(source)
            self._sources[published.url] = source
        return self._sources[published.url]

    def run(self, on_arrival: OnArrival) -> Arrival:
        if self._wanted:
            self._probe_other_hosts()
        for publisher in self._publishers.values():
            for _ in range(CONNECTIONS):
                threading.Thread(
                    target=self._serve, args=(publisher,), name=f"fetch {publisher.host}", daemon=True
                ).start()
        try:
            while self._wanted and not self._is_stuck():
                with self._changed:
                    if not self._next():
                        self._changed.wait(TICK_SECONDS)
                if (wanted := self._next()) is not None:
                    self._make(wanted)
                self._tell(on_arrival)
        finally:
            with self._changed:
                self._is_over = True
                self._changed.notify_all()
        arrival = self._tell(on_arrival)
        if not arrival.missing:
            (self._data_dir / FILE).unlink(missing_ok=True)
        return arrival

    def _next(self) -> _Wanted | None:
        """A file that can be made now."""
        return next((one for one in self._wanted if one.can_be_made), None)

    def _is_stuck(self) -> bool:
        """True if nothing more will arrive."""
        left = [source for one in self._wanted for source in one.sources if not source.has_arrived]
        over = all(source.next_try == float("inf") and not source.is_taken for source in left)
        return over and not any(
            one.due < float("inf") and all(source.has_arrived for source in one.sources) for one in self._wanted
        )

    def _tell(self, on_arrival: OnArrival) -> Arrival:
        reachable = self._reachable()
        missing: dict[str, MissingSet] = {}
        for one in self._wanted:
            new = self._missing(one, reachable)
            known = missing.get(one.dataset.id)
            if one.file.read and (known is None or known.is_coming > new.is_coming or not known.reason):
                missing[one.dataset.id] = new
        here = sum(
            source.published.bytes if source.has_arrived else min(source.part.size, source.published.bytes)
            for source in self._sources.values()
        )
        arrival = Arrival(reachable, here, self._total, missing)
        arrival.write(self._data_dir)
        on_arrival(arrival)
        return arrival

    def _probe_other_hosts(self) -> None:
        """Send a request to the hosts of sets that are already here: any answer shows that the network is up."""
        published = [part for name in self._datasets for file in REGISTRY[name].files for part in file.published]
        addresses = {urlsplit(part.url).netloc: part.url for part in published}
        for host in addresses.keys() - {publisher.host for publisher in self._publishers.values()}:
            threading.Thread(target=self._probe, args=(addresses[host],), name=f"probe {host}", daemon=True).start()

    def _probe(self, url: str) -> None:
        with web_client(SILENCE_SECONDS) as client, suppress(httpx.RequestError):
            client.head(url)
            self._answered = True

    def _reachable(self) -> bool | None:
        if self._answered:
            return True
        has_had_time = time.monotonic() - self._began > UNREACHABLE_SECONDS
        return False if has_had_time or all(publisher.failures for publisher in self._publishers.values()) else None

    def _missing(self, wanted: _Wanted, reachable: bool | None) -> MissingSet:
        is_coming = reachable is not False and wanted.is_coming
        failed = next((source for source in wanted.sources if source.reason and not source.has_arrived), None)
        reason, due = (failed.reason, failed.next_try) if failed else (wanted.reason, wanted.due)
        if not reason:
            return MissingSet(is_coming)
        waits = self._patient and not (failed and failed.is_taken)
        return MissingSet(is_coming, reason, time.time() + due - time.monotonic() if waits else 0.0)

    def _serve(self, publisher: _Publisher) -> None:
        """Download the files of one publisher in turn, until the fetch ends."""
        with web_client(SILENCE_SECONDS) as client:
            while (source := self._due(publisher)) is not None:
                try:
                    self._download(client, source)
                except Exception as error:  # retry this file and fetch the others, whatever happened
                    self._note_failure(source, error)
                    continue
                with self._changed:
                    publisher.failures, publisher.rests_until = 0, 0.0
                    for other in publisher.sources:
                        other.reason = other.reason if other.failures else ""
                    source.has_arrived, source.failures, source.reason, source.is_taken = True, 0, "", False
                    self._changed.notify_all()

    def _due(self, publisher: _Publisher) -> _Source | None:
        """Wait for a publisher's next file: of those due, the one with fewest failures. None: the fetch has ended."""
        with self._changed:
            while not self._is_over:
                now = time.monotonic()
                free = [source for source in publisher.sources if not source.has_arrived and not source.is_taken]
                ready = [source for source in free if source.next_try <= now]
                if ready:
                    first = min(ready, key=lambda source: source.failures)
                    first.is_taken = True
                    return first
                soonest = min((source.next_try for source in free), default=float("inf"))
                self._changed.wait(min(soonest - now, threading.TIMEOUT_MAX))
        return None

    def _download(self, client: httpx.Client, source: _Source) -> None:
        part, published = source.part, source.published

        def on_bytes(here: int, total: int) -> None:
            self._answered = True
            if self._is_over:
                raise DownloadFailed(published.url, "the program is stopping")

        if not part.path.is_file():
            # Interrupted downloads resume at once; without progress, the next try waits its turn.
            download(client, published.url, part, on_bytes, tries=1)
        if published.sha256:
            with part.path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != published.sha256:
                part.forget()
                raise DownloadFailed(
                    published.url, f"{source.publisher.host} serves another file than was published", 200
                )

    def _in_words(self, error: Exception) -> str:
        if isinstance(error, OSError) and error.errno in FULL_DISK:
            return f"no space is left in {self._data_dir}; free some, or set VECBOARD_DATA to another directory"
        return str(error)

    def _note_failure(self, source: _Source, error: Exception) -> None:
        """Schedule the next try of the file, and pause its publisher if that may be the cause."""
        status, asked = (error.status, error.retry_after) if isinstance(error, DownloadFailed) else (0, 0.0)
        with self._changed:
            now, publisher = time.monotonic(), source.publisher
            self._answered |= status != 0
            source.failures, source.reason, source.is_taken = source.failures + 1, self._in_words(error), False
            source.is_refused = isinstance(error, DownloadFailed) and error.is_final
            pause = FIRST_PAUSE_SECONDS * 2 ** min(source.failures - 1, 20)
            source.due = now + max(min(pause, LONGEST_PAUSE_SECONDS), asked) if self._patient else float("inf")
            if not status or status in OF_THE_PUBLISHER or status >= 500:
                publisher.failures += 1
                longest = LONGEST_PAUSE_SECONDS if status else SILENT_REST_SECONDS
                rest = max(min(FIRST_REST_SECONDS * 2 ** min(publisher.failures - 1, 20), longest), asked)
                is_given_up = not self._patient and publisher.failures >= MOST_FAILURES
                publisher.rests_until = float("inf") if is_given_up else now + rest
                for other in publisher.sources:
                    if not other.reason and not other.has_arrived and publisher.failures >= MOST_FAILURES:
                        other.reason = self._in_words(error)
            self._changed.notify_all()

    def _make(self, wanted: _Wanted) -> None:
        """Make a file from its downloads; it gets its name only when complete and verified."""
        target = self._data_dir / wanted.file.path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with whole(target) as partial:
                _write(wanted.file, [source.part.path for source in wanted.sources], partial)
                if why := problem(wanted.file, partial, content_sha256):
                    raise ValueError(f"the file made from it {why}")
        except (OSError, ValueError, KeyError, zipfile.BadZipFile, ImportError) as error:
            self._note_unmade(wanted, error)
            return
        self._wanted.remove(wanted)
        needed = {id(source) for one in self._wanted for source in one.sources}
        for source in wanted.sources:
            if id(source) not in needed:
                source.part.forget()

    def _note_unmade(self, wanted: _Wanted, error: Exception) -> None:
        """Schedule the next try; downloads without a hash of their own are discarded and fetched again."""
        why = self._in_words(error) if isinstance(error, OSError) else _first_line(error)
        unverified = [source for source in wanted.sources if not source.published.sha256]
        with self._changed:
            if isinstance(error, OSError | ImportError) or not unverified:
                kinds = {OSError: "cannot be written here", ImportError: "cannot be made here"}
                here = next((text for kind, text in kinds.items() if isinstance(error, kind)), "comes out wrong")
                wanted.failures, wanted.reason = wanted.failures + 1, f"{wanted.file.path} {here} ({why})"
                pause = min(FIRST_PAUSE_SECONDS * 2 ** min(wanted.failures - 1, 20), LONGEST_PAUSE_SECONDS)
                wanted.due = time.monotonic() + pause if self._patient else float("inf")
                return
            for source in unverified:
                source.part.forget()
                source.has_arrived = False
                reason = f"{source.publisher.host} serves another file than was published ({why})"
                self._note_failure(source, DownloadFailed(source.published.url, reason, 200))


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
