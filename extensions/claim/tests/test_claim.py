"""``python -m tasks claim``: counts of samples, the five kinds of claims, and one answer."""

from __future__ import annotations

import csv
import json
import pickle
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from extensions.associations.measure.axes import WordAxis, project
from extensions.associations.measure.contexts import Tokens
from extensions.associations.measure.regression import Regression
from extensions.claim.command import _words as read_words
from extensions.claim.command import text_of
from extensions.claim.measure import study as study_module
from extensions.claim.measure.answer import answer
from extensions.claim.measure.claim import Claim
from extensions.claim.measure.counts import CountedCorpus
from extensions.claim.measure.curve import curve_of
from extensions.claim.measure.effects import ClaimWords, Kind, chance, effect, of_other_words, squared_distances
from extensions.claim.measure.plan import Analysis, ByChance, Measured, Settings
from extensions.claim.measure.study import FinishedModels, Study, run
from extensions.claim.measure.vectors import Contexts, decomposed, trained, unit
from extensions.claim.tests import speeches, spelled
from research.claim import LISTS, QUICK, SPEAKERS, A, B, X, corpus_of
from tasks.associations.weat import AssociationQuestion, WordList, associate
from tasks.baseline.counting import cooccurrences, encode
from tasks.baseline.svd_ppmi import train
from tasks.cli import main
from tasks.datasets.examples import Document
from tasks.errors import InputError
from tasks.local_training.plan import ALGORITHMS, Plan
from tasks.processes import no_progress
from tasks.suites import DEFAULT, get
from tasks.text import LeftOut
from tasks.vectors import Embedding

LOOK_UP = get(DEFAULT).look_up


def texts(count: int = 12) -> list[Document]:
    draw = np.random.default_rng(1)
    words = [f"w{chr(97 + i)}" for i in range(26)]
    return [
        Document(str(i), "", "\n".join(" ".join(draw.choice(words, 12)) for _ in range(8)), ()) for i in range(count)
    ]


def counted(documents: list[Document], window: int = 3) -> CountedCorpus:
    return CountedCorpus.of(Tokens.of(documents), (window,), 1, len(documents))


def planted(size: int = 40_000, strength: float = 1.5) -> tuple[Tokens, np.ndarray, CountedCorpus]:
    tokens, group_of = corpus_of(size, strength, len(X), np.random.default_rng(3))
    return tokens, group_of, CountedCorpus.of(tokens, QUICK.windows, 1, SPEAKERS)


def study_of(
    kind: Kind, lists: list[list[str]], strength: float = 1.5, *, is_compared: bool, samples: int = 0
) -> Study:
    tokens, group_of, corpus = planted(strength=strength)
    settings = replace(QUICK, samples=samples)
    words = ClaimWords.of(kind, lists, corpus)
    return Study(words, corpus, tokens, settings, group_of=group_of if is_compared else None)


def test_the_counts_of_a_sample_are_those_of_its_text() -> None:
    documents, weights = texts(), np.arange(12) % 3
    corpus = counted(documents)
    lines = [line for i, each in enumerate(documents) for line in each.text.split("\n") * int(weights[i])]
    text = encode(lines, minimum_count=1, gap=3)
    expected = cooccurrences(text, window=3).toarray()
    order = [corpus.words.index(word) for word in text.words]
    found = corpus.by_window[3].matrix(weights.astype(float)).toarray()
    assert np.allclose(found[np.ix_(order, order)], expected)


def test_the_vectors_of_the_whole_corpus_are_those_of_the_baseline() -> None:
    documents = texts()
    corpus = counted(documents, window=5)
    words, matrix = train([line for each in documents for line in each.text.split("\n")], 4, minimum_count=1)
    assert list(corpus.words) == words
    assert np.allclose(decomposed(corpus.by_window[5], np.ones(12), (2, 4))[4], matrix, atol=1e-5)


def test_the_vector_of_a_group_is_the_transformed_mean_of_its_contexts() -> None:
    corpus = counted(texts())
    vectors = np.random.default_rng(0).normal(size=(26, 3))
    contexts = Contexts.of(corpus.by_window[3], np.ones(12), vectors, corpus.frequency, np.array([4]))
    group = (np.arange(12) < 5).astype(float)
    row = corpus.by_window[3].matrix(group).toarray()[4]
    expected = unit((row @ vectors / row.sum()) @ contexts.transformation.T)
    assert np.allclose(contexts.vectors(group[None])[0, 0], expected)


def test_a_seed_gives_trained_vectors_of_the_drawn_units() -> None:
    documents = texts(20)
    tokens, corpus = Tokens.of(documents), counted(documents)
    weights = np.array([2.0] * 10 + [0.0] * 10)
    plans = [Plan(ALGORITHMS[0], 3, 4, seed=seed) for seed in (1, 1, 2)]
    draws = [trained(tokens, weights, corpus.words, plan) for plan in plans]
    assert draws[0].shape == (26, 4)
    assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])


def random_vectors(corpus: CountedCorpus) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(len(corpus.words), 6))


def test_an_association_is_the_effect_size_of_the_association_test_and_a_random_division_is_as_in_it() -> None:
    _, _, corpus = planted(4_000)
    words, vectors = ClaimWords.of("association", LISTS, corpus), random_vectors(corpus)
    lists = [WordList.of(name, each) for name, each in zip("XYAB", LISTS, strict=True)]
    question = AssociationQuestion((lists[0], lists[1]), (lists[2], lists[3]))
    expected = associate(Embedding.of("x", list(corpus.words), vectors.astype(np.float32)), LOOK_UP, question)
    rows = unit(vectors[words.rows])[None]
    assert effect(words, rows)[0] == pytest.approx(expected.d, abs=1e-5)
    values = of_other_words(words, rows, seed=1)
    assert len(values) == 924 == expected.partitions
    assert float((values >= expected.d - 1e-4).mean()) == pytest.approx(expected.p, abs=0.003)


def test_a_place_on_an_axis_is_beyond_the_median_of_words_of_like_frequency() -> None:
    _, _, corpus = planted(4_000)
    words, vectors = ClaimWords.of("axis", [A, B, X[:1]], corpus), random_vectors(corpus)
    alike = [corpus.words[row] for row in words.rows[words.alike[0]]]
    embedding = Embedding.of("x", list(corpus.words), vectors.astype(np.float32))
    places = project(embedding, LOOK_UP, WordAxis(tuple(A), tuple(B)), [X[0], *alike]).places
    expected = places[X[0]] - float(np.median([places[word] for word in alike]))
    assert effect(words, unit(vectors[words.rows])[None])[0] == pytest.approx(expected, abs=1e-5)
    assert len(alike) == 100
    assert not {*A, *B, *X[:1]} & set(alike)


def test_the_distance_of_two_groups_is_that_of_the_regression_without_its_noise() -> None:
    uses = unit(np.random.default_rng(2).normal(size=(14, 5)) + 1)
    first = (np.arange(14) < 6).astype(float)
    norm = Regression(np.column_stack([np.ones(14), first]), uses).squared_norm(1)
    distance, _ = squared_distances(uses, first[None], 1 - first[None], is_resampled=False)
    assert distance[0] == pytest.approx(norm.estimate)


def test_chance_counts_the_observed_number_and_missing_ones() -> None:
    assert chance(3.0, np.array([0.0, -1.0, 1.0, np.nan]), is_signed=True) == pytest.approx(2 / 5)
    assert chance(-3.0, np.array([0.0, 1.0, 2.0]), is_signed=False) == 1.0
    assert chance(-3.0, np.array([0.0, 1.0, 2.0]), is_signed=True) == pytest.approx(1 / 4)
    assert chance(np.nan, np.array([0.0, 1.0]), is_signed=True) == 1.0


def test_groups_whose_speakers_all_use_a_word_alike_differ_by_more_than_any_others() -> None:
    uses = np.repeat(np.eye(2), 4, axis=0)
    flags = np.array([[1, 1, 1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 1, 0, 1, 0], [1, 1, 1, 0, 1, 0, 0, 0.0]])
    distances, ratios = squared_distances(uses, flags, 1 - flags, is_resampled=False)
    assert distances[0] == pytest.approx(2.0)
    assert ratios[0] > 1e6 > ratios[2] > ratios[1] == 0
    alike, ratios = squared_distances(np.ones((8, 1)), flags, 1 - flags, is_resampled=False)
    assert alike.tolist() == ratios.tolist() == [0.0] * 3


@pytest.mark.parametrize(("kind", "lists"), [("association", LISTS), ("axis", [A, B, X])])
def test_a_planted_difference_of_groups_is_found_and_one_that_is_missing_is_not(
    kind: Kind, lists: list[list[str]]
) -> None:
    for strength, is_there in ((1.5, True), (0.0, False)):
        study = study_of(kind, lists, strength, is_compared=True, samples=6)
        found, analyses = answer(study, [study.measure(model) for model in study.models])
        assert (found.p <= 0.05) is is_there
        assert (found.verdict == "stable") is is_there
        assert found.models == 7
        assert found.analyses == len(analyses)
        assert found.chances.keys() == {"units"}


def test_other_trainers_have_a_model_for_every_dimension_and_pretrained_vectors_are_a_start_of_each_window() -> None:
    study = study_of("nearest", [A[:1], A[1:3]], is_compared=False, samples=1)
    start = np.random.default_rng(0).normal(size=(len(study.corpus.words), 8))
    settings = replace(study.settings, algorithm="cbow", windows=(2, 3))
    study = replace(
        study, settings=settings, pretrained={"file": start}, corpus=CountedCorpus.of(study.tokens, (2, 3), 1, SPEAKERS)
    )
    assert len(study.models) == 2 * 2 * 2
    _, analyses = answer(study, [study.measure(model) for model in study.models])
    of_starts = [(row.start, row.window, row.dimensions) for row in analyses if row.sample == 1 and not row.without]
    assert sorted(of_starts) == [("file", 2, 8), ("file", 3, 8), *(("local", w, d) for w in (2, 3) for d in (10, 20))]


def test_a_changed_word_is_found_by_its_speakers_and_among_words_of_like_frequency() -> None:
    tokens, group_of = corpus_of(160_000, 1.5, 1, np.random.default_rng(3))
    corpus = CountedCorpus.of(tokens, QUICK.windows, 1, SPEAKERS)
    for kind, dealt in (("drift", {"units", "words"}), ("groups", {"units"})):
        study = Study(ClaimWords.of(kind, [X[:1]], corpus), corpus, tokens, QUICK, group_of=group_of)
        measured = [study.measure(model) for model in study.models]
        found, _ = answer(study, measured)
        assert found.chances.keys() == dealt
        assert found.p <= 0.05
        units = [row for model in measured for row in model.by_chance if row.dealt == "units"]
        beyond = [row.observed - np.mean([row.observed, *row.values]) for row in units]
        assert kind == "groups" or found.effect == pytest.approx(np.median(beyond))


def test_a_sample_draws_units_within_their_groups() -> None:
    study = study_of("association", LISTS, is_compared=True, samples=2)
    for sample in (1, 2):
        drawn = study.weights(sample)
        assert [drawn[members].sum() for members in study.strata] == [12, 12]
    assert not np.array_equal(study.weights(1), study.weights(2))
    assert study.weights(0).tolist() == [1.0] * SPEAKERS


def test_dealt_groups_keep_their_sizes() -> None:
    dealt = study_of("groups", [X[:1]], is_compared=True).dealt
    assert dealt.dtype == np.int8
    assert [set((dealt == group).sum(axis=1)) for group in (0, 1)] == [{12}, {12}]
    assert len(np.unique(dealt, axis=0)) > 90


@pytest.mark.parametrize(("kind", "lists"), [("association", LISTS), ("groups", [X[:1]])])
def test_divisions_are_dealt_for_the_whole_corpus_alone_in_blocks_and_are_not_sent_to_processes(
    kind: Kind, lists: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_of(kind, lists, is_compared=True, samples=1)
    whole, sample = study.models
    study.measure(sample)
    assert "dealt" not in vars(study)
    expected = study.measure(whole)
    assert "dealt" in vars(study)
    copy = pickle.loads(pickle.dumps(study))
    assert "dealt" not in vars(copy)
    monkeypatch.setattr(study_module, "_OF_A_BLOCK", 7 * SPEAKERS)
    assert {len(first) for first, _ in copy._divisions()} == {7, 100 % 7}
    for row, again in zip(expected.by_chance, copy.measure(whole).by_chance, strict=True):
        assert again.values == pytest.approx(row.values)
    monkeypatch.setattr(study_module, "_NUMBERS", 3 * len(study.words.rows) * max(QUICK.dimensions))
    assert {len(first) for first, _ in copy._divisions()} == {3, 100 % 3}


def test_more_divisions_than_fit_in_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_module, "MOST_DEALT", 100 * SPEAKERS)
    study = study_of("groups", [X[:1]], is_compared=True)
    with pytest.raises(InputError, match="100 deals allow at most 23 documents, and the corpus has 24") as refused:
        replace(study, settings=replace(study.settings, deals=100))
    assert refused.value.message.endswith("Name those who speak with --group-by; the command can also lower --deals.")


def test_more_words_and_units_than_a_key_of_their_pairs_has_bits_for_are_refused() -> None:
    tokens = Tokens.of(texts())
    with pytest.raises(InputError, match="26 frequent words in 13,644,041,474,637,243 documents, too many"):
        CountedCorpus.of(tokens, (2,), 1, 2**63 // 26**2 + 1)


def test_a_plan_resumes_and_another_plan_is_refused(tmp_path: Path) -> None:
    study = study_of("association", LISTS, is_compared=False, samples=3)
    path, seconds = tmp_path / "models.jsonl", list[float]()
    run(study, FinishedModels(path, study.digest), 1, seconds.append, no_progress)
    lines = path.read_text().splitlines()
    assert len(lines) == 1 + len(study.models)
    path.write_text("\n".join(lines[:3]) + "\n" + lines[3][:50])  # interrupted while the third model was written
    finished = FinishedModels(path, study.digest)
    assert list(finished.measured) == study.models[:2]
    run(study, finished, 1, seconds.append, no_progress)
    assert sorted(path.read_text().splitlines()) == sorted(lines)
    assert len(seconds) == 2
    for damage in ("{\x00\x00\x00", lines[2][:50]):
        path.write_text("\n".join([*lines[:2], damage, *lines[3:]]) + "\n")
        assert list(FinishedModels(path, study.digest).measured) == study.models[:1]
        assert path.read_text().splitlines() == lines[:2]
    with pytest.raises(InputError, match="another plan"):
        FinishedModels(path, replace(study, settings=Settings()).digest)


def test_a_plan_is_of_its_paragraphs_compared_words_groups_and_method(monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_of("nearest", [A[:1], A[1:3]], is_compared=True)
    tokens, words, dealt_once = study.tokens, study.words, replace(study)
    groups = [np.repeat([0, 1], [size, SPEAKERS - size]) for size in (10, 12)]
    other_plans = [
        replace(study, tokens=replace(tokens, paragraphs=np.zeros_like(tokens.paragraphs))),
        replace(study, words=replace(words, alike=words.alike[:, ::-1])),
        *(replace(study, group_of=group_of) for group_of in groups),
    ]
    assert dealt_once.digest == study.digest
    plans = [study.digest, *(other.digest for other in other_plans)]
    monkeypatch.setattr(study_module, "VERSION", study_module.VERSION + 1)
    assert len({*plans, study.digest}) == 6


def test_too_few_speakers_and_a_claim_without_its_groups_are_refused() -> None:
    with pytest.raises(InputError, match="--by"):
        study_of("drift", [X[:1]], is_compared=False)
    study = study_of("association", LISTS, is_compared=True)
    assert study.group_of is not None
    with pytest.raises(InputError, match="at least 8, and 3 in each group"):
        replace(study, group_of=np.where(np.arange(SPEAKERS) < 2, 0, 1))


def test_a_setting_without_an_observed_number_is_left_out_of_everything_and_named() -> None:
    study = study_of("association", LISTS, is_compared=True, samples=2)
    measured = [study.measure(model) for model in study.models]

    def without_ten(row: Analysis | ByChance) -> bool:
        return row.dimensions != 10

    rest = [
        Measured(list(filter(without_ten, each.analyses)), list(filter(without_ten, each.by_chance)))
        for each in measured
    ]
    missing = [
        Measured(
            [row if row.dimensions != 10 or row.sample else replace(row, effect=None) for row in each.analyses],
            [row if row.dimensions != 10 else replace(row, observed=np.nan) for row in each.by_chance],
        )
        for each in measured
    ]
    expected, _ = answer(study, rest)
    found, _ = answer(study, missing)
    assert expected.p < 0.05
    assert found.missing_settings == ("local, window 3, 10 dimensions",)
    assert replace(found, missing_settings=()) == expected
    assert "no number in the whole corpus: local, window 3, 10 dimensions." in text_of(found)


def test_the_sentence_says_of_what_its_shares_are_and_has_a_true_minus() -> None:
    study = study_of("association", [LISTS[1], LISTS[0], *LISTS[2:]], is_compared=True)
    found, _ = answer(study, [study.measure(model) for model in study.models])
    assert found.effect < 0
    assert f"the effect of −{-found.effect:.2g} has" in found.sentence
    assert (
        f"documents dealt at random to the groups give as much in {100 * found.p:.3g} % of the deals" in found.sentence
    )
    assert "−" in text_of(found).split("same sign")[1]
    assert "-" not in found.sentence
    for kind, lists, cases in (("association", LISTS, "deals"), ("nearest", [A[:1], A[1:3]], "cases")):
        study = study_of(kind, lists, is_compared=False)
        found, _ = answer(study, [study.measure(model) for model in study.models])
        assert found.sentence.endswith(f" % of the {cases}.")


def test_a_claim_without_a_number_is_refused() -> None:
    study = study_of("groups", [X[:1]], is_compared=True)
    nothing = Analysis("local", 3, 10, 0, "", None)
    with pytest.raises(InputError, match="no number"):
        answer(study, [Measured([nothing])])


def test_rare_and_repeated_words_are_refused() -> None:
    _, _, corpus = planted(4_000)
    with pytest.raises(InputError, match="too rare in the corpus: nowhere"):
        ClaimWords.of("axis", [["nowhere"], B, X], corpus)
    with pytest.raises(InputError, match="given twice"):
        ClaimWords.of("axis", [A, A, X], corpus)


def test_a_corpus_without_words_to_compare_those_of_the_claim_with_is_refused() -> None:
    corpus = counted(texts())
    first, second, *rest = corpus.words
    assert ClaimWords.of("axis", [[first], [second], rest[1:]], corpus).alike.shape == (23, 1)
    with pytest.raises(InputError, match="No other word is frequent enough") as refused:
        ClaimWords.of("axis", [[first], [second], rest], corpus)
    assert refused.value.field == "minimum-count"


def test_documents_of_one_word_lines_are_refused() -> None:
    words = [f"w{chr(97 + i)}" for i in range(26)]
    documents = [Document(str(i), "", f"{words[i % 26]}\n{words[i // 26]}", ()) for i in range(300)]
    settings = replace(QUICK, minimum_count=1)
    study = Claim("nearest", [["wa"], ["wb"]]).study(documents, settings, [], LOOK_UP, LeftOut())
    with pytest.raises(InputError, match="No two words stand together more often than by chance"):
        study.measure(study.models[0])


def test_a_list_may_be_longer_than_the_name_of_a_file() -> None:
    words = [f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(60)]
    assert read_words(",".join(words), is_word=False) == tuple(words)


@pytest.fixture
def corpus_file(tmp_path: Path) -> Path:
    path = tmp_path / "speeches.jsonl"
    path.write_text(speeches())
    return path


def test_the_command_answers_and_writes_table_curve_and_answer(
    corpus_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = [",".join(spelled(words)) for words in LISTS]
    quick = ["--windows", "2", "--dimensions", "10", "--samples", "4", "--deals", "99", "--processes", "1"]
    command = ["claim", str(corpus_file), "--association", *lists, "--by", "party", *quick]
    assert main(command) == 2
    assert "--group-by who" in capsys.readouterr().err
    out = tmp_path / "out"
    assert main([*command, "--group-by", "who", "--out", str(out), "--json"]) in (0, 1)
    shown = capsys.readouterr()
    assert "5 models" in shown.err
    found = json.loads(shown.out)
    assert found["kind"] == "association"
    with (out / "analyses.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == found["analyses"]
    assert sorted(float(row["effect"]) for row in rows) == [float(row["effect"]) for row in rows]
    assert (out / "curve.svg").read_text().startswith("<svg")
    assert json.loads((out / "answer.json").read_text()) == found


@pytest.mark.parametrize(("names", "name"), [(["a/x.txt", "b/x.txt"], "x.txt"), (["local"], "local")])
def test_starts_of_one_name_are_refused(
    names: list[str], name: str, corpus_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / each for each in names]
    for i, path in enumerate(files):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"good {i}.5 1.5\n")
    command = ["claim", str(corpus_file), "--nearest", "good", "great", "--pretrained", *map(str, files)]
    assert main(command) == 2
    assert f"Two starts would be named “{name}”" in capsys.readouterr().err


def test_two_processes_give_the_answer_of_one(corpus_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["--windows", "2", "--dimensions", "10", "--samples", "2", "--group-by", "who", "--json"]
    command = ["claim", str(corpus_file), "--nearest", *spelled(A[:1]), ",".join(spelled(A[1:3])), *quick]
    answers = []
    for processes in ("1", "2"):
        main([*command, "--processes", processes])
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0] == answers[1]


def test_the_curve_shows_the_share_of_each_choice_along_the_effects() -> None:
    study = study_of("association", LISTS, is_compared=False)
    result, _ = answer(study, [study.measure(model) for model in study.models])
    analyses = [Analysis("local", 2 if i % 4 else 10, 10, 0, "", i / 30_000) for i in range(30_000)]
    chart = curve_of(result, analyses)
    assert chart.narrow is not None
    for drawing in (chart.drawing, chart.narrow):
        _, *rows = re.findall(r'class="curve" d="([^"]+)"', drawing.body)
        heights = [{float(height) for height in re.findall(r"l0-([\d.]+)", row)} for row in rows]
        assert [pytest.approx(sum(each) / len(each), abs=0.3) for each in heights] == [7.5, 2.5]
