"""Another language from scratch: dump, corpus, baseline, a treebank, and an upload's error reductions on its board."""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
import urllib.request
from bz2 import compress
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.databases import ROOT
from tests.tasks.datasets.dumps import Page, dump
from tests.workers.running_site import running_site, write_vectors

ENDINGS = {"DET": "er", "NOUN": "ung", "VERB": "t", "ADJ": "ig", "ADV": "lich"}
PATTERN = ("DET", "ADJ", "NOUN", "VERB", "ADV", "DET", "NOUN")
STEMS = [first + middle + last for first in "bdfgklm" for middle in "aeiou" for last in "ln"][:30]
TASK = "pos-ud-german-tiny"
Sentence = tuple[str, ...]


def sentences(number: int, seed: int) -> list[Sentence]:
    """Sentences of one pattern, with words drawn from 30 per class."""
    drawn = np.random.default_rng(seed).integers(len(STEMS), size=(number, len(PATTERN)))
    return [tuple(STEMS[i] + ENDINGS[tag] for i, tag in zip(row, PATTERN, strict=True)) for row in drawn]


def as_conllu(texts: Sequence[Sentence]) -> bytes:
    """A treebank in the form of UD; every sentence begins with a multiword token.

    Every tenth word has an unpredictable tag, so that no vectors reach 100 %.
    """
    wrong = iter(np.random.default_rng(len(texts)).random(len(texts) * len(PATTERN)) < 0.1)
    lines = []
    for words in texts:
        lines += [f"# text = {' '.join(words)}", "\t".join(["1-2", words[0] + words[1], *["_"] * 8])]
        lines += [
            "\t".join([str(i), word.title() if tag == "NOUN" else word, word, "X" if next(wrong) else tag, *["_"] * 6])
            for i, (word, tag) in enumerate(zip(words, PATTERN, strict=True), start=1)
        ]
        lines.append("")
    return "\n".join([*lines, ""]).encode()


def declare(folder: Path, data: Path) -> Path:
    """Write a treebank of three parts into the data directory, and its declaration."""
    (data / "ud-german-tiny").mkdir(parents=True)
    text = (
        '[ud-german-tiny]\nlanguage = "de"\ntitle = "UD German-Tiny"\nversion = "1"\nlicence = "CC0 1.0"\n'
        'citation = "Drawn for this test"\nsource = "https://example.org/tiny"\n'
    )
    for seed, (part, number) in enumerate((("train", 25), ("dev", 10), ("test", 60)), start=1):
        content = as_conllu(sentences(number, seed))
        (data / f"ud-german-tiny/de-{part}.conllu").write_bytes(content)
        text += f'[ud-german-tiny.{part}]\nfile = "de-{part}.conllu"\nbytes = {len(content)}\n'
        text += f'sha256 = "{hashlib.sha256(content).hexdigest()}"\n'
    path = folder / "treebanks.toml"
    path.write_text(text)
    return path


@pytest.mark.slow
def test_a_baseline_and_a_treebank_open_the_downstream_tasks_of_a_language(tmp_path: Path) -> None:
    pages = [
        Page(f"Seite {i}", " . ".join(" ".join(words).capitalize() for words in sentences(30, 100 + i)))
        for i in range(60)
    ]
    (tmp_path / "dewiki.xml.bz2").write_bytes(compress(dump(pages).encode()))
    settings = {
        "VECBOARD_DATA": str(tmp_path / "data"),
        "VECBOARD_DATA_MIRROR": str(tmp_path),
        "VECBOARD_OFFLINE": "1",
        "VECBOARD_TREEBANKS": str(declare(tmp_path, tmp_path / "data")),
        "VECBOARD_BASELINE_SCORES": str(tmp_path / "scores"),
        "VECBOARD_SUITE": "open-2026",
    }

    def tasks(*arguments: str) -> str:
        command = [sys.executable, "-m", "tasks", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | settings, stdout=subprocess.PIPE, text=True, check=True
        )
        return done.stdout

    output = tasks("corpus", "--dump", f"{tmp_path}/dewiki.xml.bz2", "--language", "de", "--out", f"{tmp_path}/de.gz")
    assert "60 articles" in output
    baseline = tmp_path / "baseline-de.txt.gz"
    command = ["baseline", "--language", "de", "--corpus", f"{tmp_path}/de.gz", "--publish", "--out", str(baseline)]
    output = tasks(*command, "--device", "cpu", "--workers", "1")
    assert "151 words, 100 dimensions" in output
    assert sorted(path.name for path in (tmp_path / "scores").iterdir()) == [
        "open-2026-4-de.json", "open-2026-4-de.npz", "open-2026-4-de.seeds.json",
    ]  # fmt: skip

    words = sorted({word for texts in sentences(400, 0) for word in texts})
    noise = write_vectors(tmp_path / "noise.txt.gz", words, 100)
    with running_site(tmp_path / "site", **settings) as site:
        ids = {name: site.submit(path, "open-2026", "de") for name, path in (("own", baseline), ("noise", noise))}
        site.wait_until(lambda: all(map(site.is_over, ids.values())))
        reports = {name: site.report(submission) for name, submission in ids.items()}
        address = f"http://127.0.0.1:{site.port}/api/v1/leaderboard?suite=open-2026&language="
        with urllib.request.urlopen(f"{address}de") as answer:
            german = {row["id"]: row["scores"] for row in json.load(answer)["entries"]}
        with urllib.request.urlopen(f"{address}en") as answer:
            english = answer.read().decode()

    for name, report in reports.items():
        found = {r["mode"]: r["relative_error_reduction"] for r in report["results"] if r["task"] == TASK}
        assert found.keys() == {"fixed", "fine-tuned"}
        assert report["aggregates"]["overall"] == pytest.approx(
            1 - math.sqrt(math.prod(1 - value for value in found.values()))
        )
        assert german[ids[name]]["overall"] == pytest.approx(report["aggregates"]["overall"], abs=1e-6)
    assert reports["own"]["aggregates"]["overall"] == 0
    assert reports["own"]["aggregates"]["intervals"]["overall"] == [0, 0]
    assert reports["noise"]["aggregates"]["fixed"] < 0
    assert TASK not in english
