"""Political queries through web and worker: from runs of one setting to the report's chart, and compared entries.

The suite is the site's own without its data sets, so that only tasks without data are measured.
"""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import numpy as np
import pytest

from tasks.political.cues import ENGLISH
from tests.workers.running_site import Site, running_site

WORDS = [*ENGLISH.words, *(f"word{n}" for n in range(300))]
RUNS = 3
PATIENCE = 180
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Web server and worker, without any data set."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "nothing").mkdir()
    away = {"VECBOARD_DATA": str(folder / "data"), "VECBOARD_DATA_MIRROR": str(folder / "nothing")}
    how = {"VECBOARD_SUITE": "open-2026", "VECBOARD_OFFLINE": "1", "WEB_CONCURRENCY": "1"}
    with running_site(folder / "var", **how, **away) as site:
        yield site


@pytest.fixture(scope="module")
def runs() -> list[tuple[str, bytes]]:
    """Runs with shared meaning and independent noise."""
    draw = np.random.default_rng(0)
    meaning = draw.normal(0, 1, (len(WORDS), 10))
    return [(f"run-{n}.txt.gz", _gzipped(meaning + draw.normal(0, 0.3, meaning.shape))) for n in range(1, RUNS + 1)]


def _gzipped(matrix: np.ndarray) -> bytes:
    rows = (" ".join([word, *map(str, row)]) for word, row in zip(WORDS, matrix.round(4).tolist(), strict=True))
    return gzip.compress("\n".join(rows).encode() + b"\n", mtime=0)


def archive(runs: list[tuple[str, bytes]]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, content in runs:
            info = tarfile.TarInfo(f"out/{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return made.getvalue()


def finished(site: Site, submission: str) -> str:
    """The report page, once it exists."""
    site.wait_until(lambda: site.is_over(submission))
    assert site.state(submission) == "done", site.log()
    return httpx.get(f"http://127.0.0.1:{site.port}/r/{submission}", timeout=PATIENCE).raise_for_status().text


@contextmanager
def browser_of(site: Site) -> Iterator[httpx.Client]:
    """A visitor with the CSRF token of an opened form."""
    with httpx.Client(base_url=f"http://127.0.0.1:{site.port}", timeout=PATIENCE) as browser:
        browser.get("/submit").raise_for_status()
        yield browser


def by_form(site: Site, runs: list[tuple[str, bytes]]) -> str:
    with browser_of(site) as browser:
        said = {"name": "by form", "track": "other", "language": "en", "visibility": "public"}
        files = [("file", (name, content, "application/gzip")) for name, content in runs]
        answer = browser.post("/submit", data=said | {"csrfmiddlewaretoken": browser.cookies["csrftoken"]}, files=files)
        assert answer.status_code == 302, answer.text
        return answer.headers["location"].split("/s/")[1].split("/")[0].split("?")[0]


def by_api(site: Site, name: str, content: bytes) -> str:
    answer = httpx.post(
        f"http://127.0.0.1:{site.port}/api/v1/submissions",
        data={"name": "by api", "track": "other", "language": "en", "visibility": "public"},
        files={"file": (name, content, "application/gzip")},
        timeout=PATIENCE,
    )
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


@pytest.fixture(scope="module")
def of_runs(site: Site, runs: list[tuple[str, bytes]]) -> str:
    """A measured submission of all runs by the form."""
    return _done(site, by_form(site, runs))


@pytest.fixture(scope="module")
def of_one_file(site: Site, runs: list[tuple[str, bytes]]) -> str:
    """A measured submission of only the first run."""
    return _done(site, by_api(site, *runs[0]))


def test_runs_from_the_form_come_back_as_a_distribution(site: Site, of_runs: str) -> None:
    page = finished(site, of_runs)
    assert f"{RUNS} runs agree at" in page
    assert page.count('<circle class="best"') >= RUNS * (RUNS - 1)  # every pair, over random and political cues
    assert "Ten nearest words by similarity averaged over the runs" in page


def test_an_archive_over_the_api_has_the_figures_of_the_files(
    site: Site, of_runs: str, runs: list[tuple[str, bytes]]
) -> None:
    packed = _done(site, by_api(site, "runs.tar.gz", archive(runs)))
    sides = [
        next(result for result in site.report(submission)["results"] if result["task"] == "stability")
        for submission in (of_runs, packed)
    ]
    assert sides[0]["secondary"] == sides[1]["secondary"]
    assert sides[0]["n"] == RUNS * (RUNS - 1) / 2
    assert 0.5 < sides[0]["score"] < 1


def test_a_single_file_gets_the_reason_why_it_has_no_stability(site: Site, of_one_file: str) -> None:
    report = site.report(of_one_file)
    missing = {item["task"]: item["reason"] for item in report["unavailable"]}
    assert "several runs of the same settings; there is one file" in missing["stability"]


def test_two_entries_are_compared_word_by_word_and_with_lists_of_people(
    site: Site, of_one_file: str, runs: list[tuple[str, bytes]]
) -> None:
    entries = [of_one_file, _done(site, by_api(site, *runs[1]))]
    with browser_of(site) as browser:
        form = {"e": entries, "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        closely = browser.post("/compare/correlate", data=form | {"page": "pair"}).headers["location"]
        lists = json.dumps({cue: WORDS[20 * n + 10 : 20 * n + 20] for n, cue in enumerate(ENGLISH.words)})
        beside = browser.post("/compare/people", data=form | {"given": lists}).headers["location"]
        site.wait_until(lambda: "data-waiting" not in browser.get(closely).text + browser.get(beside).text)
        assert "Histogram of the Pearson correlation of 310 words" in browser.get(closely).text
        assert browser.get(beside).text.count("100 of 100") == 2
        heat = browser.get(closely.replace("/pair", "/heat")).text
    assert f"/compare/pair?e={entries[0]}&amp;e={entries[1]}" in heat


def _done(site: Site, submission: str) -> str:
    finished(site, submission)
    return submission
