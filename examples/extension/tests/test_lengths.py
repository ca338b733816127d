"""Length of the words of an entry. Fixtures are in ``extensions/conftest.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from django.test import Client

from tasks.prepared import store
from tasks.vectors import Embedding
from tests.benchmark.conftest import Make

WORDS = ["a", "to", "of", "the", "x" * 30]
ANSWER = "the first 5 words have a median length of 2; 20.0 % have 20 or more."


@pytest.mark.parametrize(("is_here", "text"), [(True, ANSWER), (False, "not ready for look-up on this machine")])
def test_the_page_has_an_answer(is_here: bool, text: str, submission: Make, stranger: Client, own_files: Path) -> None:
    directory = store(Embedding("small", WORDS, np.ones((5, 3), np.float32), ""), own_files / "var" / "prepared")
    entry = submission(vectors_sha256=directory.name if is_here else "0" * 64)
    assert text in stranger.get(f"/entries/{entry.pk}/lengths").content.decode()


def test_a_private_entry_has_no_page_for_strangers(submission: Make, stranger: Client) -> None:
    entry = submission(visibility="private")
    assert stranger.get(f"/entries/{entry.pk}/lengths").status_code == 404
