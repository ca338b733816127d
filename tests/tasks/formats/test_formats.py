"""The registry: a new format takes one module and one line, and gets every check of the others."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from tasks.errors import InputError
from tasks.formats import reading
from tasks.formats.source import ByteSource, Format, Parsed, Reading
from tasks.vectors import content_hash
from tests.docs.blocks import ROOT, blocks
from tests.tasks.formats.conftest import WriteLines, check
from tests.tasks.formats.forms import FORMS
from tests.tasks.formats.models import WORDS, rows

# All that a module of a new format holds.


def _recognise(beginning: bytes, names: tuple[str, ...]) -> bool:
    return beginning.startswith(b'{"vectors"')


def _read(source: ByteSource) -> Reading:
    vectors = json.loads(b"".join(source.blocks()))["vectors"]
    rows = np.array(list(vectors.values()), dtype=np.float32)
    return Reading(rows.shape[1], iter([Parsed(list(vectors), rows)]))


TOY = Format("toy", "A toy: JSON, each word with its list of numbers.", _recognise, _read)


@pytest.fixture
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "FORMATS", (TOY, *reading.FORMATS))  # the line in the registry


def toy(words: int) -> bytes:
    return json.dumps({"vectors": {f"word{n}": [n, -1.5] for n in range(words)}}).encode()


@pytest.mark.usefixtures("_toy")
@pytest.mark.parametrize("gzipped", [False, True])
def test_a_format_that_one_line_adds_is_read_plain_and_gzipped(gzipped: bool, write: WriteLines) -> None:
    assert check(write(toy(100), gzipped=gzipped)).sha256 == check(write(as_text(100))).sha256


@pytest.mark.usefixtures("_toy")
def test_it_is_checked_as_the_others_are(write: WriteLines) -> None:
    with pytest.raises(InputError) as caught:
        check(write(toy(99)))
    assert caught.value.code == "too-few-words"


def as_text(words: int) -> str:
    return "".join(f"word{n} {n} -1.5\n" for n in range(words))


def test_the_documentation_shows_this_very_format() -> None:
    shown = [block.text for block in blocks(ROOT / "CONTRIBUTING.md") if "TOY = Format(" in block.text]
    assert len(shown) == 1
    assert shown[0] in Path(__file__).read_text(encoding="utf-8")


def test_every_format_that_is_read_has_a_sentence_for_the_form() -> None:
    sentences = [form.sentence for form in reading.FORMATS if form.sentence]
    assert len(set(sentences)) == len(sentences) >= 3
    assert all(sentence.endswith(".") for sentence in sentences)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_same_vectors_has_one_hash(form: str, write: WriteLines) -> None:
    """Two Unicode forms of a letter make two words; of repeated words, the first counts."""
    words = [*WORDS, "caf\u00e9", "cafe\u0301", "\u212b", "\u00c5", WORDS[3], "caf\u00e9"]
    matrix = rows(len(words))
    found = check(write(FORMS[form](words, matrix)))
    assert found.sha256 == content_hash(words[:-2], matrix[:-2])
    assert [(warning.code, warning.count) for warning in found.warnings] == [("duplicate-words", 2)]


def test_gzip_in_gzip_is_refused(good_lines: list[str], write: WriteLines, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        check(write(gzip.compress(gzip.compress("\n".join(good_lines).encode()))))
    assert caught.value.code == "packed-twice"
