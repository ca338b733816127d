"""Harmful archives are refused at their first headers as the file's fault; others are read correctly."""

from __future__ import annotations

import gzip
import io
import random
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from benchmark.storage import incoming
from benchmark.submissions.states import State
from tasks.errors import InputError
from tasks.formats import ReadRequest
from tasks.formats.archives import Gzipped, is_archive, unpack
from tasks.formats.source import StoredFile
from tasks.formats.tar import MOST_EXTENSION_BYTES, MOST_EXTENSIONS, Tar, is_tar
from tasks.processes import no_progress
from tests.hostile.archives import CONTENT, HARMFUL, RUNS, entry, header, packed, records, with_sum
from tests.workers.conftest import own_files, read_here
from tests.workers.factories import do_job, uploaded

__all__ = ["own_files", "read_here"]

SPOILED = 600


@pytest.mark.django_db
@pytest.mark.usefixtures("own_files")
@pytest.mark.parametrize("what", HARMFUL)
def test_it_is_refused_and_not_tried_again(what: str, tmp_path: Path) -> None:
    file = tmp_path / "runs.tar.gz"
    file.write_bytes(packed(HARMFUL[what]))
    assert file.stat().st_size < 100_000
    row = uploaded(file)
    do_job("check_submission", row.pk)
    row.refresh_from_db()
    assert (row.state, (row.error or {}).get("code"), row.check_tries) == (State.REJECTED, "bad-archive", 1), row.error
    assert list(incoming().glob("run-*")) == []


@pytest.mark.parametrize("what", HARMFUL)
def test_it_is_refused_after_a_few_blocks(what: str) -> None:
    """The blocks of preceding files, and the maximum extension of a file's header."""
    content = HARMFUL[what] + bytes(1024)
    taken = 0

    def blocks() -> Iterator[bytes]:
        nonlocal taken
        for taken in range(512, len(content) + 1, 512):
            yield content[taken - 512 : taken]

    with suppress(InputError):
        list(Tar(blocks()).members())
    assert taken <= len(RUNS) + (MOST_EXTENSIONS + 2) * (512 + MOST_EXTENSION_BYTES)


def unpacked(content: bytes, folder: Path) -> list[tuple[str, bytes]]:
    """Names and bytes of the files of an archive."""
    folder.mkdir()
    path = folder / "runs.tar.gz"
    path.write_bytes(packed(content))
    request = ReadRequest(path, runs_prefix=str(folder / "run-"))
    assert is_archive(request)
    runs = unpack(request, no_progress)
    return [(run.name, gzip.decompress(Path(run.path).read_bytes())) for run in runs]


@pytest.mark.parametrize("form", ["ustar", "gnu", "pax", "oldgnu"])
def test_what_tar_makes_is_taken_apart(form: str, tmp_path: Path) -> None:
    """Written by the program tar, with long and non-ASCII names."""
    source = tmp_path / "source" / ("deep" * 20) / "größe"
    source.mkdir(parents=True)
    names = ["a.txt", "vektoren-ä.txt", "n" * (60 if form == "ustar" else 180)]
    for name in names:
        (source / name).write_bytes(CONTENT + name.encode() + b" 1 2 3\n")
    (source / ".hidden").write_bytes(b"x")
    archive = tmp_path / "runs.tar"
    options = ["--sort=name", f"--format={form}"]
    subprocess.run(["tar", *options, "-cf", archive, "-C", tmp_path / "source", "."], check=True)
    expected = sorted((name, CONTENT + name.encode() + b" 1 2 3\n") for name in names)
    assert sorted(unpacked(archive.read_bytes(), tmp_path / "out")) == expected


def test_comments_and_times_in_front_of_files_are_passed_over(tmp_path: Path) -> None:
    """As git and other programs write them."""
    common = entry(b"13 comment=x\n", "pax_global_header", tarfile.XGLTYPE)
    stamped = records(("mtime", "1700000000.25"), ("path", "folder/first.txt"), ("SCHILY.xattr.user.x", "y" * 3000))
    content = common + stamped + RUNS
    assert unpacked(content, tmp_path / "out") == [("first.txt", CONTENT), ("b.txt", CONTENT)]


def test_a_name_is_kept_as_pages_and_databases_can_take_it(tmp_path: Path) -> None:
    content = records(("path", "a\u202egnp\x1b.txt")) + RUNS + entry(CONTENT, "c\udcff.txt")
    names = [name for name, _ in unpacked(content, tmp_path / "out")]
    assert names == ["a\ufffdgnp\ufffd.txt", "b.txt", "c\ufffd.txt"]


USED = (*range(8), *range(124, 136), *range(148, 158), *range(257, 265), *range(345, 350))
"""Places of a header that mean something here: name, size, checksum, kind, form, folder."""


def spoiled(seed: int) -> bytes:
    """An archive with some header bytes changed, half the time with a corrected checksum."""
    rng = random.Random(seed)
    content = bytearray(records(("path", "first.txt")) + RUNS)
    places = [place for place in range(0, len(content), 512) if content[place + 257 : place + 262] == b"ustar"]
    for _ in range(rng.randint(1, 3)):
        place = rng.choice(places)
        content[place + rng.choice(USED)] = rng.choice(b"\0 0178xgLKS5\x80\xff")
        if rng.random() < 0.7:
            content[place : place + 512] = with_sum(content[place : place + 512])
    return bytes(content)


def by_tarfile(content: bytes) -> list[tuple[str, bytes]]:
    found = []
    with tarfile.open(fileobj=io.BytesIO(content + bytes(1024))) as archive:
        for member in archive:
            opened = archive.extractfile(member) if member.isfile() else None
            if opened:
                found.append((member.name.rpartition("/")[2], opened.read()))
    return found


def test_spoiled_archives_are_refused_or_read_as_tarfile_reads_them(tmp_path: Path) -> None:
    accepted = refused = 0
    for seed in range(SPOILED):
        content = spoiled(seed)
        if not is_tar(content):
            continue
        try:
            runs = unpacked(content, tmp_path / str(seed))
        except InputError:
            refused += 1
            continue
        accepted += 1
        assert [run for _, run in runs] == [run for _, run in by_tarfile(content)], seed
    assert accepted > SPOILED / 20, (accepted, refused)
    assert refused > SPOILED / 3, (accepted, refused)


def test_thousands_of_empty_members_of_gzip_are_refused_near_the_start(tmp_path: Path) -> None:
    path = tmp_path / "runs.tar.gz"
    path.write_bytes(gzip.compress(RUNS[:600], mtime=0) + gzip.compress(b"", mtime=0) * 200_000)
    with pytest.raises(InputError, match="damaged"):
        unpack(ReadRequest(path, runs_prefix=str(tmp_path / "run-")), no_progress)
    source = Gzipped(StoredFile(ReadRequest(path)))
    with pytest.raises(InputError, match="damaged"):
        list(source.blocks())
    assert source.share < 0.1


def test_hidden_files_count_too(tmp_path: Path) -> None:
    """A terabyte cannot hide behind a dot."""
    path = tmp_path / "runs.tar.gz"
    path.write_bytes(packed(header("._a", 1 << 40) + RUNS))
    with pytest.raises(InputError) as refused:
        unpack(ReadRequest(path, runs_prefix=str(tmp_path / "run-")), no_progress)
    assert refused.value.code == "too-large-expanded"
