"""Fetch missing data sets, in threads per publisher, so that a failing publisher delays only its own files.

Published files are downloaded into a folder of their own and verified there; the files of a set are made from them.
Failures are retried with exponential backoff that honours Retry-After; finished and partial downloads are kept.
"""

from __future__ import annotations

import fcntl
import math
import shutil
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
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
from tasks.files import FULL_DISK, sha256_of, whole

DOWNLOADS = ".downloads"
"""Folder of the data directory for published files; safe to empty at any time."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, SILENT_PAUSE_SECONDS = 30.0, 3600.0, 300.0
"""Backoff: the first pause (each is twice the one before), the longest, and the longest while a publisher does not
answer at all, as a network may come back any minute."""
MOST_FAILURES = 3
"""Failures in a row, of a file or its publisher, after which a set no longer counts as coming; it is still retried."""
CONNECTIONS = 2
"""Per publisher."""
SILENCE_SECONDS = 15.0
"""Read timeout of a connection."""
UNREACHABLE_SECONDS = 8.0
"""Time without any answer after which the network counts as unreachable, until a server answers."""
TICK_SECONDS = 0.5
OF_THE_PUBLISHER = (0, 401, 403, 408, 425, 429)
"""Statuses below 500 (0: no answer) that concern all files of a publisher; others concern only the requested file."""
OnArrival = Callable[[Arrival], None]


class AlreadyFetching(VecboardError):
    """Another process is fetching data sets into the same directory."""


@dataclass(eq=False)
class _Source:
    """One published file."""

    published: Published
    part: DownloadFile
    host: str
    failures: int = 0
    reason: str = ""
    is_given_up: bool = False
    """Its host refuses it, or has failed several times in a row."""
    due: float = 0.0
    """Time of the next try by the monotonic clock; 0: now, infinite: never."""
    has_arrived: bool = False

    @property
    def is_coming(self) -> bool:
        return not self.is_given_up and self.failures < MOST_FAILURES


@dataclass(eq=False)
class _MissingFile:
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
        self._publishers: dict[tuple[str, str], list[_Source]] = {}
        """By host, and by the account on it."""
        self._over = threading.Event()
        self._answered = False
        self._began = time.monotonic()
        self._files = [
            _MissingFile(REGISTRY[name], file, [self._source(published) for published in file.published])
            for name in datasets
            if store.can_fetch(name)
            for file in store.missing_files(name)
        ]
        self._total = sum(source.published.bytes for source in self._sources.values())

    def _source(self, published: Published) -> _Source:
        if published.url not in self._sources:
            parts = urlsplit(published.url)
            path = self._data_dir / DOWNLOADS / published.url.split("://", 1)[1].replace("/", "_")
            # Refuse files far larger than published at once; the hash catches smaller differences.
            source = _Source(published, DownloadFile(path, 2 * published.bytes + (1 << 20)), parts.netloc)
            self._publishers.setdefault((parts.netloc, parts.path.split("/")[1]), []).append(source)
            self._sources[published.url] = source
        return self._sources[published.url]

    def run(self, on_arrival: OnArrival) -> Arrival:
        if self._files:
            self._probe_other_hosts()
        shares = [sources[i::CONNECTIONS] for sources in self._publishers.values() for i in range(CONNECTIONS)]
        threads = [threading.Thread(target=self._serve, args=(share,), daemon=True) for share in shares if share]
        for thread in threads:
            thread.start()
        try:
            while self._files:
                is_over = not any(thread.is_alive() for thread in threads)
                ready = next((file for file in self._files if file.can_be_made), None)
                if ready is not None:
                    self._make(ready)
                elif is_over:
                    break
                else:
                    time.sleep(TICK_SECONDS)
                self._tell(on_arrival)
        finally:
            self._over.set()
        arrival = self._tell(on_arrival)
        if not arrival.missing:
            (self._data_dir / FILE).unlink(missing_ok=True)
        return arrival

    def _tell(self, on_arrival: OnArrival) -> Arrival:
        reachable = self._reachable()
        missing: dict[str, MissingSet] = {}
        for waiting in self._files:
            new = self._missing(waiting, reachable)
            noted = missing.get(waiting.dataset.id)
            if waiting.file.read and (noted is None or noted.is_coming > new.is_coming or not noted.reason):
                missing[waiting.dataset.id] = new
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
        for host in addresses.keys() - {host for host, _ in self._publishers}:
            threading.Thread(target=self._probe, args=(addresses[host],), name=f"probe {host}", daemon=True).start()

    def _probe(self, url: str) -> None:
        with web_client(SILENCE_SECONDS) as client, suppress(httpx.RequestError):
            client.head(url)
            self._answered = True

    def _reachable(self) -> bool | None:
        if self._answered:
            return True
        has_had_time = time.monotonic() - self._began > UNREACHABLE_SECONDS
        return False if has_had_time or all(source.failures for source in self._sources.values()) else None

    def _missing(self, missing: _MissingFile, reachable: bool | None) -> MissingSet:
        is_coming = reachable is not False and missing.is_coming
        failed = next((source for source in missing.sources if source.reason and not source.has_arrived), missing)
        waits = 0 < failed.due < math.inf
        return MissingSet(is_coming, failed.reason, time.time() + failed.due - time.monotonic() if waits else 0.0)

    def _serve(self, sources: Sequence[_Source]) -> None:
        """Download files of one publisher in turn; a patient fetch tries again until it ends."""
        failures = 0  # since the last complete file, of a kind that concerns all of them
        with web_client(SILENCE_SECONDS) as client:
            while not self._over.is_set():
                due = [source for source in sources if not source.has_arrived and source.due <= time.monotonic()]
                due.sort(key=lambda source: source.failures)
                while due and not self._over.is_set():
                    source = due.pop(0)
                    source.due = 0.0
                    try:
                        self._download(client, source)
                    except Exception as error:  # retry this file and fetch the others, whatever happened
                        failed, failure = [source], error
                        if not isinstance(failure, DownloadFailed):
                            failure = DownloadFailed(source.published.url, self._in_words(error))
                        if failure.status in OF_THE_PUBLISHER or failure.status >= 500:
                            failures += 1
                            if failures >= MOST_FAILURES or failure.retry_after:
                                failed, due = [source, *due], []
                        for each in failed:
                            self._note_failure(each, failure)
                        for each in sources if failures >= MOST_FAILURES else ():
                            each.is_given_up = True
                    else:
                        failures = 0
                        source.failures, source.reason, source.has_arrived = 0, "", True
                if not self._patient:
                    return
                self._over.wait(TICK_SECONDS)

    def _download(self, client: httpx.Client, source: _Source) -> None:
        part, published = source.part, source.published

        def on_bytes(here: int, total: int) -> None:
            self._answered = True
            if self._over.is_set():
                raise DownloadFailed(published.url, "the program is stopping")

        if not part.path.is_file():
            # Interrupted downloads resume at once; without progress, the next try waits its turn.
            download(client, published.url, part, on_bytes, tries=1)
        if published.sha256 and sha256_of(part.path) != published.sha256:
            part.forget()
            raise DownloadFailed(published.url, f"{source.host} serves another file than was published", 200)

    def _in_words(self, error: Exception) -> str:
        if isinstance(error, OSError) and error.errno in FULL_DISK:
            return f"no space is left in {self._data_dir}; free some, or set VECBOARD_DATA to another directory"
        return (str(error).splitlines() or [type(error).__name__])[0][:200]

    def _note_failure(self, source: _Source, failure: DownloadFailed) -> None:
        self._answered |= failure.status != 0
        source.failures += 1
        source.is_given_up = failure.is_final
        longest = LONGEST_PAUSE_SECONDS if failure.status else SILENT_PAUSE_SECONDS
        source.due = self._next_try(source.failures, longest, failure.retry_after)
        source.reason = failure.reason

    def _next_try(self, failures: int, longest: float = LONGEST_PAUSE_SECONDS, least: float = 0.0) -> float:
        """Time of the next try after some failures in a row, by the monotonic clock; infinite: never."""
        pause = max(min(FIRST_PAUSE_SECONDS * 2 ** min(failures - 1, 20), longest), least)
        return time.monotonic() + pause if self._patient else math.inf

    def _make(self, missing: _MissingFile) -> None:
        """Make a file from its downloads; it gets its name only when complete and verified."""
        target = self._data_dir / missing.file.path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with whole(target) as partial:
                _write(missing.file, [source.part.path for source in missing.sources], partial)
                if why := problem(missing.file, partial, content_sha256):
                    raise ValueError(f"the file made from it {why}")
        except (OSError, ValueError, KeyError, zipfile.BadZipFile, ImportError) as error:
            self._note_unmade(missing, error)
            return
        self._files.remove(missing)
        needed = {id(source) for other in self._files for source in other.sources}
        for source in missing.sources:
            if id(source) not in needed:
                source.part.forget()

    def _note_unmade(self, missing: _MissingFile, error: Exception) -> None:
        """Schedule the next try; downloads without a hash of their own are discarded and fetched again."""
        why = self._in_words(error)
        unverified = [source for source in missing.sources if not source.published.sha256]
        if isinstance(error, OSError | ImportError) or not unverified:
            kinds = {OSError: "cannot be written here", ImportError: "cannot be made here"}
            here = next((text for kind, text in kinds.items() if isinstance(error, kind)), "comes out wrong")
            missing.failures, missing.reason = missing.failures + 1, f"{missing.file.path} {here} ({why})"
            missing.due = self._next_try(missing.failures)
            return
        for source in unverified:
            source.part.forget()
            reason = f"{source.host} serves another file than was published ({why})"
            self._note_failure(source, DownloadFailed(source.published.url, reason, 200))
            source.has_arrived = False


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
