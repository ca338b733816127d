"""An extension is a folder and a line in ``EXTENSIONS``: the rest of the site runs without it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import resolve

from benchmark.features import Extension, features, uploads
from tests.checkout import files_of_git
from tests.test_architecture import ROOT, imported, modules
from workers.runner import KINDS

SECONDS = 600
CORE = (
    "tests/benchmark/test_pages.py",
    "tests/benchmark/submissions/test_submit.py",
    "tests/benchmark/reports/test_reports.py",
    "tests/benchmark/api/test_api.py",
    "tests/workers/test_cells.py",
)
EXTENSIONS = {feature.label: feature for feature in features() if isinstance(feature, Extension)}


def extension_of(path: Path) -> str:
    """The name of the extension that a file belongs to; empty for the core's."""
    return next((one.name for one in EXTENSIONS.values() if Path(one.path) in path.parents), "")


@pytest.mark.parametrize("room", ["tasks", "benchmark", "extensions", "workers", "plots", "vecboard"])
def test_the_core_imports_no_extension_and_an_extension_only_those_it_requires(room: str) -> None:
    names = {one.name: one for one in EXTENSIONS.values()}
    forbidden = []
    for path in modules(room):
        importer = extension_of(path)
        allowed = {importer, *names[importer].requires} if importer else set()
        used = {name for name in names for module in imported(path) if f"{module}.".startswith(f"{name}.")}
        if room != "extensions":
            used |= {module for module in imported(path) if module.startswith("extensions.shared")}
        forbidden += [(str(path.relative_to(ROOT)), name) for name in used - allowed]
    assert forbidden == []


def test_templates_name_only_extensions_that_theirs_requires() -> None:
    named = re.compile(rf"""["']({"|".join(EXTENSIONS)})[:/]""")
    forbidden = []
    for path in (path for room in ("benchmark", "extensions") for path in (ROOT / room).rglob("*.html")):
        own, text = extension_of(path), path.read_text(encoding="utf-8")
        allowed = {own, *EXTENSIONS[own.rpartition(".")[2]].requires} if own else set()
        used = {f"extensions.{label}" for label in named.findall(text)}
        forbidden += [(str(path.relative_to(ROOT)), name) for name in used - allowed]
    assert forbidden == []


def test_texts_that_visitors_send_have_a_page_and_a_job() -> None:
    for upload in uploads():
        assert upload.job in KINDS
        for path in upload.paths:
            resolve(path)


def with_dependents(label: str) -> set[str]:
    """An extension, and those that require it, directly or through others."""
    name = EXTENSIONS[label].name
    return {label}.union(*(with_dependents(other) for other, one in EXTENSIONS.items() if name in one.requires))


def copy_without(labels: Collection[str], to: Path) -> Path:
    """Copy the files that git tracks or would add, without these folders, their tests and lines in ``EXTENSIONS``."""
    gone = tuple(f"extensions/{label}/" for label in labels)
    for name in files_of_git("--cached", "--others", "--exclude-standard"):
        if not name.startswith(gone) and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)
    switches = to / "extensions" / "__init__.py"
    lines = switches.read_text(encoding="utf-8").splitlines(keepends=True)
    left = [line for line in lines if line.strip() not in {f'"extensions.{label}",' for label in labels}]
    assert len(left) == len(lines) - len(labels)
    switches.write_text("".join(left), encoding="utf-8")
    return to


def run(tree: Path, *command: str) -> None:
    """Run Python in a copy, with files of its own."""
    own = {"VECBOARD_VAR": str(tree.parent / "var"), "DATABASE_URL": "", "REDIS_URL": "", "VECBOARD_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tree,
        env=os.environ | own | {"DJANGO_SETTINGS_MODULE": "benchmark.settings"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout[-3000:]}{done.stderr[-3000:]}"


@pytest.mark.slow
@pytest.mark.parametrize("label", EXTENSIONS)
def test_a_fresh_site_runs_without_an_extension(label: str, tmp_path: Path) -> None:
    run(copy_without(with_dependents(label), tmp_path / "tree"), "-m", "tests.fresh_site")


@pytest.mark.slow
def test_without_any_extension_a_site_takes_files_measures_and_reports_them(tmp_path: Path) -> None:
    tree = copy_without(EXTENSIONS, tmp_path / "tree")
    run(tree, "-m", "tests.fresh_site")
    run(tree, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *CORE)


OPEN = """
from tests.fresh_site import Client, offers_of, start
entry, _ = start()
client = Client(headers={"host": "localhost"})
(link,) = {o.action for o in offers_of(client.get(f"/r/{entry}").content.decode()) if o.action.endswith("/lengths")}
for query in ("", "?first=10000"):
    answer = client.get(link + query)
    assert answer.status_code == 200 and "words have a median length of" in answer.content.decode(), answer.content
"""


@pytest.mark.slow
def test_the_example_is_an_extension_once_it_is_copied_and_has_its_line(tmp_path: Path) -> None:
    tree = copy_without((), tmp_path / "tree")
    shutil.copytree(tree / "examples" / "extension", tree / "extensions" / "lengths")
    switches = tree / "extensions" / "__init__.py"
    switches.write_text(switches.read_text().replace("\n)", '\n    "extensions.lengths",\n)'), encoding="utf-8")
    run(tree, "-c", OPEN)
    tests = ("extensions/lengths/tests", "tests/test_features.py")
    run(tree, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *tests)


BEGIN = """
import django; django.setup()
from django.core.management import call_command
from django.db import IntegrityError, connection
from benchmark import storage
from benchmark.submissions.models import Submission
"""
USE = f"""{BEGIN}
from benchmark.operations.models import Job
from extensions.own.models import OwnTexts
from extensions.pairs.models import PairCorrelation
from extensions.people.models import ListDeviation, Source, Study
call_command("migrate", interactive=False, verbosity=0)
entry = Submission.objects.create(pk="entryentryen", name="used", suite="demo", state="done")
hashes = {{"left_sha256": "a" * 64, "right_sha256": "b" * 64}}
PairCorrelation.objects.create(left=entry, right=entry, cues="random", cues_key="random", **hashes)
ListDeviation.objects.create(submission=entry, vectors_sha256="a" * 64, lists_key="lists")
Source.objects.create(study=Study.objects.create(), kind="entry", name="used", submission=entry)
for kind in ("correlate", "own", "claim"):
    Job.objects.create(kind=kind, subject="1", level=1)
storage.path_of("own/te/texts").write_text("texts")
(OwnTexts.scratch() / "texts").touch()
"""
KEPT = f"""{BEGIN}
try:
    call_command("erase", "entryentryen")
except IntegrityError:
    assert Submission.objects.exists()
else:
    raise AssertionError("the entry's rows of extensions should have kept it")
"""
INTERRUPTED = f"""{BEGIN}
import sys
from unittest import mock
from django.contrib.contenttypes.models import ContentType
with mock.patch.object(type(ContentType.objects), "filter", side_effect=KeyboardInterrupt):
    try:
        call_command("remove_extension", *sys.argv[1:], "--apply")
    except KeyboardInterrupt:
        pass
    else:
        raise AssertionError("the first extension's tables are deleted, and not its types")
"""
ERASED = f"""{BEGIN}
from django.conf import settings
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from benchmark.operations.models import Job
call_command("erase", "entryentryen")
assert not Submission.objects.exists() and not Job.objects.exists() and not list(storage.keys("own"))
assert not (settings.VECBOARD_VAR / "own-read").exists()
tables = connection.introspection.table_names()
assert not [name for name in tables if name.startswith(("people_", "own_", "claim_"))], tables
assert not ContentType.objects.filter(app_label__in=("people", "pairs", "own", "claim")).exists()
call_command("migrate", "--check", interactive=False, verbosity=0)
"""


@pytest.mark.slow
def test_an_entry_can_be_deleted_after_extensions_that_used_it_were_removed(tmp_path: Path) -> None:
    labels = sorted(set().union(*(with_dependents(label) for label in ("people", "pairs", "own", "claim"))))
    whole, rest = copy_without((), tmp_path / "whole"), copy_without(labels, tmp_path / "rest")
    run(whole, "-c", USE)
    run(whole, "manage.py", "remove_extension", *labels)  # deletes nothing
    run(rest, "-c", KEPT)
    run(whole, "-c", INTERRUPTED, *labels)
    run(whole, "manage.py", "remove_extension", *labels, labels[0], "--apply")
    run(rest, "-c", ERASED)
    run(whole, "-c", USE)  # the extensions come back


def test_an_extension_that_another_one_needs_is_not_removed_alone() -> None:
    with pytest.raises(CommandError, match="requires texts"):
        call_command("remove_extension", "texts", "--apply")
    with pytest.raises(CommandError, match="no extension 'submissions'"):
        call_command("remove_extension", "submissions", "--apply")
