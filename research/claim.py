"""``python -m research claim``: how often does ``python -m tasks claim`` find what is there, and what isn't?

- *level*, *interval*, *power*: simulated corpora. A paragraph has one of two topics, an attribute and other words of
  that topic, and a target word, which decides the topic: it is the first with probability logistic(2β), where β differs
  between words and between speakers, by chance or by a planted effect.
- *placebo*: presidents of the State of the Union since 1945, dealt at random to parties of the real sizes with all of
  their addresses; p by dealing presidents, and by dealing addresses.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from extensions.associations.measure.contexts import Tokens
from extensions.associations.measure.groups import of_years
from extensions.claim.measure.answer import answer
from extensions.claim.measure.counts import CountedCorpus, Floats, Ints
from extensions.claim.measure.effects import ClaimWords, Kind, chance
from extensions.claim.measure.plan import Measured, Settings
from extensions.claim.measure.study import Study
from extensions.shared.measure.documents import collection
from research import pages
from research.findings.finding import table as markdown
from research.placebo import SINCE
from tasks.datasets.store import DataStore
from tasks.processes import end_with_parent
from tasks.statistics.intervals import LEVEL, wilson_interval
from tasks.text import LeftOut

PAGE = Path(__file__).resolve().parents[1] / "docs" / "claim.md"
PARTS = ("level", "interval", "power", "placebo")
SIZES = (10_000, 40_000, 160_000)
SPEAKERS, OTHERS, LISTED, PARAGRAPH = 24, 600, 6, 20
EFFECT, OF_WORDS, OF_SPEAKERS = 1.0, 0.3, 0.5
"""The planted β of the targets X (−β of Y), and the standard deviations of β between words and between speakers."""
SAMPLES = 16
QUICK = Settings(windows=(3,), dimensions=(10, 20), samples=0, deals=99, minimum_count=1)
LISTS = [[f"{name}{i}" for i in range(LISTED)] for name in "xyab"]
X, Y, A, B = LISTS
CLAIMS: dict[str, tuple[Kind, list[list[str]], bool]] = {
    "Association": ("association", LISTS, False),
    "Axis": ("axis", [A, B, X], False),
    "Nearest": ("nearest", [A[:1], A[1:3]], False),
    "Association, two groups": ("association", LISTS, True),
    "Axis, two groups": ("axis", [A, B, X], True),
    "Nearest, two groups": ("nearest", [A[:1], X], True),
    "Drift": ("drift", [X[:1]], True),
    "Groups": ("groups", [X[:1]], True),
}
"""Kind, lists, and whether two groups are compared."""
MORAL = [["welfare", "taxes"], ["freedom", "justice"], ["good", "great"], ["dangerous", "threat"]]
PLACEBOS: dict[str, tuple[Kind, list[list[str]]]] = {
    "Association": ("association", MORAL),
    "Axis": ("axis", [*MORAL[2:], ["government"]]),
    "Nearest": ("nearest", [["freedom"], ["peace"]]),
    "Drift": ("drift", [["freedom"]]),
    "Groups": ("groups", [["freedom"]]),
}


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "claim",
        help="how often does “tasks claim” find what is there, and what isn't?",
        description="Simulates corpora with and without effects, and deals presidents to parties at random (minutes).",
    )
    parser.add_argument("--part", choices=PARTS, default="level")
    parser.add_argument("--corpora", type=int, default=500, help="corpora or assignments (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help=f"write the table into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Simulate, print, write if asked."""
    text = placebo(parsed.corpora) if parsed.part == "placebo" else simulated(parsed)
    print(text)
    if parsed.write:
        pages.put(f"claim {parsed.part}", text, PAGE)


def simulated(parsed: argparse.Namespace) -> str:
    """Share of the corpora in which p is at most 5 % or, of the intervals, which exclude 0 and which findings count."""
    effect = EFFECT if parsed.part == "power" else 0.0
    samples = SAMPLES if parsed.part == "interval" else 0
    columns: dict[str, NDArray[np.bool_]] = {}
    for size in SIZES if effect else SIZES[:1]:
        with ProcessPoolExecutor(parsed.workers, initializer=end_with_parent) as pool:
            drawn = pool.map(partial(outcomes, size, effect, samples), range(parsed.corpora), chunksize=5)
            rows = list(tqdm(drawn, total=parsed.corpora, desc=f"{size:,} words", disable=None))
        p_values, excluding = np.moveaxis(np.array(rows), 2, 0)
        columns[f"{size:,} words"] = p_values <= LEVEL
        if samples:
            columns = {
                "p": p_values <= LEVEL,
                "interval": excluding == 1,
                "both, as a finding needs": (p_values <= LEVEL) & (excluding == 1),
            }
    n = parsed.corpora
    cells = {name: [share_of(float(share), n) for share in flags.mean(axis=0)] for name, flags in columns.items()}
    caption = (
        f"{n} simulated corpora of {SPEAKERS} speakers, {'with' if effect else 'without'} an effect"
        f"{f', {SIZES[0]:,} words, {samples} samples' if samples else ''}. Share of the corpora in which "
        f"{'0 is excluded' if samples else f'p ≤ {LEVEL:g}'} (95 % interval)."
    )
    return markdown(("Claim", *cells), list(zip(CLAIMS, *cells.values(), strict=True)), caption)


def share_of(share: float, n: int) -> str:
    """A share with Wilson's interval."""
    low, high = wilson_interval(round(share * n), n)
    return f"{100 * share:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def outcomes(size: int, effect: float, samples: int, number: int) -> list[tuple[float, float]]:
    """p of every claim in one simulated corpus, and 1 if its interval excludes 0."""
    generator = np.random.default_rng([7, size, number])
    corpora = {}
    for planted in (1, LISTED):
        tokens, group_of = corpus_of(size, effect, planted, generator)
        corpora[planted] = tokens, CountedCorpus.of(tokens, QUICK.windows, QUICK.minimum_count, SPEAKERS)
    values = []
    with threadpool_limits(limits=1):
        for kind, lists, is_compared in CLAIMS.values():
            tokens, counted = corpora[1 if kind in ("drift", "groups") else LISTED]
            if effect == 0 and not is_compared and kind != "association":
                lists = [*lists[:-1], [f"w{generator.integers(OTHERS // 2)}"]]
            words = ClaimWords.of(kind, lists, counted)
            settings = replace(QUICK, samples=samples)
            study = Study(words, counted, tokens, settings, group_of=group_of if is_compared else None)
            result = answer(study, [study.measure(model) for model in study.models])[0]
            low, high = result.interval or (0.0, 0.0)
            values.append((result.p, float(low > 0 or high < 0)))
    return values


def corpus_of(size: int, effect: float, planted: int, generator: np.random.Generator) -> tuple[Tokens, Ints]:
    """A corpus of about ``size`` words, and the group of each speaker.

    In the second group, β is ``effect`` higher for the first ``planted`` words of X, and lower for those of Y.
    """
    paragraphs, topical = size // PARAGRAPH, OTHERS // 20
    group_of = (np.arange(SPEAKERS) % 2).astype(np.int64)
    speaker = np.sort(generator.choice(SPEAKERS, paragraphs, p=generator.dirichlet(np.full(SPEAKERS, 5.0))))
    target = generator.integers(0, 2 * LISTED, paragraphs)
    of_words = OF_WORDS * generator.standard_normal(2 * LISTED)
    of_speakers = OF_SPEAKERS * generator.standard_normal((SPEAKERS, 2 * LISTED))
    sign = np.where(target < LISTED, 1.0, -1.0) * (target % LISTED < planted)
    slope = effect * sign * group_of[speaker] + of_words[target] + of_speakers[speaker, target]
    topic = (generator.random(paragraphs) >= 1 / (1 + np.exp(-2 * slope))).astype(np.int64)
    others = generator.choice(OTHERS - 2 * topical, (paragraphs, PARAGRAPH), p=zipf(OTHERS - 2 * topical)) + 2 * topical
    of_topic = generator.choice(topical, (paragraphs, PARAGRAPH), p=zipf(topical)) + topical * topic[:, None]
    others = np.where(generator.random(others.shape) < 0.5, of_topic, others) + 4 * LISTED
    place = generator.integers(0, PARAGRAPH - 1, paragraphs)
    others[np.arange(paragraphs), place] = target
    others[np.arange(paragraphs), place + 1] = (2 + topic) * LISTED + generator.integers(0, LISTED, paragraphs)
    types = [*(word for words in LISTS for word in words), *(f"w{i}" for i in range(OTHERS))]
    owner = np.repeat(np.arange(paragraphs, dtype=np.int32), PARAGRAPH)
    return Tokens(types, others.ravel().astype(np.int32), owner, speaker[owner].astype(np.int32)), group_of


def zipf(n: int) -> Floats:
    """Probabilities in proportion to 1 / (rank + 50), so that many words are about as frequent as the targets."""
    weights = 1.0 / np.arange(51, n + 51)
    return np.asarray(weights / weights.sum())


def placebo(assignments: int) -> str:
    """Share of the assignments of presidents to parties that each kind of claim finds."""
    since = of_years(collection("sotu", DataStore.default()).documents, SINCE, None, LeftOut())
    fields = [dict(document.metadata) for document in since]
    presidents, first, of_address = np.unique(
        [each["president"] for each in fields], return_index=True, return_inverse=True
    )
    party = np.array([fields[i]["party"] for i in first.tolist()])
    groups = (party == party[0]).astype(np.int8)
    generator = np.random.default_rng(11)
    settings = replace(QUICK, windows=(5,), dimensions=(20, 50), minimum_count=10, deals=999)
    placebos = [generator.permutation(groups)[of_address] for _ in range(assignments)]
    references = {
        "presidents": [generator.permutation(groups)[of_address] for _ in range(settings.deals)],
        "addresses": [generator.permutation(groups[of_address]) for _ in range(settings.deals)],
    }
    dealt = np.array([groups[of_address], *placebos, *references["presidents"], *references["addresses"]])
    tokens = Tokens.of(since)
    counted = CountedCorpus.of(tokens, settings.windows, settings.minimum_count, len(since))
    rows = []
    for name, (kind, lists) in tqdm(PLACEBOS.items(), disable=None):
        words = ClaimWords.of(kind, lists, counted)
        chosen = replace(settings, deals=len(dealt) - 1)
        study = Study(words, counted, tokens, chosen, group_of=groups[of_address].astype(np.int64))
        study.__dict__["dealt"] = dealt
        with threadpool_limits(limits=1):
            medians = medians_of([study.measure(model) for model in study.models])
        drawn, rest = medians[:assignments], medians[assignments:]
        by_unit = np.split(rest, len(references))
        is_signed = kind not in ("drift", "groups")
        shares = [np.mean([chance(number, part, is_signed=is_signed) <= LEVEL for number in drawn]) for part in by_unit]
        rows.append((name, *(share_of(float(share), assignments) for share in shares)))
    caption = (
        f"{assignments} random assignments of {len(presidents)} presidents since {SINCE} to parties of the real sizes; "
        f"{settings.deals} deals for each p. Share with p ≤ {LEVEL:g}."
    )
    return markdown(("Claim", *(f"dealing {unit}" for unit in references)), rows, caption)


def medians_of(measured: Sequence[Measured]) -> Floats:
    """Over the settings, of every placebo and reference."""
    rows = [row.values for model in measured for row in model.by_chance if row.dealt == "units"]
    return np.asarray(np.median(np.array(rows, dtype=np.float64), axis=0))
