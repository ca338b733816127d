"""Sites of earlier landings are upgraded: by ``migrate`` or, if their migrations were rewritten, by ``restore``."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from benchmark.operations.schema import ADVICE
from tests.benchmark.landings import ROOT, dump_of, hashes, landed, load
from tests.benchmark.sites import Site
from tests.servers import Postgres

LANDINGS = list(landed()["landings"])
REWRITTEN = ["0dcfd19e", "f865e8e1", "84450e00", "0362ad34", "aa6560d2", "8210a3df"]
"""Landings whose migrations changed later: before the rule that none does."""
QUICK = ("84450e00", "1c0be4b1")
BEGIN = "import sys, django; django.setup()\nfrom django.core.management import CommandError, call_command\n"
LOOK = """
from allauth.account.models import EmailAddress
from django.test import Client
from benchmark.accounts.models import ApiToken
from extensions.people.models import GivenLists
from extensions.people.models import FreeAssociation, Source
from benchmark.submissions.models import Submission
from workers.kinds.files import CHECK
row = Submission.objects.get()
print(ascii(row.name), row.owner.get_username(), row.file_bytes, row.created_at.isoformat())
print(row.state, list(CHECK.owed()))
(word,) = FreeAssociation.objects.all()
print(word.word, word.written, word.rater.plan)
print(ascii([Source.objects.get().words, GivenLists.objects.get().words]))
print(EmailAddress.objects.get(user__api_tokens=ApiToken.objects.get(secret_hash="c" * 64)).email)
Submission.objects.create(pk="seconddddddd", name="second", suite="demo", state="queued")  # with a ticket, numbered on
client = Client(raise_request_exception=False, SERVER_NAME="127.0.0.1")
paths = ("/", "/s/hostilehosti", "/people/", "/people/studystudyst/results", "/compare", "/board.csv")
print([client.get(path).status_code for path in paths])
"""
UPGRADE = f"""{BEGIN}
try:
    call_command("migrate", interactive=False, verbosity=0)
except CommandError as error:
    call_command("backup", sys.argv[1], stdout=sys.stderr)
    sys.exit(print(error))
print("migrated")
{LOOK}"""
RESTORE = f"""{BEGIN}
call_command("restore", sys.argv[1], stdout=sys.stderr)
call_command("migrate", interactive=False, verbosity=0)
{LOOK}"""


def upgraded(landing: str, folder: Path, url: str = "", empty: str = "") -> list[str]:
    """What the upgrade of a landing's site says, and what the site has then."""
    old, new = Site(folder / "old", url), Site(folder / "new", empty)
    for site in (old, new):
        site.folder.mkdir()
    load(landing, old.folder, url)
    said = old.run(UPGRADE, folder / "backups")
    return (said if said.startswith("migrated") else said + new.run(RESTORE, folder / "backups")).splitlines()


def check(landing: str, seen: list[str]) -> None:
    rewritten = landing in REWRITTEN
    again = rewritten and landing in REWRITTEN[:4]  # their reports have another form, so their files are measured again
    assert seen == [
        ADVICE if rewritten else "migrated",
        rf"'\U0001d568\U0001d560\U0001d563\U0001d555 \u202eelif\u202c' ada {2**40} 2026-05-04T03:02:01.999999+00:00",
        "uploaded ['hostilehosti']" if again else "done []",
        "d D ['c']",
        r"[{'\u202ecue': ['\x1b[2J', 'word']}, {'c': ['\x00']}]",
        "ada@vectors.example",
        "[200, 200, 200, 200, 200, 200]",
    ]


@pytest.mark.parametrize(
    "landing", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in LANDINGS]
)
def test_a_site_over_sqlite_of_each_landing_is_upgraded(landing: str, tmp_path: Path) -> None:
    check(landing, upgraded(landing, tmp_path))


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.parametrize("landing", LANDINGS)
def test_a_site_over_postgresql_of_each_landing_is_upgraded(landing: str, postgres: Postgres, tmp_path: Path) -> None:
    urls = [postgres.create_empty(f"test_{uuid.uuid4().hex[:12]}") for _ in range(2)]
    check(landing, upgraded(landing, tmp_path, *urls))


def test_a_migration_that_has_landed_never_changes() -> None:
    today = hashes(ROOT)
    changed = {path for path, digest in landed()["migrations"].items() if today.get(path) != digest}
    assert not changed, "sites have applied these: write a new migration instead"


def test_the_newest_landing_has_every_migration() -> None:
    new = set(hashes(ROOT)) - set(landed()["migrations"])
    assert not new, "run `python -m tests.benchmark.landings`, which keeps a database with these"
    assert all(dump_of(name, vendor).is_file() for name in LANDINGS for vendor in ("sqlite", "postgresql"))
