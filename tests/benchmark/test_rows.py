"""Rows over both databases: values that SQLite refuses like PostgreSQL, and the order of JSON keys."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DataError, IntegrityError, transaction
from django.db.models import F, Value
from django.test import Client

from benchmark.submissions.models import Measurement, Submission
from benchmark.submissions.states import State
from extensions.people.models import GivenLists
from tasks.intrinsic.priming import PARTS
from tests.benchmark.conftest import Make

pytestmark = pytest.mark.django_db
REFUSED: dict[str, dict[str, Any]] = {
    "a number of more than 32 bits": {"window": 2**31},
    "one of more than 64 bits": {"tokens": 2**63},
    "less than nothing": {"window": -1},
    "a NUL": {"original_name": "a\x00b"},
    "half a character": {"original_name": "\ud800"},
    "a NUL in JSON": {"error": {"message": ["a\x00b"]}},
    "half a character in a key of JSON": {"error": {"\ud800": 1}},
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_row_that_postgresql_refuses_is_refused(what: str) -> None:
    with pytest.raises((DataError, IntegrityError, ValueError)), transaction.atomic():
        Submission.objects.create(name="x", suite="demo", **REFUSED[what])
    row = Submission.objects.create(name="x", suite="demo")
    with pytest.raises((DataError, IntegrityError, ValueError)), transaction.atomic():
        Submission.objects.filter(pk=row.pk).update(**REFUSED[what])


def test_the_largest_values_are_accepted() -> None:
    row = Submission.objects.create(name="𝕨\u202e", suite="demo", window=2**31 - 1, tokens=2**63 - 1, file_bytes=1)
    Submission.objects.filter(pk=row.pk).update(file_bytes=F("file_bytes") + Value(3_000_000_000))
    row.refresh_from_db()
    assert (row.window, row.tokens, row.file_bytes) == (2**31 - 1, 2**63 - 1, 3_000_000_001)


def test_words_of_vector_files_are_stored_unchanged() -> None:
    words = {"\x00": ["\ud800", "\x1b[2J"]}
    GivenLists.objects.create(key="k", title="t", words=words)
    assert GivenLists.objects.get().words == words


def test_a_file_of_nearly_three_gigabytes_can_be_announced(settings: Any) -> None:
    settings.VECBOARD_DISK_STOP_BYTES = 0
    settings.VECBOARD_MAX_UPLOAD_BYTES = 2_900_000_000
    body = {"name": "x", "files": [{"name": "a.gz", "bytes": 2_900_000_000}]}
    answer = Client().post("/api/v1/uploads", body, content_type="application/json")
    assert answer.status_code in (201, 507), answer.content  # 507: this machine has less space


PARTITIONS = {part: {"rho": -0.1} for part in PARTS}


def kept(result: Any, make: Make) -> Any:
    row = make(State.DONE)
    measurement = Measurement.objects.create(submission=row, result=result)
    Measurement.objects.filter(pk=measurement.pk).update(result=result)
    Measurement.objects.bulk_update([measurement], ["result"])
    return Measurement.objects.get(pk=measurement.pk).result


def test_partitions_stay_as_they_were_measured(submission: Make) -> None:
    result = kept({"seconds": 1.5, "secondary": {"partitions": PARTITIONS}}, submission)
    assert list(result["secondary"]["partitions"]) == ["p1_dev", "p1_test", "p2_dev", "p2_test", "p2_train"]


def test_cues_of_given_lists_stay_in_the_order_given() -> None:
    words = {"welfare": ["aid"], "tax": ["cut"], "a": ["b"]}
    GivenLists.objects.create(key="k", title="three", words=words)
    assert list(GivenLists.objects.get().words) == list(words)
