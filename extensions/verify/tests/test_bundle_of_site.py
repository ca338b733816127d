"""A report's bundle on the site: signed by its key, under the name that visitors see, for those who may see it."""

from __future__ import annotations

import io
import stat
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from benchmark import evidence, storage
from benchmark.submissions.models import Submission, SubmissionCell
from extensions.verify.measure.verify import Differs, Verified, verify
from tasks.baseline.published import published
from tasks.report import assemble
from tasks.suites import DEMO
from tests.benchmark.conftest import Make
from tests.benchmark.reports import TOKEN


@pytest.fixture
def entry(submission: Make) -> Submission:
    """An entry with the outcomes of the baseline."""
    base = published(DEMO)
    assert base is not None
    report = assemble(DEMO, {**base.vectors, "sha256": "ab" * 32}, base.results, (), base.environment)
    row = submission(body=report.to_json(), vectors_sha256="ab" * 32)
    for position, result in enumerate(report.results):
        key = evidence.key("ab" * 32, result.task_hash, result.mode or "") if result.outcomes else ""
        if result.outcomes:
            evidence.save(key, result.outcomes)
        SubmissionCell.objects.create(
            submission=row, task=result.task, mode=result.mode or "", task_hash=result.task_hash,
            vectors_sha256="ab" * 32, position=position, outcomes_key=key,
        )  # fmt: skip
    return row


def verified(client: Client, path: str, **headers: str) -> Verified:
    key = client.get("/signing-key.pem").content.decode()
    return verify(io.BytesIO(client.get(path, headers=headers).content), key)


def test_the_page_links_to_a_bundle_that_verifies_by_the_sites_key(entry: Submission, stranger: Client) -> None:
    path = f"/r/{entry.pk}/bundle.zip"
    assert path in stranger.get(f"/r/{entry.pk}").content.decode()
    of_page, of_api = verified(stranger, path), verified(stranger, f"/api/v1/submissions/{entry.pk}/bundle")
    assert of_page.key
    assert of_page.report.to_json() == of_api.report.to_json() == entry.report.body
    answer = stranger.get(path)
    assert stranger.get(path, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    assert answer["Content-Disposition"] == f'attachment; filename="vecboard-{entry.pk}.zip"'


def test_the_key_is_kept_in_a_file_of_this_user_only(entry: Submission, stranger: Client) -> None:
    path = storage.signing_key_file()
    assert not path.exists(), "before it is needed"
    first = stranger.get("/signing-key.pem").content
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stranger.get("/signing-key.pem").content == first


def test_another_sites_key_is_refused(entry: Submission, stranger: Client, settings: Any, tmp_path: Path) -> None:
    content = stranger.get(f"/r/{entry.pk}/bundle.zip").content
    settings.VECBOARD_VAR = tmp_path / "another"
    with pytest.raises(Differs, match="not by the given one"):
        verify(io.BytesIO(content), stranger.get("/signing-key.pem").content.decode())


def test_a_bundle_under_review_has_the_neutral_name(entry: Submission, stranger: Client) -> None:
    path = f"/r/{entry.pk}/bundle.zip"
    named = stranger.get(path)
    Submission.objects.filter(pk=entry.pk).update(visibility="anonymous", name="Ada's own")
    answer = stranger.get(path, headers={"If-None-Match": named["ETag"]})
    assert answer.status_code == 200
    entry.refresh_from_db()
    assert verify(io.BytesIO(answer.content)).report.vectors["name"] == entry.display_name != "Ada's own"


def test_a_private_bundle_is_its_owners_and_no_cache_keeps_it(entry: Submission, stranger: Client) -> None:
    Submission.objects.filter(pk=entry.pk).update(visibility="private")
    assert stranger.get(f"/r/{entry.pk}/bundle.zip").status_code == 404
    path = f"/api/v1/submissions/{entry.pk}/bundle"
    assert stranger.get(path).status_code == 404
    answer = stranger.get(path, headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]


def test_a_report_whose_outcomes_were_deleted_has_none(entry: Submission, stranger: Client) -> None:
    SubmissionCell.objects.filter(task="pos", mode="fixed").update(outcomes_key="")
    answer = stranger.get(f"/r/{entry.pk}/bundle.zip")
    assert answer.status_code == 404
    assert "The outcomes of pos.fixed are no longer stored" in answer.content.decode()
    assert stranger.get(f"/api/v1/submissions/{entry.pk}/bundle").status_code == 404


def test_without_a_report_there_is_none(submission: Make, stranger: Client) -> None:
    row = submission("queued")
    assert stranger.get(f"/r/{row.pk}/bundle.zip").status_code == 404
    assert stranger.get(f"/api/v1/submissions/{row.pk}/bundle").status_code == 409
