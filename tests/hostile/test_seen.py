"""Words and names that reverse the text direction, or steer a terminal, are shown escaped."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client

from benchmark.submissions.models import Submission
from extensions.people.models import FreeAssociation, Rater, Source, Study
from extensions.people.tests.conftest import study
from tasks.prepared import store
from tasks.text import UNSEEN, visible
from tasks.vectors import Embedding
from tests.benchmark.conftest import own_files, submission
from tests.hostile.everywhere import Site, made

__all__ = ["own_files", "study", "submission"]
pytestmark = pytest.mark.django_db
NASTY = "a\u202eb\u2066c\x1b[2J\x07\x9b"
STUDIES = ("/people", "/rate")
SHOWN = r"a\u202eb\u2066c\x1b[2J\x07\x9b"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (NASTY, SHOWN),
        ("naïve word\n\tשלום 词 👩\u200d👩\u200d👧", "naïve word\n\tשלום 词 👩\u200d👩\u200d👧"),
        ("\ud800\x00\r", r"\ud800\x00\r"),
    ],
)
def test_what_nobody_sees_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.fixture
def site(submission: Any, study: Any) -> Site:
    """A site with rows that no form accepts."""
    found = made(submission, study)
    texts = ("name", "description", "corpus", "algorithm", "technical_notes", "licence", "original_name")
    Submission.objects.update(**dict.fromkeys(texts, NASTY), error={"message": NASTY, "word": NASTY})
    lists = Study.objects.get(pk=found.known["human"])
    rater = Rater.objects.create(study=lists, state="done", plan=["cue0"])
    FreeAssociation.objects.create(rater=rater, cue="cue0", place=1, word=NASTY, written=NASTY)
    Study.objects.update(title=NASTY, focus=NASTY, consent=NASTY, completion_code=NASTY, licence=NASTY, state="draft")
    for source in Source.objects.all():
        Source.objects.filter(pk=source.pk).update(name=f"{NASTY}{source.pk}")
    return found


def test_no_page_shows_what_nobody_sees(site: Site) -> None:
    with_it = set()
    for state in ("draft", "open", "closed"):
        Study.objects.update(state=state, publishes_results=True)
        for client in (site.owner, site.stranger):
            for address in site.addresses():
                if state != "draft" and not address.startswith(STUDIES):
                    continue  # the same page as before
                response: Any = client.get(address, {"e": site.known["e"], "q": NASTY, "word": NASTY})
                if response.get("Content-Type", "").startswith(("text/html", "image/svg")) and response.content:
                    page = response.content.decode()
                    assert not re.search(UNSEEN, page), address
                    if r"\u202e" in page:
                        with_it.add(address)
    assert len(with_it) >= 15


def test_a_word_of_a_file_ends_its_own_direction(site: Site, settings: Any) -> None:
    words = ("known", "שלום", "a\u202eb\x1b[2J", *(f"w{nth}" for nth in range(20)))
    matrix = np.random.default_rng(3).normal(size=(len(words), 8)).astype(np.float32)
    matrix[:3] = matrix[0]
    directory = store(Embedding("e", words, matrix, "e"), Path(settings.VECBOARD_VAR) / "prepared")
    entry = Submission.objects.get(pk=site.known["submission_id"])
    Submission.objects.filter(pk=entry.pk).update(vectors_sha256=directory.name)
    page = Client().get(f"/entries/{entry.pk}/neighbours", {"word": "known"}).content.decode()
    assert "<bdi>שלום</bdi>" in page
    assert r"<bdi>a\u202eb\x1b[2J</bdi>" in page
    assert not re.search(UNSEEN, page)
