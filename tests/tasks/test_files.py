"""Where the bytes of an output go: a plain file, a link, a device, a pipe, standard output."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from tasks.files import file_names, whole, write_whole

TO_STDOUT = """
import sys
from pathlib import Path
from tasks.files import write_whole
print("before")
write_whole(Path("/dev/stdout"), "content\\n")
print("after")
"""


def test_a_plain_file_is_replaced_when_complete(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "half \ud800")
    assert path.read_text() == "old"
    write_whole(path, "new")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("new", [path])


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_one_and_its_target_is_written(tmp_path: Path, exists: bool) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "real.csv", tmp_path / "link.csv"
    if exists:
        target.write_text("old")
    link.symlink_to("elsewhere/real.csv")
    write_whole(link, "new")
    assert (link.is_symlink(), target.read_text()) == (True, "new")


@pytest.mark.parametrize("rights", [0o600, 0o644])
def test_a_file_keeps_its_rights(tmp_path: Path, rights: int) -> None:
    target = tmp_path / "report.json"
    target.write_text("old")
    target.chmod(rights)
    before = os.umask(0o077 if rights == 0o644 else 0)
    try:
        write_whole(target, "new")
    finally:
        os.umask(before)
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", rights)


def test_a_device_stays_a_device() -> None:
    write_whole(Path("/dev/null"), "content")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_full_device_is_reported_and_stays_one() -> None:
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        write_whole(Path("/dev/full"), "content")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_a_pipe_gets_the_bytes(tmp_path: Path) -> None:
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    with whole(pipe) as partial, partial.open("wb") as file:
        file.seek(2)  # as zip archives need
        file.write(b"end")
    reader.join(timeout=60)
    assert received == [b"\0\0end"]
    assert pipe.is_fifo()


@pytest.mark.parametrize("to_file", [True, False])
def test_standard_output_keeps_what_is_printed_around_it(tmp_path: Path, to_file: bool) -> None:
    log = tmp_path / "log"
    with log.open("wb") as file:
        done = subprocess.run(
            [sys.executable, "-c", TO_STDOUT], stdout=file if to_file else subprocess.PIPE, check=True, timeout=60
        )
    written = log.read_bytes() if to_file else done.stdout
    assert written == b"before\ncontent\nafter\n"


def test_values_get_distinct_names_that_every_file_system_has() -> None:
    values = [
        "C",
        "C++",
        "c 2",
        "c",
        "?",
        "!",
        "Caf\N{LATIN SMALL LETTER E WITH ACUTE}",
        "Cafe\N{COMBINING ACUTE ACCENT}",
    ]
    names = file_names([*values, "\N{GRINNING FACE}" * 300, "語" * 300, "../../x"])
    assert [names[value] for value in values] == ["c", "c-2", "c-2-2", "c-3", "unnamed", "unnamed-2", "café", "café-2"]
    assert len(set(names.values())) == len(values) + 3
    assert all("/" not in name and len(name.encode()) < 250 for name in names.values())
