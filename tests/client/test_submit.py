"""Submissions to a real site. Its reports are printed in ``tests/workers/test_two_processes.py``."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
import torch
from gensim.models import KeyedVectors

import vecboard
from tasks.formats import ReadRequest, read
from tests.tasks.formats.models import WORDS as WORDS_OF_MODEL
from tests.tasks.formats.models import members, rows, word_list, wordpiece
from tests.workers.running_site import ROOT, Site, small_file, write_vectors
from vecboard import Client, Exit, Keyring
from vecboard.cli import main
from vecboard.sources import as_file


def test_stated_details_arrive(server: str, keyring: Keyring, site: Site) -> None:
    with Client(server, keyring=keyring) as client:
        accepted = client.submit(small_file(), "Said", window=7, algorithm="GloVe", trained_on_task_data=True)
    query = "select name, window, algorithm, trained_on_task_data from submissions_submission where id = ?"
    assert [tuple(row) for row in site.rows(query, accepted.id)] == [("Said", 7, "GloVe", 1)]


def test_several_files_are_runs_of_one_setting_and_are_counted_together(
    server: str, site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [write_vectors(tmp_path / f"seed{n}.txt.gz", [f"word{i}" for i in range(200 + n)]) for n in range(3)]
    assert main(["submit", *map(str, files), "--name", "Three runs", "--json"]) == Exit.DONE
    submission = json.loads(capsys.readouterr().out)["id"]
    query = "select original_name, sha256 from submissions_runfile where submission_id = ? order by position"
    assert [(name, sha256) for name, sha256 in site.rows(query, submission)] == [
        (file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in files[1:]
    ]
    progress: list[tuple[int, int]] = []
    with Client(server) as client:
        client.submit([*files], "Three again", sent=lambda sent, total: progress.append((sent, total)))
    together = sum(file.stat().st_size for file in files)
    assert progress[0] == (0, together)
    assert progress == sorted(progress)
    assert progress[-1] == (together, together)


def test_the_site_is_asked_to_fetch_a_file(
    server: str, keyring: Keyring, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    """From a listed host that doesn't exist: the submission waits until it is cancelled."""
    url = "https://files.example.invalid/glove.6B.zip:glove.6B.50d.txt"
    assert main(["submit", "--fetch", url, "--name", "Fetched", "--offers-download", "--licence", "PDDL"]) == Exit.DONE
    submission = capsys.readouterr().out.partition(":")[0]
    query = "select url, member, offers_download from submissions_partialfile p join submissions_submission s"
    rows = site.rows(f"{query} on s.id = p.submission_id where s.id = ?", submission)
    assert [tuple(row) for row in rows] == [("https://files.example.invalid/glove.6B.zip", "glove.6B.50d.txt", 1)]
    with Client(server, keyring=keyring) as client:
        assert client.status(submission)["state"] == "receiving"
        assert client.cancel(submission)["state"] == "cancelled"
    assert main(["submit", "--fetch", "https://elsewhere.example/v.zip", "--name", "Fetched"]) == Exit.REFUSED
    assert "only from files.example.invalid" in capsys.readouterr().err


def test_a_private_submission_is_seen_with_the_secret_in_the_keyring_only(server: str, keyring: Keyring) -> None:
    with Client(server, keyring=keyring) as client:
        accepted = client.submit(small_file(), "Mine", visibility="private")
        assert client.status(accepted.id)["name"] == "Mine"
    stranger = Client(server, keyring=Keyring(keyring.path.with_name("other.json")))
    with stranger, pytest.raises(vecboard.Refused, match="no such submission"):
        stranger.status(accepted.id)


def test_it_says_which_field_is_wrong(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["submit", str(small_file()), "--name", "Small", "--language", "klingon"]) == Exit.REFUSED
    assert "klingon" in capsys.readouterr().err


def test_a_compressed_file_comes_whole_through_a_pipe(tmp_path: Path) -> None:
    pipe, content = tmp_path / "pipe", gzip.compress(b"a 1 2\n" * 1_000)
    os.mkfifo(pipe)
    Thread(target=lambda: pipe.write_bytes(content), daemon=True).start()
    with as_file(pipe) as path:
        assert path.read_bytes() == content


def test_a_plain_file_is_compressed_to_the_same_bytes_every_time(tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("a 1 2\n" * 1_000)
    sent = []
    for _ in range(2):
        with as_file(plain) as path:
            sent.append((path.name, path.read_bytes()))
    assert sent[0] == sent[1]
    assert (sent[0][0], gzip.decompress(sent[0][1])) == ("plain.txt.gz", plain.read_bytes())


def test_of_an_archive_only_the_named_file_is_sent(tmp_path: Path) -> None:
    archive = tmp_path / "glove.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("glove.50d.txt", "a 1 2\n")
        made.writestr("glove.100d.txt", "a 1 2 3\n")
    with as_file(f"{archive}:glove.100d.txt") as path:
        assert (path.name, gzip.decompress(path.read_bytes())) == ("glove.100d.txt.gz", b"a 1 2 3\n")
    with pytest.raises(vecboard.Refused, match="contains “glove"), as_file(f"{archive}:x.txt"):
        pass


def test_a_compressed_member_is_not_compressed_again(tmp_path: Path) -> None:
    archive = tmp_path / "glove.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.write(small_file(), "small.txt.gz")
    with as_file(f"{archive}:small.txt.gz") as path:
        assert (path.name, path.read_bytes()) == ("small.txt.gz", small_file().read_bytes())


def test_the_folder_of_a_model_is_packed_to_the_same_bytes_every_time(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "0_StaticEmbedding").mkdir(parents=True)
    for name, content in members(wordpiece(), {"embeddings": rows(58)}).items():
        (folder / "0_StaticEmbedding" / name).write_bytes(content)
    (folder / "modules.json").write_text('[{"type": "sentence_transformers.models.StaticEmbedding"}]')
    (folder / "training.log").write_text("not needed")
    sent = []
    for _ in range(2):
        with as_file(folder) as path:
            sent.append((path.name, path.read_bytes()))
            found = read(ReadRequest(path, words=lambda: word_list(tmp_path, WORDS_OF_MODEL)))
            names = zipfile.ZipFile(path).namelist()
    assert sent[0] == sent[1]
    assert sent[0][0] == "model.zip"
    own = [f"0_StaticEmbedding/{name}" for name in ("config.json", "model.safetensors", "tokenizer.json")]
    assert names == [*own, "modules.json"]
    assert list(found.words) == WORDS_OF_MODEL


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(vecboard.Refused, match=r"contains no \.safetensors file"), as_file(tmp_path):
        pass


def test_an_archive_that_expands_too_much_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    archive = tmp_path / "bomb.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made, made.open("bomb.txt", "w") as file:
        for _ in range(80):
            file.write(bytes(1_000_000))
    with pytest.raises(vecboard.Refused, match="expands to more than 50 times"), as_file(f"{archive}:bomb.txt"):
        pass


def test_a_file_that_is_compressed_already_is_sent_as_it_is() -> None:
    with as_file(small_file()) as path:
        assert path == small_file()


def test_a_file_that_is_not_there_is_refused(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["submit", "nowhere.txt", "--name", "Nothing"]) == Exit.REFUSED
    assert "nowhere.txt cannot be read" in capsys.readouterr().err


def test_not_over_in_time_has_a_status_of_its_own(server: str) -> None:
    assert main(["submit", str(small_file()), "--name", "Slow", "--wait", "--timeout", "0"]) == Exit.NOT_YET


WORDS = [f"word{i}" for i in range(150)]
MATRIX = np.random.default_rng(0).normal(size=(150, 6)).astype(np.float32)


def keyed() -> KeyedVectors:
    vectors = KeyedVectors(vector_size=6)
    vectors.add_vectors(WORDS, MATRIX)
    return vectors


@pytest.mark.parametrize(
    "vectors", [keyed(), (WORDS, MATRIX), (WORDS, torch.from_numpy(MATRIX)), (WORDS, MATRIX.tolist())]
)
def test_gensim_numpy_torch_and_lists_give_the_same_file(vectors: object) -> None:
    with as_file(vectors) as path:  # type: ignore[arg-type]
        found = read(path)
    assert list(found.words) == WORDS
    np.testing.assert_array_equal(found.matrix, MATRIX)


def test_a_pair_of_words_and_array_is_submitted_from_python(server: str) -> None:
    status = vecboard.submit((WORDS, MATRIX), "From Python", server=server)
    assert (status["name"], status["state"] in ("uploaded", "checking", "queued", "running")) == ("From Python", True)


def test_words_that_do_not_fit_the_array_are_refused_before_anything_is_sent() -> None:
    with pytest.raises(vecboard.Refused, match="one row per word"), as_file((WORDS[:-1], MATRIX)):
        pass


def test_the_command_runs_as_a_module(server: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "vecboard", "board", "--json"], cwd=ROOT, capture_output=True, check=True
    )
    assert json.loads(done.stdout)["suite"]["id"] == "demo"


def test_a_column_that_the_board_does_not_have_is_refused(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "--sort=-nosuch"]) == Exit.REFUSED
    assert "“sort=-nosuch” is not valid here: “sort” may be name, overall" in capsys.readouterr().err
    assert main(["board", "--sort=-words"]) == Exit.DONE
    assert "Words" in capsys.readouterr().out


def test_a_report_that_is_not_there_yet_has_a_status_of_its_own(server: str) -> None:
    with Client(server) as client:
        accepted = client.submit((WORDS, MATRIX), "Not yet")
    assert (main(["report", accepted.id]), main(["status", accepted.id])) == (Exit.NOT_YET, Exit.NOT_YET)


def test_a_submission_is_cancelled_once_and_continued_once(
    server: str, keyring: Keyring, capsys: pytest.CaptureFixture[str]
) -> None:
    with Client(server, keyring=keyring) as client:
        submission = client.submit(small_file(), "To be cancelled", visibility="private").id
    assert main(["cancel", submission]) == Exit.DONE
    assert "cancelled" in capsys.readouterr().out
    assert main(["status", submission]) == Exit.NO_REPORT
    assert main(["cancel", submission]) == Exit.REFUSED
    assert main(["retry", submission]) == Exit.DONE
    assert main(["retry", submission]) == Exit.REFUSED
    assert "Only a failed or cancelled submission can be retried; this one is" in capsys.readouterr().err
    assert main(["cancel", submission]) == Exit.DONE
