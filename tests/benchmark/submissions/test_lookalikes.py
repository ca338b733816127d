"""Names that a reader could take for another entry's."""

from __future__ import annotations

import pytest
from django.test import Client

from benchmark.inputs import one_line
from benchmark.submissions.models import Submission
from benchmark.submissions.visibility import skeleton
from tests.benchmark.conftest import Make
from tests.benchmark.people_accounts import person

NAME = "GloVe 6B, 50 dimensions"
ALIKE = [
    NAME,
    "Gl\u043eVe 6B, 50 dimensions",  # Cyrillic о
    "GLOVE 6b 50 DIMENSIONS",
    "GIoVe 6B, 5O dimensions",  # capitals i and o
    "𝔾𝕝𝕠𝕍𝕖 ６Ｂ, 50 dimensions",
    "Glo\u200bVe 6B, 50 dimensions",
    "Gl" + "o\u0336" + "Ve 6B, 50 dimensions",
    "G" + "\u0301" * 60 + "loVe 6B, 50 dimensions",
]
OTHER = ["GloVe 6B, 100 dimensions", "GloVe 42B, 50 dimensions", "fastText, 50 dimensions", "ग्लोव", "गलव"]


@pytest.mark.parametrize("name", ALIKE)
def test_confusable_names_have_one_skeleton(name: str) -> None:
    assert skeleton(name) == skeleton(NAME)


def test_other_names_have_others() -> None:
    assert len({skeleton(name) for name in [NAME, *OTHER]}) == len(OTHER) + 1


@pytest.mark.django_db
@pytest.mark.parametrize("name", ALIKE)
def test_a_later_entry_that_looks_like_another_is_marked(submission: Make, stranger: Client, name: str) -> None:
    first = submission(name=NAME, owner=person("first"))
    second = submission(name=name, owner=person("second"))
    board, report = (stranger.get(path).content.decode() for path in ("/", f"/r/{second.pk}"))
    assert f"isn’t “{NAME}”</strong>" in board
    assert f"This isn’t “{NAME}”" in report
    assert "This isn’t" not in stranger.get(f"/r/{first.pk}").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["Baseline", "SVD-PPMI b\u0430seline, 10 dimensions", "the BASELINE"])
def test_an_entry_called_baseline_is_marked(submission: Make, stranger: Client, name: str) -> None:
    submission(name="SVD-PPMI baseline, 10 dimensions", is_baseline=True)
    row = submission(name=name)
    assert Submission.objects.resembling("demo") == {row.pk: "the baseline"}
    assert "isn’t the baseline" in stranger.get("/").content.decode()


@pytest.mark.django_db
def test_entries_of_one_owner_may_be_alike(submission: Make) -> None:
    ada = person("ada")
    submission(name=NAME, owner=ada)
    submission(name=NAME, owner=ada)
    assert Submission.objects.resembling("demo") == {}


@pytest.mark.parametrize(("given", "kept"), [("e" + "\u0301" * 60, 4), ("Việt", 0), ("שָׁלוֹם", 4), ("กี่", 1)])
def test_a_pile_of_accents_ends_after_four(given: str, kept: int) -> None:
    assert one_line(given) == given[: 1 + kept] if len(given) > 60 else one_line(given) == given
