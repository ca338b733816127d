"""A browser sends a file straight into the bucket: the S3 server is another origin, as in real life."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from tests.browser.cutting_proxy import CuttingProxy
from tests.browser.test_submissions import PIECE, SLOW, choose, large_file
from tests.servers import S3
from tests.web import Web

__all__ = ["large_file"]
pytestmark = [pytest.mark.slow, pytest.mark.browser]


class Offered(NamedTuple):
    """A site that offers its bucket, and the network between browsers and the bucket."""

    web: Web
    network: CuttingProxy


@pytest.fixture
def offered(s3: S3) -> Iterator[Offered]:
    with CuttingProxy(s3.port, cut_after=PIECE + PIECE // 2) as network:
        web = Web()
        web.environment |= s3.environment | {"VECBOARD_S3_BROWSER_ENDPOINT": network.address}
        with web:
            yield Offered(web, network)


def stored(s3: S3, page: Page) -> bytes:
    entry = page.url.split("/s/")[1].split("?")[0]
    content: bytes = s3.client().get_object(Bucket=s3.bucket, Key=f"uploads/{entry[:2]}/{entry}.gz")["Body"].read()
    return content


def test_a_file_goes_past_the_site_into_the_bucket_and_on_after_a_cut_connection(
    s3: S3, offered: Offered, visitor: Callable[..., Page], large_file: Path
) -> None:
    page, to_site, problems = visitor(), [], []
    page.on("request", lambda request: to_site.append(request.method) if offered.web.address in request.url else None)
    page.on("console", lambda message: problems.append(message.text) if "Policy" in message.text else None)
    choose(offered.web.address, page, large_file)
    page.get_by_role("button", name="Upload and evaluate").click()
    expect(page.get_by_role("heading", name="Waiting to be checked")).to_be_visible(timeout=SLOW)
    assert offered.network.cuts == 1
    assert stored(s3, page) == large_file.read_bytes()
    assert "PUT" not in to_site
    assert problems == []
    assert not list((offered.web.directory / "var" / "storage").rglob("*.part"))


def test_an_upload_into_the_bucket_goes_on_after_the_page_was_closed(
    s3: S3, offered: Offered, visitor: Callable[..., Page], large_file: Path
) -> None:
    page = visitor()
    offered.network.stays_down = True
    choose(offered.web.address, page, large_file, "Interrupted vectors")
    page.get_by_role("button", name="Upload and evaluate").click()
    expect(page.get_by_text("The connection was lost")).to_be_visible(timeout=SLOW)
    page.goto("about:blank")
    offered.network.down = False
    page.goto(f"{offered.web.address}/submit")
    expect(page.get_by_text("“Interrupted vectors” stopped at 8.00 MB")).to_be_visible()
    page.get_by_label("Resume with the same file").set_input_files(large_file)
    expect(page.get_by_role("heading", name="Waiting to be checked")).to_be_visible(timeout=SLOW)
    assert stored(s3, page) == large_file.read_bytes()
