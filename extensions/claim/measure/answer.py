"""From the analyses of a plan to one answer: an effect, its interval over units, one p, and what moves it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from extensions.associations.measure.regression import Unit
from extensions.claim.measure.counts import Floats
from extensions.claim.measure.effects import COMPARING, Kind, chance
from extensions.claim.measure.plan import Analysis, ByChance, Measured
from tasks.errors import InputError
from tasks.fields import doc
from tasks.results import Interval
from tasks.statistics.intervals import LEVEL, mean_interval
from tasks.text import with_minus

if TYPE_CHECKING:
    from extensions.claim.measure.study import Study

MOST_OF_OTHER_SIGN = 0.05
"""Share of the analyses up to which a finding still counts as stable if their effect has the other sign."""
Verdict = Literal["stable", "depends on choices", "not shown"]
_VERDICTS: dict[Verdict, str] = {
    "stable": "The finding is stable",
    "depends on choices": "The finding exceeds chance, but depends on choices",
    "not shown": "The finding isn't shown",
}
Setting = tuple[str, int, int]


@dataclass(frozen=True)
class Level:
    """The analyses of one option of a choice."""

    choice: Annotated[str, doc("`window`, `dimensions`, `start`, `documents` or `lists`")]
    option: Annotated[str, doc("of that choice")]
    analyses: Annotated[int, doc("number of them")]
    effect: Annotated[float, doc("their median effect")]
    same: Annotated[float, doc("share of them with the sign of the answer, a fraction")]


@dataclass(frozen=True)
class Answer:
    """A claim's answer."""

    verdict: Annotated[Verdict, doc("whether p, the interval and the signs agree")]
    sentence: Annotated[str, doc("the answer in words")]
    effect: Annotated[
        float,
        doc("median over settings in the whole corpus; less the mean effect of dealt groups, if groups are compared"),
    ]
    interval: Annotated[Interval | None, doc("95 %, the units being a sample; null below two samples")]
    p: Annotated[float, doc("the largest of `chances`, a fraction")]
    chances: Annotated[dict[str, float], doc("p by what was dealt at random, `units` or `words`")]
    same: Annotated[int, doc("number of analyses with the effect's sign")]
    analyses: Annotated[int, doc("number of analyses that have a number")]
    models: Annotated[int, doc("number of trained models")]
    missing_words: Annotated[tuple[str, ...], doc("words of the lists that are too rare in the corpus")]
    missing_settings: Annotated[
        tuple[str, ...], doc("settings without a number in the whole corpus, which are in no other number")
    ]
    levels: Annotated[list[Level], doc("each option of the choices that have several")]
    kind: Annotated[Kind, doc("of the claim")]


def answer(study: Study, measured: Sequence[Measured]) -> tuple[Answer, list[Analysis]]:
    """The answer, and all analyses with a number, sorted by effect.

    - *Effect*: the median over the settings (window × dimensions × start) in the whole corpus, as in Simonsohn, Simmons
      & Nelson (2020), Specification curve analysis, Nature Human Behaviour 4. Groups of unequal size differ by chance
      alone, so that the mean effect of the dealt groups is taken off, setting by setting. A setting that has no number
      in the whole corpus is left out of everything.
    - *Interval*: effect ± t × the standard deviation of the same median over the bootstrap samples, times √(m / (m −
      1)) for the m units of the smaller group; t has the degrees of freedom of the samples or of the units.
    - *p*: of the median over the settings among the medians of every deal (the same deals in every setting).

    Raises
    ------
    InputError
        the claim has no number in the whole corpus.
    """
    missing = _without_number(measured)
    by_chance = [row for model in measured for row in model.by_chance if _setting(row) not in missing]
    shifts = {_setting(row): _shift(row, study) for row in by_chance if row.dealt == "units"}
    analyses = [
        replace(row, effect=row.effect - shifts.get(_setting(row), 0.0))
        for model in measured
        for row in model.analyses
        if row.effect is not None and _setting(row) not in missing
    ]
    complete = [row for row in analyses if not row.without]
    if not any(row.sample == 0 for row in complete):
        message = "The claim has no number: a list, or a group's use of it, has no words with contexts. Give more text."
        raise InputError("no-number", message, field="corpus")
    medians = {
        sample: float(np.median([row.effect for row in complete if row.sample == sample]))
        for sample in dict.fromkeys(row.sample for row in complete)
    }
    effect = medians.pop(0)
    chances = {
        dealt: _chance_of([row for row in by_chance if row.dealt == dealt], study)
        for dealt in dict.fromkeys(row.dealt for row in by_chance)
    }
    interval = _interval(effect, np.array(list(medians.values())), study)
    p = max(chances.values())
    same = sum(np.sign(row.effect) == np.sign(effect) for row in analyses if row.effect is not None)
    is_shown = p <= LEVEL and interval is not None and not interval[0] <= 0 <= interval[1]
    share = 1 - same / len(analyses)
    verdict: Verdict = (
        "not shown" if not is_shown else "stable" if share <= MOST_OF_OTHER_SIGN else "depends on choices"
    )
    draft = Answer(
        verdict=verdict,
        sentence="",
        effect=effect,
        interval=interval,
        p=p,
        chances=chances,
        same=int(same),
        analyses=len(analyses),
        models=len(measured),
        missing_words=study.words.missing,
        missing_settings=tuple(f"{start}, window {window}, {size} dimensions" for start, window, size in missing),
        levels=_levels(analyses, effect),
        kind=study.words.kind,
    )
    in_order = sorted(analyses, key=lambda row: row.effect or 0.0)
    return replace(draft, sentence=_sentence(draft, study)), in_order


def _setting(row: Analysis | ByChance) -> Setting:
    return row.start, row.window, row.dimensions


def _without_number(measured: Sequence[Measured]) -> list[Setting]:
    """Settings whose observed number is missing, in the order of their models."""
    missing = [
        _setting(row)
        for model in measured
        for row in model.analyses
        if row.sample == 0 and not row.without and row.effect is None
    ]
    missing += [_setting(row) for model in measured for row in model.by_chance if math.isnan(row.observed)]
    return list(dict.fromkeys(missing))


def _shift(row: ByChance, study: Study) -> float:
    """What is taken off the effects of a setting: the mean of all divisions into groups, the observed one included."""
    if row.dealt != "units" or study.words.kind == "groups":
        return 0.0
    return float(np.nanmean([row.observed, *row.values]))


def _chance_of(rows: Sequence[ByChance], study: Study) -> float:
    """p of the median over settings."""
    shifts = np.array([[_shift(row, study)] for row in rows])
    values = np.array([[row.observed, *row.values] for row in rows], dtype=np.float64) - shifts
    medians = np.median(values, axis=0)
    return chance(float(medians[0]), medians[1:], is_signed=study.words.kind not in COMPARING)


def _interval(effect: float, medians: Floats, study: Study) -> Interval | None:
    """None below two samples."""
    smallest = min(map(len, study.strata))
    if len(medians) < 2:
        return None
    freedom = min(len(medians) - 1, sum(len(members) - 1 for members in study.strata))
    return mean_interval(effect, float(medians.std(ddof=1)) * math.sqrt(smallest / (smallest - 1)), freedom + 1)


def choices_of(analyses: Sequence[Analysis]) -> dict[str, list[str]]:
    """The option of each analysis, by the choices that have several."""
    choices = {
        "window": [str(row.window) for row in analyses],
        "dimensions": [str(row.dimensions) for row in analyses],
        "start": [row.start for row in analyses],
        "documents": ["a sample" if row.sample else "all" for row in analyses],
        "lists": [f"without {row.without}" if row.without else "complete" for row in analyses],
    }
    return {choice: options for choice, options in choices.items() if len(set(options)) > 1}


def _levels(analyses: Sequence[Analysis], effect: float) -> list[Level]:
    numbers = np.array([row.effect for row in analyses], dtype=np.float64)
    levels = []
    for choice, options in choices_of(analyses).items():
        for option in dict.fromkeys(options):
            part = numbers[np.array(options) == option]
            same = float((np.sign(part) == np.sign(effect)).mean())
            levels.append(Level(choice, option, len(part), float(np.median(part)), same))
    return levels


def _sentence(draft: Answer, study: Study) -> str:
    """The answer in words."""
    interval = "has no interval"
    if draft.interval is not None:
        bounds = f"{_short(draft.interval[0])} to {_short(draft.interval[1])}"
        interval = f"has a 95 % interval over {study.unit.many} of {bounds}"
    chances = "; ".join(chances_in_words(draft, study.unit))
    which = ""
    others = [level for level in draft.levels if level.same < 1 - MOST_OF_OTHER_SIGN]
    if draft.verdict == "depends on choices":
        least = min(others, key=lambda level: level.same)
        which = f" The sign changes most with {least.choice}: {least.option}."
    starts = sum(level.choice == "start" for level in draft.levels)
    over = [f"{draft.models} models"]
    over += [f"{starts} starts"] if starts else []
    over += ["each word left out"] if any(level.choice == "lists" for level in draft.levels) else []
    return (
        f"{_VERDICTS[draft.verdict]}: in {draft.same:,} of {draft.analyses:,} analyses ({', '.join(over)}) the sign is "
        f"the same; the effect of {_short(draft.effect)} {interval}; {chances}.{which}"
    )


def chances_in_words(result: Answer, unit: Unit) -> list[str]:
    """What was dealt at random, and how often that gives as much: a clause for each of ``chances``."""
    dealt = {"units": (f"{unit.many} dealt at random to the groups", "deals"), "words": ("other words", "cases")}
    if result.kind == "association":
        dealt["words"] = "target words dealt at random to the two lists", "deals"
    return [
        f"{dealt[name][0]} give as much in {100 * p:.3g} % of the {dealt[name][1]}"
        for name, p in result.chances.items()
    ]


def remarks(result: Answer) -> list[str]:
    """Sentences on the unit of the effect, and on what is missing."""
    sentences = [f"Effect: {TITLES[result.kind]}."]
    if result.missing_words:
        sentences += [f"Too rare in the corpus: {', '.join(result.missing_words)}."]
    if result.missing_settings:
        missing = "; ".join(result.missing_settings)
        sentences += [f"Left out, as they have no number in the whole corpus: {missing}."]
    return sentences


def _short(value: float) -> str:
    return with_minus(value, ".2g")


TITLES = {
    "association": "effect size d",
    "axis": "cosine with the axis, beyond words of like frequency",
    "nearest": "cosine, beyond words of like frequency",
    "drift": "change, beyond words of like frequency",
    "groups": "squared distance without its noise",
}
"""The effect of each kind, for axes and tables."""
