"""*Study texts*: every question leads to a page, and none to an empty choice."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from benchmark.submissions.models import Submission
from tests.benchmark.conftest import Make

pytestmark = pytest.mark.django_db


def test_every_question_leads_to_a_page(stranger: Client, submission: Make) -> None:
    submission(vectors_sha256="a" * 64, file_key="uploads/a.gz")
    page = stranger.get("/study").content.decode()
    main = page[page.index("<main") : page.index("</main>")]
    targets = [target for target in re.findall(r'href="(/[^"#]*)', main) if not target.startswith("/docs/")]
    assert len(targets) >= 6
    assert {stranger.get(target).status_code for target in targets} == {200}


def test_a_word_is_looked_up_in_an_entry(stranger: Client, submission: Make) -> None:
    assert stranger.get("/words?word=tax").status_code == 404
    row: Submission = submission(vectors_sha256="a" * 64, file_key="uploads/a.gz")
    assert stranger.get("/words?word=tax")["Location"] == f"/entries/{row.pk}/neighbours?word=tax"
