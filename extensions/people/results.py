"""Results of studies: preferences, agreement, log rank deviations, and their charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmark.templatetags.figures import between, decimals
from extensions.people.lists import mentions_of
from extensions.people.measure.preference import (
    Agreement,
    Preference,
    alpha,
    overlap,
    preference,
    published_overlap,
    triad_choice,
)
from extensions.people.models import Choice, Comparison, RaterState, Source, Study
from plots.chart import Chart
from plots.drawing import Drawing
from plots.layouts import Row, drawing_of
from tasks.metrics.distances import mean_log_rank_deviation, random_orders, relative_deviation
from tasks.political.compare import distribution
from tasks.political.human import NO_ORDER
from tasks.results import Interval
from tasks.statistics.intervals import mean_interval

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ComparisonResult:
    """Scores of a comparison."""

    comparison: Comparison
    cues: tuple[str, ...]
    preference: Preference
    agreement: Agreement
    sessions: dict[str, int]

    @property
    def screened_out(self) -> int:
        return self.sessions[RaterState.SCREENED_OUT.value]


def result_of(comparison: Comparison) -> ComparisonResult:
    """Score a comparison from the answers of all finished raters."""
    lists = comparison.lists_by_cue
    cues = tuple(lists)
    place = {cue: column for column, cue in enumerate(cues)}
    answers = _answers(comparison)
    raters = {rater: row for row, rater in enumerate(dict.fromkeys(rater for rater, _, _ in answers))}
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
    """Rater, item and chosen side of the triads that count."""
    plans = dict(comparison.raters.counted().values_list("pk", "plan"))
    choices = Choice.objects.filter(rater__comparison=comparison, rater__state=RaterState.DONE)
    rows = choices.order_by("rater__started_at", "rater_id", "place").values_list("rater_id", "place", "side")
    answers = ((rater, plans[rater][place], side) for rater, place, side in rows if rater in plans)
    return [answer for answer in answers if answer[1]["kind"] == "cue"]


@dataclass(frozen=True)
class Deviation:
    """Deviation of an entry from people's lists: means over cues.

    ``relative`` to a random order of the known words, with a 95 % interval over cues, and one that holds 95 % of random
    orders (``chance``); ``within`` these words, not divided; and ``full``, as published. ``words`` of the ``mentioned``
    ones are known; ``reason`` if there is no value.
    """

    name: str
    mentioned: int
    reason: str
    words: int = 0
    relative: float | None = None
    interval: Interval | None = None
    chance: Interval | None = None
    within: float | None = None
    full: float | None = None


def deviations_of(study: Study) -> list[Deviation]:
    """Log rank deviations of the entries that are compared with free associations, the smallest first."""
    human = {cue: {m.word: m.rank for m in mentions} for cue, mentions in mentions_of(study).items()}
    rows = [_deviation(source, human) for source in study.sources.all()]
    return nearest_first(rows)


def nearest_first(deviations: Iterable[Deviation]) -> list[Deviation]:
    """The smallest deviation first, entries without one last."""
    return sorted(deviations, key=lambda row: (row.relative is None, row.relative or 0.0))


def _deviation(source: Source, human: dict[str, dict[str, int]]) -> Deviation:
    relative, within, full, ranks = [], [], [], []
    for cue, model in (source.ranks or {}).items():
        shared = [word for word in human.get(cue, {}) if word in model]
        sides = [model[word] for word in shared], [human[cue][word] for word in shared]
        ranks.append(sides[1])
        if len(shared) > 1:
            relative.append(relative_deviation(*sides))
        if shared:
            within.append(mean_log_rank_deviation(*sides, within=True))
            full.append(mean_log_rank_deviation(*sides))
    mentioned = sum(map(len, human.values()))
    if not relative:
        return Deviation(source.name, mentioned, source.reason or (NO_ORDER if full else ""))
    return deviation_of(source.name, mentioned, ranks, *(np.array(part) for part in (relative, within, full)))


def deviation_of(
    name: str, mentioned: int, ranks: Sequence[Sequence[float]], relative: Floats, within: Floats, full: Floats
) -> Deviation:
    """Means over cues of each cue's deviations; ``relative`` is without cues of a single known word.

    Parameters
    ----------
    ranks : people's ranks of the known words of each cue.
    """
    return Deviation(
        name,
        mentioned,
        "",
        sum(map(len, ranks)),
        float(relative.mean()),
        interval_over_cues(relative),
        random_orders(ranks),
        float(within.mean()),
        float(full.mean()),
    )


def interval_over_cues(values: Floats) -> Interval | None:
    """95 % interval of the mean over cues, as in reports."""
    summary = distribution(values)
    return mean_interval(summary["mean"], summary["se"], summary["n"]) if summary else None


def preference_chart(result: ComparisonResult) -> Chart:
    """The paper's figure 4: a row per cue, best for the candidate first, then their mean; 1 means no preference."""
    rows = preference_rows(result)
    caption = (
        f"Above 1, people prefer the words of {result.comparison.candidate}; below 1, those of "
        f"{result.comparison.baseline}; at 1 they have no preference. Whiskers: 95 % bootstrap intervals over "
        f"{result.preference.raters} rater{'' if result.preference.raters == 1 else 's'}."
    )
    drawing = drawing_of(rows, (0.0, 2.0), {0.0: "0", 0.5: "0.5", 1.5: "1.5", 2.0: "2"}, line=(1.0, "1"))
    return _chart(f"preference-{result.comparison.pk}", finding(result), caption, rows, drawing)


def preference_rows(result: ComparisonResult) -> list[Row]:
    """Cues, best for the candidate first, then their mean."""
    scored = sorted(
        zip(result.cues, result.preference.cues, strict=True),
        key=lambda pair: -(pair[1].score if pair[1].score is not None else -1.0),
    )
    rows = [_preference_row(cue, score.score, score.interval) for cue, score in scored]
    return [*rows, _preference_row("mean over cues", result.preference.mean, result.preference.interval, strong=True)]


def _preference_row(label: str, score: float | None, interval: Interval | None, strong: bool = False) -> Row:
    if score is None:
        return Row(label, "no answers yet", reason="No answers yet.", strong=strong)
    return Row(label, _written(score, interval), score, interval, "better" if score >= 1.0 else "worse", strong)


def _written(value: float, interval: Interval | None) -> str:
    return decimals(value) + (f" ({between(interval, decimals)})" if interval else "")


def finding(result: ComparisonResult) -> str:
    """A title that states the result, if it is significant."""
    mean, interval = result.preference.mean, result.preference.interval
    candidate, baseline = result.comparison.candidate, result.comparison.baseline
    if mean is None:
        return f"{candidate} against {baseline}: no answers yet"
    if interval is None or interval[0] <= 1.0 <= interval[1]:
        return f"{candidate} against {baseline}: no clear preference"
    return f"People prefer {candidate if mean > 1.0 else baseline} to {baseline if mean > 1.0 else candidate}"


def deviation_chart(study_id: str, deviations: Sequence[Deviation]) -> Chart:
    """The paper's figure 5: a row per entry, the smallest deviation first."""
    ranked = [deviation for deviation in deviations if deviation.relative is not None]
    ends = [max(d.relative or 0.0, d.interval[1] if d.interval else 0.0) for d in ranked]
    high = max(2.0, -(-max(ends, default=1.0) // 2) * 2)  # a multiple of 2, so that its quarters are halves
    title = "Distance from people's ranking"
    if len(ranked) > 1:
        best, second = ranked[0].interval, ranked[1].interval
        title = "Too close to tell which entry ranks words most like people"
        if best and second and best[1] < second[0]:
            title = f"{ranked[0].name} ranks words most like people"
    caption = (
        "Mean log rank deviation over cues as a share of a random order's, lower is closer to people: at 0 the entry "
        "orders its words of a list as people do, at 1 no better than at random. Whiskers: 95 % intervals over cues."
    )
    rows = [_deviation_row(deviation) for deviation in deviations]
    ticks = {high * n / 4: f"{high * n / 4:g}" for n in range(5)}
    drawing = drawing_of(rows, (0.0, high), ticks, line=(1.0, "1"))
    return _chart(f"deviation-{study_id}", title, caption, rows, drawing)


def _deviation_row(deviation: Deviation) -> Row:
    if deviation.relative is None:
        return Row(deviation.name, "not computed", reason=deviation.reason or "Ranks not computed yet.")
    text = _written(deviation.relative, deviation.interval)
    return Row(deviation.name, text, deviation.relative, deviation.interval)


def _chart(id: str, title: str, caption: str, rows: Sequence[Row], drawing: Drawing) -> Chart:
    in_words = "; ".join(f"{row.label} {row.text}" for row in rows)
    return Chart(id, title, f"{caption} {in_words}.", drawing, kind="rows", note=caption)
