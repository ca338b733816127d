"""Labelled texts are measured by a worker with the figures of the script, and no log quotes them."""

from __future__ import annotations

import csv
import io
import json
import random
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from benchmark import storage
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.own.child import OwnRequest, score
from extensions.own.models import OwnTexts
from extensions.texts.child import MADE
from extensions.texts.jobs import JOBS
from extensions.texts.models import TextsState
from research.own import questions
from tasks.baseline import svd_ppmi
from tasks.cli import main
from tasks.datasets.store import DataStore
from tasks.formats.reading import prepare, read
from tasks.guess_language import COMMON
from tasks.processes import Progress
from tests.workers.factories import do_job

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_files")]
Make = Callable[..., OwnTexts]
MARK = "confidentialword"
TOPICS = [[f"{topic}{chr(97 + nth)}on" for nth in range(26)] for topic in ("ba", "de", "gi")]


def planted(texts: int = 60) -> str:
    """A table of texts about one of three topics, which is their label, with an author for every two of them. Half
    of the authors are for testing."""
    chosen, file = random.Random(1), io.StringIO()
    table = csv.writer(file)
    table.writerow(["message", "queue", "author", "part"])
    for nth in range(texts):
        words = [chosen.choice(TOPICS[(nth + (chosen.random() < 0.2)) % 3]) for _ in range(6)]
        part = "train" if nth // 2 % 2 else "test"
        table.writerow([" ".join([*words, MARK, f"number{nth}"]), f"queue {nth % 3}", f"a{nth // 2}", part])
    return file.getvalue()


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two vector files: one knows the topics, the other one only half of them."""
    draws, found = np.random.default_rng(3), []
    words, others = [word for topic in TOPICS for word in topic], [f"other{nth}" for nth in range(100)]
    for name, kept in (("whole", words), ("half", words[::2])):
        rows = np.vstack([draws.normal(size=(3, 8)).repeat(len(kept) // 3, axis=0), draws.normal(size=(100, 8))])
        path = tmp_path / f"{name}.txt"
        lines = [" ".join([word, *(f"{x:.4f}" for x in row)]) for word, row in zip([*kept, *others], rows, strict=True)]
        path.write_text("\n".join(lines) + "\n")
        found.append(path)
    return found


@pytest.fixture
def asked(db: None, own_files: Path, files: list[Path]) -> Make:
    """A requested measurement of these files on a table."""
    entries = [entry_of(path) for path in files]

    def make(content: str = "", name: str = f"{MARK}-tickets.csv", **columns: Any) -> OwnTexts:
        given = {"text_field": "message", "label_field": "queue", "entries": [entry.pk for entry in entries]} | columns
        row = OwnTexts(title=MARK, file_name=name, file_bytes=1, payer="address:x", **given)
        row.file_key = f"own/{row.pk[:2]}/{row.pk}"
        storage.path_of(row.file_key).write_text(content or planted())
        row.save()
        OwnTexts.enqueue(row.pk)
        return row

    return make


@pytest.fixture
def measured_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure in this process, as starting another takes half a second; the other tests start it as a site does."""

    def measured(_: Any, request: OwnRequest, scratch: Path, progress: Progress) -> Any:
        monkeypatch.setattr(tempfile, "tempdir", str(scratch))
        return json.loads(json.dumps(score(OwnRequest.from_json(request.to_json()), progress)))

    monkeypatch.setattr("extensions.texts.jobs.measured", measured)


def entry_of(path: Path, name: str = "") -> Submission:
    """An entry with the vectors of a file."""
    directory = prepare(path, storage.prepared_root()).directory
    meta = {"vectors_sha256": directory.name, "words": 1, "dimensions": 8, "file_key": "uploads/x.gz"}
    return Submission.objects.create(
        state="done", name=name or path.name, suite="demo", finished_at=timezone.now(), **meta
    )


def ended(row: OwnTexts) -> OwnTexts:
    do_job("own", row.pk)
    row.refresh_from_db()
    return row


def by_script(capsys: Any, data: Path, files: list[Path], *options: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["own", str(data), *map(str, files), *options, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def without_seconds(report: Any) -> Any:
    return {
        "scores": [{name: value for name, value in one.items() if name != "seconds"} for one in report["scores"]],
        "comparisons": report["comparisons"],
        "data": report["data"],
    }


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({"split_field": "part"}, ("--split-field", "part")),
        ({"split_field": "part", "margin": 2.5}, ("--split-field", "part", "--margin", "2.5")),
        pytest.param({}, (), marks=pytest.mark.slow),  # ten trainings in place of one
        pytest.param(
            {"group_by": "author", "margin": 2.5},
            ("--group-by", "author", "--margin", "2.5"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_the_site_has_the_figures_of_the_script(
    asked: Make, files: list[Path], tmp_path: Path, capsys: Any, caplog: Any, columns: Any, options: Any
) -> None:
    caplog.set_level("DEBUG")
    row = ended(asked(**columns))
    assert (row.error, row.state) == (None, TextsState.DONE)
    assert row.contents is not None
    assert row.differing is not None
    data = tmp_path / "tickets.csv"
    data.write_text(planted())
    fields = ("--text-field", "message", "--label-field", "queue", "--suite", "demo")
    assert without_seconds(row.report) == without_seconds(by_script(capsys, data, files, *fields, *options))
    assert row.differing["total"] == len(row.differing["rows"]) > 0
    assert MARK in row.differing["rows"][0]["text"]
    assert MARK not in json.dumps(row.report)
    assert MARK not in caplog.text
    assert Job.objects.count() == 0
    assert list(OwnTexts.scratch().iterdir()) == []


@pytest.mark.parametrize(
    ("content", "columns", "field", "message"),
    [
        ("message,topic\nhello,a\n", {}, "label_field", "“Label field”"),
        ("text,queue\nhello,a\n", {}, "text_field", "“Text field”"),
        (f"message,queue\nhello {MARK},a\n", {}, "file", "only the label"),
        ("", {"split_field": "author"}, "split_field", "“Split field”"),
        ("", {"group_by": "party"}, "group_by", "“party”"),
    ],
)
def test_texts_that_cannot_be_measured_are_refused_at_a_field_and_deleted(
    asked: Make, caplog: Any, request: Any, content: str, columns: Any, field: str, message: str
) -> None:
    if field != "file":
        request.getfixturevalue("measured_here")
    row = ended(asked(content, **columns))
    assert row.state == TextsState.REFUSED
    assert row.error is not None
    assert row.error["field"] == field
    assert message in str(row.error["message"])
    assert list(storage.keys("own")) == []
    assert MARK not in caplog.text


@pytest.mark.usefixtures("measured_here")
def test_a_name_longer_than_a_file_system_takes_stays_on_the_page_alone(asked: Make, caplog: Any) -> None:
    name = f"{'語' * 190}{MARK[:4]}.csv"
    error = ended(asked("text,queue\nhello,a\n", name)).error
    assert error is not None
    assert str(error["message"]).startswith(f"Line 1 of {name} names no column")
    row = ended(asked(name=name, split_field="part"))
    assert (row.error, row.state) == (None, TextsState.DONE)
    assert "語" not in caplog.text


@pytest.mark.usefixtures("measured_here")
def test_the_language_is_found_unless_it_is_stated(asked: Make) -> None:
    frequent = " ".join(sorted(COMMON["de"]))
    table = planted().replace(MARK, frequent)
    assert ended(asked(table, split_field="part")).language == "de"
    assert ended(asked(table, split_field="part", language="nl")).language == "nl"


@pytest.mark.usefixtures("measured_here")
def test_more_texts_than_the_limit_are_refused(asked: Make, settings: Any) -> None:
    settings.VECBOARD_MAX_OWN_TEXTS = 10
    error = ended(asked()).error
    assert error is not None
    assert (error["code"], "the limit of 10" in str(error["message"])) == ("too-many-texts", True)


def test_what_is_found_after_a_deletion_is_not_stored(asked: Make, monkeypatch: Any) -> None:
    row = asked()

    def found_and_deleted(_: Any, request: Any, scratch: Path, progress: Progress) -> dict[str, Any]:
        OwnTexts.erase(row.pk)
        (scratch / MADE).write_text(MARK)
        return {"report": {}, "language": None}

    monkeypatch.setattr("extensions.texts.jobs.measured", found_and_deleted)
    do_job("own", row.pk)
    assert (OwnTexts.objects.count(), list(storage.keys("own"))) == (0, [])
    assert list(storage.incoming().iterdir()) == []


def test_the_log_of_a_failure_has_places_and_no_text(asked: Make, caplog: Any, monkeypatch: Any) -> None:
    code = f"import sys; print('  File \"x.py\", line 1\\nKeyError: {MARK}', file=sys.stderr)"
    code += '; print(\'{"failure": ["KeyError", null]}\')'
    monkeypatch.setattr(JOBS["own"], "command", ("-c", code))
    row = ended(asked())
    assert row.state == TextsState.WAITING
    assert 'File "x.py", line 1' in caplog.text
    assert MARK not in caplog.text
    assert MARK not in str(Job.objects.values().get())


@pytest.mark.usefixtures("measured_here")
@pytest.mark.parametrize("member", ["", "whole.txt"])
def test_an_open_vocabulary_composes_the_words_of_the_texts(asked: Make, tmp_path: Path, member: str) -> None:
    row = asked(split_field="part")
    sent, stored = tmp_path / "whole.txt", storage.path_of("uploads/whole.gz")
    columns = {"open_vocabulary": True, "file_key": "uploads/whole.gz", "member": member}
    Submission.objects.filter(pk=row.entries[0]).update(**columns)
    if member:
        with zipfile.ZipFile(stored, "w") as archive:
            archive.write(sent, member)
            archive.writestr("other.txt", "of two files")
    else:
        stored.write_bytes(sent.read_bytes())
    report = ended(row).contents
    assert report is not None
    assert report["scores"][1]["known"] == pytest.approx(6 / 8)


@pytest.fixture
def baseline(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Submission:
    """A site's baseline, which has no file, on a machine without data sets."""
    monkeypatch.setenv("VECBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("VECBOARD_OFFLINE", "1")
    columns = {"is_baseline": True, "vectors_sha256": "f" * 64, "finished_at": timezone.now()}
    return Submission.objects.create(state="done", name="baseline", suite="demo", **columns)


def test_the_vectors_of_a_baseline_are_trained_for_the_measurement(
    asked: Make, baseline: Submission, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(svd_ppmi, "train_for", lambda *_: read(files[0]))
    report = ended(asked(entries=[baseline.pk])).contents
    assert report is not None
    assert (report["scores"][1]["name"], report["scores"][1]["known"]) == ("baseline", pytest.approx(6 / 8))


def test_without_its_corpus_a_baseline_is_refused_with_the_reason(asked: Make, baseline: Submission) -> None:
    Submission.objects.filter(pk=baseline.pk).update(suite="veceval-2016")
    row = ended(asked(entries=[baseline.pk]))
    assert row.state == TextsState.REFUSED
    assert row.error is not None
    assert row.error["field"] == "entries"
    assert str(row.error["message"]).startswith("The vectors of “baseline” cannot be made here: ")


def search() -> dict[str, str]:
    """The files of a search: a query is relevant to the texts with its first word."""
    texts = [f"{TOPICS[nth % 3][nth % 26]} {TOPICS[nth % 3][(nth + 1) % 26]} {MARK}" for nth in range(40)]
    queries = {f"q{nth}": text.split()[0] for nth, text in enumerate(texts[:6])}
    judged = [f"{name},t{nth}" for name, word in queries.items() for nth, text in enumerate(texts) if word in text]
    return {
        "queries.csv": "id,text\n" + "".join(f"{name},{word} {MARK}\n" for name, word in queries.items()),
        "corpus.csv": "id,text\n" + "".join(f"t{nth},{text}\n" for nth, text in enumerate(texts)),
        "qrels/test.csv": "\n".join(["query-id,corpus-id", *judged]),
    }


def zipped(to: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"beir/{name}", content)
    return to


def test_a_search_in_an_archive_has_the_figures_of_the_script(
    asked: Make, files: list[Path], tmp_path: Path, capsys: Any, caplog: Any
) -> None:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    for name, content in search().items():
        (folder / name).write_text(content)
    row = asked(name="search.zip")
    zipped(storage.path_of(row.file_key), search())
    row = ended(row)
    assert (row.error, row.state) == (None, TextsState.DONE)
    assert without_seconds(row.report) == without_seconds(by_script(capsys, folder, files, "--suite", "demo"))
    assert MARK not in caplog.text


@pytest.mark.usefixtures("measured_here")
@pytest.mark.parametrize(
    ("content", "code"),
    [
        ({"queries.csv": "x" * 3_000}, "too-large"),
        ({"../../queries.csv": "id,text\n"}, "folder"),
        ({"queries/..": "id,text\n"}, "bad-archive"),
        ({f"{'q' * 300}.csv": "id,text\n"}, "bad-archive"),
        ({"queries.csv": "id,text\n", "more/queries.csv": "id,text\n"}, "same-name"),
    ],
)
def test_an_archive_is_refused_before_it_fills_the_disk_or_leaves_its_folder(
    asked: Make, settings: Any, content: dict[str, str], code: str
) -> None:
    settings.VECBOARD_MAX_OWN_BYTES = 200
    row = asked(name="search.zip")
    zipped(storage.path_of(row.file_key), content)
    error = ended(row).error
    assert error is not None
    assert error["code"] == code


@pytest.mark.slow
@pytest.mark.data("trec-qc")
def test_the_site_has_the_figures_of_the_script_on_a_data_set(asked: Make, tmp_path: Path, capsys: Any) -> None:
    """With vectors whose words are the most frequent ones of the texts."""
    data = questions(DataStore.default(), tmp_path)
    table = next(path for path in tmp_path.glob("*.csv"))
    counts = Counter(word for own in data.every_text for word in own)
    words, draws = [word for word, _ in counts.most_common(5_000)], np.random.default_rng(5)
    path = tmp_path / "frequent.txt"
    rows = draws.normal(size=(len(words), 20))
    lines = [" ".join([word, *(f"{x:.4f}" for x in row)]) for word, row in zip(words, rows, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    fields = {"text_field": "text", "label_field": "label", "split_field": "part"}
    row = ended(asked(table.read_text(), table.name, entries=[entry_of(path).pk], **fields))
    assert row.contents is not None
    assert (row.contents["data"]["texts"], row.contents["data"]["tested"]) == (5_952, 500)
    stored = table.rename(table.with_name("sent-file.csv"))  # the name of a stored file says nothing of the owner's
    script = by_script(capsys, stored, [path], "--split-field", "part", "--suite", "demo")
    assert without_seconds(row.report) == without_seconds(script)
