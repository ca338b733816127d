"""A corpus is measured by a worker in a process of its own, and is deleted however that ends."""

from __future__ import annotations

import bz2
import gzip
import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from benchmark import storage
from benchmark.operations import fair_queue
from benchmark.operations.children import ENVIRONMENT, subprocess
from benchmark.operations.kinds import most_tries
from benchmark.operations.models import Job, WorkerBeat
from benchmark.submissions.models import Submission
from extensions.sufficiency.measure.report import REPORT
from extensions.sufficiency.models import CorpusReport
from extensions.sufficiency.tests.test_measure import planted as planted_topics
from extensions.texts.jobs import JOBS, PASSED_ON, gives_way, limits_of
from extensions.texts.models import TextsState
from tasks.cli import main
from tasks.prepared import store
from tasks.vectors import Embedding, content_hash
from tests.tasks.formats import models
from tests.workers.factories import do_job
from workers import runner, sweeper
from workers.heartbeat import Stopped

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_files")]
Make = Callable[..., CorpusReport]
MARK = "confidentialword"
WORDS = 320
"""Of a topic: each is rarer than one word in a thousand."""
TOPICS = [[topic + chr(97 + nth // 26) + chr(97 + nth % 26) + "on" for nth in range(WORDS)] for topic in "bdgk"]


def planted(documents: int = 60, length: int = 60) -> str:
    """JSON lines: every document is about one of four topics, whose words occur near each other."""
    chosen = random.Random(1)
    lines = []
    for nth in range(documents):
        words = [chosen.choice(TOPICS[nth % 4]) for _ in range(length)]
        lines.append(json.dumps({"text": " ".join([*words, MARK]), "speaker": f"s{nth // 2}"}))
    return "\n".join(lines)


@pytest.fixture
def entry(db: None, own_files: Path) -> Submission:
    """Vectors that know the topics."""
    draws = np.random.default_rng(3)
    centres = draws.normal(size=(len(TOPICS), 8))
    words = [word for topic in TOPICS for word in topic] + [f"other{nth}" for nth in range(60)]
    topics = np.repeat(centres, WORDS, axis=0)
    rows = [*(topics + 0.3 * draws.normal(size=topics.shape)), *draws.normal(size=(60, 8))]
    matrix = np.array(rows, dtype=np.float32)
    embedding = Embedding("topics", words, matrix, content_hash(words, matrix))
    directory = store(embedding, storage.prepared_root())
    return entry_of("topics", vectors_sha256=directory.name, words=len(words), dimensions=8, file_key="uploads/x.gz")


def entry_of(name: str, **columns: Any) -> Submission:
    return Submission.objects.create(state="done", name=name, suite="demo", finished_at=timezone.now(), **columns)


@pytest.fixture
def asked(entry: Submission) -> Make:
    """A requested measurement of a corpus."""

    def make(content: bytes | str = "", name: str = "speeches.jsonl", **columns: Any) -> CorpusReport:
        sent = (content or planted()) if isinstance(content, str) else content
        given = {"entries": [entry.pk]} | columns
        row = CorpusReport(title="speeches", file_name=name, file_bytes=len(sent), **given)
        row.file_key, row.payer = f"corpora/{row.pk[:2]}/{row.pk}", "address:x"
        path = storage.path_of(row.file_key)
        path.write_bytes(sent.encode() if isinstance(sent, str) else sent)
        row.save()
        CorpusReport.enqueue(row.pk)
        return row

    return make


@pytest.fixture
def open_files(db: None, own_files: Path, tmp_path: Path) -> list[Path]:
    """A token model and, in an archive, a fastText model: both have vectors for the corpus's words, the suite none."""
    model, archive = tmp_path / "model.zip", tmp_path / "archive.zip"
    tokenizer = models.wordpiece()
    model.write_bytes(models.zipped(models.members(tokenizer, {"embeddings": models.rows(tokenizer.get_vocab_size())})))
    packed = models.fasttext(["the", "of"], models.rows(2_002), buckets=2_000)
    archive.write_bytes(models.zipped({"fast.bin": packed, "read.me": b"of two files"}))
    return [model, archive]


@pytest.mark.slow
def test_open_vocabularies_compose_the_words_of_the_corpus_as_in_the_script(
    asked: Make, open_files: list[Path], tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    request_of = JOBS["suffices"].request_of
    monkeypatch.setattr(JOBS["suffices"], "request_of", lambda *about: replace(request_of(*about), repeats=1))
    lines = [json.dumps({"text": one.text, **dict(one.metadata)}) for one in planted_topics().documents]
    corpus, named = tmp_path / "speeches.jsonl", [str(open_files[0]), f"{open_files[1]}:fast.bin"]
    corpus.write_text("\n".join(lines))
    entries = []
    for path, name in zip(open_files, named, strict=True):
        storage.path_of(f"uploads/{path.name}").write_bytes(path.read_bytes())
        columns = {
            "file_key": f"uploads/{path.name}",
            "member": name.partition(".zip:")[2],
            "vectors_sha256": path.stem,
        }
        entries.append(entry_of(Path(name).name, open_vocabulary=True, **columns))
    row = ended(asked(corpus.read_text(), entries=[one.pk for one in entries], group_by="speaker"))
    assert (row.error, row.state) == (None, TextsState.DONE)
    options = ["--group-by", "speaker", "--repeats", "1", "--processes", "1", "--json"]
    assert main(["suffices", str(corpus), "--pretrained", *named, *options]) == 0
    script = json.loads(capsys.readouterr().out)
    assert without_time(row.report) == without_time(script)
    shares = {one["title"]: one["share"] for one in script["candidates"] if one["kind"] == "pre-trained"}
    assert shares == {"model.zip": 1.0, "archive.zip:fast.bin": 1.0}


def without_time(report: Any) -> Any:
    """A report without what the script and the site name or measure each in their own way."""
    return report | {"seconds": 0, "corpus": report["corpus"] | {"title": ""}}


def ended(row: CorpusReport) -> CorpusReport:
    do_job("suffices", row.pk)
    row.refresh_from_db()
    return row


def files() -> list[str]:
    return [file.key for file in storage.keys("corpora")]


@pytest.mark.slow
def test_a_planted_corpus_is_measured_and_deleted(asked: Make, caplog: Any, monkeypatch: Any) -> None:
    request_of = JOBS["suffices"].request_of
    monkeypatch.setattr(JOBS["suffices"], "request_of", lambda *about: replace(request_of(*about), repeats=1))
    row = ended(asked(planted(160, 250), group_by="speaker", cues=["baaon", "daaon"]))
    assert row.error is None
    assert row.state == TextsState.DONE
    report = REPORT.validate_python(row.report)
    assert report["corpus"]["documents"] == 160
    assert report["corpus"]["groups"] == 80
    assert [one["is_own"] for one in report["cues"] if one["cue"] in ("baaon", "daaon")] == [True, True]
    assert {one["kind"] for one in report["candidates"]} == {"pre-trained", "local", "a-la-carte"}
    assert (files(), row.file_key, Job.objects.count()) == ([], "", 0)
    assert MARK not in caplog.text


@pytest.mark.parametrize(
    ("content", "name", "columns", "field", "message"),
    [
        (b"\xff\xfe\x00\xd8" * 50, "a.txt", {}, "file", ""),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "a.jsonl", {}, "file", ""),
        ("speech,speaker\nhello,a\n", "a.csv", {}, "text_field", "with “Text field”"),
        (planted(), "a.jsonl", {"group_by": "party"}, "group_by", "The documents have no “party”"),
        ("running text", "a.txt", {"text_field": "speech"}, "text_field", "“Text field” cannot name one"),
        ("[1, 2]", "a.json", {}, "file", "one JSON value"),
        (" \n \n", "a.txt", {}, "file", ""),
        (gzip.compress(planted().encode())[:-90], "a.jsonl.gz", {}, "file", ""),
    ],
)
def test_a_corpus_that_cannot_be_read_is_refused_at_a_field(
    asked: Make, caplog: Any, content: str | bytes, name: str, columns: Any, field: str, message: str
) -> None:
    row = ended(asked(content, name, **columns))
    assert row.state == TextsState.REFUSED
    assert row.error is not None
    assert row.error["field"] == field
    assert message in str(row.error["message"])
    assert (files(), Job.objects.count()) == ([], 0)
    assert MARK not in caplog.text


def test_a_bomb_is_refused_before_it_is_expanded(asked: Make, settings: Any) -> None:
    settings.VECBOARD_MAX_CORPUS_WORDS = 1_000_000
    many_lines, one_line, blank = b"one two\n" * 4_000_000, b"a" * 40_000_000, b"\n" * 40_000_000
    errors = [ended(asked(bz2.compress(bomb), "a.txt.bz2")).error for bomb in (many_lines, one_line, blank)]
    expected = ["too-many-texts", "too-large-expanded", "too-large-expanded"]
    assert [error and error["code"] for error in errors] == expected
    assert all("a.txt.bz2" in str(error and error["message"]) for error in errors)


def test_more_words_than_the_limit_are_refused(asked: Make, settings: Any) -> None:
    settings.VECBOARD_MAX_CORPUS_WORDS = 1_000
    error = ended(asked()).error
    assert error is not None
    assert (error["code"], "the limit is 1,000" in str(error["message"])) == ("too-many-words", True)


def test_time_and_unpacked_bytes_are_bounded_by_the_size_of_the_file(settings: Any) -> None:
    found = [limits_of(CorpusReport(file_name="a", file_bytes=size)) for size in (117_000, 2_000_000, 100_000_000)]
    assert [one.expanded_bytes for one in found] == [15_850_000, 110_000_000, 1_500_000_000]
    assert [one.seconds for one in found] == [5_185, 14_600, settings.VECBOARD_CORPUS_SECONDS]


def test_a_measurement_that_takes_too_long_is_ended(asked: Make, settings: Any) -> None:
    settings.VECBOARD_CORPUS_SECONDS = 1
    row = ended(asked(planted(400)))
    assert row.error is not None
    assert row.error["code"] == "too-slow"
    assert files() == []


def test_a_cancelled_measurement_stops_its_process_and_stores_nothing(asked: Make, monkeypatch: Any) -> None:
    row = asked()
    started = []

    class Started(subprocess.Popen):  # type: ignore[misc, name-defined]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self)
            row.cancel()

    monkeypatch.setattr(subprocess, "Popen", Started)
    monkeypatch.setattr("workers.heartbeat.PROGRESS_SECONDS", 0.0)
    assert ended(row).state == TextsState.CANCELLED
    assert [process.poll() is not None for process in started] == [True]
    assert (row.report, files(), Job.objects.count(), list(CorpusReport.scratch().iterdir())) == (None, [], 0, [])


def test_a_failure_of_ours_is_tried_again_and_then_given_up_without_the_corpus(asked: Make, monkeypatch: Any) -> None:
    monkeypatch.setattr(JOBS["suffices"], "request_of", lambda *_: 1 / 0)
    row = asked()
    states = [ended(row).state for _ in range(most_tries())]
    assert states == [*[TextsState.WAITING] * (most_tries() - 1), TextsState.FAILED]
    assert row.error is not None
    assert f"in {most_tries()} tries" in str(row.error["message"])
    assert files() == []


def test_the_log_of_a_failure_has_places_and_no_text(asked: Make, caplog: Any, monkeypatch: Any) -> None:
    traceback = f'  File "x.py", line 1\nKeyError: {MARK}'
    failure = json.dumps({"failure": ["KeyError", None]})
    code = f"import sys; print({traceback!r}, file=sys.stderr); print({failure!r})"
    monkeypatch.setattr(JOBS["suffices"], "command", ("-c", code))
    row = ended(asked())
    assert row.state == TextsState.WAITING
    assert "failed with KeyError" in caplog.text
    assert 'File "x.py", line 1' in caplog.text
    assert MARK not in caplog.text


def test_an_entry_that_became_private_is_not_measured(asked: Make, entry: Submission) -> None:
    row = asked()
    Submission.objects.filter(pk=entry.pk).update(visibility="private", name="secret")
    error = ended(row).error
    assert error is not None
    assert (error["code"], "secret" in str(error["message"])) == ("no-vectors", False)


def test_corpora_leave_half_of_the_workers_to_submissions(asked: Make) -> None:
    first, second = asked(), asked()
    assert runner.claim("suffices", first.pk)
    assert ended(second).state == TextsState.WAITING
    assert Job.objects.get(subject=second.pk).tries == 0


def test_the_only_place_is_left_to_a_submission_that_waits_also_in_the_middle(asked: Make, monkeypatch: Any) -> None:
    monkeypatch.setattr("extensions.texts.jobs.LOOK_SECONDS", 0.0)
    row, other = asked(), {"kind": "run_cell", "subject": "1", "level": fair_queue.FIRST}

    def measured(*about: Any) -> Any:
        Job.objects.create(**other)
        about[-1](0.5, "half of it")

    monkeypatch.setattr("extensions.texts.jobs.measured", measured)
    WorkerBeat.objects.record("only", jobs_at_once=1)
    assert ended(row).state == TextsState.WAITING
    assert Job.objects.get(subject=row.pk).tries == 0
    monkeypatch.setattr("extensions.texts.jobs.measured", lambda *_: pytest.fail("it began"))
    assert ended(row).state == TextsState.WAITING
    WorkerBeat.objects.record("only", jobs_at_once=2)
    assert not gives_way(Job.objects.get(subject=row.pk))


def test_a_report_without_its_job_gets_one(asked: Make) -> None:
    row = asked()
    Job.objects.all().delete()
    sweeper.queue_owed()
    assert Job.objects.get().payer == row.payer


def test_temporary_files_of_a_killed_worker_end_with_the_report(asked: Make) -> None:
    row = asked()
    (CorpusReport.scratch() / row.pk / "named").mkdir(parents=True)
    CorpusReport.tidy()
    assert [path.name for path in CorpusReport.scratch().iterdir()] == [row.pk]
    row.cancel()
    assert list(CorpusReport.scratch().iterdir()) == []


def test_a_file_without_a_row_and_a_corpus_kept_for_too_long_are_deleted(asked: Make, settings: Any) -> None:
    settings.VECBOARD_KEEP_CORPORA_DAYS = 10
    row = asked(keeps_corpus=True)
    CorpusReport.objects.update(state=TextsState.DONE, finished_at=timezone.now())
    storage.path_of("corpora/zz/lost").write_text("lost")
    assert CorpusReport.tidy() == 0
    assert CorpusReport.tidy(timezone.now() + timedelta(days=1)) == 1
    assert files() == [row.file_key]
    assert CorpusReport.tidy(timezone.now() + timedelta(days=11)) == 1
    assert files() == []


def test_a_measurement_without_a_report_is_forgotten_after_a_month(asked: Make) -> None:
    refused, done = ended(asked("", "a.csv", text_field="speech")), asked()
    CorpusReport.objects.filter(pk=done.pk).update(state=TextsState.DONE, finished_at=timezone.now())
    CorpusReport.tidy(timezone.now() + timedelta(days=29))
    assert CorpusReport.objects.filter(pk=refused.pk).exists()
    CorpusReport.tidy(timezone.now() + timedelta(days=31))
    assert [row.pk for row in CorpusReport.objects.all()] == [done.pk]


def test_the_process_has_no_secrets_and_no_log_quotes_the_corpus(asked: Make, monkeypatch: Any, caplog: Any) -> None:
    assert "SECRET_KEY" not in (*ENVIRONMENT, *PASSED_ON)
    monkeypatch.setattr(JOBS["suffices"], "request_of", lambda *_: (_ for _ in ()).throw(Stopped))
    ended(asked(MARK))
    assert MARK not in caplog.text
