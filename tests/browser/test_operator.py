"""The operator's pages in a real browser: axe finds nothing on any of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.apps import apps
from playwright.sync_api import Page, expect

from tests.browser.accounts import account, finished_entry, violations_at
from tests.web import Web

UNLESS_REMOVED = pytest.mark.skipif(not apps.is_installed("extensions.operator"), reason="extension removed")
pytestmark = [pytest.mark.slow, pytest.mark.browser, UNLESS_REMOVED]
PROMOTE = """
import sys
import django
django.setup()
from django.contrib.auth.models import User
from benchmark.submissions.models import SubmissionCell
person = User.objects.get(username=sys.argv[1])
person.is_staff = person.is_superuser = True
person.save()
SubmissionCell.objects.create(
    submission_id=sys.argv[2], task="pos", mode="fixed", task_hash="0" * 64, vectors_sha256="1" * 64, position=0,
)
print(person.pk)
"""


def test_axe_finds_nothing_on_the_operators_pages(web: Web, visitor: Callable[..., Page]) -> None:
    page = visitor()
    entry, _token = finished_entry(web, "Looked after")
    account(web, page, "operator")
    person = web.python("-c", PROMOTE, "operator", entry).strip()
    page.goto(f"{web.address}/operator/")
    links = page.locator("#content-main a[href^='/operator/']").evaluate_all("all => all.map(a => a.pathname)")
    entry_page = f"/operator/submissions/submission/{entry}/change/"
    assert "/operator/submissions/submission/" in links
    paths = {"/operator/", *links, entry_page, f"/operator/auth/user/{person}/change/"}
    found = [problem for path in sorted(paths) for problem in violations_at(page, web, path)]
    assert found == []
    page.goto(f"{web.address}{entry_page}")
    expect(page.get_by_role("rowheader", name="pos")).to_be_visible()
