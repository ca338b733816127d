"""Files in an S3 bucket: machines that share no disk, joined by PostgreSQL, Redis and the bucket."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from benchmark import storage
from tasks.files import Damaged
from tests.servers import S3
from tests.workers.running_site import Site, scores, scores_of_the_script, small_file

CONTENT = b"the bytes that were stored"


def publish(key: str, content: bytes = CONTENT) -> None:
    draft = storage.path_of("incoming/draft")
    draft.write_bytes(content)
    storage.publish(draft, key)
    assert not draft.exists()


def test_a_published_file_is_in_the_bucket_and_nowhere_else(bucket: S3) -> None:
    publish("uploads/ab/one.gz")
    assert bucket.client().get_object(Bucket=bucket.bucket, Key="uploads/ab/one.gz")["Body"].read() == CONTENT
    assert (storage.exists("uploads/ab/one.gz"), storage.size("uploads/ab/one.gz")) == (True, len(CONTENT))
    assert storage.opened("uploads/ab/one.gz").read() == CONTENT
    assert [file.key for file in storage.keys("uploads")] == ["uploads/ab/one.gz"]
    storage.delete("uploads/ab/one.gz")
    assert not storage.exists("uploads/ab/one.gz")


def test_a_missing_file_is_reported(bucket: S3) -> None:
    with pytest.raises(FileNotFoundError):
        storage.opened("uploads/ab/none.gz")


def test_a_fetched_file_is_checked_against_its_hash_and_deleted_after_use(bucket: S3) -> None:
    publish("uploads/ab/two.gz")
    with storage.at_hand("uploads/ab/two.gz", hashlib.sha256(CONTENT).hexdigest()) as path:
        assert path.read_bytes() == CONTENT
    assert not path.exists()


def test_other_bytes_than_were_stored_are_noticed(bucket: S3) -> None:
    publish("uploads/ab/three.gz", b"other bytes")
    with (
        pytest.raises(Damaged, match="bytes that differ"),
        storage.at_hand("uploads/ab/three.gz", hashlib.sha256(CONTENT).hexdigest()),
    ):
        pytest.fail("a damaged file was handed out")


@pytest.mark.slow
@pytest.mark.redis
@pytest.mark.postgres
def test_workers_on_two_other_machines_share_a_file_stored_by_the_web_machine(
    s3: S3, redis_url: str, database_url: str, tmp_path: Path
) -> None:
    site = Site(tmp_path / "web", redis_url, database_url, **s3.environment)
    submission = site.submit(small_file())
    for name in ("one", "two"):
        site.start_worker(name, VECBOARD_VAR=str(tmp_path / name))
    try:
        site.wait_until(lambda: site.is_over(submission))
        assert scores(site.report(submission)) == scores_of_the_script()
    finally:
        site.kill_all()
    jobs = [(site.var / f"{name}.log").read_text().count("workers.jobs.run_cell") for name in ("one", "two")]
    assert min(jobs) >= 2, site.log()
    keys = {item["Key"].split("/")[0] for item in s3.client().list_objects_v2(Bucket=s3.bucket)["Contents"]}
    assert keys - {"ranking"} == {"uploads", "outcomes"}  # the ranking file follows the report
    assert not [file for name in ("one", "two") for file in (tmp_path / name / "storage").rglob("*.gz")]
