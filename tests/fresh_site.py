"""Start a site in the working directory and follow its links; run by ``tests/test_features.py``."""

from __future__ import annotations

import re
import sys
from collections import deque
from html import unescape
from urllib.parse import urlsplit

import django
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client
from django.urls import Resolver404, resolve

LINK = re.compile(r'(href|src|action)="(/[^"]*)"')
UNBUILT = "/docs/"


def start() -> list[str]:
    """Check and fill the site; returns the ids of two entries, the first with the excerpt that ships."""
    django.setup()
    call_command("check", fail_level="WARNING")
    call_command("makemigrations", check_changes=True, dry_run=True, verbosity=0)
    call_command("migrate", verbosity=0)
    call_command("load_baseline", stdout=sys.stderr)
    call_command("load_board", stdout=sys.stderr)
    from benchmark.shipped.vectors import excerpt_of
    from benchmark.submissions.models import Submission

    entries = sorted(Submission.objects.filter(is_baseline=False), key=lambda entry: excerpt_of(entry) is None)
    return [entry.pk for entry in entries[:2]]


def follow(client: Client, beginning: list[str]) -> None:
    """Open each of these pages, one page of every view that is linked from them, and so on, and print their URLs.

    Raises
    ------
    SystemExit
        a page cannot be opened, or links to a URL that doesn't exist.
    """
    opened: set[str] = set()
    seen: set[tuple[str, str]] = set()
    waiting = deque((url, "") for url in beginning)
    while waiting:
        url, source = waiting.popleft()
        try:
            view = resolve(urlsplit(url).path).view_name
        except Resolver404:
            raise SystemExit(f"{source} links to {url}, which does not exist") from None
        if view in opened and source:
            continue
        opened.add(view)
        print(view, url, flush=True)
        answer = client.get(url)
        if answer.status_code not in (200, 302):
            raise SystemExit(f"{source} links to {url}, which answers {answer.status_code}")
        if not answer.get("Content-Type", "").startswith("text/html"):
            continue
        for kind, link in dict.fromkeys(LINK.findall(answer.content.decode())):
            path = urlsplit(link).path
            if path.startswith(UNBUILT) or (kind, path) in seen:
                continue
            seen.add((kind, path))
            if kind == "action":
                resolve(path)
            elif not path.startswith("/static/"):
                waiting.append((unescape(link), url))
            elif finders.find(path.removeprefix("/static/")) is None:
                raise SystemExit(f"{url} needs {path}, which does not exist")


def main() -> None:
    first, second = start()
    pages = ["/", f"/r/{first}", f"/compare?e={first}&e={second}", "/submit"]
    follow(Client(headers={"host": "localhost"}), pages)


if __name__ == "__main__":
    main()
