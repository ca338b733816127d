"""Static token models: independently computed numbers, every layout, and damaged or malicious files."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save
from tokenizers import Regex, Tokenizer, models, normalizers

from tasks.errors import InputError
from tasks.formats import Limits, ReadRequest, read
from tasks.formats.archives import is_archive
from tasks.formats.reading import prepare
from tasks.prepared import open_prepared, store
from tests.tasks.formats.conftest import Rejected, WriteLines, check
from tests.tasks.formats.memory import growth
from tests.tasks.formats.models import (
    WORDS,
    byte_level,
    fasttext,
    members,
    rows,
    tarred,
    unigram,
    word_list,
    wordpiece,
    zipped,
    zipped_with_hole,
)

Build = Callable[[], Tokenizer]
LISTED = [*WORDS, "caf\u00e9", "cafe\u0301", "2024", "日本語"]


def by_hand(tokenizer: Tokenizer, word: str, table: np.ndarray) -> np.ndarray | None:
    tokens = tokenizer.encode(word, add_special_tokens=False)
    ids = [n for n, token in zip(tokens.ids, tokens.tokens, strict=True) if n != tokenizer.token_to_id("[UNK]")]
    ids = [n for n in ids if n != tokenizer.token_to_id("<unk>")]
    return table[ids].mean(axis=0) if ids else None


@pytest.fixture
def words(tmp_path: Path) -> dict[str, Callable[[], Path]]:
    """The argument for a list of words."""
    return {"words": lambda: word_list(tmp_path, LISTED)}


@pytest.mark.parametrize("build", [wordpiece, byte_level, unigram])
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_words_vector_is_the_mean_of_its_tokens(
    build: Build, pack: Callable[..., bytes], words: dict[str, Callable[[], Path]], write: WriteLines
) -> None:
    tokenizer = build()
    table = rows(tokenizer.get_vocab_size())
    path = write(pack(members(tokenizer, {"embeddings": table})))
    found = read(ReadRequest(path, **words))
    expected = {word: mean for word in LISTED if (mean := by_hand(tokenizer, word, table)) is not None}
    assert list(found.words) == list(expected)
    np.testing.assert_allclose(found.matrix, np.stack(list(expected.values())), atol=1e-6)
    assert found.open_vocabulary
    assert open_prepared(store(found, path.parent / "prepared"), name="v").open_vocabulary
    assert check(path, **words).open_vocabulary


def test_the_size_of_a_model_is_that_of_its_numbers_as_stored_and_of_its_tokenizer(
    words: dict[str, Callable[[], Path]], write: WriteLines
) -> None:
    tokenizer = wordpiece()
    table = rows(tokenizer.get_vocab_size()).astype(np.float16)
    path = write(zipped(members(tokenizer, {"embeddings": table})))
    found = prepare(ReadRequest(path, **words), path.parent / "prepared")
    assert found.model_bytes == table.nbytes + len(tokenizer.to_str(pretty=False).encode())


def test_a_word_without_tokens_is_unknown(words: dict[str, Callable[[], Path]], write: WriteLines) -> None:
    found = read(ReadRequest(write(zipped(members(wordpiece(), {"embeddings": rows(58)}))), **words))
    assert set(LISTED) - set(found.words) == {"2024", "日本語"}


def test_empty_tokens_have_no_vector(words: dict[str, Callable[[], Path]], write: WriteLines) -> None:
    """A word that normalises to nothing is unknown, even if the vocabulary holds an empty token."""
    vocabulary = {"": 0, "[UNK]": 1} | {word: 2 + n for n, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Replace(WORDS[7], "")
    found = read(ReadRequest(write(zipped(members(tokenizer, {"embeddings": rows(len(vocabulary))}))), **words))
    assert list(found.words) == [word for word in WORDS if word != WORDS[7]]


def test_dropout_of_merges_is_switched_off(words: dict[str, Callable[[], Path]], write: WriteLines) -> None:
    """It produces different tokens each time, to vary the texts in training."""
    plain, dropping = byte_level(), byte_level()
    dropping.model.dropout = 0.5
    assert dropping.encode(" ".join(WORDS)).ids != dropping.encode(" ".join(WORDS)).ids
    table = rows(plain.get_vocab_size())
    files = [write(zipped(members(tokenizer, {"embeddings": table}))) for tokenizer in (plain, dropping)]
    assert read(ReadRequest(files[0], **words)).sha256 == read(ReadRequest(files[1], **words)).sha256


def test_a_text_that_grows_is_refused(words: dict[str, Callable[[], Path]], rejected: Rejected) -> None:
    tokenizer = byte_level()
    double = normalizers.Replace(Regex("."), "oo")
    tokenizer.normalizer = normalizers.Sequence([double] * 14)
    error = rejected(zipped(members(tokenizer, {"embeddings": rows(tokenizer.get_vocab_size())})), **words)
    assert error.code == "bad-tokenizer"
    assert "characters of" in str(error)


def test_a_word_that_is_listed_twice_counts_once(tmp_path: Path, write: WriteLines) -> None:
    path = write(zipped(members(wordpiece(), {"embeddings": rows(58)})))
    listed = (WORDS, WORDS + WORDS[:9])
    once, twice = (read(ReadRequest(path, words=lambda some=some: word_list(tmp_path, some))) for some in listed)
    assert once.sha256 == twice.sha256


def test_forms_of_one_letter_in_unicode_are_the_tokenizers_affair(
    words: dict[str, Callable[[], Path]], write: WriteLines
) -> None:
    tokenizer = byte_level()
    found = read(
        ReadRequest(write(zipped(members(tokenizer, {"embeddings": rows(tokenizer.get_vocab_size())}))), **words)
    )
    composed, decomposed = (found.matrix[list(found.words).index(word)] for word in LISTED[-4:-2])
    assert not np.allclose(composed, decomposed)


def test_similarities_are_those_worked_out_with_the_libraries(
    words: dict[str, Callable[[], Path]], write: WriteLines, tmp_path: Path
) -> None:
    """With the libraries' tensor reader and tokenizer, and NumPy."""
    tokenizer = byte_level()
    files = members(tokenizer, {"embeddings": rows(tokenizer.get_vocab_size(), 16)}, normalize=True)
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with safe_open(tmp_path / "model.safetensors", framework="np") as opened:
        table = opened.get_tensor("embeddings")
    loaded = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    found = read(ReadRequest(write(zipped(files)), **words))
    means = np.stack([table[loaded.encode(word, add_special_tokens=False).ids].mean(axis=0) for word in found.words])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    np.testing.assert_allclose(found.matrix @ found.matrix.T, means @ means.T, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(found.matrix, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("name", ["embeddings", "embedding.weight"])
@pytest.mark.parametrize("folder", ["", "model/", "0_StaticEmbedding/"])
def test_every_layout_gives_one_hash(
    name: str, folder: str, words: dict[str, Callable[[], Path]], write: WriteLines
) -> None:
    tokenizer = wordpiece()
    table = rows(tokenizer.get_vocab_size())
    expected = check(write(zipped(members(tokenizer, {"embeddings": table}))), **words).sha256
    files = {f"{folder}{file}": content for file, content in members(tokenizer, {name: table}).items()}
    extra = {"README.md": b"# A model", "modules.json": b"[]", "a": b""}
    assert check(write(zipped(extra | files)), **words).sha256 == expected
    del files[f"{folder}config.json"]
    assert check(write(tarred(files | extra)), **words).sha256 == expected


def described(*modules: str) -> dict[str, bytes]:
    """The description of a model in sentence-transformers' form."""
    listed = [
        {"idx": n, "path": f"{n}_{name}", "type": f"sentence_transformers.models.{name}"}
        for n, name in enumerate(modules)
    ]
    return {"modules.json": json.dumps(listed).encode()}


def test_a_module_that_normalises_equals_the_configuration(
    words: dict[str, Callable[[], Path]], write: WriteLines
) -> None:
    tokenizer = wordpiece()
    table = {"embeddings": rows(tokenizer.get_vocab_size())}
    plain, normalised = members(tokenizer, table), members(tokenizer, table, normalize=True)
    modules = described("StaticEmbedding", "Normalize")
    expected = check(write(zipped(normalised)), **words).sha256
    assert check(write(zipped(plain | modules)), **words).sha256 == expected
    assert check(write(zipped(normalised | modules)), **words).sha256 == expected
    alone = check(write(zipped(plain | described("StaticEmbedding"))), **words).sha256
    assert alone == check(write(zipped(plain)), **words).sha256 != expected


@pytest.mark.parametrize(
    ("modules", "unknown"),
    [
        (("StaticEmbedding", "Dense"), "Dense"),
        (("StaticEmbedding", "Normalize", "LayerNorm"), "LayerNorm"),
        (("Transformer", "Pooling", "Normalize"), "Transformer"),
        (("WordEmbeddings", "Pooling"), "WordEmbeddings"),
        (("StaticEmbedding", "StaticEmbedding"), "StaticEmbedding"),
    ],
)
def test_a_module_that_is_not_computed_is_refused_by_name(
    modules: tuple[str, ...], unknown: str, words: dict[str, Callable[[], Path]], rejected: Rejected
) -> None:
    """Although it may bring tensors of its own."""
    files = members(wordpiece(), {"embeddings": rows(58)}) | described(*modules)
    more = {f"1_{modules[1]}/model.safetensors": save({"linear.weight": rows(6)})}
    for content in (zipped(files), zipped(files | more), tarred(files)):
        error = rejected(content, **words)
        assert (error.code, f"“{unknown}”" in error.message) == ("unknown-module", True)


def test_a_quantised_model_maps_more_tokens_than_it_has_rows(
    words: dict[str, Callable[[], Path]], write: WriteLines
) -> None:
    tokenizer = wordpiece()
    tokens = tokenizer.get_vocab_size()
    generator = np.random.default_rng(1)
    table, mapping = rows(10), generator.integers(0, 10, tokens)
    weights = generator.uniform(0.5, 2, tokens).astype(np.float32)
    tensors = {"embeddings": table, "mapping": mapping, "weights": weights}
    found = read(ReadRequest(write(zipped(members(tokenizer, tensors))), **words))
    for n in (0, 17, 149):
        expected = by_hand(tokenizer, WORDS[n], table[mapping] * weights[:, None])
        np.testing.assert_allclose(found.matrix[n], expected, atol=1e-6)
    of_rows = rows(10)[:, 0].copy()
    found = read(ReadRequest(write(zipped(members(tokenizer, tensors | {"weights": of_rows}))), **words))
    expected = by_hand(tokenizer, WORDS[3], (table * of_rows[:, None])[mapping])
    np.testing.assert_allclose(found.matrix[3], expected, atol=1e-6)


@pytest.mark.parametrize("kind", [np.float16, np.float64, np.int8])
def test_rows_may_be_of_any_width(
    kind: type[np.generic], words: dict[str, Callable[[], Path]], write: WriteLines
) -> None:
    tokenizer = wordpiece()
    table = (rows(tokenizer.get_vocab_size()) * 30).astype(kind)
    found = read(ReadRequest(write(zipped(members(tokenizer, {"embeddings": table}))), **words))
    np.testing.assert_allclose(found.matrix[0], by_hand(tokenizer, WORDS[0], table.astype(np.float32)), rtol=1e-5)


def test_brain_floats_are_read(words: dict[str, Callable[[], Path]], write: WriteLines) -> None:
    tokenizer = wordpiece()
    table = rows(tokenizer.get_vocab_size())
    halves = (table.view(np.uint32) >> 16).astype(np.uint16)
    files = members(tokenizer, {"embeddings": halves})
    files["model.safetensors"] = files["model.safetensors"].replace(b'"U16"', b'"BF16"').replace(b"} ", b"}", 1)
    size = struct.unpack("<Q", files["model.safetensors"][:8])[0]
    assert json.loads(files["model.safetensors"][8 : 8 + size])["embeddings"]["dtype"] == "BF16"
    found = read(ReadRequest(write(zipped(files)), **words))
    exact = (halves.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_allclose(found.matrix[0], by_hand(tokenizer, WORDS[0], exact), rtol=1e-5)


def test_unknown_tensors_are_listed(words: dict[str, Callable[[], Path]], rejected: Rejected) -> None:
    files = members(wordpiece(), {"encoder.layer.0": rows(9), "bias": rows(4)[0]})
    error = rejected(zipped(files), **words)
    assert error.code == "unknown-tensors"
    assert "“encoder.layer.0 (F32 9 × 6)”" in error.message
    both = members(wordpiece(), {"embeddings": rows(58), "embedding.weight": rows(58)})
    assert rejected(zipped(both), **words).code == "unknown-tensors"
    flat = members(wordpiece(), {"embeddings": rows(58)[0]})
    assert rejected(zipped(flat), **words).code == "unknown-tensors"


def test_a_token_without_a_row_is_refused_with_its_word(
    words: dict[str, Callable[[], Path]], rejected: Rejected
) -> None:
    error = rejected(zipped(members(wordpiece(), {"embeddings": rows(40)})), **words)
    assert (error.code, error.word) == ("token-without-row", WORDS[0])
    short = {"embeddings": rows(40), "mapping": np.zeros(30, np.int64)}
    assert rejected(zipped(members(wordpiece(), short)), **words).code == "token-without-row"


@pytest.mark.parametrize(
    "tensors",
    [
        {"mapping": np.full(58, 58)},
        {"mapping": np.full(58, -1)},
        {"mapping": np.zeros(58, np.float32)},
        {"mapping": np.zeros((58, 1), np.int64)},
        {"weights": np.ones(57, np.float32)},
        {"weights": np.ones((58, 1), np.float32)},
    ],
)
def test_tensors_that_do_not_fit_are_refused(
    tensors: dict[str, np.ndarray], words: dict[str, Callable[[], Path]], rejected: Rejected
) -> None:
    files = members(wordpiece(), {"embeddings": rows(58)} | tensors)
    assert rejected(zipped(files), **words).code == "bad-tensor"


def test_rows_that_are_not_finite_are_refused(words: dict[str, Callable[[], Path]], rejected: Rejected) -> None:
    table = np.full((58, 6), np.nan, np.float32)
    assert rejected(zipped(members(wordpiece(), {"embeddings": table})), **words).code == "not-a-number"


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"{",
        b"[]",
        b'{"embeddings": 7}',
        b'{"embeddings": {"dtype": "F32", "shape": [58, 6], "data_offsets": [0, 1391]}}',
        b'{"embeddings": {"dtype": "F32", "shape": [58, 6], "data_offsets": [-8, 1384]}}',
        b'{"embeddings": {"dtype": "F32", "shape": [-58, -6], "data_offsets": [0, 1392]}}',
        b'{"embeddings": {"dtype": "F32", "shape": [58.0, 6], "data_offsets": [0, 1392]}}',
        b'{"embeddings": {"dtype": "F32", "shape": [1e99, 6], "data_offsets": [0]}}',
        b'{"embeddings": {"dtype": "F32", "shape": [58, 6], "data_offsets": [99999, 101391]}}',
        b"[" * 100_000,
    ],
)
def test_lying_headers_are_refused(header: bytes, words: dict[str, Callable[[], Path]], rejected: Rejected) -> None:
    content = struct.pack("<Q", len(header)) + header + rows(58).tobytes()
    files = members(wordpiece(), {"embeddings": rows(58)}) | {"model.safetensors": content}
    assert rejected(zipped(files), **words).code == "bad-safetensors"


WHOLE = save({"embeddings": rows(58)})


@pytest.mark.parametrize(
    ("name", "contents", "code"),
    [
        ("model.safetensors", [WHOLE[:kept] for kept in (0, 7, 8, 60, 500, -1)], "bad-safetensors"),
        ("tokenizer.json", [b"", b"{}", b"[" * 100_000, b"\xff\xfe", b'{"model": {"type": "BPE"}}'], "bad-tokenizer"),
        ("config.json", [b"{", b'{"normalize": "yes"}', b"[" * 100_000], "bad-config"),
        ("modules.json", [b"{", b'["a"]', b'{"a": 1}', b"7", b'[{"path": "0"}]', b"[" * 100_000], "bad-config"),
    ],
)
def test_damaged_files_are_refused(
    name: str, contents: list[bytes], code: str, words: dict[str, Callable[[], Path]], rejected: Rejected
) -> None:
    files = members(wordpiece(), {"embeddings": rows(58)})
    assert [rejected(zipped(files | {name: content}), **words).code for content in contents] == [code] * len(contents)


def test_a_model_needs_one_file_of_each_kind(words: dict[str, Callable[[], Path]], rejected: Rejected) -> None:
    files = members(wordpiece(), {"embeddings": rows(58)})
    tensors, two = files.pop("model.safetensors"), ("1.safetensors", "2.safetensors")
    assert rejected(zipped(files | dict.fromkeys(two, tensors)), **words).code == "files-of-model"
    assert rejected(zipped({"model.safetensors": tensors}), **words).code == "files-of-model"
    assert rejected(tensors, **words).code == "no-tokenizer"


@pytest.mark.parametrize("kept", [30, 200, -1, -100])
def test_a_truncated_archive_is_refused(kept: int, words: dict[str, Callable[[], Path]], rejected: Rejected) -> None:
    files = members(wordpiece(), {"embeddings": rows(58)})
    for content in (zipped(files)[:kept], tarred(files)[:kept]):
        assert rejected(content, **words).code in {"bad-zip", "truncated-gzip", "bad-archive"}


def test_an_archive_of_runs_is_still_one(write: WriteLines, tmp_path: Path) -> None:
    text = "".join(f"{word} 1 {n}\n" for n, word in enumerate(WORDS)).encode()
    assert is_archive(ReadRequest(write(tarred({"1.txt": text, "2.txt": text}))))
    assert not is_archive(ReadRequest(write(tarred(members(wordpiece(), {"embeddings": rows(58)})))))


_PREPARED = """
from pathlib import Path
from tasks.formats import ReadRequest
from tasks.formats.reading import prepare
def measured(path, root, words):
    prepared = prepare(ReadRequest(Path(path), words=lambda: Path(words)), root)
    print(prepared.words, prepared.dimensions)
"""


@pytest.mark.parametrize("kind", ["tokens", pytest.param("fasttext", marks=pytest.mark.slow)])
def test_composing_never_holds_the_rows_of_the_model(kind: str, tmp_path: Path) -> None:
    """Ten times as many rows for the same words take hardly more memory."""
    listed = [f"{'abcdefghij'[n % 10]}{n:x}" for n in range(20_000)]
    few, many, paths = 30_000, 300_000, []
    for count in (few, many):
        table = rows(count, 100)
        if kind == "tokens":
            content = zipped(members(byte_level(), {"embeddings": table}), zipfile.ZIP_STORED)
        else:
            content = fasttext(listed[:100], table, buckets=count - 100)
        paths.append(tmp_path / f"{count}")
        paths[-1].write_bytes(content)
    grown = growth(_PREPARED, *paths, tmp_path / "prepared", word_list(tmp_path, listed))
    assert grown.printed.splitlines() == ["20000 100"] * 2
    assert grown.bytes < 0.3 * 4 * 100 * (many - few)


@pytest.mark.slow
def test_a_model_of_3_gb_is_read_in_the_memory_of_a_small_one(tmp_path: Path) -> None:
    """Rows are streamed. All but the first are zeros, in a hole that takes no disk space."""
    tokenizer, paths = wordpiece(), []
    table, dimensions = rows(58, 256), 256
    listed = [*WORDS, "2024"]
    for count in (29_000, 2_900_000):
        tensors = {"dtype": "F32", "shape": [count, dimensions], "data_offsets": [0, count * dimensions * 4]}
        header = json.dumps({"embeddings": tensors}).encode()
        start = struct.pack("<Q", len(header)) + header
        others = {"tokenizer.json": tokenizer.to_str().encode()}
        size = len(start) + count * dimensions * 4
        paths.append(tmp_path / f"{count}.zip")
        zipped_with_hole(paths[-1], others, "model.safetensors", start + table.tobytes(), size)
    small, large = paths
    assert 2_960_000_000 < large.stat().st_size <= Limits().uploaded_bytes
    grown = growth(_PREPARED, small, large, tmp_path / "prepared", word_list(tmp_path, listed))
    assert grown.printed.splitlines() == ["150 256"] * 2
    assert grown.bytes < 0.02 * large.stat().st_size
    found = read(ReadRequest(large, words=lambda: word_list(tmp_path, listed)))
    np.testing.assert_allclose(found.matrix[9], by_hand(tokenizer, WORDS[9], table), atol=1e-6)


def test_a_model_beyond_the_limits_is_refused_by_what_it_promises(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    others = {"tokenizer.json": wordpiece().to_str().encode()}
    zipped_with_hole(path, others, "model.safetensors", save({"embeddings": rows(58)}), 50_000_000)
    limits = Limits(expanded_bytes=40_000_000)
    with pytest.raises(InputError) as caught:
        check(path, limits=limits, words=lambda: word_list(tmp_path, WORDS))
    assert caught.value.code == "too-large"
    assert check(path, words=lambda: word_list(tmp_path, WORDS)).words == len(WORDS)
