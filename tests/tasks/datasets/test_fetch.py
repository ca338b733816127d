"""Data sets from hosts that work, refuse, disconnect, hang or send something else."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tasks.cli.datasets import ArrivalLog
from tasks.datasets.dataset import Assembled, DataSet, Packaged, Plain, Published, Twin, ZipMember
from tasks.datasets.fetch import CONNECTIONS, DOWNLOADS, MOST_FAILURES, AlreadyFetching, fetch
from tasks.datasets.store import FILE, Arrival, DataStore, MissingSet, arrival_in
from tests.benchmark.full_disk import room_for
from tests.internet import Internet, internet, keep_silent, refuse, spoil

AddDataSet = Callable[..., DataSet]
ONE, TWO = "https://one.example", "https://two.example"


@pytest.fixture
def contents() -> dict[str, bytes]:
    """Content of the two hosts."""
    return {}


@pytest.fixture
def web(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contents: dict[str, bytes], short_pauses: None
) -> Iterator[Internet]:
    """Two hosts; pauses between tries are short."""
    with internet(tmp_path, contents.__getitem__, ["one.example", "two.example"]) as found:
        for name, value in found.environment.items():
            monkeypatch.setenv(name, value)
        yield found


def left(store: DataStore) -> list[str]:
    """Remaining downloads and incomplete files."""
    return [path.name for path in (*store.data_dir.rglob(".partial-*"), *(store.data_dir / DOWNLOADS).glob("*"))]


def whole(contents: dict[str, bytes], url: str) -> Published:
    return Published(url, len(contents[url]), hashlib.sha256(contents[url]).hexdigest())


@pytest.mark.usefixtures("web")
def test_it_fetches_a_plain_file(store: DataStore, contents: dict[str, bytes], add_dataset: AddDataSet) -> None:
    contents[f"{ONE}/x"] = b"content"
    add_dataset(b"content", recipe=Plain(f"{ONE}/x"))
    arrival = fetch(store, ["tiny"])
    assert (arrival.missing, arrival.arrived, arrival.total, arrival.reachable) == ({}, 7, 7, True)
    assert store.status("tiny").source == "data"
    assert left(store) == []
    assert arrival_in(store.data_dir) is None


@pytest.mark.usefixtures("web")
def test_it_stores_gzipped_what_is_published_plain(
    store: DataStore, contents: dict[str, bytes], add_dataset: AddDataSet
) -> None:
    contents[f"{ONE}/x"] = b"content"
    add_dataset(b"content", "tiny/tiny.txt.gz", Plain(f"{ONE}/x"))
    fetch(store, ["tiny"])
    assert gzip.decompress(store.path("tiny").read_bytes()) == b"content"


@pytest.mark.usefixtures("web")
def test_it_takes_a_member_of_a_zip(store: DataStore, contents: dict[str, bytes], add_dataset: AddDataSet) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("folder/other", b"other")
        archive.writestr("folder/member", b"content")
    contents[f"{ONE}/x.zip"] = packed.getvalue()
    add_dataset(b"content", recipe=ZipMember(whole(contents, f"{ONE}/x.zip"), "folder/member"))
    fetch(store, ["tiny"])
    assert store.path("tiny").read_bytes() == b"content"


@pytest.mark.usefixtures("web")
def test_a_file_that_an_installed_package_carries_is_downloaded_only_without_it(
    store: DataStore, contents: dict[str, bytes], add_dataset: AddDataSet
) -> None:
    contents[f"{ONE}/x"] = b"content"
    add_dataset(b"content", recipe=Twin(Packaged("not_installed", "x"), Plain(f"{ONE}/x")))
    fetch(store, ["tiny"])
    assert store.status("tiny").source == "data"


def article(*lines: str) -> bytes:
    return "\n".join(['<doc id="1" url="u" title="T">', "T", "", *lines, "</doc>", ""]).encode()


PARAGRAPHS = [f"{name} " + "is a long enough line of plain text " * 6 + "with an end." for name in ("One", "Two")]
TEXT = "".join(f"{line}\n" for line in PARAGRAPHS).encode()


@pytest.fixture
def assembled(contents: dict[str, bytes], add_dataset: AddDataSet) -> DataSet:
    """A set assembled from a file of each host."""
    contents[f"{ONE}/a"], contents[f"{TWO}/b"] = (article(line, "Heading.") for line in PARAGRAPHS)
    parts = (whole(contents, f"{ONE}/a"), whole(contents, f"{TWO}/b"))
    return add_dataset(TEXT, "tiny/tiny.txt.gz", Assembled(parts, "wiki-sample"))


@pytest.mark.usefixtures("assembled")
def test_parts_that_have_arrived_stay_while_another_host_refuses_its_own(store: DataStore, web: Internet) -> None:
    web.faults["two.example"] = refuse(403)
    arrival = fetch(store, ["tiny"])
    assert arrival.missing["tiny"] == MissingSet(False, "two.example answers HTTP 403")
    assert "two.example answers HTTP 403" in store.status("tiny").reason
    web.faults.clear()
    fetch(store, ["tiny"])
    assert gzip.decompress(store.path("tiny").read_bytes()) == TEXT
    assert (web.asked_of("one.example"), web.asked_of("two.example")) == (1, 2)
    assert left(store) == []


@pytest.mark.usefixtures("assembled")
def test_only_the_part_that_is_not_what_was_published_is_downloaded_again(store: DataStore, web: Internet) -> None:
    web.faults["two.example"] = spoil
    arrival = fetch(store, ["tiny"])
    assert arrival.missing["tiny"].reason == "two.example serves another file than was published"
    web.faults.clear()
    fetch(store, ["tiny"])
    assert store.status("tiny").available
    assert web.asked_of("one.example") == 1


def test_of_a_file_without_a_hash_what_is_made_from_it_decides(
    store: DataStore, web: Internet, contents: dict[str, bytes], add_dataset: AddDataSet
) -> None:
    contents[f"{ONE}/x.rds"] = b"no data of R"
    add_dataset(b"content", recipe=Assembled((Published(f"{ONE}/x.rds", 12),), "neighbour-lists"))
    arrival = fetch(store, ["tiny"])
    assert "one.example serves another file than was published" in arrival.missing["tiny"].reason
    assert left(store) == []
    assert web.asked_of("one.example") == 1


def test_nobody_is_asked_for_what_is_here(store: DataStore, web: Internet, add_dataset: AddDataSet) -> None:
    add_dataset(b"content", recipe=Plain(f"{ONE}/x"))
    assert store.mirror is not None
    (store.mirror / "tiny").mkdir()
    (store.mirror / "tiny/tiny.txt").write_bytes(b"content")
    assert fetch(store, ["tiny"]).total == 0
    assert not web.asked


class Watcher:
    """Ends a fault once it has been observed."""

    def __init__(self, web: Internet) -> None:
        self.web = web
        self.reasons: list[str] = []
        self.seen: list[Arrival] = []

    def __call__(self, arrival: Arrival) -> None:
        self.seen.append(arrival)
        if reason := arrival.reason("tiny"):
            self.reasons.append(reason)
            self.web.faults.clear()


@pytest.mark.usefixtures("assembled")
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (refuse(403), "answers HTTP 403"),
        (refuse(429, Retry_After=1), "answers HTTP 429"),
        (refuse(503), "answers HTTP 503"),
        (refuse(404), "answers HTTP 404"),
        (spoil, "serves another file than was published"),
    ],
)
def test_a_patient_fetch_goes_on_until_the_fault_is_over(
    store: DataStore, web: Internet, fault: Callable[[bytes], Callable[..., None]], said: str
) -> None:
    web.faults["two.example"] = fault
    watcher = Watcher(web)
    assert fetch(store, ["tiny"], watcher, patient=True).missing == {}
    assert said in watcher.reasons[0]
    assert store.status("tiny").available


@pytest.mark.usefixtures("assembled")
def test_a_long_pause_that_a_host_asks_for_is_kept(store: DataStore, web: Internet) -> None:
    web.faults["two.example"] = refuse(429, Retry_After=90)
    planned: list[float] = []

    def stop_when_refused(arrival: Arrival) -> None:
        if arrival.reason("tiny"):
            planned.append(arrival.missing["tiny"].next_try - arrival.at)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(store, ["tiny"], stop_when_refused, patient=True)
    assert 80 < planned[0] <= 90
    assert web.asked_of("two.example") == 1


def test_a_silent_host_holds_up_only_its_own_files(
    store: DataStore, web: Internet, contents: dict[str, bytes], add_dataset: AddDataSet
) -> None:
    contents[f"{ONE}/x"] = b"content"
    contents[f"{TWO}/y"] = b"other"
    add_dataset(b"content", recipe=Plain(f"{ONE}/x"))
    add_dataset(b"other", "late/late.txt", Plain(f"{TWO}/y"), name="late")
    web.faults["two.example"] = keep_silent

    def over(arrival: Arrival) -> None:
        if "tiny" not in arrival.missing:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(store, ["late", "tiny"], over, patient=True)
    assert store.status("tiny").available
    assert not store.status("late").available


def test_after_some_failures_in_a_row_a_host_is_not_asked_for_its_other_files(
    store: DataStore, web: Internet, contents: dict[str, bytes], add_dataset: AddDataSet
) -> None:
    names = [f"set-{i}" for i in range(10)]
    for name in names:
        contents[f"{ONE}/account/{name}"] = name.encode()
        add_dataset(name.encode(), f"{name}/{name}.txt", Plain(f"{ONE}/account/{name}"), name=name)
    web.faults["one.example"] = refuse(503)
    arrival = fetch(store, names)
    assert set(arrival.missing.values()) == {MissingSet(False, "one.example answers HTTP 503")}
    assert arrival.missing.keys() == set(names)
    assert web.asked_of("one.example") == CONNECTIONS * MOST_FAILURES
    web.faults.clear()
    assert fetch(store, names).missing == {}


def test_without_any_answer_the_network_counts_as_unreachable_and_nobody_waits(
    store: DataStore, add_dataset: AddDataSet, short_pauses: None
) -> None:
    add_dataset(b"content", recipe=Plain("http://127.0.0.1:9/x"))
    arrival = fetch(store, ["tiny"])
    assert arrival.reachable is False
    assert not arrival.is_coming("tiny")
    assert "127.0.0.1 does not answer" in store.status("tiny").reason


def test_two_processes_never_fetch_into_one_directory(
    store: DataStore, web: Internet, contents: dict[str, bytes], add_dataset: AddDataSet
) -> None:
    contents[f"{ONE}/x"] = b"content"
    add_dataset(b"content", recipe=Plain(f"{ONE}/x"))
    web.faults["one.example"] = refuse(503)
    began = threading.Event()
    other = threading.Thread(
        target=fetch, args=(store, ["tiny"], lambda _: began.set()), kwargs={"patient": True}, daemon=True
    )
    other.start()
    assert began.wait(120)
    with pytest.raises(AlreadyFetching, match="Another process"):
        fetch(store, ["tiny"])
    web.faults.clear()
    other.join(120)
    assert store.status("tiny").available


def test_what_a_process_left_that_no_longer_runs_says_nothing(tmp_path: Path) -> None:
    assert arrival_in(tmp_path) is None
    Arrival(True, 1, 2, {"tiny": MissingSet(True)}).write(tmp_path)
    found = arrival_in(tmp_path)
    assert found is not None
    assert found.is_coming("tiny")
    Arrival(True, 1, 2, {"tiny": MissingSet(True)}, at=time.time() - 1000).write(tmp_path)
    assert arrival_in(tmp_path) is None
    (tmp_path / FILE).write_text("{")
    assert arrival_in(tmp_path) is None


def test_the_log_has_a_line_for_each_set_and_each_new_failure() -> None:
    lines: list[str] = []
    log = ArrivalLog(lines.append)
    failed = MissingSet(True, "one.example answers HTTP 503", 1090.0)
    log.report(Arrival(True, 0, 50_000_000, {"a": MissingSet(True), "b": MissingSet(True)}, at=1000.0))
    log.report(Arrival(True, 20_000_000, 50_000_000, {"b": failed}, at=1000.0))
    log.report(Arrival(True, 20_000_000, 50_000_000, {"b": failed}, at=1030.0))
    assert lines == [
        "a is complete; 20 of 50 MB received.",
        "b has not arrived: one.example answers HTTP 503; next try in 90 s.",
    ]


def test_the_log_has_one_line_for_each_reason_whichever_sets_it_keeps_back() -> None:
    lines: list[str] = []
    log = ArrivalLog(lines.append)
    refused, full = MissingSet(False, "one.example answers HTTP 403", 0.0), MissingSet(True, "no space is left", 1060.0)
    for at in (1000.0, 1060.0):
        log.report(Arrival(True, 0, 50_000_000, {"a": refused, "b": full, "c": refused}, at=at))
    assert lines == [
        "a, c have not arrived: one.example answers HTTP 403.",
        "b has not arrived: no space is left; next try in 60 s.",
    ]


@pytest.mark.parametrize(
    ("missing", "lines"),
    [((), []), (("a",), ["The network cannot be reached; 1 data set waits for it."])],
)
def test_the_log_is_silent_on_the_network_when_nothing_waits_for_it(missing: tuple[str, ...], lines: list[str]) -> None:
    said: list[str] = []
    ArrivalLog(said.append).report(Arrival(False, 0, 0, {name: MissingSet(False) for name in missing}))
    assert said == lines


def test_the_log_has_one_line_on_a_network_that_cannot_be_reached_however_often_sets_fail() -> None:
    lines: list[str] = []
    log = ArrivalLog(lines.append)
    for at, reachable in ((0.0, None), (1.0, None), (9.0, False), (70.0, False), (140.0, False)):
        silent = MissingSet(reachable is None, "one.example does not answer", at + 60)
        log.report(Arrival(reachable, 0, 50_000_000, {"a": silent, "b": silent}, at=at))
    assert lines == ["The network cannot be reached; 2 data sets wait for it."]
    for at in (200.0, 290.0):
        log.report(Arrival(True, 0, 50_000_000, {"a": MissingSet(True, "it answers HTTP 503", at + 90)}, at=at))
    assert lines[1:] == [
        "b is complete; 0 of 50 MB received.",
        "a has not arrived: it answers HTTP 503; next try in 90 s.",
    ]


def test_a_full_disk_is_no_fault_of_the_host_and_costs_no_download(
    store: DataStore, web: Internet, contents: dict[str, bytes], assembled: DataSet, add_dataset: AddDataSet
) -> None:
    add_dataset(TEXT, recipe=assembled.files[0].recipe)
    with room_for(max(map(len, contents.values()))):  # enough for each part, not for the text
        arrival = fetch(store, ["tiny"])
    reason = arrival.missing["tiny"].reason
    assert reason.startswith(f"tiny/tiny.txt cannot be written here (no space is left in {store.data_dir};")
    assert fetch(store, ["tiny"]).missing == {}
    assert (web.asked_of("one.example"), web.asked_of("two.example")) == (1, 1)


@pytest.mark.usefixtures("web")
def test_a_download_that_finds_the_disk_full_names_the_directory(
    store: DataStore, contents: dict[str, bytes], add_dataset: AddDataSet
) -> None:
    contents[f"{ONE}/x"] = bytes(200_000)
    add_dataset(contents[f"{ONE}/x"], recipe=Plain(f"{ONE}/x"))
    with room_for(100_000):
        arrival = fetch(store, ["tiny"])
    assert f"no space is left in {store.data_dir}; free some" in arrival.missing["tiny"].reason
    assert fetch(store, ["tiny"]).missing == {}


def test_verified_parts_stay_if_what_is_made_from_them_is_wrong(
    store: DataStore, web: Internet, contents: dict[str, bytes], add_dataset: AddDataSet
) -> None:
    contents[f"{ONE}/a"] = article(PARAGRAPHS[0])
    add_dataset(b"other", recipe=Assembled((whole(contents, f"{ONE}/a"),), "wiki-sample"))
    arrival = fetch(store, ["tiny"])
    assert arrival.missing["tiny"].reason.startswith("tiny/tiny.txt comes out wrong")
    fetch(store, ["tiny"])
    assert web.asked_of("one.example") == 1


@pytest.mark.usefixtures("web")
def test_a_set_made_from_a_file_of_r_names_the_extra_that_is_not_installed(
    store: DataStore, contents: dict[str, bytes], add_dataset: AddDataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rdata", None)  # as if it were not there
    contents[f"{ONE}/a"] = b"R's"
    add_dataset(b"other", recipe=Assembled((whole(contents, f"{ONE}/a"),), "neighbour-lists"))
    reason = fetch(store, ["tiny"]).missing["tiny"].reason
    assert reason.startswith("tiny/tiny.txt cannot be made here (files of R need the package rdata: pip install ")
    assert "vecboard[r]" in reason


@pytest.mark.usefixtures("assembled")
@pytest.mark.parametrize(
    "fault",
    [
        refuse(302, Location=f"{TWO}/b"),
        refuse(429, Retry_After="Mon, 01 Jan 2020 00:00:00 +99999999999999999999"),
        refuse(503, Retry_After="soon"),
    ],
    ids=["a redirect to itself", "a date that overflows", "no date"],
)
def test_no_answer_ends_a_thread_or_the_fetch(
    store: DataStore, web: Internet, fault: Callable[[bytes], Callable[..., None]]
) -> None:
    web.faults["two.example"] = fault
    arrival = fetch(store, ["tiny"])
    assert arrival.missing["tiny"].reason
    web.faults.clear()
    assert fetch(store, ["tiny"]).missing == {}
