"""Start a site in the working directory and take what its pages offer; run by ``tests/test_features.py``."""

from __future__ import annotations

import re
import sys
from collections import Counter, deque
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import django
from django.contrib.staticfiles import finders
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import Resolver404, resolve

STATIC = re.compile(r'(?:href|src)="/static/([^"]*)"')
OPTION = re.compile("<option.*?</option>", re.DOTALL)
UNBUILT = "/docs/"
ALIKE = 2
"""Offers of one kind that are taken on a page of one kind, such as reports of different entries."""
FORM = "application/x-www-form-urlencoded"
NO_ANSWER = re.compile(
    r'\bno entr(y|ies)\b|nothing to choose|this page needs|too few entries|role="alert"', re.IGNORECASE
)
"""Texts of a page that has nothing to answer with."""


@dataclass
class Form:
    """A form with its default choices; it asks for something if a field or a choice is empty, or for a file."""

    action: str
    is_post: bool
    fields: list[tuple[str, str]] = field(default_factory=list)
    ticked: set[str] = field(default_factory=set)
    unticked: Counter[str] = field(default_factory=Counter)
    asks: bool = False


class Offers(HTMLParser):
    """Links and forms of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.choice: tuple[str, str | None] | None = None
        """Name and default of the select that is being read."""
        self.is_required = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "form":
            self.forms.append(Form(values.get("action", ""), values.get("method", "").lower() == "post"))
        if not self.forms or "disabled" in values:
            return
        form, kind = self.forms[-1], values.get("type", "text" if tag == "input" else "")
        if tag in ("input", "textarea", "select") and "name" in values:
            name, value, is_box = values["name"], values.get("value", ""), kind in ("checkbox", "radio")
            if tag != "select" and not value and (kind in ("file", "password", "text") or "required" in values):
                form.asks = True
            if tag == "select":
                self.choice, self.is_required = (name, None), "required" in values
            elif is_box and "checked" not in values:
                form.unticked[name] += 1
            else:
                form.ticked |= {name} if is_box else set()
                form.fields.append((name, value or "on" * is_box))
        if tag == "option" and self.choice and (self.choice[1] is None or "selected" in values):
            self.choice = self.choice[0], values.get("value", "")
            form.asks |= self.choice[1] == "" and self.is_required

    def handle_endtag(self, tag: str) -> None:
        if tag == "select" and self.choice:
            self.forms[-1].fields.append((self.choice[0], self.choice[1] or ""))
            self.choice = None
        if tag == "form" and self.forms:
            self.forms[-1].asks |= any(
                count > 1 and name not in self.forms[-1].ticked for name, count in self.forms[-1].unticked.items()
            )


def start() -> list[str]:
    """Check and fill the site; returns the ids of two entries, the first with the excerpt that ships."""
    django.setup()
    call_command("check", fail_level="WARNING")
    call_command("makemigrations", check_changes=True, dry_run=True, verbosity=0)
    call_command("migrate", verbosity=0)
    call_command("load_baseline", stdout=sys.stderr)
    call_command("load_board", stdout=sys.stderr)
    from benchmark.data import current_suite
    from benchmark.shipped.vectors import excerpt_of
    from benchmark.submissions.models import Submission
    from workers import queue, runner

    board = f"{current_suite().id}/{current_suite().version}"
    queue.enqueue("rank", board)
    runner.run("rank", board)
    entries = sorted(Submission.objects.filter(is_baseline=False), key=lambda entry: excerpt_of(entry) is None)
    return [entry.pk for entry in entries[:2]]


def follow(client: Client, beginning: list[str]) -> None:
    """Open each of these pages, take what they offer, by link or form, and so on, and print the kinds of pages.

    Raises
    ------
    SystemExit
        an offer has no answer.
    """
    taken: set[str] = set()
    alike: Counter[tuple[object, ...]] = Counter()
    opened: set[str] = set()
    waiting = deque((url, Form(url, is_post=False), "") for url in beginning)
    problems = []
    while waiting:
        url, form, source = waiting.popleft()
        offer = f"{source} offers {'the form ' if form.is_post else ''}{url} {form.fields if form.is_post else ''}"
        view = name_of(urlsplit(url).path)
        if not view:
            raise SystemExit(f"{offer}, which does not exist")
        data = urlencode(form.fields) if form.is_post else None
        cache.clear()  # so that no limit a minute is reached
        answer = client.post(url, data, FORM, follow=True) if form.is_post else client.get(url, follow=True)
        if answer.status_code not in (200, 202):
            problems.append(f"{offer}: {answer.status_code}")
        if not answer.get("Content-Type", "").startswith("text/html"):
            continue
        page = answer.content.decode()
        if nothing := NO_ANSWER.search(OPTION.sub("", page.partition("<main")[2])):
            problems.append(f"{offer}: {nothing.group()}")
        if view not in opened:
            opened.add(view)
            print(view, url, flush=True)
        for name in STATIC.findall(page):
            if finders.find(name) is None:
                raise SystemExit(f"{url} needs {name}, which does not exist")
        here = answer.request["PATH_INFO"] + "?" + answer.request["QUERY_STRING"]
        for offered in offers_of(page):
            address = urljoin(here, offered.action)
            if not offered.is_post and offered.fields:
                address = f"{urlsplit(address).path}?{urlencode(offered.fields)}"
            parts = urlsplit(address)
            if parts.netloc or parts.scheme or not parts.path or parts.path.startswith((UNBUILT, "/static/")):
                continue
            kind = (view, offered.is_post, name_of(parts.path), *sorted(parse_qs(parts.query)))
            key = f"{offered.is_post}{parts.path}?{parts.query}"
            if alike[kind] < ALIKE and key not in taken:
                alike[kind] += 1
                taken.add(key)
                waiting.append((parts._replace(fragment="").geturl(), offered, url))
    print(len(taken), "offers")
    if problems:
        raise SystemExit("\n".join(problems))


def name_of(path: str) -> str:
    """The name of a view; empty if none has this path."""
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""


def offers_of(page: str) -> list[Form]:
    """Links and forms that ask for nothing."""
    offers = Offers(page)
    return [Form(link, is_post=False) for link in dict.fromkeys(offers.links)] + [f for f in offers.forms if not f.asks]


def main() -> None:
    first, second = start()
    pages = ["/", f"/r/{first}", f"/compare?e={first}&e={second}", "/submit"]
    follow(Client(headers={"host": "localhost"}), pages)


if __name__ == "__main__":
    main()
