"""Sign-up as a person does it, finished entries, and the rules that a page breaks."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.pages import violations_in_light_and_dark
from tests.web import Web

PASSWORD = "correct horse battery staple"
FINISHED = """
import sys
import django
django.setup()
from tests.benchmark.entries import submitted
from tests.benchmark.reports import TOKEN
print(submitted(name=sys.argv[1], description="By the Quetzal group.", file_key="").pk, TOKEN)
"""


def finished_entry(web: Web, name: str) -> tuple[str, str]:
    """An entry with a report, and the secret of its owner."""
    entry, token = web.python("-c", FINISHED, name).split()
    return entry, token


def account(web: Web, page: Page, name: str) -> None:
    """Sign up: this site has no mail server, so that no address is confirmed and the account opens at once."""
    page.goto(f"{web.address}/account/signup/")
    page.get_by_label("E-mail address").fill(f"{name}@vectors.example")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name="My submissions")).to_be_visible()


def violations_at(page: Page, web: Web, path: str) -> list[str]:
    """Rules that axe finds broken in either colour scheme."""
    page.goto(f"{web.address}{path}")
    found = violations_in_light_and_dark(page)
    return [f"{path}: {rule} {element}" for rule, elements in found for element in elements]
