"""The prescribed corpus: its page, its download, and how it is made."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from django.test import Client

from benchmark.protocol import views
from benchmark.protocol.views import CorpusFile, describe, text_path
from tests.benchmark.reports import SUITE

pytestmark = pytest.mark.django_db


def test_the_corpus_page_says_when_the_text_is_not_there(stranger: Client) -> None:
    assert "Not built yet." in stranger.get("/corpus").content.decode()
    assert stranger.get("/corpus/demo.txt.gz").status_code == 404


def test_the_corpus_text_is_served_gzipped_with_its_hash(stranger: Client) -> None:
    text_path(SUITE).write_bytes(gzip.compress(b"one line\n"))
    describe(SUITE, CorpusFile("ab" * 32, 9, 29, 1))
    assert "ab" * 32 in stranger.get("/corpus").content.decode()
    response = stranger.get("/corpus/demo.txt.gz")
    assert gzip.decompress(b"".join(response.streaming_content)) == b"one line\n"


@pytest.mark.slow
def test_the_demo_corpus_is_built_from_what_is_installed(stranger: Client, own_files: Path) -> None:
    assert views.owed() == ["demo"]
    views.write(SUITE)
    assert views.owed() == []
    text = gzip.decompress(text_path(SUITE).read_bytes()).decode()
    assert text == text.lower()
    assert "Not built yet." not in stranger.get("/corpus").content.decode()
