"""Run the study: train the runs of every missing setting, evaluate and compare them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from extensions.shared.measure.corpora import corpus
from extensions.training.measure.side_by_side import train_side_by_side
from research.study.store import (
    DEVIATIONS,
    LOCAL,
    REFERENCE,
    Job,
    Results,
    Setting,
    Similarities,
    key,
    settings,
    sides,
)
from tasks.baseline.counting import encode
from tasks.datasets.store import DataStore
from tasks.local_training.train import train_runs, use_threads
from tasks.political.compare import distribution
from tasks.political.cues import ENGLISH, random_cues
from tasks.political.human import HumanLists, deviation, published_lists, ranks_of_mentioned
from tasks.political.subgroups import pair_correlations, stability
from tasks.political.vocabulary import JACCARD_AT, jaccard, nearest, whole
from tasks.vectors import UNKNOWN, Embedding

Say = Callable[[str], None]
Cues = dict[str, list[str]]
Named = TypeVar("Named")
_DIGITS = 6


def study_cues(results: Results, store: DataStore) -> Cues:
    """The political cues and 100 random ones in both vocabularies, drawn once and stored."""
    drawn = results.read("cues")
    if drawn is None:
        counted = [set(encode(corpus(name, store).read()).words) for name in (LOCAL, REFERENCE)]
        common = sorted(counted[0] & counted[1])
        drawn = {"political": list(ENGLISH.words), "random": random_cues(common)}
        results.write("cues", drawn)
    return {name: drawn[name] for name in ("political", "random")}


@dataclass(frozen=True)
class Trainer:
    """Trains one run of a setting and stores its similarities; can be sent to other processes."""

    results: Results
    store: DataStore
    cues: Cues
    threads: int = 1

    def __call__(self, job: Job) -> None:
        use_threads(self.threads)
        plan = replace(job.setting.plan, runs=1, seed=job.setting.plan.seed + job.run)
        trained = next(train_runs(corpus(job.setting.corpus, self.store), plan))
        criteria = asdict(trained.criteria)
        self.results.write_run(job.setting, job.run, criteria, similarities_of(trained.embedding, self.cues))


def summarise(setting: Setting, results: Results, cues: Cues, lists: HumanLists) -> None:
    """Write the cell of a setting whose runs are all finished."""
    runs = [stored for run in range(setting.plan.runs) if (stored := results.run(setting, run)) is not None]
    sets = {name: np.stack([getattr(stored, name) for _, stored in runs]) for name in ("political", "random")}
    averaged = {name: sets[name].mean(axis=0, dtype=np.float64) for name in sets}
    words = runs[0][1].words
    results.write(
        f"cells/{setting.id}",
        {
            "setting": setting.id,
            "runs": [criteria for criteria, _ in runs],
            "stability": {name: _stability(cosines) for name, cosines in sets.items()},
            "human": _human(averaged["political"], words, cues["political"], lists),
        },
    )


def similarities_of(embedding: Embedding, cues: Cues) -> Similarities:
    """Cosines of the cues with the vocabulary."""
    side = whole(embedding)
    by_set = {}
    for name, words in cues.items():
        rows = embedding.find(words)
        cosines = np.full((len(words), len(side.rows)), np.nan, dtype=np.float32)
        cosines[rows != UNKNOWN] = side.cosines(rows[rows != UNKNOWN])
        by_set[name] = cosines
    return Similarities(np.array(list(embedding.words)), by_set["political"], by_set["random"])


def _stability(cosines: NDArray[np.float32]) -> dict[str, Any] | None:
    finite = cosines[:, np.isfinite(cosines).all(axis=(0, 2))]
    figures = stability(pair_correlations(finite)) if finite.shape[1] else None
    return rounded({**figures}) if figures else None


def _human(
    cosines: NDArray[np.float64], words: NDArray[np.str_], cues: Sequence[str], lists: HumanLists
) -> dict[str, Any]:
    """Log rank deviation of similarities averaged over the runs, without cues missing from the corpus."""
    row_of = {word: row for row, word in enumerate(words.tolist())}
    by_cue = {}
    for cue, row in zip(cues, cosines, strict=True):
        rows = np.array([row_of.get(word, UNKNOWN) for word in lists[cue]], dtype=np.int64)
        distances = deviation(ranks_of_mentioned(row, rows)) if np.isfinite(row).all() else None
        if distances is not None:
            by_cue[cue] = rounded({**distances})
    return deviations_over(by_cue) | {"cues": by_cue}


def deviations_over(cues: Mapping[str, Mapping[str, float | None]]) -> dict[str, object]:
    """Distribution of each deviation over the cues that have it."""
    columns = {name: [cue[name] for cue in cues.values() if cue[name] is not None] for name in DEVIATIONS}
    over_cues = {name: distribution(np.array(values, dtype=np.float64)) for name, values in columns.items()}
    return {name: rounded({**figures}) for name, figures in over_cues.items() if figures}


def averaged(setting: Setting, results: Results) -> Similarities | None:
    """Similarities averaged over the runs of a setting; None if a run is not on this machine."""
    stored = [results.run(setting, run) for run in range(setting.plan.runs)]
    trained = [item[1] for item in stored if item is not None]
    if len(trained) < len(stored):
        return None
    mean = {name: np.mean([getattr(run, name) for run in trained], axis=0) for name in ("political", "random")}
    return Similarities(trained[0].words, mean["political"], mean["random"])


def compare_settings(left: Similarities, right: Similarities, cues: Cues) -> dict[str, Any]:
    """Pearson on the common words, mean ± standard error, and Jaccard@N in full vocabularies, per set of cues."""
    common, rows_left, rows_right = np.intersect1d(left.words, right.words, assume_unique=True, return_indices=True)
    comparison: dict[str, Any] = {"common_words": len(common)}
    for name, words in cues.items():
        a, b = getattr(left, name), getattr(right, name)
        finite = np.isfinite(a).all(axis=1) & np.isfinite(b).all(axis=1)
        correlations = pair_correlations(np.stack([a[finite][:, rows_left], b[finite][:, rows_right]]))[0]
        figures = distribution(correlations)
        comparison[name] = rounded({**figures}) if figures else None
        names = [word for word, is_finite in zip(words, finite.tolist(), strict=True) if is_finite]
        comparison[name] = (comparison[name] or {}) | {"jaccard": _jaccard(left, right, a[finite], b[finite], names)}
    return comparison


def _jaccard(left: Similarities, right: Similarities, a: Any, b: Any, cues: list[str]) -> dict[str, float]:
    lists = []
    for side, cosines in ((left, a), (right, b)):
        row_of = {word: row for row, word in enumerate(side.words.tolist())}
        neighbours = [nearest(row, row_of[cue], max(JACCARD_AT)) for cue, row in zip(cues, cosines, strict=True)]
        lists.append([side.words[rows].tolist() for rows in neighbours])
    return {
        str(n): round(float(np.mean([jaccard(x[:n], y[:n]) for x, y in zip(*lists, strict=True)])), _DIGITS)
        for n in JACCARD_AT
    }


def rounded(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Round to six digits, more than any table of the study needs."""
    return {name: _round(value) for name, value in figures.items()}


def _round(value: Any) -> Any:
    if isinstance(value, Mapping):
        return rounded(value)
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, tuple | list):
        return [_round(item) for item in value]
    return value


def run_study(
    results: Results,
    store: DataStore,
    say: Say,
    *,
    chosen: Sequence[Setting] | None = None,
    until: float = math.inf,
    processes: int = 1,
    threads: int = 1,
) -> bool:
    """Run or resume the study; finished work is not repeated.

    Parameters
    ----------
    chosen : only these settings; None: all.
    until : no run starts after this reading of ``time.monotonic``.
    processes : number of runs trained at a time.
    threads : per run.

    Returns
    -------
    bool
        whether the study is complete.
    """
    cues, lists = study_cues(results, store), published_lists(store)
    chosen = settings() if chosen is None else chosen
    missing = [setting for setting in chosen if results.cell(setting) is None]
    trainer = Trainer(results, store, cues, threads)
    for setting in missing:
        forget_pairs(setting, results)
    again = _uncompared(results, chosen)
    jobs = [Job(s, run) for s in (*missing, *again) for run in range(s.plan.runs) if results.run(s, run) is None]
    for setting in missing:
        if all(job.setting != setting for job in jobs):
            summarise(setting, results, cues, lists)
    for job in _trained(in_time(jobs, until, say), trainer, processes):
        _say_trained(job, results, say)
        done = all(results.run(job.setting, run) is not None for run in range(job.setting.plan.runs))
        if done and job.setting in missing:
            summarise(job.setting, results, cues, lists)
    compare_all(results, chosen, cues, say)
    return all(results.cell(setting) is not None for setting in settings())


def _uncompared(results: Results, chosen: Sequence[Setting]) -> list[Setting]:
    """Settings with a cell that are not yet compared with every other one. This needs their runs, which are retrained
    if they were trained on another machine: the seeds reproduce them."""
    compared = results.read("pairs") or {}
    done = [setting for setting in chosen if results.cell(setting) is not None]
    return [a for a in done if any(b != a and key(a, b) not in compared for b in chosen)]


def in_time(jobs: Iterable[Named], until: float, say: Say) -> Iterator[Named]:
    """The runs, until the time is up."""
    for job in jobs:
        if time.monotonic() > until:
            say("Time is up; the next call resumes from here.")
            return
        yield job


def _trained(jobs: Iterator[Job], trainer: Trainer, processes: int) -> Iterator[Job]:
    """Each run once it is stored; with one process, in this process."""
    if processes > 1:
        yield from train_side_by_side(jobs, trainer, processes)
        return
    for job in jobs:
        trainer(job)
        yield job


def _say_trained(job: Job, results: Results, say: Say) -> None:
    stored = results.run(job.setting, job.run)
    if stored is not None:
        minutes = stored[0]["processor_minutes"]
        say(f"{job} of {job.setting.plan.runs}: {minutes:.1f} processor minutes")


def compare_all(results: Results, chosen: Sequence[Setting], cues: Cues, say: Say) -> None:
    """Every pair of these finished settings; a pair not yet compared needs the runs' similarities."""
    compared = results.read("pairs") or {}
    done = [setting for setting in chosen if results.cell(setting) is not None]
    missing = [pair for pair in combinations(done, 2) if key(*pair) not in compared]
    if not missing:
        return
    similarities = {setting.id: averaged(setting, results) for setting in done}
    for left, right in missing:
        a, b = similarities[left.id], similarities[right.id]
        if a is None or b is None:
            say(f"{left.id} and {right.id} were not compared: the runs of one are not on this machine.")
            continue
        compared[key(left, right)] = compare_settings(a, b, cues)
    results.write("pairs", dict(sorted(compared.items())))


def forget_pairs(setting: Setting, results: Results) -> None:
    """Drop the comparisons of a setting that will be trained again."""
    compared = results.read("pairs") or {}
    rest = {name: pair for name, pair in compared.items() if setting.id not in sides(name)}
    if len(rest) < len(compared):
        results.write("pairs", rest)
