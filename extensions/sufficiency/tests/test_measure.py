"""The whole comparison on planted corpora, in which it is known which vectors are better."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from extensions.associations.measure.contexts import Tokens
from extensions.shared.measure.documents import Collection
from extensions.shared.measure.vectors import NamedVectors
from extensions.sufficiency.command import report_text
from extensions.sufficiency.measure import measure
from extensions.sufficiency.measure.candidates import A_LA_CARTE, LOCAL, LocalTraining, Workplace, batches, lines_of
from extensions.sufficiency.measure.measure import Settings, fitted, suffices
from extensions.sufficiency.measure.report import REPORT, Decision, SufficiencyReport
from tasks.cli import main
from tasks.cli.tables import existing_vectors
from tasks.datasets.examples import Document
from tasks.errors import InputError
from tasks.formats.text_blocks import write_text
from tasks.local_training.corpora import TrainingCorpus
from tasks.local_training.train import train_runs
from tasks.text import LeftOut
from tasks.vectors import Embedding
from tests.servers import hear_ctrl_c
from tests.tasks.formats import models

TOPICS, WORDS_A_TOPIC, SPEAKERS, PARAGRAPH = 12, 24, 20, 20
WORDS = [f"w{chr(97 + i // 26 // 26)}{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}" for i in range(TOPICS * WORDS_A_TOPIC)]
QUICK = Settings(
    random_cues=60, repeats=1, window=4, dimensions=10, windows=(), other_dimensions=(), curve=False, group_by="speaker"
)


def planted(seed: int = 0) -> Collection:
    """Two speeches of each speaker. A paragraph is about one topic and uses its words alone; a word occurs 20 times."""
    draw = np.random.default_rng(seed)
    of_topics = [draw.permutation(np.repeat(np.arange(WORDS_A_TOPIC) + t * WORDS_A_TOPIC, 20)) for t in range(TOPICS)]
    paragraphs = draw.permutation(np.concatenate(of_topics).reshape(-1, PARAGRAPH))
    documents = [
        Document(
            str(i), "", "\n".join(" ".join(WORDS[w] for w in line) for line in own), (("speaker", f"s{i % SPEAKERS}"),)
        )
        for i, own in enumerate(np.array_split(paragraphs, 2 * SPEAKERS))
    ]
    return Collection("planted", "Planted topics", "CC0", documents)


def embedding(name: str, matrix: np.ndarray, words: list[str] = WORDS) -> Embedding:
    return Embedding.of(name, words, matrix.astype(np.float32))


def knowing() -> np.ndarray:
    """The direction of each word's topic, with little noise."""
    draw = np.random.default_rng(1)
    return np.repeat(draw.normal(size=(TOPICS, 10)), WORDS_A_TOPIC, axis=0) + 0.3 * draw.normal(size=(len(WORDS), 10))


def sets() -> list[Embedding]:
    draw = np.random.default_rng(2)
    return [
        embedding("knowing", knowing()),
        embedding("half", knowing()[::2], WORDS[::2]),
        embedding("swapped", draw.permutation(knowing())),
        embedding("wide", draw.normal(size=(len(WORDS), 800))),
    ]


@pytest.fixture(scope="module")
def report() -> SufficiencyReport:
    return suffices(planted(), sets(), QUICK)


def decision(report: SufficiencyReport, candidate: str) -> Decision:
    return next(one for one in report["decisions"] if one["candidate"] == candidate)


def areas(report: SufficiencyReport) -> dict[str, float]:
    return {point["candidate"]: point["auc"]["mean"] for point in report["curve"]}


def test_local_vectors_win_against_vectors_that_do_not_know_the_topics(report: SufficiencyReport) -> None:
    assert decision(report, "swapped")["verdict"] == "train-locally"
    assert areas(report)[LOCAL] > 0.7


def test_vectors_that_know_the_topics_suffice(report: SufficiencyReport) -> None:
    assert decision(report, "knowing")["verdict"] in ("suffices", "slightly-better")
    assert report["sentence"].startswith("knowing: suffices")


def test_swapped_meanings_are_at_chance(report: SufficiencyReport) -> None:
    assert areas(report)["swapped"] == pytest.approx(0.5, abs=0.02)


def test_no_vectors_suffice_for_a_text_in_random_order() -> None:
    whole = planted()
    words = np.random.default_rng(4).permutation(" ".join(document.text for document in whole.documents).split())
    parts = np.array_split(words.reshape(-1, PARAGRAPH), len(whole.documents))
    documents = [
        Document(document.id, "", "\n".join(" ".join(line) for line in part), document.metadata)
        for document, part in zip(whole.documents, parts, strict=True)
    ]
    report = suffices(replace(whole, documents=documents), sets()[:1], QUICK)
    assert decision(report, "knowing")["verdict"] == "near-chance"
    assert report["sentence"].startswith("knowing: both near chance")


def test_missing_words_cost_and_their_share_is_stated(report: SufficiencyReport) -> None:
    assert 0.5 < areas(report)["half"] < areas(report)["knowing"] - 0.1
    shares = {one["id"]: one["share"] for one in report["candidates"]}
    assert shares["knowing"] == 1.0
    assert shares["half"] == pytest.approx(0.5, abs=0.02)
    assert shares[A_LA_CARTE + "half"] == pytest.approx(1.0, abs=0.01)


def test_a_la_carte_vectors_that_too_few_words_can_teach_are_missing_with_the_reason(report: SufficiencyReport) -> None:
    missing = {one["id"]: one["missing"] for one in report["candidates"] if one["missing"]}
    assert list(missing) == [A_LA_CARTE + "wide"]
    assert "800 dimensions" in str(missing[A_LA_CARTE + "wide"])
    assert [one["candidate"] for one in report["decisions"]][-2:] == [A_LA_CARTE + "swapped", "wide"]


def test_the_report_has_its_form_and_counts_the_corpus(report: SufficiencyReport) -> None:
    assert REPORT.validate_json(REPORT.dump_json(report))["corpus"] == report["corpus"]
    used = report["corpus"]
    assert (used["documents"], used["groups"], used["tokens"]) == (2 * SPEAKERS, SPEAKERS, 20 * len(WORDS))
    assert len(report["cues"]) == 60


def test_another_text_of_the_same_source_and_size_is_not_called_worse() -> None:
    other = planted(7)
    tokens = Tokens.of(other.documents)
    quarters = round(0.75 * len(tokens.ids))
    part = tokens.part(slice(0, quarters))
    plan = fitted(QUICK.plans()[LOCAL], quarters)
    corpus = TrainingCorpus("other", "", "", lambda: ([line] for line in lines_of(part)))
    (trained,) = train_runs(corpus, plan)
    found = suffices(planted(), [trained.embedding], QUICK)
    assert decision(found, trained.embedding.name)["verdict"] != "train-locally"


def test_other_settings_and_smaller_parts_are_measured_and_progress_ends_at_1() -> None:
    steps: list[tuple[float, str]] = []
    settings = replace(QUICK, random_cues=10, curve=True, windows=(2, 4), other_dimensions=(5,))
    found = suffices(planted(), sets()[:1], settings, lambda share, what: steps.append((share, what)))
    shares = [share for share, _ in steps]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert next(what for _, what in steps if not what.startswith("reading")) == "about 1 min in all"
    sizes = [point["tokens"] for point in found["curve"] if point["candidate"] == LOCAL]
    assert sizes == [1_440, 2_880, 4_320]
    assert [one["candidate"] for one in found["settings"]] == [LOCAL, "local-w2-d10", "local-w4-d5"]
    assert found["settings"][0]["difference"] == {"mean": 0.0, "interval": None}
    assert found["overtakes"].keys() == {"knowing"}


def test_the_same_seed_gives_the_same_report_with_any_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_SECONDS_A_BATCH", 0.5)
    settings = replace(QUICK, random_cues=10)
    one, two = (suffices(planted(), sets()[:1], replace(settings, processes=n)) for n in (1, 2))
    assert one | {"seconds": 0} == two | {"seconds": 0}
    other = suffices(planted(), sets()[:1], replace(settings, seed=2))
    assert other["curve"] != one["curve"]


@pytest.mark.parametrize("is_folder", [False, True])
def test_an_open_vocabulary_is_composed_for_the_words_of_the_corpus(is_folder: bool, tmp_path: Path) -> None:
    tokenizer = models.wordpiece()
    files = models.members(tokenizer, {"embeddings": models.rows(tokenizer.get_vocab_size())})
    given = tmp_path / "given"
    if is_folder:
        given.mkdir()
        for name, content in files.items():
            (given / name).write_bytes(content)
    else:
        given.write_bytes(models.zipped(files))
    found = suffices(planted(), [NamedVectors("model", existing_vectors(str(given)))], replace(QUICK, random_cues=10))
    assert (found["candidates"][0]["id"], found["candidates"][0]["share"]) == ("model", 1.0)


def test_own_cues_are_reported_apart_and_unknown_ones_are_named() -> None:
    left_out = LeftOut()
    settings = replace(QUICK, random_cues=10, cues=(WORDS[0].upper(), "nowhere"))
    found = suffices(planted(), sets()[:1], settings, left_out=left_out)
    assert [one["cue"] for one in found["cues"] if one["is_own"]] == [WORDS[0]]
    assert "“nowhere” does not occur" in left_out.sentence("Cues")
    assert found["corpus"]["left_out"] == 0
    without = suffices(planted(), sets()[:1], replace(settings, cues=()))
    assert without["curve"] == found["curve"]


def test_people_words_are_compared_for_cues_of_the_corpus() -> None:
    lists = {WORDS[0]: WORDS[1:6], "nowhere": WORDS[:3], WORDS[30]: ["unknown"]}
    found = suffices(planted(), sets()[:1], replace(QUICK, random_cues=10, people={"Raters": lists}))
    (people,) = found["people"]
    assert (people["title"], people["cues"]) == ("Raters", 1)
    assert people["auc"].keys() == {"knowing", A_LA_CARTE + "knowing", LOCAL}
    assert people["auc"]["knowing"] > 0.9


def test_groups_are_never_divided_and_training_parts_are_nested(tmp_path: Path) -> None:
    tokens, *_ = measure.grouped(planted(), QUICK, LeftOut())
    place = Workplace(tmp_path, 4)
    partitions = np.array([np.arange(SPEAKERS) % 4, np.arange(SPEAKERS) // 5])
    place.fill(tokens, partitions)
    for split in range(8):
        tested = set(place.test_part(split).documents.tolist())
        parts = [set(place.training_part(split, folds).documents.tolist()) for folds in (1, 2, 3)]
        assert parts[0] < parts[1] < parts[2]
        assert tested.isdisjoint(parts[2])
        assert tested | parts[2] == set(range(SPEAKERS))


def test_training_reads_whole_paragraphs_of_its_part(tmp_path: Path) -> None:
    tokens = Tokens.of([Document("0", "", "a b\nc d"), Document("1", "", "e"), Document("2", "", "f g")])
    assert list(lines_of(tokens)) == ["a b", "c d", "e", "f g"]
    assert list(lines_of(tokens.part(tokens.documents != 1))) == ["a b", "c d", "f g"]


def test_small_texts_are_read_more_often_and_rare_words_get_vectors() -> None:
    plan = QUICK.plans()[LOCAL]
    small, large = fitted(plan, 30_000), fitted(plan, 1_500_000)
    assert (small.iterations, small.minimum_count) == (20, 2)
    assert (large.iterations, large.minimum_count) == (5, 10)
    assert fitted(plan, 250_000).iterations == 8
    assert fitted(replace(plan, algorithm="glove"), 30_000).iterations is None


def test_short_steps_are_packed_and_none_is_lost() -> None:
    steps = [LocalTraining(LOCAL, split, 3, QUICK.plans()[LOCAL]) for split in range(7)]
    packed = batches(steps, 1_000, least=2.5 * steps[0].seconds(1_000))
    assert [len(batch.steps) for batch in packed] == [3, 3, 1]


ERRORS: dict[str, tuple[dict[str, object], str]] = {
    "groups": ({"group_by": "party"}, "have no “party”; they have speaker"),
    "repeats": ({"repeats": 0}, "from 1 to 50"),
    "window": ({"window": 0}, "window must be from 1"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_unusable_settings_are_refused(name: str) -> None:
    given, said = ERRORS[name]
    with pytest.raises(InputError, match=said):
        suffices(planted(), sets()[:1], replace(QUICK, **given))  # type: ignore[arg-type]


def test_unusable_corpora_and_vectors_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    few = replace(planted(), documents=planted().documents[:7])
    with pytest.raises(InputError, match="has 7 documents with words; a comparison needs 8"):
        suffices(few, sets()[:1], replace(QUICK, group_by=None))
    foreign = embedding("foreign", np.ones((3, 2)), ["x", "y", "z"])
    with pytest.raises(InputError, match="foreign has no vector for any word"):
        suffices(planted(), [foreign], QUICK)
    with pytest.raises(InputError, match="name of its own"):
        suffices(planted(), sets()[:1] * 2, QUICK)
    monkeypatch.setattr(measure, "MOST_TOKENS", 1_000)
    with pytest.raises(InputError, match=r"has 5,760 words\. Use a part of it"):
        suffices(planted(), sets()[:1], QUICK)


def test_documents_without_the_field_are_left_out_and_counted() -> None:
    mixed = planted()
    more = replace(mixed, documents=[*mixed.documents, Document("lone", "", "some words")])
    assert suffices(more, sets()[:1], replace(QUICK, random_cues=10))["corpus"]["left_out"] == 1


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("suffices")
    corpus, vectors = folder / "speeches.jsonl", folder / "knowing.txt.gz"
    lines = [{"text": one.text, **dict(one.metadata)} for one in planted().documents]
    corpus.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    write_text(vectors, WORDS, knowing().astype(np.float32))
    return str(corpus), str(vectors)


def test_the_command_prints_verdict_curve_cues_and_people(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = tmp_path / "lists.json"
    lists.write_text(json.dumps({WORDS[0]: WORDS[1:5]}), encoding="utf-8")
    options = ["--group-by", "speaker", "--cues", f"{WORDS[3]} nowhere", "--random-cues", "10", "--repeats", "1"]
    options += ["--processes", "1", "--window", "3", "--dimensions", "5", "--people", str(lists)]
    assert main(["suffices", files[0], "--pretrained", files[1], *options, "--json"]) == 0
    output, warned = capsys.readouterr()
    assert "Documents and cues left out: 1. The cue “nowhere”" in warned
    printed = report_text(REPORT.validate_json(output))
    for expected in (
        "knowing.txt.gz: suffices",
        "Learning curve",
        "5,760 words in 20 values of “speaker”",
        "Your cues",
    ):
        assert expected in printed
    assert "Agreement with people's words for 1 cues: lists.json" in printed


@pytest.mark.slow
@pytest.mark.parametrize("ends", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_ended_leaves_no_folder(files: tuple[str, str], tmp_path: Path, ends: signal.Signals) -> None:
    command = [sys.executable, "-m", "tasks", "suffices", files[0], "--pretrained", files[1], "--processes", "2"]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, preexec_fn=hear_ctrl_c)
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("vecboard-*/*-1.npz")):  # the trainings have begun, or will at once
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(ends)
    assert process.wait(timeout=60) == 130
    assert list(tmp_path.glob("vecboard-*")) == []


def test_an_id_in_the_place_of_a_file_is_answered_with_the_way_to_get_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["suffices", "sotu", "--pretrained", "glove-6b-300"])
    assert "python -m vecboard public ID --save FILE" in capsys.readouterr().err


def test_lists_that_are_not_lists_are_refused(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = tmp_path / "lists.json"
    lists.write_text('{"freedom": "liberty"}', encoding="utf-8")
    assert main(["suffices", files[0], "--pretrained", files[1], "--people", str(lists)]) == 2
    assert "Write a JSON object with a list for each cue" in capsys.readouterr().err
