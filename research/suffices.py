"""``python -m research suffices``: how far can one trust the verdicts of ``python -m tasks suffices``?

- *rule*: simulated splits that are as correlated as Nadeau and Bengio assume: how often does the interval miss?
- *halves*: vectors of two random halves of one source, tested on a part that neither has seen: how often are these
  equal sources called different?
- *swapped*: pre-trained vectors whose cues have each other's vectors: is their area at chance?
- *seeds*: how often does the verdict repeat with other partitions, cues and trainings?
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
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from research import pages
from research.debian_texts import DOCUMENTATION, LICENCE, TITLE, german_documentation, pages_of_help
from research.findings.finding import number
from research.findings.finding import table as markdown
from tasks.associations.contexts import Tokens
from tasks.cli.tables import step_bar
from tasks.datasets import REPOSITORY
from tasks.datasets.examples import Document
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.files import temporary_folder
from tasks.local_training.corpora import documents_corpus
from tasks.local_training.documents import Collection, collection, having, of_years, split_documents
from tasks.local_training.train import train_runs
from tasks.processes import end_with_parent
from tasks.statistics.intervals import resampled_interval, wilson_interval
from tasks.sufficiency.candidates import A_LA_CARTE, LOCAL, Workplace, local_vectors
from tasks.sufficiency.decide import MARGIN, VERDICTS, about, estimate, signed, verdict_of
from tasks.sufficiency.measure import FOLDS, Settings, fitted, grouped, suffices
from tasks.sufficiency.pairs import drawn_cues, folds_of, pairs_near
from tasks.sufficiency.report import Decision
from tasks.suites import DEFAULT, get
from tasks.text import LeftOut
from tasks.vectors import Embedding
from tasks.word_list import read_for

PAGE = Path(__file__).resolve().parents[1] / "docs" / "suffices.md"
PARTS = ("rule", "halves", "swapped", "seeds", "examples")
SINCE = 1945
DRAWS = 20_000
HALF, HALF_FOLDS, HALF_REPEATS = 3, 7, 3
"""Three folds against three, tested on the seventh: tokens tested / trained on are 1/3, in 21 splits."""
SWAPS = 10
SPEAKERS = ("president", "surname")
"""Fields of those who speak."""
GERMAN, OTHER_GERMAN = "LibreOffice help, German", "debian-documentation-de"
QUICK = Settings(curve=False, windows=(), other_dimensions=())
"""The comparison without learning curve, windows and dimensions; its verdicts are the same."""
Found = dict[str, Any]


@dataclass(frozen=True)
class Kept:
    """Results so far, one JSON object a line, by part and key."""

    path: Path

    def of(self, part: str) -> dict[str, Found]:
        if not self.path.is_file():
            return {}
        lines = map(json.loads, self.path.read_text(encoding="utf-8").splitlines())
        return {line["key"]: line["found"] for line in lines if line["part"] == part}

    def add(self, part: str, key: str, found: Found) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"part": part, "key": key, "found": found}) + "\n")


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "suffices",
        help="how far can one trust the verdicts of “tasks suffices”?",
        description="Simulates the rule, compares halves of one source, swaps meanings, repeats a verdict with other "
        "seeds, and measures four corpora (hours in all). You can stop it at any time; the next call resumes.",
    )
    parser.add_argument("--part", action="append", choices=PARTS, help="only this one (repeatable; default: all)")
    parser.add_argument("--pretrained", type=Path, nargs="+", default=[], metavar="FILE", help="English vector files")
    parser.add_argument("--german", type=Path, metavar="FOLDER", help="where the German packages are unpacked")
    parser.add_argument("--corpus", default="inaugural", help="of swapped meanings (default: %(default)s)")
    parser.add_argument("--only", help="examples, and seeds, of corpora whose name contains this")
    parser.add_argument("--repeats", type=int, default=100, help="halves, and seeds (default: %(default)s)")
    parser.add_argument("--words", type=int, default=1_000, help="of each president, in halves (default: %(default)s)")
    parser.add_argument("--partitions", type=int, default=Settings.repeats, help="for trials (default: %(default)s)")
    parser.add_argument("--cues", type=int, default=Settings.random_cues, help="for trials (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="default: %(default)s, the cores")
    results = REPOSITORY / "var" / "suffices.jsonl"
    parser.add_argument("--results", type=Path, default=results, help="default: %(default)s")
    parser.add_argument("--write", action="store_true", help=f"write the tables into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Run or resume the parts, print their tables, write them if asked."""
    kept = Kept(parsed.results)
    wanted = parsed.part or [part for part in PARTS if part in ("rule", "halves") or parsed.pretrained]
    if not parsed.pretrained and not {"rule", "halves"}.issuperset(wanted):
        raise InputError("no-vectors", "Name vector files with --pretrained.", field="pretrained")
    for part in wanted:
        text = TABLES[part](parsed, kept)
        print(f"{text}\n")
        if parsed.write:
            pages.put(f"suffices {part}", text, PAGE)


def settings_of(parsed: argparse.Namespace) -> Settings:
    return replace(QUICK, repeats=parsed.partitions, random_cues=parsed.cues)


def by_speaker(corpus: Collection, settings: Settings) -> Settings:
    """The settings, with those who speak as groups where the collection names them."""
    fields = {name for document in corpus.documents for name, _ in document.metadata}
    return replace(settings, group_by=next((name for name in SPEAKERS if name in fields), None))


def rule(parsed: argparse.Namespace, kept: Kept) -> str:
    """Verdicts on simulated differences: normal, with the correlation that the interval assumes."""
    splits, ratio = FOLDS * Settings.repeats, 1 / (FOLDS - 1)
    share = ratio / (1 + ratio)
    generator = np.random.default_rng(1)
    rows = []
    for truth in (0.0, -MARGIN):
        for spread in (0.005, 0.02, 0.05):
            common = generator.normal(size=(DRAWS, 1))
            own = generator.normal(size=(DRAWS, splits))
            drawn = truth + spread * (np.sqrt(share) * common + np.sqrt(1 - share) * own)
            intervals = [resampled_interval(values, ratio) for values in drawn]
            missed = np.mean([one is not None and not one[0] <= truth <= one[1] for one in intervals])
            verdicts = Counter(verdict_of(one) for one in intervals)
            shares = [f"{100 * verdicts[verdict] / DRAWS:.1f} %" for verdict in VERDICTS]
            rows.append((number(truth, 2, sign=True), f"{spread:g}", f"{100 * missed:.1f} %", *shares))
    caption = f"{DRAWS:,} simulated comparisons of {splits} splits each, by true difference and spread between splits."
    return markdown(("True difference", "Spread", "Interval misses it", *VERDICTS.values()), rows, caption)


def halves(parsed: argparse.Namespace, kept: Kept) -> str:
    """How often vectors of one half of the presidents are called different from vectors of the other half."""
    settings = settings_of(parsed)
    part = f"halves {parsed.words} {settings.random_cues}"
    work = partial(compared_halves, settings=settings, words=parsed.words)
    found = list(resumed(part, kept, range(parsed.repeats), work, parsed.processes))
    different = sum(not one["interval"][0] <= 0.0 <= one["interval"][1] for one in found)
    verdicts = Counter(one["verdict"] for one in found)
    head = ("Comparisons", "Called different", "95 % interval", *VERDICTS.values())
    shares = [f"{verdicts[verdict]}" for verdict in VERDICTS]
    row = (f"{len(found)}", f"{100 * different / len(found):.0f} %", share_interval(different, len(found)), *shares)
    caption = (
        f"Presidents of the State of the Union, {parsed.words:,} words of each: in each of {HALF_REPEATS * HALF_FOLDS} "
        f"splits, vectors of {HALF} of {HALF_FOLDS} folds against vectors of {HALF} others, tested on the last fold. "
        "Different: the interval of the difference is without 0. Then the verdicts, with the first as pre-trained."
    )
    return markdown(head, [row], caption)


def compared_halves(seed: int, *, settings: Settings, words: int) -> Found:
    """One comparison of two halves: each as much larger than the tested fold as in a comparison of the command."""
    draw = np.random.default_rng([6, seed])
    addresses = having(collection("sotu", DataStore.default()).documents, "president", LeftOut())
    speakers = split_documents(addresses, "president")
    tokens = Tokens.of([excerpt(name, speakers[name], words, draw) for name in sorted(speakers)])
    number = {word: i for i, word in enumerate(tokens.types)}
    cues = [number[cue] for cue in drawn_cues(tokens, settings.random_cues, seed)]
    sizes = np.bincount(tokens.documents)
    plan = fitted(settings.plans()[LOCAL], round(len(tokens.ids) * HALF / HALF_FOLDS))
    apart = []
    with temporary_folder() as folder, threadpool_limits(limits=1):
        place = Workplace(folder, HALF_FOLDS)
        place.fill(tokens, np.array([folds_of(sizes, HALF_FOLDS, draw) for _ in range(HALF_REPEATS)]))
        for split in range(HALF_REPEATS * HALF_FOLDS):
            pairs = pairs_near(place.test_part(split), tokens.counts, cues, [seed, split])
            others = place.training_folds(split, 2 * HALF)
            parts = [place.fold(split, folds) for folds in (others[:HALF], others[HALF:])]
            areas = [
                np.nanmean(local_vectors(part, replace(plan, seed=2 * split + side + 1)).areas(pairs, cues))
                for side, part in enumerate(parts)
            ]
            apart.append(areas[0] - areas[1])
    difference = estimate(np.array(apart), 1 / HALF)
    return {
        "difference": difference["mean"],
        "interval": difference["interval"],
        "verdict": verdict_of(difference["interval"]),
    }


def excerpt(name: str, speeches: Sequence[Document], words: int, draw: np.random.Generator) -> Document:
    """About so many words of a speaker: consecutive paragraphs from a random one on, the first following the last."""
    paragraphs = [line for document in speeches for line in document.text.split("\n") if line.strip()]
    begin, kept, size = int(draw.integers(len(paragraphs))), list[str](), 0
    for line in paragraphs[begin:] + paragraphs[:begin]:
        if size >= words:
            break
        kept.append(line)
        size += len(line.split())
    return Document(name, "", "\n".join(kept))


def swapped(parsed: argparse.Namespace, kept: Kept) -> str:
    """The area of vectors whose cues have each other's vectors."""
    corpus = collection(parsed.corpus, DataStore.default())
    settings = by_speaker(corpus, replace(settings_of(parsed), processes=parsed.processes))
    cues = drawn_cues(grouped(corpus, settings, LeftOut())[0], settings.random_cues, settings.seed)
    rows = []
    for path in parsed.pretrained:
        key = f"{parsed.corpus} {path.name} {settings.repeats} {settings.random_cues}"
        found = kept.of("swapped").get(key)
        if found is None:
            (whole,) = vectors_in([path])
            shuffled = [with_swapped(whole, cues, seed) for seed in range(SWAPS)]
            with step_bar(f"swapped, {path.name}", even=True) as progress:
                report = suffices(corpus, [whole, *shuffled], settings, progress)
            means = {point["candidate"]: point["auc"]["mean"] for point in report["curve"]}
            found = {"whole": means[whole.name], "swapped": [means[one.name] for one in shuffled]}
            kept.add("swapped", key, found)
        areas = found["swapped"]
        rows.append(
            (path.name, f"{found['whole']:.3f}", f"{np.mean(areas):.3f}", f"{min(areas):.3f} to {max(areas):.3f}")
        )
    caption = (
        f"Area under the curve on {corpus.title}, as published and with the vectors of the cues permuted {SWAPS} times."
    )
    return markdown(("Vectors", "As published", "Swapped, mean", "Least to greatest"), rows, caption)


def with_swapped(embedding: Embedding, cues: Sequence[str], seed: int) -> Embedding:
    """Vectors in which each known cue has that of another cue."""
    rows = get(DEFAULT).look_up.rows(embedding, cues)
    known = np.unique(rows[rows >= 0])
    matrix = embedding.matrix.copy()
    order = np.random.default_rng(seed).permutation(known)
    matrix[order] = embedding.matrix[np.roll(order, 1)]  # one cycle: no cue keeps its vector
    return Embedding.of(f"swapped-{seed}", embedding.words, matrix, embedding.language)


def seeds(parsed: argparse.Namespace, kept: Kept) -> str:
    """How often the verdicts of the examples repeat with other seeds; the same trainings judge all pre-trained sets."""
    rows = []
    for example in example_corpora(parsed):
        part = f"seeds {example.key}"
        wanted = range(1, parsed.repeats + 1) if is_wanted(parsed, example) else [int(nth) for nth in kept.of(part)]
        work = partial(with_seed, example=replace(example, settings=settings_of(parsed)))
        found = list(resumed(part, kept, wanted, work, parsed.processes))
        for name in example.names if found else ():
            verdicts = Counter(one[name]["verdict"] for one in found)
            most = max(verdicts.values())
            differences = [one[name]["difference"] for one in found]
            spread = f"{number(min(differences), 3, sign=True)} to {number(max(differences), 3, sign=True)}"
            shares = [f"{verdicts[verdict]}" for verdict in VERDICTS]
            same = f"{100 * most / len(found):.0f} %", share_interval(most, len(found))
            rows.append((example.name, name, f"{len(found)}", *shares, *same, spread))
    head = ("Corpus", "Vectors", "Seeds", *VERDICTS.values(), "Same verdict", "95 % interval", "Differences")
    caption = "Verdicts with other partitions, cues and trainings, and the share of the most frequent one."
    return markdown(head, rows, caption)


def with_seed(seed: int, *, example: ExampleCorpus) -> Found:
    """The verdicts with one seed, by pre-trained set."""
    corpus = example.load()
    settings = by_speaker(corpus, replace(example.settings, seed=seed))
    report = suffices(corpus, example.vectors(), settings)
    return {decision["candidate"]: decided(decision) for decision in report["decisions"]}


@dataclass(frozen=True)
class ExampleCorpus:
    """A corpus, pre-trained vectors in its language with their names, and the settings of the comparison."""

    name: str
    load: Callable[[], Collection]
    names: Sequence[str]
    vectors: Callable[[], list[Embedding]]
    settings: Settings

    @property
    def key(self) -> str:
        """The key of its results."""
        return f"{self.name} {' '.join(self.names)} {self.settings.repeats} {self.settings.random_cues}"


def examples(parsed: argparse.Namespace, kept: Kept) -> str:
    """Verdicts on the corpora, with all settings."""
    rows = []
    for example in example_corpora(parsed):
        report = kept.of("examples").get(example.key)
        if report is None and not is_wanted(parsed, example):
            continue
        if report is None:
            with step_bar(example.name, even=True) as progress:
                began, corpus = processor_time(), example.load()
                settings = by_speaker(corpus, example.settings)
                report = dict(suffices(corpus, example.vectors(), settings, progress))
                report["processor_seconds"] = processor_time() - began
            kept.add("examples", example.key, report)
        rows += list(example_rows(example.name, report))
    head = (
        "Corpus", "Words", "Groups", "Vectors", "Area", "À la carte", "Local", "Difference (95 % interval)", "Verdict",
        "Local overtakes at", "Processor minutes",
    )  # fmt: skip
    caption = (
        "Areas under the curve; the difference is pre-trained − local. Groups are trained on or tested on as a whole. "
        "On two idle cores, a little more than half of the processor minutes pass."
    )
    return markdown(head, rows, caption)


def is_wanted(parsed: argparse.Namespace, example: ExampleCorpus) -> bool:
    """Whether to measure it; the German one needs its folder. Measured examples stay in the tables."""
    return (parsed.only or "") in example.name and (example.name != GERMAN or parsed.german is not None)


def example_corpora(parsed: argparse.Namespace) -> list[ExampleCorpus]:
    """The examples.

    Raises
    ------
    InputError
        none is wanted.
    """
    full = Settings(repeats=parsed.partitions, random_cues=parsed.cues, processes=parsed.processes)
    store = DataStore.default()
    english = [path.name for path in parsed.pretrained], partial(vectors_in, parsed.pretrained)
    found = [
        ExampleCorpus("State of the Union", partial(collection, "sotu", store), *english, full),
        ExampleCorpus(f"State of the Union since {SINCE}", recent, *english, full),
        ExampleCorpus("Inaugural addresses", partial(collection, "inaugural", store), *english, full),
    ]
    general = [OTHER_GERMAN], partial(other_german, parsed.german)
    found.append(ExampleCorpus(GERMAN, partial(german, parsed.german), *general, full))
    if not any(is_wanted(parsed, example) for example in found):
        names = ", ".join(example.name for example in found)
        message = f"No example has “{parsed.only}” in its name; they are {names} (with --german)."
        raise InputError("no-example", message)
    return found


def recent() -> Collection:
    """The State of the Union since 1945."""
    whole = collection("sotu", DataStore.default())
    return replace(whole, documents=of_years(whole.documents, SINCE, None, LeftOut()))


def german(folder: Path) -> Collection:
    """The German help: a document a page.

    Raises
    ------
    InputError
        the package is not unpacked in the folder.
    """
    documents = [Document(str(path), "", "\n".join(own)) for path, own in pages_of_help(folder, "de")]
    if not documents:
        message = f"{folder} has no {TITLE}: apt-get download libreoffice-help-de, and dpkg-deb --extract it there."
        raise InputError("no-package", message, field="german")
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


def processor_time() -> float:
    """Seconds of this process and its finished children."""
    return sum(os.times()[:4])


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
            f"{report['processor_seconds'] / 60:.0f}",
        )


TABLES: dict[str, Callable[[argparse.Namespace, Kept], str]] = {
    "rule": rule, "halves": halves, "swapped": swapped, "seeds": seeds, "examples": examples,
}  # fmt: skip


def decided(decision: Decision) -> Found:
    """Difference, interval and verdict."""
    difference = decision["difference"]
    return {"difference": difference["mean"], "interval": difference["interval"], "verdict": decision["verdict"]}


def share_interval(count: int, of: int) -> str:
    low, high = wilson_interval(count, of)
    return f"{100 * low:.0f} to {100 * high:.0f} %"


def vectors_in(paths: Sequence[Path]) -> list[Embedding]:
    return [read_for(get(DEFAULT), path) for path in paths]


def resumed(
    part: str, kept: Kept, numbers: Sequence[int], work: Callable[[int], Found], processes: int
) -> Iterator[Found]:
    """Results of numbered runs: those in the file, then the others, several at a time."""
    known = kept.of(part)
    missing = [nth for nth in numbers if str(nth) not in known]
    yield from (known[str(nth)] for nth in numbers if str(nth) in known)
    with ProcessPoolExecutor(processes, initializer=end_with_parent) as pool:
        running = {pool.submit(work, nth): nth for nth in missing}
        for done in tqdm(as_completed(running), total=len(running), desc=part, disable=None):
            found = done.result()
            kept.add(part, str(running[done]), found)
            yield found
