"""Downloads of the client: resumed, bounded, and never mixed from two files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web_files import CONTENT, FileServer, serving
from vecboard import Exit, Refused, Unreachable
from vecboard.cli import main
from vecboard.fetch import Download


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short_pauses: None) -> Iterator[FileServer]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with serving() as found:
        yield found


def test_it_arrives_whole_with_progress_and_under_its_own_name(served: FileServer) -> None:
    progress: list[tuple[int, int]] = []
    path = Download(served.address).fetch(lambda here, total: progress.append((here, total)))
    assert (path.name, path.read_bytes()) == ("vectors.txt.gz", CONTENT)
    assert progress == sorted(progress)
    assert progress[-1] == (len(CONTENT), len(CONTENT))


def test_a_server_that_always_breaks_off_is_asked_as_long_as_it_brings_more(served: FileServer) -> None:
    served.cuts = [500_000] * 10
    assert Download(served.address).fetch().read_bytes() == CONTENT
    assert len(served.asked) == 11


def test_after_too_many_broken_connections_the_next_call_resumes(served: FileServer) -> None:
    served.cuts = [1_100_000] + [0] * 5
    with pytest.raises(Unreachable, match="resumes"):
        Download(served.address).fetch()
    assert Download(served.address).fetch().read_bytes() == CONTENT
    assert served.asked[-1] != ""


def test_a_file_that_changed_meanwhile_is_fetched_from_its_start(served: FileServer) -> None:
    served.cuts = [2_000_000] + [0] * 5
    with pytest.raises(Unreachable):
        Download(served.address).fetch()
    served.content, served.tag, served.cuts = CONTENT[::-1], '"two"', []
    assert Download(served.address).fetch().read_bytes() == CONTENT[::-1]


def test_a_busy_server_is_asked_again_and_a_wrong_url_is_not(served: FileServer) -> None:
    served.statuses = [503]
    assert Download(served.address).fetch().read_bytes() == CONTENT
    served.statuses = [404]
    with pytest.raises(Refused, match="HTTP 404"):
        Download(served.address + "&other").fetch()
    assert len(served.asked) == 3


def test_a_file_that_is_too_large_is_refused_before_it_is_downloaded(served: FileServer) -> None:
    with pytest.raises(Refused, match="larger than"):
        Download(served.address, most=len(CONTENT) - 1).fetch()


@pytest.mark.parametrize("url", ["ftp://example.org/v.txt", "vectors.txt", "https://", "file:///etc/passwd"])
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(Refused, match="URL of a file"):
        Download(url)


@pytest.mark.parametrize("name", ["..", "%2e%2e%2fpasswd", ".hidden", "", "a b"])
def test_a_name_never_leads_out_of_the_folder(name: str) -> None:
    download = Download(f"https://example.org/some/{name}")
    assert download.path.resolve().parent == download.folder.resolve()
    assert not download.path.name.startswith(".")


def test_the_command_takes_files_or_a_url(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["submit", "--name", "Nothing"]) == Exit.REFUSED
    assert "--from" in capsys.readouterr().err
