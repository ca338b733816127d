"""A file's name never becomes a path, and is shown as text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmark import storage
from benchmark.submissions.models import Submission

pytestmark = pytest.mark.django_db
NAMES = {
    "a way out": "../../../../etc/cron.d/x.gz",
    "an absolute path": "/etc/passwd",
    "a way out on Windows": "..\\..\\boot.ini",
    "right to left": "\u202efile\u202c.gz",
    "four-byte characters": "𝕨𝕠𝕣𝕕𝕤👩‍👩‍👧‍👦.gz",
    "markup": "<img src=x onerror=alert(1)>.gz",
    "a line break": "a\r\nSet-Cookie: x=1.gz",
    "a NUL": "a\x00b.gz",
    "very long": "n" * 5_000 + ".gz",
    "nothing": ".",
}


@pytest.fixture(autouse=True)
def own_files(settings: Any, tmp_path: Path) -> None:
    settings.VECBOARD_VAR = tmp_path / "var"
    settings.STORAGE_ROOT = tmp_path / "storage"
    settings.VECBOARD_SUITE = "demo"
    cache.clear()


@pytest.mark.parametrize("what", NAMES)
def test_a_name_that_wants_to_be_a_path_is_only_a_name(what: str, vector_file: Path, tmp_path: Path) -> None:
    file = SimpleUploadedFile("x.gz", vector_file.read_bytes())
    file._name = NAMES[what]  # a client may send this; Django's setter would clean it
    answer = Client().post("/api/v1/submissions", {"name": NAMES[what].replace("\x00", ""), "file": file})
    assert answer.status_code in (202, 400), answer.content
    assert "Set-Cookie: x=1" not in str(answer.headers)
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path != vector_file]
    assert all(storage.root() in path.parents for path in written)
    if answer.status_code == 202:
        row = Submission.objects.get()
        assert re.fullmatch(r"uploads/\w\w/\w{12}\.gz", row.file_key)
        page = Client().get(f"/s/{row.pk}").content.decode()
        assert "<img src=x" not in page
        assert "\u202e" not in page
