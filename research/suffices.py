"""``python -m research suffices``: how far can one trust the verdicts of ``python -m tasks suffices``?

- *rule*: simulated splits with planted effects of groups, trainings and noise: how often does the interval hold the
  true difference, and how often does the rule err?
- *shuffled*: real texts and vectors assigned to the wrong words, which know nothing: how often do they suffice?
- *examples*: the verdicts on four corpora.

Each result is added to a file at once, so that the study can be stopped and resumed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from extensions.associations.measure.groups import of_years
from extensions.shared.measure.corpora import documents_corpus
from extensions.shared.measure.documents import Collection, collection
from extensions.shared.measure.vectors import read_for
from extensions.sufficiency.measure.candidates import A_LA_CARTE, LOCAL
from extensions.sufficiency.measure.decide import MARGIN, VERDICTS, about, signed, verdict_of
from extensions.sufficiency.measure.measure import FOLDS, Settings, fitted, suffices
from extensions.sufficiency.measure.pairs import folds_of
from extensions.sufficiency.measure.splits import mean_over_splits
from research import pages
from research.debian_texts import DOCUMENTATION, LICENCE, german_documentation, pages_of_help
from research.findings.finding import number
from research.findings.finding import table as markdown
from tasks.cli.tables import step_bar
from tasks.datasets import REPOSITORY
from tasks.datasets.examples import Document
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.local_training.train import train_runs
from tasks.processes import end_with_parent
from tasks.suites import DEFAULT, get
from tasks.text import LeftOut
from tasks.vectors import Embedding

PAGE = Path(__file__).resolve().parents[1] / "docs" / "suffices.md"
PARTS = ("rule", "shuffled", "examples")
SINCE = 1945
DESIGNS, DRAWS = 100, 20
"""Simulated sizes of groups with their partitions, and corpora with each."""
GROUPS = (8, 40)
CERTAIN = (1.0, 1.0)
"""An area above the floor."""
SUFFICIENT = ("suffices", "slightly-better")
GERMAN, OTHER_GERMAN = "LibreOffice help, German", "debian-documentation-de"
QUICK = Settings(curve=False, windows=(), other_dimensions=())
"""The comparison without learning curve, windows and dimensions; its verdicts are the same."""
SMALL = Settings(group_by="president", repeats=1, curve=False, windows=(), other_dimensions=(), dimensions=50)
DRAWN = 240
"""Corpora of the part *shuffled*; some are too small for a comparison."""
SPEAKERS, TOKENS = (8, 30), (15_000, 150_000)
"""Bounds of the speakers and, on a logarithmic scale, of the words of each."""
DRAW = f"{SPEAKERS} {TOKENS}"
"""In the keys of results, so that those of other bounds don't count."""
Found = dict[str, Any]


@dataclass(frozen=True)
class Effects:
    """Standard deviations of planted effects of groups when tested and when trained on, and × √groups of splits."""

    tested: float = 1.0
    splits: float = 0.0
    trained: float = 0.0
    is_skewed: bool = False


EFFECTS = {
    "Groups differ": Effects(),
    "Groups differ, and splits have noise": Effects(splits=2.0),
    "Splits have noise, groups hardly differ": Effects(tested=0.2, splits=2.0),
    "Groups differ, a few by much": Effects(is_skewed=True),
    "Groups differ, as texts to train on by half as much": Effects(splits=2.0, trained=0.5),
}


@dataclass(frozen=True)
class Kept:
    """Results so far, one JSON object a line, by part and key."""

    path: Path

    def of(self, part: str) -> dict[str, Found]:
        if not self.path.is_file():
            return {}
        lines = map(json.loads, self.path.read_text(encoding="utf-8").splitlines())
        return {line["key"]: line["found"] for line in lines if line["part"] == part}

    def add(self, part: str, key: str, result: Found) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"part": part, "key": key, "found": result}) + "\n")


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "suffices",
        help="how far can one trust the verdicts of “tasks suffices”?",
        description="Simulates the rule, and measures four corpora. The next call resumes after an interruption.",
    )
    parser.add_argument("--part", action="append", choices=PARTS, help="only this one (repeatable; default: all)")
    parser.add_argument("--pretrained", type=Path, nargs="+", default=[], metavar="FILE", help="English vector files")
    parser.add_argument("--german", type=Path, metavar="FOLDER", help="where the German packages are unpacked")
    parser.add_argument("--only", help="examples whose name contains this")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="default: %(default)s, the cores")
    results = REPOSITORY / "var" / "suffices.jsonl"
    parser.add_argument("--results", type=Path, default=results, help="default: %(default)s")
    parser.add_argument("--write", action="store_true", help=f"write the tables into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Run or resume the parts, print their tables, write them if asked."""
    results = Kept(parsed.results)
    parts = parsed.part or [part for part in PARTS if part == "rule" or parsed.pretrained]
    if not parsed.pretrained and parts != ["rule"]:
        raise InputError("no-vectors", "Name vector files with --pretrained.", field="pretrained")
    for part in parts:
        text = TABLES[part](parsed, results)
        print(f"{text}\n")
        if parsed.write:
            pages.put(f"suffices {part}", text, PAGE)


def rule(parsed: argparse.Namespace, results: Kept) -> str:
    """Coverage of the interval, and errors of the verdict, with planted effects."""
    rows = []
    for sizes in ("equal", "unequal"):
        for name, effects in EFFECTS.items():
            cells = [simulated(effects, groups, sizes == "unequal") for groups in GROUPS]
            rows.append(
                (name, sizes, *(f"{100 * held:.1f} ({100 * low:.1f}, {100 * high:.1f})" for held, low, high in cells))
            )
    caption = (
        f"{DESIGNS * DRAWS:,} simulated corpora each: % of intervals that hold the true difference. In brackets: % of "
        "verdicts *suffices*, with local slightly better or not, where the true difference is at the margin, and % of "
        "corpora in which local vectors are called better where it is 0. Unequal sizes are log-normal, with standard "
        "deviation 1 of the logarithm."
    )
    return markdown(("Effects", "Sizes", *(f"{groups} groups" for groups in GROUPS)), rows, caption)


def simulated(effects: Effects, groups: int, is_unequal: bool) -> tuple[float, float, float]:
    """Shares of intervals that hold the truth, of false *suffices*, and of local vectors falsely called better."""
    generator, outcomes = np.random.default_rng(1), list[tuple[bool, bool, bool]]()
    draw = generator.exponential if effects.is_skewed else generator.normal
    for _ in range(DESIGNS):
        sizes = np.ceil(1_000 * generator.lognormal(sigma=1.0 if is_unequal else 0.0, size=groups)).astype(np.int64)
        partitions = [folds_of(sizes, FOLDS, generator) for _ in range(Settings.repeats)]
        is_tested = np.array([fold_of == fold for fold_of in partitions for fold in range(FOLDS)])
        tested, trained = (chosen * sizes / (chosen @ sizes)[:, None] for chosen in (is_tested, ~is_tested))
        for _ in range(DRAWS):
            noise = effects.splits / np.sqrt(groups) * generator.normal(size=len(tested))
            noise += effects.trained * trained @ generator.normal(size=groups)
            values = effects.tested * (draw(size=groups) - effects.is_skewed) + noise[:, None]
            low, high = mean_over_splits(MARGIN / 3 * np.sqrt(groups) * tested * values, tested)[1] or (0.0, 0.0)
            at_margin = verdict_of((low - MARGIN, high - MARGIN), CERTAIN)
            at_zero = verdict_of((low, high), CERTAIN)
            calls = at_margin in SUFFICIENT, at_zero in ("slightly-better", "train-locally")
            outcomes.append((low <= 0.0 <= high, *calls))
    held, sufficient, worse = np.mean(outcomes, axis=0).tolist()
    return held, sufficient, worse


def shuffled(parsed: argparse.Namespace, results: Kept) -> str:
    """Verdicts on vectors assigned to the wrong words, on corpora of random sizes by random presidents."""
    done = {key: verdict for key, verdict in results.of("shuffled").items() if key.startswith(f"{DRAW} ")}
    left = [number for number in range(DRAWN) if f"{DRAW} {number}" not in done]
    with ProcessPoolExecutor(parsed.processes, initializer=end_with_parent) as pool:
        verdicts = pool.map(partial(of_shuffled, parsed.pretrained[0]), left)
        for number, verdict in zip(left, tqdm(verdicts, "corpora", len(left), disable=None), strict=True):
            done[f"{DRAW} {number}"] = verdict
            results.add("shuffled", f"{DRAW} {number}", verdict)
    measured = [verdict for verdict in done.values() if "verdict" in verdict]
    counts, areas = Counter(verdict["verdict"] for verdict in measured), [verdict["local"] for verdict in measured]
    return (
        f"{len(measured)} corpora of {SPEAKERS[0]} to {SPEAKERS[1]} presidents and {TOKENS[0]:,} to {TOKENS[1]:,} "
        f"words, whose local vectors have areas from {min(areas):.3f} to {max(areas):.3f}. Vectors assigned to the "
        "wrong words: " + ", ".join(f"*{VERDICTS[verdict]}* {counts[verdict]}" for verdict in VERDICTS) + "."
    )


def of_shuffled(path: Path, number: int) -> Found:
    """The verdict on shuffled vectors, on a corpus of as many words by each of its presidents."""
    generator = np.random.default_rng([1, number])
    whole, [vectors] = collection("sotu", DataStore.default()), vectors_in([path])
    with threadpool_limits(1):
        words = [vectors.words[i] for i in generator.permutation(len(vectors.words))]
        wrong = Embedding.of("shuffled", words, vectors.matrix, "en")
        by_president: dict[str, list[str]] = {}
        for document in whole.documents:
            by_president.setdefault(dict(document.metadata)["president"], []).extend(document.text.split())
        speakers = generator.choice(sorted(by_president), generator.integers(*SPEAKERS, endpoint=True), replace=False)
        each = int(np.exp(generator.uniform(*np.log(TOKENS)))) // len(speakers)
        documents = [
            Document(name, "", " ".join(by_president[name][:each]), (("president", name),))
            for name in speakers.tolist()
        ]
        try:
            report = suffices(replace(whole, documents=documents), [wrong], SMALL)
        except InputError as error:
            return {"refused": error.code}
    areas = {point["candidate"]: point["auc"]["mean"] for point in report["curve"]}
    return {"verdict": report["decisions"][0]["verdict"], "local": areas[LOCAL]}


@dataclass(frozen=True)
class Example:
    """A corpus with the field of its groups, and pre-trained vectors in its language with their names."""

    load: Callable[[], Collection]
    group_by: str | None
    names: Sequence[str]
    vectors: Callable[[], list[Embedding]]


def examples(parsed: argparse.Namespace, results: Kept) -> str:
    """Verdicts on the corpora."""
    rows = []
    for name, example in example_corpora(parsed).items():
        key = f"{name} {' '.join(example.names)}"
        report = results.of("examples").get(key)
        if report is None and (parsed.only or "") not in name:
            continue
        if report is None:
            settings = replace(QUICK, curve=True, group_by=example.group_by, processes=parsed.processes)
            with step_bar(name, even=True) as progress:
                report = dict(suffices(example.load(), example.vectors(), settings, progress))
            results.add("examples", key, report)
        rows += list(example_rows(name, report))
    head = (
        "Corpus", "Words", "Groups", "Vectors", "Area", "À la carte", "Local", "Difference (95 % interval)", "Verdict",
        "Local overtakes at",
    )  # fmt: skip
    caption = "Areas under the curve; the difference is pre-trained − local. No group is both trained and tested on."
    return markdown(head, rows, caption)


def example_corpora(parsed: argparse.Namespace) -> dict[str, Example]:
    """The examples by name; the German one needs its folder."""
    sotu, inaugural = (partial(collection, name, DataStore.default()) for name in ("sotu", "inaugural"))
    english = [path.name for path in parsed.pretrained], partial(vectors_in, parsed.pretrained)
    corpora = {
        "State of the Union": Example(sotu, "president", *english),
        f"State of the Union since {SINCE}": Example(lambda: since(sotu(), SINCE), "president", *english),
        "Inaugural addresses": Example(inaugural, "surname", *english),
    }
    if parsed.german:
        load = partial(german, parsed.german)
        corpora[GERMAN] = Example(load, None, [OTHER_GERMAN], partial(other_german, parsed.german))
    return corpora


def since(whole: Collection, year: int) -> Collection:
    return replace(whole, documents=of_years(whole.documents, year, None, LeftOut()))


def german(folder: Path) -> Collection:
    """The German help: a document a page."""
    documents = [Document(str(path), "", "\n".join(lines)) for path, lines in pages_of_help(folder, "de")]
    return Collection("help-de", GERMAN, LICENCE, documents, "de")


def other_german(folder: Path) -> list[Embedding]:
    """Vectors of other German documentation, trained as local ones are.

    Raises
    ------
    InputError
        a package is not unpacked in the folder.
    """
    documents = [Document(package, "", text) for package, text in german_documentation(folder)]
    missing = sorted(set(DOCUMENTATION) - {document.id for document in documents})
    if missing:
        message = f"{folder} lacks {', '.join(missing)}: apt-get download them, and dpkg-deb --extract them there."
        raise InputError("no-package", message, field="german")
    corpus = documents_corpus(OTHER_GERMAN, OTHER_GERMAN, "", documents)
    tokens = sum(line.count(" ") + 1 for line in corpus.read())
    print(f"{OTHER_GERMAN}: training on {tokens:,} words", file=sys.stderr)
    trained = next(train_runs(corpus, fitted(QUICK.plans()[LOCAL], tokens))).embedding
    return [Embedding.of(OTHER_GERMAN, trained.words, trained.matrix, "de")]


def example_rows(name: str, report: Found) -> Iterator[tuple[str, ...]]:
    """A row for every pre-trained set."""
    areas = {point["candidate"]: point["auc"]["mean"] for point in report["curve"]}
    corpus = report["corpus"]
    for decision in report["decisions"]:
        candidate = decision["candidate"]
        if candidate.startswith(A_LA_CARTE):
            continue
        overtakes = report["overtakes"][candidate]
        yield (
            name,
            f"{corpus['tokens']:,}",
            f"{corpus['groups']:,} ({corpus['group_by'] or 'document'})",
            candidate,
            f"{areas[candidate]:.3f}",
            number(areas.get(A_LA_CARTE + candidate), 3),
            f"{areas[LOCAL]:.3f}",
            signed(decision["difference"], ""),
            VERDICTS[decision["verdict"]],
            f"{about(overtakes):,}" if overtakes else "–",
        )


TABLES: dict[str, Callable[[argparse.Namespace, Kept], str]] = {
    "rule": rule,
    "shuffled": shuffled,
    "examples": examples,
}


def vectors_in(paths: Sequence[Path]) -> list[Embedding]:
    return [read_for(get(DEFAULT), path) for path in paths]
