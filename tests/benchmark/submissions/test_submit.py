from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from benchmark import storage
from benchmark.operations.models import Job
from benchmark.submissions.arriving import DRAIN_BYTES
from benchmark.submissions.forms import SubmissionForm
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tasks.formats.reading import FORMATS

pytestmark = pytest.mark.django_db


def send(client: Client, file: BytesIO | Path | None, **fields: Any) -> Any:
    form = {"name": "small", **fields}
    if isinstance(file, Path):
        file = BytesIO(file.read_bytes())
    if file is not None:
        file.name = getattr(file, "name", None) or "small.txt.gz"
        form["file"] = file
    return client.post("/submit", form)


def stored_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_the_form_states_the_limits(stranger: Client) -> None:
    page = stranger.get("/submit").content.decode()
    for limit in ("at most 3 GB", "12 GB expanded", "100 to 5,000,000", "2 to 2,000"):
        assert limit in page


def test_a_file_is_stored_unchanged_and_the_uploader_becomes_its_owner(stranger: Client, vector_file: Path) -> None:
    response = send(stranger, vector_file, description="made by hand", track="prescribed", licence="CC0")
    row = Submission.objects.get()
    assert response.url == f"/s/{row.pk}?new=1"
    assert storage.path_of(row.file_key).read_bytes() == vector_file.read_bytes()
    assert row.file_sha256 == hashlib.sha256(vector_file.read_bytes()).hexdigest()
    assert (row.state, row.name, row.track, row.language, row.suite) == (
        "uploaded",
        "small",
        "prescribed",
        "en",
        "demo",
    )
    assert row.is_owned_with(stranger.cookies[f"owner-{row.pk}"].value)


def test_the_language_is_a_name_or_a_code_from_a_list_that_the_browser_searches(
    stranger: Client, vector_file: Path
) -> None:
    page = stranger.get("/submit").content.decode()
    assert 'name="language" list="languages" autocomplete="off" placeholder="English"' in page
    assert '<option value="German">de</option>' in page
    for typed, code in (("German", "de"), ("FI", "fi"), (" scottish gaelic ", "gd"), ("", "en")):
        send(stranger, vector_file, language=typed)
        assert Submission.objects.latest("created_at").language == code
    refused = send(stranger, vector_file, language="Klingon")
    assert "Unknown language klingon; enter a name or a code" in refused.content.decode()


def test_the_check_is_queued_after_the_row_exists(
    stranger: Client, vector_file: Path, django_capture_on_commit_callbacks: Any, messages: Callable[[], Any]
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        send(stranger, vector_file)
        assert messages() == []
    row = Submission.objects.get()
    assert messages() == [("check_submission", row.pk)]
    assert (row.state, Job.objects.get().subject) == (State.UPLOADED, row.pk)


def test_a_plain_file_is_taken_as_it_is(stranger: Client, own_files: Path) -> None:
    send(stranger, BytesIO(b"the 1 2 3\n"))
    assert storage.path_of(Submission.objects.get().file_key).read_bytes() == b"the 1 2 3\n"


def test_the_form_lists_the_accepted_formats(stranger: Client) -> None:
    page = stranger.get("/submit").content.decode()
    assert all(escape(form.sentence) in page for form in FORMATS)


def test_an_empty_file_is_refused_at_its_field(stranger: Client, own_files: Path) -> None:
    response = send(stranger, BytesIO(b""))
    assert response.status_code == 400
    assert "The file is empty" in response.content.decode()
    assert not Submission.objects.exists()
    response.close()
    assert stored_files(own_files / "storage") == []


@pytest.mark.parametrize(
    ("path", "sentence"), [("/submit", "No file was sent"), ("/api/v1/submissions", "is not a field here")]
)
def test_a_url_of_spaces_is_not_a_url(stranger: Client, own_files: Path, path: str, sentence: str) -> None:
    answer = stranger.post(path, {"name": "small", "url": " \u202e "})
    assert answer.status_code == 400
    assert sentence in answer.content.decode()


WRONG = {
    "name": "x" * 200, "window": "-1", "iterations": "9" * 11, "loss": "x", "tokens": "-3", "training_minutes": "-1",
    "description": "x" * 3000, "member": "m" * 300, "language": "xx", "track": "q", "visibility": "z",
}  # fmt: skip


@pytest.mark.parametrize("given", [WRONG, {"name": "", "window": "wide", "loss": "low"}, {}])
def test_no_field_answers_in_djangos_words(given: dict[str, str]) -> None:
    found = [error for errors in SubmissionForm(given).errors.values() for error in errors]
    assert len(found) == max(len(given), 1)
    assert [error for error in found if error.startswith(("Ensure", "Enter a", "This field", "Select a valid"))] == []


def test_a_name_of_spaces_is_not_a_name(stranger: Client, vector_file: Path) -> None:
    response = send(stranger, vector_file, name="  ")
    assert "The name is missing; enter a name for these vectors." in response.content.decode()
    assert not Submission.objects.exists()


def test_a_file_past_the_limit_is_refused_while_it_arrives(stranger: Client, own_files: Path, settings: Any) -> None:
    settings.VECBOARD_MAX_UPLOAD_BYTES = 1000
    response = send(stranger, BytesIO(gzip.compress(bytes(range(256)) * 40, 0)))
    assert response.status_code == 413
    assert "The file is larger than 1 kB" in response.content.decode()
    assert not Submission.objects.exists()
    response.close()
    assert stored_files(own_files / "storage") == []


def test_a_far_too_large_file_is_refused_before_a_byte_is_written(
    stranger: Client, own_files: Path, settings: Any
) -> None:
    settings.VECBOARD_MAX_UPLOAD_BYTES = 1000
    assert send(stranger, BytesIO(b"\x1f\x8b" + bytes(DRAIN_BYTES + 1000))).status_code == 413
    assert stored_files(own_files / "storage") == []


def test_a_file_of_exactly_the_limit_is_taken(stranger: Client, vector_file: Path, settings: Any) -> None:
    settings.VECBOARD_MAX_UPLOAD_BYTES = vector_file.stat().st_size
    assert send(stranger, vector_file).status_code == 302


def test_another_site_cannot_submit_in_a_visitors_name(vector_file: Path) -> None:
    assert send(Client(enforce_csrf_checks=True), vector_file).status_code == 403
    assert not Submission.objects.exists()


def test_two_files_are_two_runs_of_one_submission(stranger: Client, vector_file: Path) -> None:
    second = BytesIO(gzip.compress(gzip.decompress(vector_file.read_bytes())[::-1]))
    second.name = "second.txt.gz"
    first = BytesIO(vector_file.read_bytes())
    stranger.post("/submit", {"name": "small", "file": [first, second]})
    row = Submission.objects.get()
    run = row.run_files.get()
    assert (run.position, run.original_name) == (2, "second.txt.gz")
    assert storage.path_of(row.file_key).read_bytes() == vector_file.read_bytes()
    assert storage.path_of(run.key).read_bytes() == second.getvalue()


def test_more_than_twenty_files_are_refused(stranger: Client, own_files: Path) -> None:
    response = stranger.post("/submit", {"name": "small", "file": [BytesIO(b"\x1f\x8b") for _ in range(21)]})
    assert response.status_code == 400
    assert "the limit is 20" in response.content.decode()
    assert not Submission.objects.exists()
    response.close()
    assert stored_files(own_files / "storage") == []


def test_all_files_together_stay_under_the_limit(stranger: Client, settings: Any, vector_file: Path) -> None:
    settings.VECBOARD_MAX_UPLOAD_BYTES = int(1.5 * vector_file.stat().st_size)
    files = [BytesIO(vector_file.read_bytes()) for _ in range(2)]
    assert stranger.post("/submit", {"name": "small", "file": files}).status_code == 413
    assert not Submission.objects.exists()


def test_one_bad_file_among_several_is_named(stranger: Client, vector_file: Path) -> None:
    bad = BytesIO(b"")
    bad.name = "second.txt"
    page = stranger.post("/submit", {"name": "small", "file": [BytesIO(vector_file.read_bytes()), bad]})
    assert "second.txt: The file is empty" in page.content.decode()


def test_a_file_in_another_field_is_refused(stranger: Client, vector_file: Path) -> None:
    form = {"name": "small", "file": BytesIO(vector_file.read_bytes()), "more": BytesIO(b"\x1f\x8b")}
    response = stranger.post("/submit", form)
    assert response.status_code == 400
    assert "send all files in the field file" in response.content.decode()


def test_without_an_account_nothing_is_taken_when_the_operator_says_so(
    stranger: Client, vector_file: Path, settings: Any
) -> None:
    settings.VECBOARD_ANONYMOUS_UPLOADS = False
    assert stranger.get("/submit").url == "/account/login/?next=/submit"
    assert send(stranger, vector_file).url.startswith("/account/login/")
    assert not Submission.objects.exists()


def test_after_a_rejection_its_owner_finds_everything_typed_again(submission: Any, owner: Any) -> None:
    row = submission(
        State.REJECTED, name="Twice", algorithm="GloVe", window=7, track="prescribed", visibility="unlisted"
    )
    assert f"/submit?again={row.pk}" in owner(row).get(f"/s/{row.pk}").content.decode()
    page = owner(row).get(f"/submit?again={row.pk}").content.decode()
    for typed in ('value="Twice"', 'value="GloVe"', 'value="7"'):
        assert typed in page
    assert page.count(" checked") == 2  # track and visibility
    assert 'value="Twice"' not in Client().get(f"/submit?again={row.pk}").content.decode()


def test_a_form_that_is_refused_for_its_file_keeps_everything_else(stranger: Client, vector_file: Path) -> None:
    form = {"name": "Twice", "algorithm": "GloVe", "more": BytesIO(vector_file.read_bytes())}
    page = stranger.post("/submit", form)
    assert page.status_code == 400
    assert 'value="Twice"' in page.content.decode()
    assert 'value="GloVe"' in page.content.decode()


def test_technical_criteria_are_kept_as_stated(stranger: Client, vector_file: Path) -> None:
    send(stranger, vector_file, corpus="SOTU", algorithm="GloVe", window="6", loss="0.043", tokens="2000000")
    row = Submission.objects.get()
    assert (row.corpus, row.algorithm, row.window, row.loss, row.tokens) == ("SOTU", "GloVe", 6, 0.043, 2_000_000)
    assert (row.iterations, row.visibility) == (None, "public")


@pytest.mark.parametrize(
    ("criterion", "value"), [("window", "six"), ("window", "-1"), ("loss", "nan"), ("training_minutes", "-3")]
)
def test_a_criterion_that_is_not_a_number_is_reported_at_its_field(
    stranger: Client, vector_file: Path, criterion: str, value: str
) -> None:
    page = send(stranger, vector_file, **{criterion: value})
    assert page.status_code == 400
    assert f'id="field-{criterion}"' in page.content.decode().split('class="field wrong"')[1][:60]


def test_a_file_is_offered_for_download_only_under_a_licence(stranger: Client, vector_file: Path) -> None:
    page = send(stranger, vector_file, offers_download="on").content.decode()
    assert "Enter the licence under which the vectors are offered" in page
    assert send(stranger, vector_file, offers_download="on", licence="CC0").status_code == 302


@pytest.mark.parametrize("path", ["/submit", "/api/v1/submissions"])
@pytest.mark.parametrize("whole_files", [0, 1])
def test_an_interrupted_form_leaves_nothing(
    stranger: Client, own_files: Path, vector_file: Path, path: str, whole_files: int
) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="small.gz"\r\n\r\n'
    file = head + vector_file.read_bytes()
    body = (file + b"\r\n") * whole_files + file
    response = stranger.post(path, data=body, content_type="multipart/form-data; boundary=b")
    assert response.status_code == 400
    assert not Submission.objects.exists()
    assert stored_files(own_files / "storage") == []


def test_a_form_whose_text_is_too_long_leaves_no_file(stranger: Client, own_files: Path, vector_file: Path) -> None:
    with vector_file.open("rb") as content:
        response = stranger.post("/submit", {"file": content, "description": "x" * 3_000_000})
    assert "too long" in response.content.decode()
    assert stored_files(own_files / "storage") == []
