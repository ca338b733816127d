"""An entry with vectors on this machine, and a browser that sends a corpus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmark import storage
from benchmark.submissions.models import Submission
from tasks.prepared import store
from tasks.vectors import Embedding, content_hash

Make = Callable[..., Submission]
Send = Callable[..., Any]
CORPUS = b'{"text": "the cat sat on the mat", "speaker": "a"}\n{"text": "a dog lay on the rug", "speaker": "b"}\n'


@pytest.fixture
def entry(submission: Make, own_files: Path) -> Submission:
    words = [f"w{nth}" for nth in range(120)]
    matrix = np.random.default_rng(3).normal(size=(len(words), 8)).astype(np.float32)
    embedding = Embedding("made", words, matrix, content_hash(words, matrix))
    directory = store(embedding, own_files / "var" / "prepared")
    return submission(
        name="made", vectors_sha256=directory.name, dimensions=8, words=len(words), file_key="uploads/x.gz"
    )


@pytest.fixture
def send(entry: Submission) -> Send:
    """Send a corpus from a browser."""

    def post(visitor: Client, content: bytes = CORPUS, name: str = "speeches.jsonl", **fields: Any) -> Any:
        file = SimpleUploadedFile(name, content)
        return visitor.post("/find/suffices", {"e": [entry.pk], "file": file} | fields)

    return post


def stored() -> list[str]:
    """Keys of the corpora in the storage, and the names of arriving files."""
    arriving = storage.root() / "incoming"
    return [file.key for file in storage.keys("corpora")] + [path.name for path in arriving.glob("*")]
