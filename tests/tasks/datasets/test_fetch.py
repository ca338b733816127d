"""Downloads from a real server on this machine."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tasks.datasets.dataset import DataSet
from tasks.datasets.fetch import DOWNLOADS
from tasks.datasets.recipes import Assembled, Packaged, Plain, Twin, ZipMember
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable

AddDataSet = Callable[..., DataSet]


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class Site:
    """A folder and the address that it is served at."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url

    def publish(self, name: str, content: bytes) -> str:
        (self.folder / name).write_bytes(content)
        return f"{self.url}/{name}"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    folder = tmp_path / "site"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield Site(folder, f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    server.server_close()


def leftovers(store: DataStore) -> list[str]:
    return [path.name for path in store.data_dir.rglob(".partial-*")]


def test_it_fetches_a_plain_file(store: DataStore, site: Site, add_dataset: AddDataSet) -> None:
    add_dataset(b"content", recipe=Plain(site.publish("x", b"content")))
    store.fetch("tiny", progress=False)
    assert store.status("tiny").source == "data"
    assert leftovers(store) == []


def test_it_stores_gzipped_what_is_published_plain(store: DataStore, site: Site, add_dataset: AddDataSet) -> None:
    add_dataset(b"content", "tiny/tiny.txt.gz", Plain(site.publish("x", b"content")))
    store.fetch("tiny", progress=False)
    assert gzip.decompress(store.path("tiny").read_bytes()) == b"content"


def test_it_takes_a_member_of_a_zip(store: DataStore, site: Site, add_dataset: AddDataSet) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("folder/other", b"other")
        archive.writestr("folder/member", b"content")
    add_dataset(b"content", recipe=ZipMember(site.publish("x.zip", packed.getvalue()), "folder/member"))
    store.fetch("tiny", progress=False)
    assert store.path("tiny").read_bytes() == b"content"


def article(title: str, *lines: str) -> str:
    return "\n".join([f'<doc id="1" url="u" title="{title}">', title, "", *lines, "</doc>", ""])


def test_it_assembles_and_goes_on_with_the_parts_that_are_there(
    store: DataStore, site: Site, add_dataset: AddDataSet
) -> None:
    paragraphs = [f"{name} " + "is a long enough line of plain text " * 6 + "with an end." for name in ("One", "Two")]
    parts = [article("T", line, "Heading.", "a short line.").encode() for line in paragraphs]
    urls = (site.publish("a", parts[0]), f"{site.url}/b")
    content = "".join(f"{line}\n" for line in paragraphs).encode()
    add_dataset(content, "tiny/tiny.txt.gz", Assembled(urls, "wiki-sample"))
    with pytest.raises(DataUnavailable, match="404"):
        store.fetch("tiny", progress=False)
    (site.folder / "a").unlink()
    site.publish("b", parts[1])
    store.fetch("tiny", progress=False)
    assert gzip.decompress(store.path("tiny").read_bytes()) == content
    assert not list((store.data_dir / DOWNLOADS).iterdir())


def test_wrong_content_is_not_kept(store: DataStore, site: Site, add_dataset: AddDataSet) -> None:
    add_dataset(b"content", recipe=Plain(site.publish("x", b"c0ntent")))
    with pytest.raises(DataUnavailable, match=r"is not what was published \(it has other content"):
        store.fetch("tiny", progress=False)
    assert not (store.data_dir / "tiny/tiny.txt").exists()
    assert leftovers(store) == []


def test_a_spoiled_part_is_downloaded_again(store: DataStore, site: Site, add_dataset: AddDataSet) -> None:
    url = site.publish("x.zip", b"no zip at all")
    add_dataset(b"content", recipe=ZipMember(url, "member"))
    with pytest.raises(DataUnavailable, match="as downloaded, is not what was published"):
        store.fetch("tiny", progress=False)
    assert not list((store.data_dir / DOWNLOADS).iterdir())


def test_a_part_that_a_routine_cannot_read_is_downloaded_again(
    store: DataStore, site: Site, add_dataset: AddDataSet
) -> None:
    add_dataset(b"content", recipe=Assembled((site.publish("x.rds", b"no data of R"),), "neighbour-lists"))
    with pytest.raises(DataUnavailable, match="as downloaded, is not what was published"):
        store.fetch("tiny", progress=False)
    assert not list((store.data_dir / DOWNLOADS).iterdir())


def test_a_twin_without_its_package_is_downloaded(store: DataStore, site: Site, add_dataset: AddDataSet) -> None:
    add_dataset(b"content", recipe=Twin(Packaged("not_installed", "x"), Plain(site.publish("x", b"content"))))
    store.fetch("tiny", progress=False)
    assert store.status("tiny").source == "data"


def test_a_dead_address_is_a_sentence_with_what_to_do(store: DataStore, add_dataset: AddDataSet) -> None:
    add_dataset(b"content", recipe=Plain("http://127.0.0.1:9/x"))
    with pytest.raises(DataUnavailable, match=r"127\.0\.0\.1:9 does not answer\). Check the network and try again"):
        store.fetch("tiny", progress=False)


def test_what_is_there_is_not_downloaded_again(store: DataStore, add_dataset: AddDataSet) -> None:
    add_dataset(b"content", recipe=Plain("http://127.0.0.1:9/x"))
    assert store.mirror is not None
    (store.mirror / "tiny").mkdir()
    (store.mirror / "tiny/tiny.txt").write_bytes(b"content")
    store.fetch("tiny", progress=False)
    assert not (store.data_dir / "tiny").exists()
