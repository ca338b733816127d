"""A bundle proves its report: whatever is changed in it is refused and named."""

from __future__ import annotations

import hashlib
import io
import json
import random
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from extensions.verify import command as commands
from extensions.verify.measure import bundle
from extensions.verify.measure.bundle import DEFINITIONS, OUTCOMES, REPORT, SIGNATURE, write
from extensions.verify.measure.crate import METADATA, About
from extensions.verify.measure.recompute import _from_single_precision
from extensions.verify.measure.verify import MOST_BYTES, Differs, verify
from tasks.base import digest
from tasks.baseline.published import published
from tasks.cli import main
from tasks.errors import InputError
from tasks.metrics import ACCURACY
from tasks.report import assemble
from tasks.results import Outcomes, Report, cell_key
from tasks.suites import DEMO

KEY, OTHER_KEY = (Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in (1, 2))
PEM = bundle.pem(KEY.public_key())
ABOUT = About(date(2026, 11, 28), "https://vecboard.example/r/x")
Files = dict[str, bytes]


def demo_report() -> Report:
    """The baseline's results as those of other vectors."""
    base = published(DEMO)
    assert base is not None
    return assemble(
        DEMO, {**base.vectors, "sha256": "ab" * 32, "name": "Some vectors"}, base.results, (), base.environment
    )


def written(report: Report, key: Ed25519PrivateKey | None = KEY) -> io.BytesIO:
    file = io.BytesIO()
    write(file, report, ABOUT, key)
    return file


@pytest.fixture(scope="module")
def files() -> Files:
    """The files of a signed bundle."""
    with zipfile.ZipFile(written(demo_report())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: Files) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file


def forged(files: Files) -> Files:
    """The files with hashes that fit them, signed with a key of the forger's own."""
    metadata = json.loads(files[METADATA])
    for entity in metadata["@graph"]:
        if entity.get("sha256") and entity["@id"] in files:
            entity["sha256"] = hashlib.sha256(files[entity["@id"]]).hexdigest()
    text = json.dumps(metadata).encode()
    signature = bundle.signature_text(OTHER_KEY.public_key(), OTHER_KEY.sign(text))
    return {**files, METADATA: text, SIGNATURE: signature}


def with_report(files: Files, change: Callable[[dict], None]) -> Files:
    report = json.loads(files[REPORT])
    change(report)
    return {**files, REPORT: Report.from_json(json.dumps(report)).to_json().encode()}


def test_it_verifies_and_says_by_which_key_it_is_signed(files: Files) -> None:
    alone = verify(packed(files))
    assert alone.report.to_json() == verify(packed(files), PEM).report.to_json() == demo_report().to_json()
    assert (alone.key, alone.rounded) == (hashlib.sha256(PEM.encode()).hexdigest()[:16], ())
    unsigned = written(demo_report(), None)
    assert verify(unsigned).key == ""
    with pytest.raises(Differs, match="is not signed"):
        verify(unsigned, PEM)
    with pytest.raises(Differs, match="not by the given one"):
        verify(packed(files), bundle.pem(OTHER_KEY.public_key()))


def test_equal_reports_give_equal_bytes(files: Files) -> None:
    assert written(demo_report()).getvalue() == written(demo_report()).getvalue()


def test_its_definitions_are_those_that_the_hashes_are_of(files: Files) -> None:
    cells = json.loads(files[DEFINITIONS])["cells"]
    hashes = {cell_key(result.task, result.mode): result.task_hash for result in demo_report().results}
    assert {name: digest(definition) for name, definition in cells.items()} == hashes


def test_the_citation_is_yaml_and_every_file_is_described(files: Files) -> None:
    cited = yaml.safe_load(files["CITATION.cff"])
    assert (cited["cff-version"], str(cited["date-released"]), cited["url"]) == ("1.2.0", "2026-11-28", ABOUT.url)
    entities = {entity["@id"]: entity for entity in json.loads(files[METADATA])["@graph"]}
    assert {part["@id"] for part in entities["./"]["hasPart"]} == files.keys() - {METADATA}
    assert entities[REPORT]["contentSize"] == str(len(files[REPORT]))
    assert "ab" * 32 in entities["#vectors"]["identifier"]


def mutation(files: Files, chance: random.Random) -> tuple[Files, str]:
    """The files with one change, and the file that a message must name."""
    name = chance.choice(list(files))
    kind = chance.choice(["byte", "digit", "letter", "left out", "added", "renamed", "outcome", "empty"])
    content, changed = bytearray(files[name]), dict(files)
    if kind == "byte":
        place = chance.randrange(len(content))
        content[place] ^= 1 << chance.randrange(8)
    elif kind in ("digit", "letter"):
        places = [place for place, value in enumerate(content) if chr(value).isalnum() and chr(value).isascii()]
        place = chance.choice(
            [place for place in places if chr(content[place]).isdigit() == (kind == "digit")] or places
        )
        content[place] = chance.choice([value for value in b"0123456789abcdef" if value != content[place]])
    elif kind == "left out":
        del changed[name]
        return changed, name
    elif kind == "added":
        added = chance.choice(["../x", "/etc/x", "notes.txt", "report.json.bak", "REPORT.JSON"])
        return {**files, added: b"x"}, added
    elif kind == "renamed":
        return {(f"{old}.old" if old == name else old): value for old, value in files.items()}, name
    elif kind == "outcome":
        name = OUTCOMES
        with np.load(io.BytesIO(files[name])) as stored:
            arrays = dict(stored)
        key = chance.choice([key for key, values in arrays.items() if values.dtype.kind == "u" and values.size])
        arrays[key].flat[chance.randrange(arrays[key].size)] += 1
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)
        content = bytearray(file.getvalue())
    else:
        content = bytearray()
    changed[name] = bytes(content)
    return changed, name


@pytest.mark.parametrize("seed", range(10))
def test_a_hundred_changes_are_refused_and_their_file_is_named(files: Files, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(100):
        changed, name = mutation(files, chance)
        with pytest.raises((Differs, InputError)) as refused:
            verify(packed(changed))
        assert name in str(refused.value)


FIELDS = ("score", "sd", "relative_error_reduction", "baseline", "interval", "relative_error_reduction_interval")


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("cell", ["pos.fixed", "sentiment.fine-tuned"])
def test_a_forger_with_a_key_of_his_own_can_change_no_figure_of_a_cell(files: Files, field: str, cell: str) -> None:
    def change(report: dict) -> None:
        (result,) = [result for result in report["results"] if cell_key(result["task"], result["mode"]) == cell]
        value = result[field]
        result[field] = [value[0], value[1] + 1e-9] if isinstance(value, list) else (value or 0.0) + 1e-9

    with pytest.raises(Differs, match=rf"results\.{cell}\.{field}.* is stored, .* difference of 1e-09"):
        verify(packed(forged(with_report(files, change))))


def test_a_forger_can_change_no_mean_no_outcome_and_no_definition(files: Files) -> None:
    def means(report: dict) -> None:
        report["aggregates"]["overall"] += 0.01

    with pytest.raises(Differs, match=r"aggregates\.overall: .* a difference of 0\.01"):
        verify(packed(forged(with_report(files, means))))
    report = demo_report()
    for result in report.results:
        if result.outcomes is None or result.metric != ACCURACY.name:
            continue
        values = result.outcomes.values.copy()
        wrong = int(np.argmin(values[:, 0] - values[:, 1]))
        values[wrong, 0] += 1 / result.seeds
        others = [replace(r, outcomes=replace(r.outcomes, values=values)) if r is result else r for r in report.results]
        with pytest.raises(Differs, match=rf"results\.{cell_key(result.task, result.mode)}\.score"):
            verify(written(replace(report, results=tuple(others)), OTHER_KEY))
    definitions = json.loads(files[DEFINITIONS])
    definitions["cells"]["pos.fixed"]["seeds"] += 1
    with pytest.raises(Differs, match=r"definition of pos\.fixed"):
        verify(packed(forged({**files, DEFINITIONS: json.dumps(definitions).encode()})))
    definitions = json.loads(files[DEFINITIONS])
    definitions["baselines"]["demo-2.npz"] = "0" * 64
    with pytest.raises(InputError, match=r"demo-2\.npz"):
        verify(packed(forged({**files, DEFINITIONS: json.dumps(definitions).encode()})))
    with pytest.raises(Differs, match="not by the given one"):
        verify(packed(forged(files)), PEM)


def test_definitions_and_data_are_those_of_this_program_not_only_of_the_bundle(files: Files) -> None:
    definitions = json.loads(files[DEFINITIONS])
    definitions["cells"]["pos.fixed"]["seeds"] += 1

    def other_definition(report: dict) -> None:
        (cell,) = (row for row in report["results"] if (row["task"], row["mode"]) == ("pos", "fixed"))
        cell["task_hash"] = digest(definitions["cells"]["pos.fixed"])

    changed = {**with_report(files, other_definition), DEFINITIONS: json.dumps(definitions).encode()}
    with pytest.raises(Differs, match=r"definition of pos\.fixed in this program"):
        verify(packed(forged(changed)))
    definitions = json.loads(files[DEFINITIONS])
    definitions["data"]["demo-pos"]["sha256"] = "0" * 64

    def other_data(report: dict) -> None:
        for row in report["results"]:
            for use in row["datasets"]:
                use["sha256"] = "0" * 64 if use["id"] == "demo-pos" else use["sha256"]

    changed = {**with_report(files, other_data), DEFINITIONS: json.dumps(definitions).encode()}
    with pytest.raises(Differs, match="hash of demo-pos"):
        verify(packed(forged(changed)))
    definitions = json.loads(files[DEFINITIONS]) | {"baselines": {}}
    with pytest.raises(InputError, match=r"demo-2\.npz"):
        verify(packed(forged({**files, DEFINITIONS: json.dumps(definitions).encode()})))


def test_seeds_whose_scores_are_no_whole_numbers_of_answers_are_refused(files: Files) -> None:
    def change(report: dict) -> None:
        for seed, by in zip(report["results"][0]["training"]["seeds"], (1e-7, -1e-7), strict=False):
            seed["test"] += by

    with pytest.raises(Differs, match=r"results\.pos\.fixed\.training\.seeds\.0\.test"):
        verify(packed(forged(with_report(files, change))))


def bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("pos|fixed.npy", bytes(MOST_BYTES + 1))
    return file.getvalue()


def damaged_lzma() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("pos|fixed.npy", b"x" * 1000)
    content = bytearray(file.getvalue())
    content[60:70] = bytes(10)
    return bytes(content)


HOSTILE: dict[str, Callable[[Files], Files]] = {
    "deep": lambda files: {**files, DEFINITIONS: b"[" * 100_000},
    "deep report": lambda files: {**files, REPORT: b'{"a":' * 100_000},
    "list": lambda files: {**files, DEFINITIONS: b"[]"},
    "no graph": lambda files: {**files, METADATA: b'{"@graph": 1}'},
    "bomb": lambda files: {**files, OUTCOMES: bomb()},
    "lzma": lambda files: {**files, OUTCOMES: damaged_lzma()},
    "large": lambda files: {**files, REPORT: b" " * (MOST_BYTES + 1)},
    "no arrays": lambda files: {**files, OUTCOMES: b"PK\x05\x06" + bytes(18)},
    "another form": lambda files: {**files, REPORT: json.dumps(json.loads(files[REPORT])).encode()},
    "no text": lambda files: {**files, REPORT: b"\xff"},
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused_with_a_sentence(files: Files, kind: str) -> None:
    changed = HOSTILE[kind](files)
    with pytest.raises((Differs, InputError)) as refused:
        verify(packed(changed if kind == "no graph" else forged(changed)))
    assert str(refused.value).endswith(".") or "values differ:" in str(refused.value)


def test_what_is_no_archive_has_a_file_twice_or_is_too_large_is_refused(files: Files) -> None:
    twice = packed(files)
    with zipfile.ZipFile(twice, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr(REPORT, files[REPORT])
    with pytest.raises(Differs, match=r"report\.json"):
        verify(twice)
    for content in (b"", b"no archive", written(demo_report()).getvalue()[:-30], bytes(MOST_BYTES + 1)):
        with pytest.raises(InputError, match="not a bundle that can be read"):
            verify(io.BytesIO(content))


def test_another_suite_version_is_refused_when_written_and_when_read(files: Files) -> None:
    report = demo_report()
    with pytest.raises(InputError, match=r"method \(1, "):
        written(replace(report, suite={**report.suite, "version": 1}))
    with pytest.raises(InputError, match=r", 3\)\), which"):
        written(replace(report, method=3))


def test_the_command_has_three_exit_statuses(files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, key = tmp_path / "b.zip", tmp_path / "key.pem"
    path.write_bytes(packed(files).getvalue())
    key.write_text(PEM)
    assert main(["verify", str(path), "--key", str(key)]) == 0
    text = capsys.readouterr().out
    assert "Signed by the given key" in text
    assert "all bit-identical" in text
    path.write_bytes(packed({**files, "CITATION.cff": b"x"}).getvalue())
    assert main(["verify", str(path)]) == 1
    assert "CITATION.cff was changed" in capsys.readouterr().out
    path.write_bytes(b"x")
    assert main(["verify", str(path)]) == 2
    assert "not a bundle" in capsys.readouterr().err
    assert main(["verify", str(path), "--retrain", "1"]) == 2
    assert main(["verify", str(path), "--key", str(tmp_path / "none")]) == 2


def test_outcomes_in_single_precision_leave_a_correlation_open_by_their_ties_only() -> None:
    gold = np.arange(100, dtype=np.float64)
    predicted = gold.copy()
    result = replace(demo_report().results[0], metric="spearman", mode=None)
    assert _from_single_precision(result, Outcomes.of(predicted=predicted, gold=gold)) == (1.0, 1e-12)
    predicted[1] = np.nextafter(predicted[0], 1)
    score, tolerance = _from_single_precision(result, Outcomes.of(predicted=predicted, gold=gold)) or (0.0, 0.0)
    assert 0 < 1 - score < tolerance < 0.002


def test_cells_that_are_measured_again_with_the_vectors_are_bit_identical(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, vectors = tmp_path / "b.zip", tmp_path / "v.txt"
    names = ["the", "of", "in", "and", *(f"w{i}" for i in range(150))]
    rows = np.random.default_rng(0).normal(size=(len(names), 8)).round(3).tolist()
    lines = [f"{word} {' '.join(map(str, row))}\n" for word, row in zip(names, rows, strict=True)]
    vectors.write_text("".join(lines))
    options = [
        "--suite",
        "demo",
        "--task",
        "pos",
        "--mode",
        "fixed",
        "--seeds",
        "2",
        "--device",
        "cpu",
        "--workers",
        "1",
    ]
    report = str(tmp_path / "report.json")
    assert main(["evaluate", str(vectors), *options, "--out", report]) == 0
    assert main(["bundle", report, "--out", str(path)]) == 0
    (result,) = verify(path.open("rb")).report.results
    again = ["verify", str(path), "--vectors", str(vectors), "--retrain", "3"]
    assert main(again) == 0
    text = capsys.readouterr().out
    assert "Not signed" in text
    assert "pos.fixed: bit-identical" in text
    for by, status, judged in ((0.001, 0, "within"), (0.5, 1, "beyond")):
        other = replace(result, score=result.score + by)
        monkeypatch.setattr(commands, "attempt_cell", lambda *_, other=other, **__: other)
        assert main(again) == status
        assert f"pos.fixed: {judged} the tolerance of 0.0" in capsys.readouterr().out
    vectors.write_text("".join(lines[1:]))
    assert main(again) == 1
    assert "These are other vectors" in capsys.readouterr().out
