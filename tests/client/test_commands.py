"""Commands of the client: checking, login, tables, and demands on a report."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tasks.results import Aggregates, Report
from tasks.suites import OPEN_2026
from tests.workers.running_site import Site, small_file
from vecboard import Client, Exit, Keyring, Refused
from vecboard.cli import main
from vecboard.follow_commands import add_demands, board_table, console, meets_demands, status_lines


@pytest.fixture
def no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No data sets, as after ``pip install``."""
    monkeypatch.setenv("VECBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("VECBOARD_DATA_MIRROR", str(tmp_path / "mirror"))


@pytest.mark.usefixtures("no_data")
def test_tasks_whose_data_is_not_there_are_reported_beside_the_answer(
    vector_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(vector_file), "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["ready"] is True
    assert "tasks of open-2026, whose data is not on this machine" in printed.err
    assert "pos, chunk, " in printed.err


@pytest.mark.usefixtures("no_data")
def test_with_all_data_present_nothing_is_reported(vector_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(vector_file), "--suite", "demo"]) == 0
    assert "Not compared" not in capsys.readouterr().err


@pytest.mark.usefixtures("no_data")
def test_a_file_that_is_not_ready_says_only_that(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "nowhere.gz")]) == 2
    assert "Not compared" not in capsys.readouterr().err


ISSUE = """
from django.contrib.auth import get_user_model
from benchmark.accounts.models import ApiToken
user, _ = get_user_model().objects.get_or_create(username="ada", email="ada@vecboard.example")
print(*(ApiToken.objects.issue(user, "test", scope)[1] for scope in ("read", "write")))
"""


@pytest.fixture(scope="module")
def tokens(site: Site) -> dict[str, str]:
    """Ada's tokens by scope."""
    return dict(zip(("read", "write"), site.python(ISSUE).split(), strict=True))


def test_a_submission_with_a_token_from_the_environment_belongs_to_the_account(
    server: str, site: Site, tokens: dict[str, str], keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VECBOARD_TOKEN", tokens["write"])
    with Client(server, keyring=keyring) as client:
        accepted = client.submit(small_file(), "Ada's")
    query = "select username from submissions_submission s join auth_user u on u.id = s.owner_id where s.id = ?"
    assert site.rows(query, accepted.id) == [("ada",)]


def test_login_keeps_the_token_that_submit_sends(
    server: str, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    token = tokens["write"]
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{token}\n"))
    assert main(["login"]) == Exit.DONE
    assert Client(server).token == token
    assert token not in capsys.readouterr().out


def test_a_token_that_may_only_read_submits_nothing(server: str, tokens: dict[str, str], keyring: Keyring) -> None:
    with Client(server, tokens["read"], keyring) as client, pytest.raises(Refused):
        client.submit(small_file(), "Not allowed")


def test_a_private_submission_without_an_account_is_opened_with_its_owner_link(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["submit", str(small_file()), "--name", "Mine", "--visibility", "private"]) == Exit.DONE
    printed = capsys.readouterr()
    submission = printed.out.partition(":")[0]
    assert f"`vecboard status {submission} --owner-link`" in " ".join(printed.err.split())
    assert main(["status", submission, "--owner-link"]) == Exit.DONE
    link = capsys.readouterr().out.strip()
    with httpx.Client(follow_redirects=True) as browser:
        page = f"{server}/s/{submission}"
        assert [browser.get(address).status_code for address in (page, link, page)] == [404, 200, 200]
    monkeypatch.setenv("VECBOARD_KEYRING", str(tmp_path / "another.json"))
    assert main(["status", submission, "--owner-link"]) == Exit.REFUSED
    assert "isn't in this keyring" in capsys.readouterr().err


def board(name: str = "Small", **other: Any) -> dict[str, Any]:
    entry = {"id": "abcdefghijkl", "name": name, "rank": [2, 3], "dimensions": 50, "scores": {"qvec": 0.25}}
    entry["rank_without_a_task"] = None
    columns = [{"key": "overall", "title": "Overall", "kind": "reduction", "unit": "%", "decimals": 2}]
    columns += [{"key": "qvec", "title": "QVEC", "kind": "score", "unit": "", "decimals": 3}]
    suite = {"id": "demo", "version": 2}
    return {"suite": suite, "sort": "overall", "next": None, "total": 1, "columns": columns, "entries": [entry]} | other


def printed(shown: Any, capsys: pytest.CaptureFixture[str]) -> str:
    console().print(shown)
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ["GloVe [w5]", "closing [/w5]", ":smile:"])
def test_a_name_is_printed_as_it_is(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert name in printed(board_table(board(name)), capsys)


def test_the_column_that_it_is_sorted_by_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert "QVEC" not in printed(board_table(board()), capsys)
    shown = printed(board_table(board(sort="-qvec")), capsys)
    assert "QVEC" in shown
    assert "0.250" in shown


def test_a_board_shows_the_range_of_positions_without_one_task(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Without one task" not in printed(board_table(board()), capsys)
    entry = board()["entries"][0] | {"rank_without_a_task": [1, 4]}
    shown = printed(board_table(board(entries=[entry])), capsys)
    assert "Without one task" in shown
    assert "1–4" in shown


def test_a_board_of_several_pages_shows_how_to_get_the_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert "1 of 300 entries; next page: --after x9" in printed(board_table(board(next="x9", total=300)), capsys)


def test_a_status_names_the_page_for_people() -> None:
    progress = {"done": 1, "total": 2, "share": 0.5, "typical_seconds": 350, "expected_seconds": [300, 600]}
    status = {"id": "a", "name": "N", "state": "running", "progress": progress, "error": None, "warnings": []}
    lines = status_lines(status | {"report_url": None}, "https://vecboard.example/s/a").splitlines()
    assert lines[1:] == ["1 of 2 cells done, about 6 min left (5 to 10 min)", "Page: https://vecboard.example/s/a"]


def report(overall: float | None, version: int = 2) -> Report:
    reasons = {} if overall is not None else {"overall": "No mean, because ner has no score."}
    return Report(
        suite={"id": "open-2026", "version": version, "hash": "hash", "comparable": True},
        vectors={"name": "Small", "sha256": "", "words": 100, "dimensions": 10, "language": "en", "warnings": ()},
        results=(),
        aggregates=Aggregates(None, None, overall, reasons),
        unavailable=(),
        environment={},
    )


def judge(keyring: Keyring, found: Report, *options: str) -> int:
    parser = argparse.ArgumentParser()
    add_demands(parser)
    with Client("http://127.0.0.1:9", keyring=keyring) as nobody:  # files are compared without a server
        return meets_demands(nobody, "abc", found, parser.parse_args(options))


def test_nothing_demanded_is_met(keyring: Keyring) -> None:
    assert judge(keyring, report(-0.5)) == Exit.DONE


@pytest.mark.parametrize(("percent", "status"), [("5", Exit.DONE), ("10", Exit.DONE), ("10.1", Exit.BELOW)])
def test_it_must_be_at_least_so_many_percent(keyring: Keyring, percent: str, status: Exit) -> None:
    assert judge(keyring, report(0.10), "--at-least", percent) == status


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--at-least 5", "add --wait"),
        ("--not-inferior-to abc", "add --wait"),
        ("--task pos", "name --not-inferior-to too"),
        ("--wait --not-inferior-to FILE --margin 0", "number of points above 0"),
        ("--wait --not-inferior-to FILE", "has no overall mean"),
        ("--wait --not-inferior-to NOTHING", "is not a report"),
        ("--wait --not-inferior-to FILE --junit nowhere/gate.xml", "its folder does not exist"),
    ],
)
def test_demands_that_could_not_be_judged_are_refused_before_anything_is_sent(
    options: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier, nothing = tmp_path / "earlier.json", tmp_path / "nothing.json"
    earlier.write_text(report(None, version=OPEN_2026.version).to_json())
    nothing.write_text("{}")
    given = options.replace("FILE", str(earlier)).replace("NOTHING", str(nothing)).split()
    command = ["submit", str(small_file()), "--name", "Small", "--server", "http://127.0.0.1:9"]
    assert main([*command, *given]) == Exit.REFUSED
    assert said in capsys.readouterr().err


def test_a_report_without_a_mean_is_not_a_pass(keyring: Keyring) -> None:
    with pytest.raises(Refused, match="ner has no score"):
        judge(keyring, report(None), "--at-least", "0")


@pytest.mark.parametrize("option", ["--version 1", "--at-least 5", "--not-inferior-to abc"])
def test_a_report_in_other_forms_takes_no_demands(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "abc", "--form", "mteb", *option.split()]) == Exit.REFUSED
    assert "--form is of the current report" in capsys.readouterr().err


def test_a_bundle_is_written_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Client, "bundle", lambda *_: b"the archive")
    assert main(["bundle", "abc", "--out", str(tmp_path / "b.zip")]) == Exit.DONE
    assert (tmp_path / "b.zip").read_bytes() == b"the archive"
    assert main(["bundle", "abc", "--out", str(tmp_path / "nowhere" / "b.zip")]) == Exit.REFUSED


def test_verify_is_that_of_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.zip").write_bytes(b"x")
    assert main(["verify", str(tmp_path / "b.zip")]) == 2
    assert "not a bundle that can be read" in capsys.readouterr().err
