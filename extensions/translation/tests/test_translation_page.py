"""Translation between two entries: a dictionary is sent, a worker measures, the link shows the result."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory
from django.utils import timezone

from benchmark.features import Feature
from benchmark.operations.counting import payer_of
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.translation import views
from extensions.translation.jobs import MOST_NUMBERS, MOST_WORDS, most_words
from extensions.translation.models import WordTranslation
from tasks.prepared import store
from tasks.vectors import Embedding, content_hash
from tests.benchmark.conftest import Make
from tests.workers.factories import do_job

Two = tuple[Submission, Submission]
N, D = 60, 6
GENERATOR = np.random.default_rng(5)
MATRIX = GENERATOR.normal(size=(N, D)).astype(np.float32)
ROTATED = (MATRIX @ np.linalg.qr(GENERATOR.normal(size=(D, D)))[0]).astype(np.float32)
ENGLISH, ARABIC = ([f"{start}{i}" for i in range(N)] for start in ("word", "كلمة"))
PAIRS = "\n".join(map(" ".join, zip(ENGLISH, ARABIC, strict=True)))


def prepared(directory: Path, words: list[str], matrix: np.ndarray) -> str:
    return store(Embedding("made", words, matrix, content_hash(words, matrix)), directory / "var" / "prepared").name


@pytest.fixture
def two(submission: Make, own_files: Path) -> Two:
    english, arabic = prepared(own_files, ENGLISH, MATRIX), prepared(own_files, ARABIC, ROTATED)
    columns = {"dimensions": D, "words": N, "file_key": "uploads/x.gz"}
    return (
        submission(name="english", vectors_sha256=english, **columns),
        submission(name="arabic", vectors_sha256=arabic, language="ar", **columns),
    )


def send(visitor: Client, rows: Two, **fields: Any) -> Any:
    return visitor.post("/compare/translate", {"e": [row.pk for row in rows]} | fields)


def text_of(visitor: Client, address: str) -> str:
    return visitor.get(address).content.decode()


def test_a_dictionary_is_measured_by_a_worker_and_then_deleted(two: Two, stranger: Client) -> None:
    answer = send(stranger, two, dictionary=PAIRS + "\nice cream\tمثلجات\nodd line out\n")
    row = WordTranslation.objects.get()
    assert [(job.kind, job.subject) for job in Job.objects.order_by("pk")] == [("translate", str(row.pk))]
    assert "It appears here by itself." in text_of(stranger, answer.url)
    do_job("translate", row.pk)
    row.refresh_from_db()
    assert row.dictionary == ""
    page = text_of(stranger, answer.url)
    assert page.count("100.00<small>100.00 to 100.00") == 6
    assert "1 pair with terms of several words left out" in page
    assert re.search(r"Lines left out: 1. Line \d+ of the dictionary has 3 terms", page)
    assert '<strong><bdi lang="ar" dir="rtl">كلمة' in page
    assert "<bdi>word" in page


def test_the_same_dictionary_is_measured_once(two: Two, stranger: Client) -> None:
    first = send(stranger, two, dictionary=PAIRS)
    again = send(Client(), two, file=SimpleUploadedFile("d.txt", PAIRS.encode("utf-8-sig")))
    assert first.url == again.url
    assert Job.objects.count() == 1
    do_job("translate", Job.objects.get().subject)
    send(stranger, two, dictionary=PAIRS)
    assert not Job.objects.exists()
    assert WordTranslation.objects.get().dictionary == ""


def test_only_those_with_the_link_see_the_result_and_nothing_keeps_it(two: Two, stranger: Client) -> None:
    answer = send(stranger, two, dictionary=PAIRS)
    do_job("translate", Job.objects.get().subject)
    bare = answer.url.partition("&key=")[0]
    assert "Precision" in text_of(stranger, answer.url)
    assert "Precision" not in text_of(stranger, bare)
    assert "does not exist or has expired" in text_of(stranger, f"{bare}&key={'0' * 64}")
    headers = stranger.get(answer.url).headers
    assert "no-store" in headers["Cache-Control"]
    assert headers["X-Robots-Tag"] == "noindex, nofollow"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"dictionary": "\nice cream Eis"}, "Line 2 of the dictionary has 3 terms"),
        ({"dictionary": ""}, "The dictionary has no pair of single words"),
        ({"file": SimpleUploadedFile("d", b"x y\n" * 300_000)}, "The file is larger than 1 MB"),
        ({"dictionary": "cat Katze\r\n" * 8_001}, "The text is longer than 80,000 characters"),
        ({"file": SimpleUploadedFile("d", b"caf\xe9 x")}, "Line 1 of the dictionary is not UTF-8"),
        ({"file": SimpleUploadedFile("d", b"a\x00 b")}, "has a character that cannot be stored"),
        ({"file": SimpleUploadedFile("d", b"".join(b"a%d b\n" % i for i in range(20_001)))}, "more than 20,000 pairs"),
    ],
)
def test_an_invalid_dictionary_is_reported_and_queues_nothing(
    two: Two, stranger: Client, fields: dict[str, Any], said: str
) -> None:
    answer = send(stranger, two, **fields)
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not Job.objects.exists()
    assert not WordTranslation.objects.exists()


def test_entries_of_other_dimensions_or_without_vectors_are_reported(
    two: Two, submission: Make, stranger: Client
) -> None:
    longer, gone = submission(dimensions=7, vectors_sha256="b" * 64), submission(file_key="", vectors_sha256="c" * 64)
    for other, said in ((longer, "have 6 and 7 dimensions"), (gone, "does not keep the vectors")):
        answer = send(stranger, (two[0], other), dictionary=PAIRS)
        assert answer.status_code == 400
        assert said in answer.content.decode()


def test_too_few_known_words_are_the_result(two: Two, stranger: Client) -> None:
    answer = send(stranger, (two[1], two[0]), dictionary=PAIRS)
    do_job("translate", Job.objects.get().subject)
    assert "Is the dictionary the other way round?" in text_of(stranger, answer.url)


def test_a_visitor_has_an_hourly_limit(two: Two, stranger: Client, leave: Callable[..., None]) -> None:
    leave(views.DICTIONARIES, payer_of(RequestFactory().get("/")), 2)
    answers = [send(stranger, two, dictionary=f"{PAIRS}\nmore{i} x") for i in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert Job.objects.count() == WordTranslation.objects.count() == 2


def test_work_is_limited_for_any_vectors() -> None:
    for dimensions in (2, 300, 2_000):
        made = Embedding("made", ["a"], np.ones((1, dimensions), np.float32), "made")
        assert most_words(made) <= MOST_WORDS
        assert most_words(made) * dimensions <= MOST_NUMBERS


def test_results_that_nobody_requests_are_deleted(two: Two, stranger: Client) -> None:
    send(stranger, two, dictionary=PAIRS)
    feature = cast("Feature", apps.get_app_config("translation"))
    feature.tidy()
    assert WordTranslation.objects.count() == 1
    Job.objects.all().delete()
    WordTranslation.objects.update(asked_at=timezone.now() - timedelta(days=2))
    feature.tidy()
    assert WordTranslation.objects.count() == 0


def test_entries_in_other_languages_are_offered(two: Two, stranger: Client) -> None:
    english, arabic = two
    assert arabic.pk not in text_of(stranger, "/compare/translate")
    assert arabic.pk in text_of(stranger, f"/compare/translate?e={english.pk}&language=ar")
    page = text_of(stranger, f"/compare/translate?e={arabic.pk}")
    assert '<option value="ar" selected>Arabic</option>' in page
