from __future__ import annotations

import gzip
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from benchmark.features import features
from benchmark.management.commands.load_baseline import load
from benchmark.protocol.views import ALL_ABOVE
from benchmark.submissions.models import StoredReport, Submission
from tasks.hashes import task_hash
from tasks.languages import ENGLISH, language_name
from tasks.suites import SUITES
from tests.benchmark.people_accounts import browser_of, person
from tests.benchmark.reports import SUITE, report_of

pytestmark = pytest.mark.django_db
PAGES = ("/", "/submit", "/corpus", "/api", "/suites/demo", "/suites/open-2026", "/suites/veceval-2016", "/nowhere")
LINKED = [
    reverse(link.view)
    for feature in features()
    for link in feature.links
    if link.place in ("main", "Results", "Method", "Take part") and not link.of_suite
]
STATIC = Path(settings.BASE_DIR) / "static"


@pytest.mark.parametrize("path", PAGES)
def test_no_page_needs_anything_inline_or_from_elsewhere(stranger: Client, path: str) -> None:
    response = stranger.get(path)
    page = response.content.decode()
    assert "unsafe-inline" not in response["Content-Security-Policy"]
    assert "style=" not in page
    assert "<script>" not in page
    assert 'src="http' not in page


def test_the_typeface_of_pages_is_one_small_preloaded_file_with_its_licence(stranger: Client) -> None:
    [named] = re.findall(r'url\("../([^"]+)"\)', (STATIC / "css" / "base.css").read_text())
    assert f'rel="preload" href="/static/{named}" as="font"' in stranger.get("/corpus").content.decode()
    assert (STATIC / named).stat().st_size < 60_000
    assert "SIL OPEN FONT LICENSE" in (STATIC / named).with_name("LICENSE.txt").read_text()


def test_collected_files_and_their_compressed_copies_can_be_read_by_every_account(tmp_path: Path) -> None:
    """Also if root collects them, as while an image is built: the site keeps its other files to itself."""
    environment = os.environ | {"VECBOARD_VAR": str(tmp_path / "var"), "VECBOARD_STATIC_ROOT": str(tmp_path / "static")}
    collect = [sys.executable, "manage.py", "collectstatic", "--noinput"]
    subprocess.run(collect, cwd=settings.BASE_DIR, env=environment, check=True, stdout=subprocess.DEVNULL)
    paths = list((tmp_path / "static").rglob("*"))
    assert sum(path.suffix == ".gz" for path in paths) > 100
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o644, 0o755}


def test_a_page_is_compressed_for_a_visitor_without_an_own_cookie(stranger: Client) -> None:
    plain, packed = stranger.get("/corpus"), stranger.get("/corpus", headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(packed.content) == plain.content
    assert ["Accept-Encoding" in page["Vary"] for page in (plain, packed)] == [True, True]
    stranger.cookies["owner-4kq1z0c7m2xa"] = "secret"
    assert "Content-Encoding" not in stranger.get("/corpus", headers={"Accept-Encoding": "gzip"})


def header(client: Client, path: str = "/corpus") -> str:
    return client.get(path).content.decode().partition("</header>")[0]


def test_the_header_has_at_most_four_items_and_a_menu_for_those_who_have_something_in_it(stranger: Client) -> None:
    items = re.search(r'<nav aria-label="Site">(.*?)</nav>', header(stranger), re.DOTALL)
    assert items is not None
    assert 0 < items[1].count("<a ") <= 4
    assert 'popovertarget="account-menu"' not in header(stranger)
    assert "/account/login/?next=/corpus" in header(stranger)
    stranger.cookies["owner-4kq1z0c7m2xa"] = "secret"
    assert ["/mine" in header(stranger), "/account/login/" in header(stranger)] == [True, True]
    known = header(browser_of(person("grace")))
    assert ["/mine" in known, "/account/logout/" in known, "/account/login/" in known] == [True, True, False]


@pytest.mark.parametrize("path", dict.fromkeys([*PAGES, *LINKED]))
def test_a_page_with_a_link_in_header_or_footer_marks_it_alone(stranger: Client, path: str) -> None:
    response = stranger.get(path)
    around = re.sub("(?s)<main.*</main>", "", response.content.decode())
    current = re.findall(r'<a[^>]* aria-current="(\w+)"', around)
    assert (response.status_code, current) == ((404, []) if path == "/nowhere" else (200, ["page"]))


@pytest.mark.parametrize("path", PAGES)
def test_every_page_forbids_framing_and_sniffing(stranger: Client, path: str) -> None:
    response = stranger.get(path)
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"


def test_a_missing_page_is_styled(stranger: Client) -> None:
    response = stranger.get("/nowhere")
    assert response.status_code == 404
    assert "Page not found" in response.content.decode()


@pytest.mark.django_db
def test_only_missing_entries_are_explained_as_withdrawn_or_private(stranger: Client) -> None:
    assert "withdraws or deletes" in stranger.get("/s/abcdefghijkl").content.decode()
    assert "withdraws or deletes" not in stranger.get("/nothing").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "path", "sentence"),
    [("GET", "/submit/begin", "only takes what a form sends"), ("POST", "/", "can only be opened")],
)
def test_a_page_that_does_not_take_the_method_says_so(stranger: Client, method: str, path: str, sentence: str) -> None:
    response = stranger.generic(method, path)
    assert response.status_code == 405
    assert method not in response["Allow"].split(", ")
    assert sentence in response.content.decode()


@pytest.mark.django_db
def test_an_unknown_host_gets_no_links_that_it_would_refuse_again(stranger: Client) -> None:
    page = stranger.get("/", headers={"host": "evil.example"}).content.decode()
    assert "This site has no host name “evil.example”." in page
    assert "My submissions</a> · " not in page


def test_a_page_that_is_not_there_says_why_when_the_site_knows(submission: Callable[..., Submission]) -> None:
    row = submission()
    assert "These vectors are not offered for download." in Client().get(f"/s/{row.pk}/vectors").content.decode()
    assert "There is no page at this URL." in Client().get("/nowhere").content.decode()


def test_a_form_that_is_too_old_says_what_to_do() -> None:
    response = Client(enforce_csrf_checks=True).post("/account/logout/")
    assert response.status_code == 403
    assert "reload the page and send the form again" in response.content.decode()


def test_a_broken_page_is_styled(submission: Callable[..., Submission]) -> None:
    row = submission()
    StoredReport.objects.filter(submission=row).update(frame={})
    response = Client(raise_request_exception=False).get(f"/r/{row.pk}")
    assert response.status_code == 500
    assert "Something went wrong on our side" in response.content.decode()


@pytest.mark.parametrize("suite", SUITES)
def test_a_suites_page_lists_its_tasks_with_their_licences(stranger: Client, suite: str) -> None:
    page = stranger.get(f"/suites/{suite}").content.decode()
    for task in SUITES[suite].tasks:
        assert escape(task.title) in page
        assert all(task_hash(SUITES[suite], task, mode) in page for mode in task.modes)


def test_a_suites_page_lists_its_tasks_by_language(stranger: Client) -> None:
    suite = SUITES["open-2026"]
    rows = stranger.get("/suites/open-2026").content.decode().split('id="languages"')[1].split("</table>")[0]
    for codes, tasks in suite.tasks_by_language():
        row = rows.split(f">{escape(', '.join(map(language_name, codes)))}</th>")[1].split("</tr>")[0]
        titles = [ALL_ABOVE] if codes == (ENGLISH,) else [task.title for task in tasks]
        assert escape("; ".join(titles)) in row
    assert rows.count("<tr>") == len(suite.tasks_by_language()) + 1


def test_common_facts_of_tasks_are_shown_once_above_them(stranger: Client) -> None:
    similarity = next(task for task in SUITES["open-2026"].tasks if task.id == "sim-simlex-999")
    page = stranger.get("/suites/open-2026").content.decode()
    assert page.count(escape(similarity.shows)) == 1
    assert page.count(escape(similarity.citation)) == 1


def test_the_baseline_becomes_an_entry_once(stranger: Client) -> None:
    assert load(SUITE, report_of(0.0)) is True
    first = StoredReport.objects.get()
    assert load(SUITE, report_of(0.0)) is False
    assert StoredReport.objects.get() == first
    assert "SVD-PPMI baseline, 10 dimensions" in stranger.get("/?view=scores").content.decode()


def test_a_new_baseline_replaces_the_report_under_the_same_address(stranger: Client) -> None:
    load(SUITE, report_of(0.0))
    entry = Submission.objects.get()
    assert load(SUITE, report_of(0.1)) is True
    assert Submission.objects.get() == entry
