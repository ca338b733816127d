"""The job of studies: lists and ranks from real vectors of an entry."""

from __future__ import annotations

import gzip
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from benchmark import storage
from benchmark.submissions.models import Submission
from extensions.people import lists, sessions
from extensions.people.models import Comparison, Kind, Source, SourceKind, Study, StudyState
from extensions.people.results import deviations_of
from extensions.people.tests.conftest import Make
from extensions.people.tests.test_association_session import write_all
from tests.workers.conftest import read_here
from tests.workers.factories import ask_and_do
from workers.vectors import prepare_file

__all__ = ["read_here"]


@pytest.fixture
def entry(db: None, tmp_path: Path) -> Callable[..., Submission]:
    """An entry whose words are points on a line, so each word's neighbours are its nearest words."""

    def store(name: str, words: list[str]) -> Submission:
        lines = [f"{word} {place} {(len(words) - place) ** 1.5:.4f}" for place, word in enumerate(words, start=1)]
        row = Submission(name=name, suite="demo", state="done")
        row.file_key = storage.upload_key(row.pk)
        storage.path_of(row.file_key).write_bytes(gzip.compress("\n".join(lines).encode()))
        row.vectors_sha256 = prepare_file(row.file_key, row.file_sha256).sha256
        row.save()
        return row

    return store


def add(study: Study, name: str, entry: Submission) -> Source:
    source = Source.objects.create(study=study, kind=SourceKind.ENTRY, name=name, submission=entry)
    lists.refresh(study)
    return source


def compared(study: Study, entry: Submission) -> Comparison:
    """The comparison of an entry with the people's list, once a worker has made its lists."""
    add(study, "vectors", entry)
    ask_and_do("make_lists", study.pk)
    return Comparison.objects.get(candidate__name="vectors")


NEAR = [f"near{n}" for n in range(150)]


def test_lists_have_an_entrys_nearest_words_and_the_people_s_own_among_its_vocabulary(
    study: Make, entry: Callable[..., Submission]
) -> None:
    row = study(state=StudyState.DRAFT, cues=["cue0"])
    found = compared(row, entry("v", ["cue0", *NEAR, "b3", "s1"]))
    assert found.lists["cue0"] == [NEAR[:10], ["b3", "s1"]]


@pytest.mark.parametrize(
    ("words", "reason"), [(["cue0", *NEAR], "vocabulary has no word"), (["b3", *NEAR], "no list for “cue0”")]
)
def test_a_list_that_cannot_be_made_has_a_reason(
    study: Make, entry: Callable[..., Submission], words: list[str], reason: str
) -> None:
    assert reason in compared(study(state=StudyState.DRAFT, cues=["cue0"]), entry("v", words)).reason


def test_two_entries_are_compared_within_their_common_words(study: Make, entry: Callable[..., Submission]) -> None:
    row = study(state=StudyState.DRAFT, cues=["cue0"])
    one = add(row, "one", entry("one", ["cue0", "only1", "both1", "both2", *(f"a{n}" for n in range(120))]))
    add(row, "two", entry("two", ["cue0", "both2", "only2", "both1", *(f"b{n}" for n in range(120))]))
    lists.take_as_baseline(row, one)
    ask_and_do("make_lists", row.pk)
    assert Comparison.objects.get(candidate__name="two").lists["cue0"] == [["both2", "both1"], ["both1", "both2"]]


@pytest.mark.parametrize(
    "hidden", [{"visibility": "private"}, {"withdrawn_at": timezone.now()}, {"deleted_at": timezone.now()}, {}]
)
def test_an_entry_that_was_hidden_or_erased_since_gives_no_more_lists(
    study: Make, entry: Callable[..., Submission], hidden: dict[str, Any]
) -> None:
    """Otherwise, changing a draft's cues repeatedly would read the vectors of an entry that was made private."""
    row = study(state=StudyState.DRAFT, cues=["cue0"])
    added = entry("v", ["cue0", "b3", *(f"near{n}" for n in range(150))])
    add(row, "vectors", added)
    if hidden:
        Submission.objects.filter(pk=added.pk).update(**hidden)
    else:
        added.delete()
    ask_and_do("make_lists", row.pk)
    comparison = Comparison.objects.get(candidate__name="vectors")
    assert (comparison.lists, "no longer on the site" in comparison.reason) == (None, True)


def test_a_private_entry_of_the_study_s_owner_gives_lists(
    study: Make, entry: Callable[..., Submission], django_user_model: Any
) -> None:
    own = django_user_model.objects.create(username="me")
    row = study(state=StudyState.DRAFT, cues=["cue0"], owner=own)
    added = entry("v", ["cue0", "b3", *(f"near{n}" for n in range(150))])
    Submission.objects.filter(pk=added.pk).update(visibility="private", owner=own)
    add(row, "vectors", added)
    ask_and_do("make_lists", row.pk)
    assert Comparison.objects.get(candidate__name="vectors").lists


def test_entries_are_ranked_against_collected_lists(study: Make, entry: Callable[..., Submission]) -> None:
    row = study(Kind.FREE_ASSOCIATIONS, cues=["cue0"])
    write_all(sessions.begin(row), [f"near{n}" for n in range(10)])
    add(row, "alike", entry("alike", ["cue0", *(f"near{n}" for n in range(150))]))
    add(row, "turned", entry("turned", ["cue0", *(f"near{n}" for n in reversed(range(150)))]))
    ask_and_do("make_lists", row.pk)
    deviations = deviations_of(row)
    assert [d.name for d in deviations] == ["alike", "turned"]
    assert (deviations[0].relative, deviations[0].within, deviations[0].full) == (0.0, 0.0, pytest.approx(math.log(2)))
    assert deviations[1].relative > 1.3
    assert deviations[0].words == 10


def test_making_lists_twice_gives_the_same(study: Make, entry: Callable[..., Submission]) -> None:
    row = study(state=StudyState.DRAFT, cues=["cue0"])
    add(row, "vectors", entry("v", ["cue0", "b3", *(f"near{n}" for n in range(150))]))
    ask_and_do("make_lists", row.pk)
    before = Comparison.objects.get(candidate__name="vectors").lists
    ask_and_do("make_lists", row.pk)
    assert Comparison.objects.get(candidate__name="vectors").lists == before


def test_a_study_that_is_gone_needs_no_lists(db: None) -> None:
    ask_and_do("make_lists", "abcdefghijkl")
