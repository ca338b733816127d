"""The shipped entries after a first start, without a worker."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client, override_settings

from benchmark.compare.entries import Picked
from benchmark.compare.scores import EntryDifference, score_differences
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.first_screen import first_screen_of
from benchmark.leaderboard.jobs import due
from benchmark.leaderboard.query import BoardQuery
from benchmark.leaderboard.ranking_data import ranking_data_of
from benchmark.leaderboard.table import current
from benchmark.shipped.dump import dump_path, stored_entries
from benchmark.shipped.recipes import shipped_vectors
from benchmark.shipped.trained import TRAINED
from benchmark.submissions.models import StoredReport, Submission
from tasks.datasets.store import DataStore
from tasks.formats.reading import read
from tasks.results import cell_key, json_text
from tasks.suites import OPEN_2026
from vecboard.public import PUBLIC

MEASURED = [entry for entry in PUBLIC if entry.measured == OPEN_2026.id]
LISTED = shipped_vectors(OPEN_2026)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: Any) -> Iterator[Path]:
    """Files of a site after its first start, which takes seconds; each test's transaction is inside this one."""
    var = tmp_path_factory.mktemp("var")
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(VECBOARD_VAR=var, STORAGE_ROOT=var / "storage", VECBOARD_SUITE=OPEN_2026.id):
            call_command("load_baseline", suite=OPEN_2026.id)
            call_command("load_board", suite=OPEN_2026.id)
        yield var
        transaction.set_rollback(True)


@pytest.fixture
def site(started: Path, db: None, settings: Any) -> Client:
    settings.VECBOARD_VAR, settings.STORAGE_ROOT = started, started / "storage"
    settings.VECBOARD_SUITE = OPEN_2026.id
    return Client()


def test_every_shipped_entry_says_how_its_vectors_are_made() -> None:
    details = [one.details for one in stored_entries(OPEN_2026, dump_path(OPEN_2026))]
    stored = {one["vectors_sha256"]: one["name"] for one in details}
    titles = {entry.id: entry.title for entry in (*TRAINED, *PUBLIC)}
    assert {sha256: titles[made.made_by] for sha256, made in LISTED.items()} == stored


def test_the_excerpts_that_ship_are_whole_and_small_together() -> None:
    excerpts = {vectors.made_by: vectors.excerpt for vectors in LISTED.values() if vectors.excerpt is not None}
    assert len(excerpts) > 5
    assert sum(excerpt.path.stat().st_size for excerpt in excerpts.values()) < 10_000_000
    for made_by, excerpt in excerpts.items():
        embedding = read(excerpt.path)
        assert (embedding.sha256, len(embedding.words)) == (excerpt.sha256, 20_000)
        assert made_by.endswith(f"-d{embedding.dimensions}")


def test_the_first_board_has_all_ranks_without_a_worker(site: Client) -> None:
    assert due() == []
    page = site.get("/").content.decode()
    assert "No entry is ranked yet." not in page
    table, _ = current(OPEN_2026.id, OPEN_2026.version)
    assert len(table.reports) == Submission.objects.count()
    assert {rank for rank in table.rank[:, table.ranked_keys.index("overall")] if rank} > {1}


def test_words_can_be_looked_up_at_once_in_the_entry_with_the_excerpt(site: Client) -> None:
    row = Submission.objects.get(name="Skip-gram, window 5, 50 dimensions")
    page = site.get(f"/entries/{row.pk}/neighbours?word=france").content.decode()
    assert page.count("<tr><td") == 10
    assert "first 20,000 words of the file, in 8-bit numbers" in page
    assert site.get(f"/entries/{row.pk}/map").status_code == 200
    assert "first 20,000 words of the file, in 8-bit numbers" in site.get(f"/r/{row.pk}").content.decode()


def test_the_other_entries_say_that_only_their_reports_ship(site: Client) -> None:
    row = Submission.objects.get(name="GloVe, window 10, 50 dimensions")
    page = site.get(f"/entries/{row.pk}/neighbours").content.decode()
    assert "Only the report of this entry ships with the program, not its vectors." in page
    assert "A worker rebuilds them when they are first needed." in page


def test_an_association_test_is_answered_at_once_from_excerpts(site: Client) -> None:
    response = site.get("/associations?test=immigration-threat", follow=True)
    answered = response.context["answered"]
    assert len(answered) == 3
    assert all(of.answer.d is not None and of.excerpt is not None for of in answered)
    page = response.content.decode()
    assert page.count("Measured on the first 20,000 words of the file, in 8-bit numbers.") == 3
    assert "A worker can prepare the whole vectors" in page  # they know rarer words
    assert "no answer" not in page
    response = site.get("/associations?test=parties-morality", follow=True)  # words that no excerpt has
    assert [of.answer for of in response.context["answered"]] == [None, None, None]
    assert "Prepare them" in response.content.decode()


def test_a_published_association_test_is_answered_from_the_report(site: Client) -> None:
    if not DataStore.default().status("weat").available:
        pytest.skip("the data set weat is not here")
    row = Submission.objects.get(name="GloVe 6B, 50 dimensions")
    assert row.report is not None
    response = site.get(f"/associations?e={row.pk}&test=weat-6")
    (of,) = response.context["answered"]
    result = row.report.measured.result("weat-6")
    assert result is not None
    assert (of.answer.d, of.answer.interval) == (result.score, result.interval)
    assert len(of.answer.single) == result.n
    assert "“male names” words are nearer to “career” than" in response.content.decode()
    assert site.get(f"/associations?e={row.pk}&test=parties-morality").context["answered"][0].answer is None


def test_a_shipped_report_follows_one_of_the_first_form(site: Client) -> None:
    row = Submission.objects.get(name="WordLlama L2 Supercat, 256 dimensions")
    assert row.report is not None
    content = dict(row.report.content)
    content |= {"aggregates": content.pop("as_used"), "equal_dimensions": content["aggregates"]}
    StoredReport.objects.create(submission=row, body=json_text(content))
    call_command("load_board", suite=OPEN_2026.id)
    row.refresh_from_db()
    assert row.report.version == 3
    assert row.report.measured.baseline == "256 dimensions, interpolated between 200 and 300"
    call_command("load_board", suite=OPEN_2026.id)
    assert StoredReport.objects.filter(submission=row).count() == 3


@pytest.mark.parametrize("entry", MEASURED, ids=lambda entry: entry.id)
def test_public_entries_are_on_the_board_with_licence_and_citation(entry: Any, site: Client) -> None:
    row = Submission.objects.get(name=entry.title)
    assert (row.vectors_sha256, row.track, row.open_vocabulary) == (entry.sha256, "other", entry.has_open_vocabulary)
    page = site.get(f"/r/{row.pk}").content.decode()
    assert bool(row.model_bytes) == entry.has_open_vocabulary
    assert entry.work.licence in page
    assert re.sub(r"\W+", " ", entry.work.citation)[:40] in re.sub(r"\W+", " ", page)
    name = entry.title.rpartition(", ")[0]
    assert f'{name}</bdi></a> <span class="tag">published</span>' in site.get("/").content.decode()


def test_the_filters_tell_public_and_trained_entries_apart(site: Client) -> None:
    public = {entry.title for entry in MEASURED}
    for query, found in (("track=other", public), ("track=prescribed", set()), ("vocabulary=open", open_ones())):
        page = site.get(f"/?view=scores&{query}").content.decode()
        assert {title for title in public if title in page} == found, query


def test_only_public_entries_are_called_published(site: Client) -> None:
    assert site.get("/").content.decode().count(">published</span>") == len(MEASURED)


def open_ones() -> set[str]:
    return {entry.title for entry in MEASURED if entry.has_open_vocabulary}


def side(difference: EntryDifference) -> str:
    return "better" if difference.is_better else "worse" if difference.is_worse else "close"


TURNED = {"better": "worse", "worse": "better", "close": "close"}


def test_every_pair_has_the_same_verdict_on_all_pages(site: Client) -> None:
    table, _ = current(OPEN_2026.id, OPEN_2026.version)
    rows = [Submission.objects.get(pk=pk) for pk in table.submissions]
    data = ranking_data_of(table.reports)
    stored = [StoredReport.objects.get(pk=report) for report in table.reports]
    entries = [Picked(row.pk, row, report.measured, data[report.pk]) for row, report in zip(rows, stored, strict=True)]
    together = score_differences(entries, OPEN_2026)
    # Neither the others nor the order change anything.
    for first, second in combinations(entries, 2):
        alone = score_differences([second, first], OPEN_2026).between(second.letter, first.letter)
        turned = {key: TURNED[side(difference)] for key, difference in alone.items()}
        assert {key: side(of) for key, of in together.between(first.letter, second.letter).items()} == turned

    def sides(entry: Picked, others: Sequence[Picked]) -> list[str]:
        pairs = [together.between(entry.letter, other.letter) for other in others if other is not entry]
        return [side(pair["overall"]) for pair in pairs]

    def place(entry: Picked, others: Sequence[Picked]) -> tuple[int, int]:
        of = sides(entry, others)
        return 1 + of.count("worse"), len(of) + 1 - of.count("better")

    # The ranks of the table and of the first screen count these verdicts, but test a baseline like every other entry.
    baselines = [entry for entry in entries if entry.submission.is_baseline]

    def agrees(shown: tuple[int, int], entry: Picked, others: Sequence[Picked]) -> bool:
        with_verdicts = place(entry, others)
        if entry in baselines:
            return shown[0] <= with_verdicts[0] and with_verdicts[1] <= shown[1]
        without = place(entry, [other for other in others if other not in baselines])
        dropped = sum(other in baselines and other is not entry for other in others)
        return without[0] <= shown[0] <= with_verdicts[0] and with_verdicts[1] <= shown[1] <= without[1] + dropped

    for row, entry in enumerate(entries):
        assert agrees(table.place(row, "overall"), entry, entries)
    board = board_of(OPEN_2026, BoardQuery(), size=None, by_rank=True)
    on_screen = {entry.row.facts.id: (entry.row.rank, entry.row.last)
                 for group in first_screen_of(board).groups for entry in group.entries}  # fmt: skip
    for entry in entries:
        of_size = [other for other in entries if other.submission.dimensions == entry.submission.dimensions]
        if entry.submission.pk in on_screen:  # controls are listed below it
            assert agrees(on_screen[entry.submission.pk], entry, of_size)
    assert len(on_screen) == len(entries) - 2

    # Against the baseline of its size, an entry has the verdicts of its report.
    assert {entry.submission.dimensions for entry in baselines} == {100}
    for baseline in baselines:
        for entry in entries:
            if entry is baseline or entry.submission.dimensions != baseline.submission.dimensions:
                continue
            pair = together.between(entry.letter, baseline.letter)
            assert side(pair["overall"]) == side_of_interval(entry.report.aggregates.intervals["overall"])
            for result in entry.report.results:
                if interval := result.relative_error_reduction_interval:
                    assert side(pair[cell_key(result.task, result.mode)]) == side_of_interval(interval)

    first, second = (entry.letter for entry in entries[1:3])
    answer = site.get(f"/api/v1/compare?e={first}&e={second}").json()
    expected_flags = {key: difference.clear for key, difference in together.between(first, second).items()}
    assert {of["column"]: of["significant"] for of in answer["differences"]} == expected_flags


def side_of_interval(interval: tuple[float, float]) -> str:
    return "better" if interval[0] > 0 else "worse" if interval[1] < 0 else "close"
