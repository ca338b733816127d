"""Smaller variants of a file: their sizes and losses, the order of the tests, the choice, and the command."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from extensions.front.measure import variants
from extensions.front.measure.chart import chart_of
from extensions.front.measure.choose import (
    HEADERS,
    STEP,
    Candidate,
    choose,
    fixed_sequence,
    front,
    measure,
    probes_of,
    sequence,
)
from extensions.front.measure.variants import (
    USUAL,
    TokenVectors,
    Variant,
    WordVectors,
    original_of,
    principal_axes,
    warnings_of,
)
from extensions.shared.measure.vectors import NamedVectors
from tasks.cli import main
from tasks.errors import InputError
from tasks.formats import read
from tasks.formats.quantised import BITS, Precision, write_npz
from tasks.formats.token_models import TokenModel
from tasks.gate import Verdict, judge
from tasks.suites import DEMO, OPEN_2026
from tasks.vectors import Embedding
from tests.docs.blocks import DOCS
from tests.tasks.formats.models import fasttext, members, wordpiece

WIDTH = 12
RNG = np.random.default_rng(5)
ROWS = (RNG.standard_normal((300, WIDTH)) * np.linspace(3, 0.2, WIDTH)).astype(np.float32)
NAMES = [f"word{n}" for n in range(300)]
ONE_PROBE = ("--task", "questions-probe")


@pytest.fixture(scope="module")
def words() -> WordVectors:
    return WordVectors(Embedding.of("v", NAMES, ROWS))


def model(truncations: tuple[int, ...] = ()) -> TokenVectors:
    rows = RNG.standard_normal((58, 16)).astype(np.float32)
    return TokenVectors(TokenModel(rows, None, None, wordpiece().to_str().encode(), True, truncations))


def test_axes_are_orthonormal_and_all_of_them_keep_every_cosine(words: WordVectors) -> None:
    axes = principal_axes(ROWS)
    assert axes.T @ axes == pytest.approx(np.eye(WIDTH), abs=1e-5)
    assert (ROWS @ axes) @ (ROWS @ axes).T == pytest.approx(ROWS @ ROWS.T, abs=1e-3)
    energy = np.square(ROWS @ axes).sum(axis=0)
    assert (np.diff(energy) < 0).all()


def test_missing_words_and_dimensions_are_lost_whole(words: WordVectors) -> None:
    weights, squares = 1 / np.arange(1, 301), np.square(ROWS.astype(np.float64)).sum(axis=1)
    missing = (weights * squares)[100:].sum() / (weights * squares).sum()
    assert words.loss(Variant(100, WIDTH, "float32")) == pytest.approx(missing)
    left = np.square((ROWS @ principal_axes(ROWS)[:, :6]).astype(np.float64)).sum(axis=1)
    assert words.loss(Variant(300, 6, "float32")) == pytest.approx(1 - weights @ left / (weights @ squares), abs=1e-6)
    losses = [words.loss(Variant(300, WIDTH, precision)) for precision in ("float32", "float16", "int8", "int4")]
    assert losses[0] == pytest.approx(0, abs=1e-12)
    assert losses == sorted(losses)


@pytest.mark.parametrize("precision", BITS)
@pytest.mark.parametrize("dimensions", [WIDTH, 6])
def test_a_written_variant_has_the_bytes_that_were_promised(
    words: WordVectors, precision: Precision, dimensions: int, tmp_path: Path
) -> None:
    variant = Variant(150, dimensions, precision)
    words.write(variant, tmp_path / "v.npz")
    assert 0 < (tmp_path / "v.npz").stat().st_size - words.least_bytes(variant) < HEADERS
    assert read(tmp_path / "v.npz").matrix.shape == (150, dimensions)


@pytest.mark.parametrize("precision", ["float32", "float16", "int8"])
def test_a_written_token_model_has_the_bytes_that_were_promised(precision: Precision, tmp_path: Path) -> None:
    original = model()
    variant = Variant(None, 8, precision)
    original.write(variant, tmp_path / "v.zip")
    assert 0 < (tmp_path / "v.zip").stat().st_size - original.least_bytes(variant) < HEADERS


def test_a_declared_model_is_cut_and_others_are_projected() -> None:
    declared = model((4, 8))
    assert [one.dimensions for one in declared.variants if one.precision == "int8"] == [16, 4, 8]
    squares = np.square(declared.model.rows.astype(np.float64))
    assert declared.loss(Variant(None, 4, "float32")) == pytest.approx(1 - squares[:, :4].sum() / squares.sum())
    assert model().loss(Variant(None, 4, "float32")) < declared.loss(Variant(None, 4, "float32"))


@pytest.fixture
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of words below those of small files."""
    monkeypatch.setattr(variants, "WORDS", (200, 100))


@pytest.mark.usefixtures("fewer")
def test_the_sequence_falls_in_bytes_and_rises_in_loss(words: WordVectors) -> None:
    steps = sequence(words, 12_000)
    assert len(steps) > 3
    for one, smaller in pairwise(steps):
        assert smaller.bytes <= STEP * one.bytes
        assert smaller.loss > one.loss
    assert all(one.bytes + HEADERS <= 12_000 for one in steps)
    offered = words.variants
    smallest = min(offered, key=words.least_bytes)
    assert steps[-1].bytes == words.least_bytes(smallest)
    for one in steps:
        cheaper = [other for other in offered if words.least_bytes(other) < one.bytes]
        assert all(words.loss(other) > one.loss for other in cheaper)
    with pytest.raises(InputError, match="No variant fits the budget; the smallest offered has"):
        sequence(words, 2_500)


def test_the_whole_file_is_a_step_if_it_fits(words: WordVectors) -> None:
    assert sequence(words, 1_000_000)[0] == Candidate(words.whole, words.least_bytes(words.whole), 0.0)


def test_a_precision_in_which_the_numbers_overflow_is_left_out() -> None:
    large = WordVectors(Embedding.of("v", NAMES, 1e6 * np.abs(ROWS[:, :1])))
    assert [step.variant.precision for step in sequence(large, 1_000_000)] == ["float32"]


def test_a_variant_that_cannot_be_read_again_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that is too long for a vector among the first words, but not among all."""
    rows = np.ones((300, WIDTH), dtype=np.float32)
    rows[100:] *= USUAL.row_length / 4
    rows[50] *= 2 * USUAL.row_length
    rows[::2] *= -1
    original = WordVectors(Embedding.of("v", NAMES, rows))
    few, all_words = Variant(100, WIDTH, "int8"), Variant(300, WIDTH, "int8")
    monkeypatch.setattr("extensions.front.measure.choose.compare", lambda *_: (None, []))
    steps = [Candidate(variant, 0, 0.0) for variant in (all_words, few)]
    measured = measure(original, original.embedding, steps, DEMO, [], 1.0, tmp_path)
    assert [file.variant for file in measured] == [original.whole, all_words]
    assert len(list(tmp_path.glob("variant-*"))) == 2


@pytest.mark.parametrize(
    ("verdicts", "budget", "keeps_accepted", "left"),
    [
        (["not inferior", "not inferior", "can't tell"], 12_000, False, [2]),
        (["not inferior", "not inferior", "can't tell"], 12_000, True, [1, 2]),
        (["inferior", "not inferior", "inferior"], 12_000, False, [1]),
        (["inferior", "not inferior"], 1_000_000, False, [0]),
    ],
)
def test_files_that_cannot_be_chosen_any_more_are_deleted(
    words: WordVectors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    verdicts: Sequence[Verdict], budget: int, keeps_accepted: bool, left: Sequence[int],
) -> None:  # fmt: skip
    together = []

    def measured(*_: object) -> Iterator[SimpleNamespace]:
        of_steps = verdicts if budget == 1_000_000 else ["can't tell", *verdicts]
        for place, verdict in enumerate(of_steps):
            path = tmp_path / str(place)
            path.touch()
            together.append(len(list(tmp_path.iterdir())))
            yield SimpleNamespace(file=path, mean=SimpleNamespace(judgement=SimpleNamespace(verdict=verdict)))

    monkeypatch.setattr("extensions.front.measure.choose.measure", measured)
    about = words, words.embedding, budget, DEMO, [], 1.0, tmp_path
    _, choice = front(*about, keeps_accepted=keeps_accepted)
    assert sorted(int(path.name) for path in tmp_path.iterdir()) == left
    assert choice.chosen.file.is_file()
    assert max(together) <= 2 + keeps_accepted


def test_a_fasttext_model_is_said_to_lose_its_open_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    path.write_bytes(fasttext(["the", "of"], RNG.standard_normal((2_002, 4)).astype(np.float32), buckets=2_000))
    original, whole = original_of(NamedVectors("v.bin", path, "en"), DEMO, tmp_path)
    (warning,) = warnings_of(original, whole)
    assert "“v.bin” makes vectors for any word. Its variants don’t" in warning
    assert warnings_of(model(), whole) == []


def run(verdicts: Sequence[Verdict]) -> tuple[int, Verdict, int]:
    """Position of the chosen step, its verdict, and the number of tested ones."""
    steps = list(range(len(verdicts)))
    found = choose(steps, lambda step: verdicts[step])
    return found.chosen, found.verdict, len(found.tested)


def test_the_choice_is_the_last_step_before_the_first_that_fails() -> None:
    fine: Verdict = "not inferior"
    assert run([fine, fine, "can't tell", fine]) == (1, fine, 3)
    assert run([fine, fine]) == (1, fine, 2)
    assert run([fine, "inferior", fine]) == (0, fine, 2)
    assert run(["inferior", fine]) == (0, "inferior", 1)
    assert run(["can't tell", fine]) == (0, "can't tell", 1)


def test_an_inferior_step_is_accepted_in_one_run_of_twenty() -> None:
    """Five steps that are all inferior by exactly the margin: testing each alone would accept one in 23 %."""
    generator = np.random.default_rng(1)
    accepted = alone = 0
    runs = 4_000
    for _ in range(runs):
        drawn = generator.standard_normal(5)
        verdicts = [judge(-1.0 + 0.5 * one, 0.5, np.inf, 1.0).verdict for one in drawn]
        accepted += next(fixed_sequence(range(5), verdicts.__getitem__))[1] == "not inferior"
        alone += "not inferior" in verdicts
    assert accepted / runs == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / runs) ** 0.5)
    assert alone / runs == pytest.approx(1 - norm.cdf(norm.ppf(0.95)) ** 5, abs=0.03)


def test_good_steps_do_not_help_a_bad_one_behind_them() -> None:
    generator = np.random.default_rng(2)
    bad = 0
    for _ in range(2_000):
        drawn = np.array([0.0, 0.0, -1.0, -1.5]) + 0.3 * generator.standard_normal(4)
        verdicts = [judge(one, 0.3, np.inf, 1.0).verdict for one in drawn]
        tested = fixed_sequence(range(4), verdicts.__getitem__)
        found = [step for step, verdict in tested if verdict == "not inferior"]
        bad += max(found, default=-1) >= 2
    assert bad / 2_000 < 0.05 + 4 * (0.05 * 0.95 / 2_000) ** 0.5


def test_probes_are_the_suites_and_the_same_on_its_other_sentences() -> None:
    assert [task.id for task in probes_of(OPEN_2026, "en")] == ["20ng", "senti", "questions-probe"]
    assert [task.id for task in probes_of(DEMO, "en")] == ["sentiment-probe", "questions-probe"]
    assert probes_of(OPEN_2026, "de") == []


@pytest.fixture(scope="module")
def demo_file(demo_vectors: Embedding, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "vectors.npz"
    write_npz(path, list(demo_vectors.words), demo_vectors.matrix, "float32")
    return path


def test_the_command_writes_what_it_measured(
    demo_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small, report = tmp_path / "small.npz", tmp_path / "report.json"
    command = ["front", str(demo_file), "--suite", "demo", "--budget", "150kB", "--margin", "20", "--probes-only"]
    status = main([*command, *ONE_PROBE, "--write", str(small), "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert status == 0
    assert answer["verdict"] == "not inferior"
    chosen = next(one for one in answer["variants"] if one["name"] == answer["chosen"])
    assert chosen["bytes"] == small.stat().st_size <= 150_000
    assert chart_of(answer).svg.count("<circle") == 2 * len(answer["variants"])  # wide and narrow
    assert main(["check", str(small), "--suite", "demo", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sha256"] == chosen["sha256"]
    # A task of the suite on the written file, and in the second step of the command: the same score, bit for bit.
    main([*command[:-1], "--task", "questions-probe,sim-simlex-999", "--workers", "1", "--json"])
    again = json.loads(capsys.readouterr().out)["variants"]
    of_front = next(one for one in again if one["sha256"] == chosen["sha256"])
    assert main(["evaluate", str(small), "--suite", "demo", "--task", "sim-simlex-999", "--out", str(report)]) == 0
    (measured,) = json.loads(report.read_text())["results"]
    assert of_front["trained"][0]["new"] == 100 * measured["score"]


def test_the_table_names_the_choice(demo_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["front", str(demo_file), "--suite", "demo", "--budget", "150kB", "--margin", "20", "--probes-only"]
    assert main([*command, *ONE_PROBE]) == 0
    printed = capsys.readouterr().out
    rows = printed.splitlines()
    assert rows[0].split()[:2] == ["Variant", "MB"]
    assert [row.partition("  ")[0] for row in rows[2:4]] == ["5,250 words, 50 d, float32", "5,250 words, 24 d, int4"]
    assert "loses less than 20 points (by probes)." in printed
    assert f" MB isn't worse than in {rows[2].split()[5]} MB as float32: " in printed


def test_a_file_in_alphabetical_order_is_warned_of(
    demo_vectors: Embedding, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    order = np.argsort(list(demo_vectors.words))
    write_npz(tmp_path / "v.npz", [demo_vectors.words[n] for n in order], demo_vectors.matrix[order], "float32")
    command = ["front", str(tmp_path / "v.npz"), "--suite", "demo", "--budget", "100kB", "--probes-only", "--json"]
    main([*command, *ONE_PROBE])
    printed = capsys.readouterr()
    (warning,) = json.loads(printed.out)["warnings"]
    assert warning.startswith("The words of “v.npz” are in alphabetical order.")
    assert f"Warning: {warning}" in printed.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--budget", "1kB"], "No variant fits the budget"),
        (["--budget", "1MB", "--margin", "0"], "The margin must be a number of points above 0"),
        (["--budget", "1MB", "--task", "pos", "--probes-only"], "pos isn't a probe"),
        (["--budget", "1MB", "--task", "nothing"], "has no task 'nothing'"),
    ],
)
def test_unusable_options_are_refused_with_a_sentence(
    more: Sequence[str], said: str, demo_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["front", str(demo_file), "--suite", "demo", *more]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"), [("five", "'five' is not a size"), ("0MB", "'0MB' is not a size"), ("5TB", "'5TB'")]
)
def test_a_budget_is_a_size(text: str, said: str, demo_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["front", str(demo_file), "--budget", text])
    assert said in capsys.readouterr().err


def test_a_model_is_written_as_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, small = tmp_path / "model", tmp_path / "small.zip"
    folder.mkdir()
    rows = np.random.default_rng(1).standard_normal((58, 16)).astype(np.float32)
    for name, content in members(wordpiece(), {"embeddings": rows}, matryoshka_dimensions=[8, 16]).items():
        (folder / name).write_bytes(content)
    command = ["front", str(folder), "--suite", "demo", "--budget", "8kB", "--probes-only", "--json"]
    main([*command, *ONE_PROBE, "--write", str(small)])
    answer = json.loads(capsys.readouterr().out)
    sizes = [(one["words"], one["dimensions"], one["precision"]) for one in answer["variants"]]
    assert sizes[0] == (None, 16, "float32")
    assert {dimensions for _, dimensions, _ in sizes} == {8, 16}
    assert main(["check", str(small), "--suite", "demo", "--json"]) == 0
    checked = json.loads(capsys.readouterr().out)
    chosen = next(one for one in answer["variants"] if one["name"] == answer["chosen"])
    assert (checked["sha256"], checked["open_vocabulary"]) == (chosen["sha256"], True)


@pytest.mark.parametrize("precision", ["int8", "int4"])
def test_the_lines_of_the_page_read_a_written_file(
    precision: Precision, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lines,) = re.findall(r"^ *```python\n(.*?)^ *```$", (DOCS / "front.md").read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    write_npz(Path("small.npz"), ["house", *NAMES], np.concatenate([ROWS[7:8], ROWS]), precision)
    found: dict[str, np.ndarray] = {}
    exec(dedent(lines), found)
    np.testing.assert_array_equal(found["house"], read("small.npz").matrix[0])


@pytest.mark.usefixtures("fewer")
def test_missing_words_count_as_errors(demo_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["front", str(demo_file), "--suite", "demo", "--budget", "10kB", "--probes-only", "--json"]
    assert main([*command, *ONE_PROBE]) == 1
    whole, *few = json.loads(capsys.readouterr().out)["variants"]
    assert max(one["mean"]["new"] for one in few) < whole["mean"]["new"]
