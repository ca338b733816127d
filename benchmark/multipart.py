"""Files that go from a browser straight into the S3 bucket, in parts, by addresses that the site signs one by one.

A part may be sent again; the bucket says which are there, so an upload resumes where it stopped. Nothing is visible
under the key before all parts are put together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files.storage import storages

ADDRESS_SECONDS = 3600
"""So long a signed address may be used; a slow line needs minutes for a part."""
GONE = {"NoSuchUpload", "404"}


@dataclass(frozen=True)
class Part:
    """A part that is in the bucket."""

    number: int
    bytes: int
    etag: str
    modified: datetime


def is_offered() -> bool:
    """Whether browsers may send to the bucket: there is one, and an address under which they reach its server."""
    return bool(settings.VECBOARD_S3_BUCKET and settings.VECBOARD_S3_BROWSER_ENDPOINT)


def origin() -> str:
    """What a page has to be allowed to connect to."""
    parts = urlsplit(str(settings.VECBOARD_S3_BROWSER_ENDPOINT))
    return f"{parts.scheme}://{parts.netloc}"


def begin(key: str) -> str:
    """Open an upload for a key; the bucket's id of it."""
    return str(_client().create_multipart_upload(**_at(key), ContentType="application/gzip")["UploadId"])


def address(key: str, upload: str, number: int, size: int) -> str:
    """Where a browser may put one part, of exactly this many bytes, within the next hour."""
    asked = _at(key) | {"UploadId": upload, "PartNumber": number, "ContentLength": size}
    signer = _signer(settings.VECBOARD_S3_BROWSER_ENDPOINT, settings.VECBOARD_S3_REGION)
    return str(signer.generate_presigned_url("upload_part", Params=asked, ExpiresIn=ADDRESS_SECONDS))


def parts(key: str, upload: str) -> list[Part]:
    """The parts that arrived, in order; none if the upload is over."""
    found: list[dict[str, Any]] = []
    with _harmless_when_over():
        for page in _client().get_paginator("list_parts").paginate(**_at(key), UploadId=upload):
            found += page.get("Parts", [])
    return [Part(part["PartNumber"], part["Size"], part["ETag"], part["LastModified"]) for part in found]


def complete(key: str, upload: str, arrived: list[Part]) -> None:
    """Put the parts together: from now on the file is there under its key."""
    parts = [{"PartNumber": part.number, "ETag": part.etag} for part in arrived]
    _client().complete_multipart_upload(**_at(key), UploadId=upload, MultipartUpload={"Parts": parts})


def abort(key: str, upload: str) -> None:
    """Give an upload up; harmless when it is over."""
    with _harmless_when_over():
        _client().abort_multipart_upload(**_at(key), UploadId=upload)


def unfinished() -> Iterator[tuple[str, str, datetime]]:
    """Key, id and beginning of every upload that was neither put together nor given up."""
    for page in _client().get_paginator("list_multipart_uploads").paginate(Bucket=settings.VECBOARD_S3_BUCKET):
        for found in page.get("Uploads", []):
            yield found["Key"], found["UploadId"], found["Initiated"]


@contextmanager
def _harmless_when_over() -> Iterator[None]:
    from botocore.exceptions import ClientError

    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] not in GONE:
            raise


def _at(key: str) -> dict[str, Any]:
    return {"Bucket": settings.VECBOARD_S3_BUCKET, "Key": key}


def _client() -> Any:
    return storages["default"].connection.meta.client  # type: ignore[attr-defined]


@lru_cache(maxsize=4)
def _signer(endpoint: str, region: str | None) -> Any:
    """It only computes; the address that it signs for need not be one that this machine can reach."""
    import boto3
    from botocore.config import Config

    how = Config(
        signature_version="s3v4",
        s3={"addressing_style": "path"},
        request_checksum_calculation="when_required",  # a browser sends none
    )
    return boto3.client("s3", endpoint_url=endpoint, region_name=region, config=how)
