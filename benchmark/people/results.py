"""From answers to figures: preference per comparison, agreement, and log rank deviation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmark.people.lists import mentions_of
from benchmark.people.models import Choice, Comparison, Source, Study
from benchmark.people.states import RaterState
from tasks.people.preference import Agreement, Preference, alpha, overlap, preference, published_overlap, triad_choice
from tasks.political.compare import distribution
from tasks.political.human import mean_log_rank_deviation
from tasks.results import Interval
from tasks.statistics.intervals import mean_interval


@dataclass(frozen=True)
class ComparisonResult:
    """One comparison; ``preference`` is None while nobody has finished."""

    comparison: Comparison
    cues: tuple[str, ...]
    preference: Preference
    agreement: Agreement
    sessions: dict[str, int]

    @property
    def screened_out(self) -> int:
        return self.sessions[RaterState.SCREENED_OUT.value]


def result_of(comparison: Comparison) -> ComparisonResult:
    """Score a comparison by the answers of all who came to the end."""
    lists = comparison.lists_by_cue
    cues = tuple(lists)
    place = {cue: nth for nth, cue in enumerate(cues)}
    answers = _answers(comparison)
    raters = {rater: nth for nth, rater in enumerate(dict.fromkeys(rater for rater, _, _ in answers))}
    won, shown = (np.zeros((len(raters), len(cues)), dtype=np.int64) for _ in range(2))
    for rater, item, side in answers:
        if item["cue"] in place:
            shown[raters[rater], place[item["cue"]]] += 1
            won[raters[rater], place[item["cue"]]] += item["candidate"] == side
    score = preference(
        won,
        shown,
        [overlap(pair.candidate, pair.baseline) for pair in lists.values()],
        [published_overlap(pair.candidate, pair.baseline) for pair in lists.values()],
    )
    agreement = alpha(triad_choice(item["cue"], item["left"], item["right"], item[side]) for _, item, side in answers)
    states = Counter(comparison.raters.values_list("state", flat=True))
    sessions = {state.value: states[state.value] for state in RaterState}
    return ComparisonResult(comparison, cues, score, agreement, sessions)


def _answers(comparison: Comparison) -> list[tuple[str, dict[str, str], str]]:
    """(rater, item, side) of the triads that count."""
    plans = dict(comparison.raters.counted().values_list("pk", "plan"))
    choices = Choice.objects.filter(rater__comparison=comparison, rater__state=RaterState.DONE)
    rows = choices.order_by("rater__started_at", "rater_id", "place").values_list("rater_id", "place", "side")
    answers = ((rater, plans[rater][place], side) for rater, place, side in rows if rater in plans)
    return [answer for answer in answers if answer[1]["kind"] == "cue"]


@dataclass(frozen=True)
class Deviation:
    """How far an entry is from the people: mean over cues of the mean over words, with its 95 % interval over cues.

    ``words`` of the ``mentioned`` ones are known; ``reason`` says why there is no figure.
    """

    name: str
    mentioned: int
    reason: str
    words: int = 0
    full: float | None = None
    interval: Interval | None = None
    within: float | None = None


def deviations_of(study: Study) -> list[Deviation]:
    """Log rank deviation of every entry that an association study is compared with, nearest to the people first."""
    human = {cue: {m.word: m.rank for m in mentions} for cue, mentions in mentions_of(study).items()}
    rows = [_deviation(source, human) for source in study.sources.all()]
    return sorted(rows, key=lambda row: (row.full is None, row.full or 0.0))


def _deviation(source: Source, human: dict[str, dict[str, int]]) -> Deviation:
    full, within, words = [], [], 0
    for cue, model in (source.ranks or {}).items():
        known = [word for word in human.get(cue, {}) if word in model]
        sides = [model[word] for word in known], [human[cue][word] for word in known]
        words += len(known)
        if known:
            full.append(mean_log_rank_deviation(*sides))
            within.append(mean_log_rank_deviation(*sides, within=True))
    mentioned = sum(map(len, human.values()))
    if not full:
        return Deviation(source.name, mentioned, source.reason)
    values = np.array(full, dtype=np.float64)
    means = float(values.mean()), interval_over_cues(values), float(np.mean(np.array(within)))
    return Deviation(source.name, mentioned, "", words, *means)


def interval_over_cues(values: np.ndarray[Any, np.dtype[np.float64]]) -> Interval | None:
    """Of the mean, with the cues as the sample; the same as in a report."""
    summary = distribution(values)
    return mean_interval(summary.mean, summary.se, summary.n) if summary else None
