"""fastText models: the library's numbers, and damaged, foreign or malicious files."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.models.fasttext import load_facebook_vectors

from tasks.formats import Limits, ReadRequest, read
from tasks.formats.reading import prepare
from tests.tasks.formats.conftest import Rejected, WriteLines, check
from tests.tasks.formats.models import GENSIM, WORDS, fasttext, rows, word_list

UNSEEN = ["unheardof", "Ünïcödé", "日本語", "x", "rejection"]


@pytest.mark.parametrize("name", ["lee_fasttext.bin", "lee_fasttext_new.bin", "non_ascii_fasttext.bin"])
def test_it_gives_the_numbers_of_gensim_for_known_and_unseen_words(name: str, tmp_path: Path) -> None:
    expected = load_facebook_vectors(str(GENSIM / name))
    words = [*expected.key_to_index, *UNSEEN]
    found = read(ReadRequest(GENSIM / name, words=lambda: word_list(tmp_path, words)))
    assert list(found.words) == words
    # The end of a sentence has no n-grams in fastText, but has some in gensim.
    kept = [n for n, word in enumerate(words) if word != "</s>"]
    np.testing.assert_allclose(found.matrix[kept], np.stack([expected[words[n]] for n in kept]), atol=1e-5)


def test_known_words_have_the_vectors_that_fasttext_wrote_as_text(tmp_path: Path) -> None:
    expected = KeyedVectors.load_word2vec_format(str(GENSIM / "lee_fasttext.vec"))
    found = read(ReadRequest(GENSIM / "lee_fasttext.bin", words=lambda: word_list(tmp_path, expected.index_to_key)))
    assert list(found.words) == expected.index_to_key
    np.testing.assert_allclose(found.matrix, expected.vectors, atol=1e-4)  # the text has five significant digits


def test_another_file_of_gensim_that_ends_in_bin_is_still_word2vecs(tmp_path: Path) -> None:
    expected = KeyedVectors.load_word2vec_format(str(GENSIM / "euclidean_vectors.bin"), binary=True)
    found = read(GENSIM / "euclidean_vectors.bin")
    np.testing.assert_array_equal(found.matrix, expected.vectors)


@pytest.fixture
def model() -> bytes:
    return fasttext(WORDS, rows(len(WORDS) + 50), buckets=50)


def test_plain_and_gzipped_give_one_hash_and_are_marked(model: bytes, tmp_path: Path, write: WriteLines) -> None:
    words = word_list(tmp_path, [*WORDS, *UNSEEN])
    found = [check(write(model, gzipped=gzipped), words=lambda: words) for gzipped in (False, True)]
    assert found[0].sha256 == found[1].sha256
    assert found[0].open_vocabulary
    assert found[1].read_as == "fastText model in gzip"


def test_the_size_of_a_model_is_that_of_its_words_and_buckets(model: bytes, tmp_path: Path, write: WriteLines) -> None:
    listed = word_list(tmp_path, WORDS[:-1])
    found = prepare(ReadRequest(write(model), words=lambda: listed), tmp_path / "prepared")
    assert found.model_bytes == rows(len(WORDS) + 50).astype(np.float32).nbytes
    assert prepare(GENSIM / "euclidean_vectors.bin", tmp_path / "prepared").model_bytes == 0


def test_words_without_a_row_and_n_grams_are_left_out(tmp_path: Path, write: WriteLines) -> None:
    listed = word_list(tmp_path, [*WORDS, *UNSEEN, "</s>"])
    no_ngrams = fasttext(WORDS, rows(len(WORDS)), longest=0)
    assert list(read(ReadRequest(write(no_ngrams), words=lambda: listed)).words) == WORDS
    some = fasttext(WORDS, rows(len(WORDS) + 5), buckets=5)
    assert set(WORDS + UNSEEN) - set(read(ReadRequest(write(some), words=lambda: listed)).words) == set()


def test_a_token_that_looks_like_a_label_changes_no_vector(model: bytes, tmp_path: Path, write: WriteLines) -> None:
    """fastText marks it as a label in a model of words, too, where it has no row."""
    words = word_list(tmp_path, [*WORDS, *UNSEEN])
    labelled = fasttext(WORDS, rows(len(WORDS) + 50), buckets=50, labels=["__label__", "__label__x"])
    found = [check(write(file), words=lambda: words).sha256 for file in (model, labelled)]
    assert found[0] == found[1]


def test_forms_of_one_letter_in_unicode_stay_distinct(model: bytes, tmp_path: Path, write: WriteLines) -> None:
    both = ["caf\u00e9", "cafe\u0301"]
    found = read(ReadRequest(write(model), words=lambda: word_list(tmp_path, [*WORDS, *both])))
    assert list(found.words[-2:]) == both
    assert not np.allclose(found.matrix[-1], found.matrix[-2])


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"version": 13}, "other-fasttext"),
        ({"model": 3}, "other-fasttext"),
        ({"pruned": 9}, "other-fasttext"),
        ({"quantised": True}, "other-fasttext"),
        ({"buckets": 49}, "bad-fasttext"),
        ({"longest": 1_000}, "bad-fasttext"),
        ({"longest": -1}, "bad-fasttext"),
    ],
)
def test_models_of_other_kinds_and_lying_headers_are_refused(
    changed: dict[str, int], code: str, tmp_path: Path, rejected: Rejected
) -> None:
    content = fasttext(WORDS, rows(len(WORDS) + 50), **({"buckets": 50} | changed))  # type: ignore[arg-type]
    assert rejected(content, words=lambda: word_list(tmp_path, WORDS)).code == code


@pytest.mark.parametrize("kept", [4, 60, 100, 300, 3_000, -1, -17, -18, -200])
def test_a_truncated_model_is_refused(kept: int, model: bytes, tmp_path: Path, rejected: Rejected) -> None:
    error = rejected(model[:kept], words=lambda: word_list(tmp_path, WORDS))
    assert (error.code, "cut off" in error.message or "should end" in error.message) == ("bad-fasttext", True)


def test_bytes_after_the_model_are_refused(model: bytes, tmp_path: Path, rejected: Rejected) -> None:
    assert rejected(model + b"x", words=lambda: word_list(tmp_path, WORDS)).code == "bad-fasttext"


def test_promises_beyond_the_limits_cost_nothing(model: bytes, tmp_path: Path, rejected: Rejected) -> None:
    many = bytearray(model)
    struct.pack_into("<2i", many, 64, 1 << 30, 1 << 30)
    assert rejected(bytes(many), words=lambda: word_list(tmp_path, WORDS)).code == "too-many-words"
    wide = bytearray(model)
    struct.pack_into("<i", wide, 8, 1 << 30)
    assert rejected(bytes(wide), words=lambda: word_list(tmp_path, WORDS)).code == "too-many-dimensions"
    long = fasttext(["x" * 2_000, *WORDS], rows(len(WORDS) + 1))
    assert rejected(long, words=lambda: word_list(tmp_path, WORDS)).code == "word-too-long"


def test_a_number_that_is_not_finite_is_refused_with_its_word(tmp_path: Path, rejected: Rejected) -> None:
    matrix = rows(len(WORDS))
    matrix[3, 2] = np.inf
    error = rejected(fasttext(WORDS, matrix), words=lambda: word_list(tmp_path, WORDS))
    assert (error.code, error.word) == ("not-a-number", WORDS[3])


def test_without_a_list_of_words_the_error_says_that_one_is_needed(model: bytes, rejected: Rejected) -> None:
    assert rejected(gzip.compress(model)).code == "needs-word-list"


def test_too_few_words_are_refused_as_in_any_file(model: bytes, tmp_path: Path, rejected: Rejected) -> None:
    assert rejected(model, Limits(), words=lambda: word_list(tmp_path, WORDS[:50])).code == "too-few-words"
