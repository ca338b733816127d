"""Downloads: verified, resumable by file, with a progress bar, and quick to give up without a network."""

from __future__ import annotations

import logging
import shutil
import tarfile
import threading
import time
import zipfile
from pathlib import Path
from typing import IO

import pooch
import requests

from tasks.datasets.assembly import assemble
from tasks.datasets.dataset import DataFile, DataSet
from tasks.datasets.packing import packed_writer
from tasks.datasets.recipes import Assembled, Plain, Twin, ZipMember
from tasks.datasets.verify import content_sha256, problem
from tasks.errors import DataUnavailable
from tasks.files import whole

_CONNECT_SECONDS, _READ_SECONDS = 4, 30
_PROBE_SECONDS, _REMEMBER_SECONDS = 6, 60
_dead_until: dict[str, float] = {}
DOWNLOADS = ".downloads"
"""Folder of the data directory for archives and parts that a file is made from; may be emptied at any time."""

pooch.get_logger().setLevel(logging.WARNING)


class _Spoiled(Exception):
    """The download differs from what the registry declares."""


_SPOILED = (_Spoiled, zipfile.BadZipFile, tarfile.TarError, KeyError, ValueError)


class Fetcher:
    """Downloads files of data sets into a data directory.

    Parameters
    ----------
    data_dir : where the files go, at the registry's paths.
    offline : fail at once.
    progress : show a bar for every download.
    """

    def __init__(self, data_dir: Path, *, offline: bool, progress: bool) -> None:
        self._data_dir = data_dir
        self._offline = offline
        self._parts: set[Path] = set()
        self._downloader = pooch.HTTPDownloader(progressbar=progress, timeout=(_CONNECT_SECONDS, _READ_SECONDS))

    def fetch(self, dataset: DataSet, file: DataFile) -> Path:
        """Download one file; it appears under its name only when it is complete and verified.

        Raises
        ------
        DataUnavailable
            no network, a dead address or wrong content.
        """
        if self._offline:
            raise DataUnavailable(
                dataset.id, f"{dataset.title} is not there and VECBOARD_OFFLINE forbids downloading {file.path}."
            )
        target = self._data_dir / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with whole(target) as partial:
                self._make(file, partial)
                if why := problem(file, partial, content_sha256):
                    raise _Spoiled(f"it {why}")
        except (requests.RequestException, OSError) as error:
            raise DataUnavailable(
                dataset.id,
                f"{file.path} could not be downloaded ({_first_line(error)}). Check the network and try again, or put "
                f"the file at {target}.",
            ) from error
        except _SPOILED as error:
            self.tidy()  # so that the next try downloads the parts again
            raise DataUnavailable(
                dataset.id,
                f"{file.path}, as downloaded, is not what was published ({_first_line(error)}). It was not kept. Try "
                f"again later, or put the file at {target}.",
            ) from error
        return target

    def tidy(self) -> None:
        """Remove the archives and parts that this fetcher downloaded; what was made from them stays."""
        for part in self._parts:
            part.unlink(missing_ok=True)
        self._parts.clear()

    def _make(self, file: DataFile, out: Path) -> None:
        match file.recipe:
            case Plain(url) | Twin(_, Plain(url)) if not file.gzipped:
                self._download(url, out)
            case Plain(url) | Twin(_, Plain(url)):
                _copy(self._part(url).open("rb"), out, gzipped=True)
            case ZipMember(url, member):
                with zipfile.ZipFile(self._part(url)) as packed:
                    _copy(packed.open(member), out, gzipped=file.gzipped)
            case Assembled(urls, how):
                lines = assemble(how, [self._part(url) for url in urls])
                with packed_writer(out, gzipped=file.gzipped) as target:
                    target.writelines(f"{line}\n".encode() for line in lines)
            case _:
                raise ValueError(f"{file.path} has no public address")

    def _part(self, url: str) -> Path:
        """A published archive or part; kept, so that an interrupted assembly can resume."""
        name = url.split("://", 1)[1].replace("/", "_")
        part = self._data_dir / DOWNLOADS / name
        if not part.is_file():
            part.parent.mkdir(parents=True, exist_ok=True)
            with whole(part) as partial:
                self._download(url, partial)
        self._parts.add(part)
        return part

    def _download(self, url: str, out: Path) -> None:
        """Download without a hash check: archives and parts have no hash; the file made from them is verified."""
        _require_network(url)
        pooch.retrieve(url, known_hash=None, fname=out.name, path=out.parent, downloader=self._downloader)


def _require_network(url: str) -> None:
    """Give up within seconds if the network is dead: a DNS look-up can hang longer than any connect time-out.

    Raises
    ------
    requests.ConnectionError
        the host did not answer in time, now or less than a minute ago.
    """
    host = url.split("/", 3)[2]
    if time.monotonic() < _dead_until.get(host, 0):
        raise requests.ConnectionError(f"{host} did not answer a moment ago")
    answers: list[bool] = []
    probe = threading.Thread(target=_ask, args=(url, answers), daemon=True)
    probe.start()
    probe.join(_PROBE_SECONDS)
    if answers != [True]:
        _dead_until[host] = time.monotonic() + _REMEMBER_SECONDS
        raise requests.ConnectionError(f"{host} does not answer")


def _ask(url: str, answers: list[bool]) -> None:
    try:
        requests.head(url, timeout=_CONNECT_SECONDS, allow_redirects=False)
        answers.append(True)
    except requests.RequestException:
        answers.append(False)


def _copy(source: IO[bytes], out: Path, *, gzipped: bool) -> None:
    with source, packed_writer(out, gzipped=gzipped) as target:
        shutil.copyfileobj(source, target)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
