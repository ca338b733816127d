"""The web process and a worker, connected by a broker: a demo submission from upload to report.

The quick test stops at a refused file, which passes through the same processes without a measurement.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.suites import DEMO
from tests.client.conftest import use
from tests.workers.running_site import ONE_EACH, Site, running_site, scores, scores_of_the_script, small_file
from vecboard import Client, Exit, Keyring
from vecboard.cli import main

MEASURED = ("pos", "questions", "sim-ws-353-all", "sim-simlex-999", "analogy-google")
"""Tasks whose scores are compared; tests/workers/test_s3.py compares those of all."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Over the embedded broker."""
    with running_site(tmp_path_factory.mktemp("site"), **ONE_EACH) as site:
        yield site


@pytest.fixture
def server(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The site's address, for the client's commands too."""
    return use(site, tmp_path, monkeypatch)


def submitted(site: Site, name: str) -> str:
    """A submission of the small file that has a report."""
    address = f"http://127.0.0.1:{site.port}"
    with Client(address, keyring=Keyring(site.var / "keyring.json")) as client:
        submission = client.submit(small_file(), name).id
        client.wait(submission)
    return submission


@pytest.fixture(scope="module")
def finished(site: Site) -> str:
    """A submission that ran undisturbed to its end."""
    return submitted(site, "Small")


@pytest.mark.slow
def test_the_client_waits_for_the_report_and_prints_the_scores_of_the_script(
    site: Site, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["submit", str(small_file()), "--name", "Small", "--window", "5", "--wait", "--json"])
    output = capsys.readouterr()
    assert status == Exit.DONE, site.log()
    submission = re.findall(r"(\w+): http", output.err)[-1]
    report = site.report(submission)
    assert report["suite"]["id"] == "demo"
    assert {(result["task"], result["mode"]) for result in report["results"]} == {
        (t.id, mode) for t, mode in DEMO.cells()
    }
    assert json.loads(output.out)["results"] == report["results"]
    measured = [result for result in scores(report) if result["task"] in MEASURED]
    assert measured == scores_of_the_script(tasks=",".join(MEASURED))
    assert main(["report", submission, "--form", "model-index"]) == Exit.DONE
    assert capsys.readouterr().out.startswith('model-index:\n- name: "Small"\n')


@pytest.mark.slow
def test_the_gate_compares_two_reports_of_a_site_and_one_of_the_script(
    server: str, finished: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Client(server) as client:
        kept = client.outcomes(finished, client.report(finished))
    kept.write(tmp_path / "report.json")
    for earlier in (finished, str(tmp_path / "report.json")):
        assert main(["report", finished, "--not-inferior-to", earlier]) == Exit.DONE
        assert "overall: +0.00 points" in capsys.readouterr().err
    options = ["--task", "questions", "--not-inferior-to", str(tmp_path / "report.json")]
    assert main(["report", finished, *options, "--margin", "0.5", "--junit", str(tmp_path / "gate.xml")]) == Exit.DONE
    assert (tmp_path / "gate.xml").read_text().count("<testcase") == 2
    assert main(["report", finished, "--task", "nonsense", "--not-inferior-to", finished]) == Exit.REFUSED
    assert "has no task 'nonsense'" in capsys.readouterr().err


@pytest.mark.slow
def test_a_bundle_verifies_by_the_sites_key_and_a_cell_is_measured_again_bit_for_bit(
    server: str, finished: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "bundle.zip")
    assert main(["bundle", finished, "--out", path]) == Exit.DONE
    options = ["--key", f"{server}/signing-key.pem", "--vectors", str(small_file()), "--retrain", "1"]
    assert main(["verify", path, *options]) == 0
    printed = capsys.readouterr().out
    assert "Signed by the given key" in printed
    assert re.search(r"^[\w.-]+: bit-identical", printed, re.MULTILINE)


def test_a_rejected_file_ends_with_its_reason_and_a_status_of_its_own(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "few.txt.gz"
    path.write_bytes(gzip.compress(b"a 1 2\nb 3 4\n"))
    assert main(["submit", str(path), "--name", "Few", "--wait"]) == Exit.NO_REPORT
    assert "rejected" in capsys.readouterr().err
