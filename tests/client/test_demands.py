"""What makes a report pass or fail in continuous integration."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from vecboard import Client, Exit, Keyring, Refused
from vecboard.cli import main
from vecboard.commands.report import add_demands, meets_demands


def report(overall: float | None, version: int = 2) -> dict[str, Any]:
    reasons = {} if overall is not None else {"overall": "No mean, because ner has no score."}
    aggregates = {"fixed": None, "fine_tuned": None, "overall": overall, "reasons": reasons}
    return {"suite": {"id": "open-2026", "version": version}, "aggregates": aggregates}


def judge(keyring: Keyring, found: dict[str, Any], *options: str) -> int:
    parser = argparse.ArgumentParser()
    add_demands(parser)
    with Client("http://127.0.0.1:9", keyring=keyring) as nobody:  # files are compared without a server
        return meets_demands(nobody, found, parser.parse_args(options))


@pytest.fixture
def earlier(tmp_path: Path) -> str:
    path = tmp_path / "earlier.json"
    path.write_text(json.dumps(report(0.10)))
    return str(path)


def test_nothing_demanded_is_met(keyring: Keyring) -> None:
    assert judge(keyring, report(-0.5)) == Exit.DONE


@pytest.mark.parametrize(("percent", "status"), [("5", Exit.DONE), ("10", Exit.DONE), ("10.1", Exit.BELOW)])
def test_it_must_be_at_least_so_many_percent(keyring: Keyring, percent: str, status: Exit) -> None:
    assert judge(keyring, report(0.10), "--at-least", percent) == status


@pytest.mark.parametrize(("overall", "status"), [(0.10, Exit.DONE), (0.2, Exit.DONE), (0.099, Exit.BELOW)])
def test_it_must_not_be_lower_than_an_earlier_report(
    keyring: Keyring, earlier: str, overall: float, status: Exit
) -> None:
    assert judge(keyring, report(overall), "--against", earlier) == status


def test_slack_lets_noise_pass(keyring: Keyring, earlier: str) -> None:
    assert judge(keyring, report(0.096), "--against", earlier, "--slack", "0.5") == Exit.DONE
    assert judge(keyring, report(0.094), "--against", earlier, "--slack", "0.5") == Exit.BELOW


def test_reports_of_two_suite_versions_do_not_compare(keyring: Keyring, earlier: str) -> None:
    with pytest.raises(Refused, match="only reports of the same version"):
        judge(keyring, report(0.5, version=3), "--against", earlier)


def test_a_report_without_a_mean_is_not_a_pass(keyring: Keyring) -> None:
    with pytest.raises(Refused, match="ner has no score"):
        judge(keyring, report(None), "--at-least", "0")


@pytest.mark.parametrize("option", ["--version 1", "--at-least 5", "--against abc", "--slack 1"])
def test_metadata_for_a_model_card_takes_no_demands(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "abc", "--model-index", *option.split()]) == Exit.REFUSED
    assert "--model-index is of the current report" in capsys.readouterr().err
