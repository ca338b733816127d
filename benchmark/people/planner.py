"""How many raters does an interval need? Answered by simulation with the lists of a study."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict

from django import forms
from django.core.cache import cache
from django.http import HttpRequest

from benchmark.operations.counting import spend
from benchmark.people import limits
from benchmark.people.results import ComparisonResult
from tasks.people.preference import overlap
from tasks.people.simulation import interval_width, raters_needed

PLANNED = (20, 50, 100, 135, 200)
KEPT_SECONDS = 24 * 3600


class PlannerForm(forms.Form):
    half_width = forms.FloatField(min_value=0.02, max_value=1.0)
    share = forms.FloatField(min_value=0.02, max_value=0.98)
    spread = forms.FloatField(min_value=0.0, max_value=0.45)


def planner(request: HttpRequest, found: Sequence[ComparisonResult]) -> dict[str, object]:
    """The form and, once it was sent, its answer for the overlaps of the first comparison."""
    start = {"half_width": 0.1, "share": _observed_share(found), "spread": 0.1}
    asked = {name: request.GET[name] for name in start if name in request.GET}
    form = PlannerForm(start | asked)
    frame: dict[str, object] = {"form": form, "asked": bool(asked)}
    if not asked or not form.is_valid() or not found:
        return frame
    overlaps = tuple(overlap(pair.candidate, pair.baseline) for pair in found[0].comparison.lists_by_cue.values())
    half_width, share, spread = (round(form.cleaned_data[name], 3) for name in start)
    answer = _answer(request, half_width, share, spread, overlaps)
    return frame | ({"too_often": True} if answer is None else answer | {"half_width": half_width})


def _answer(
    request: HttpRequest, half_width: float, share: float, spread: float, overlaps: tuple[float, ...]
) -> dict[str, object] | None:
    """Simulated once and remembered: it takes a second or two. None where somebody asks too much of the site."""
    asked = repr((half_width, share, spread, overlaps)).encode()
    key = f"people-planner-{hashlib.sha256(asked).hexdigest()}"
    answer: dict[str, object] | None = cache.get(key)
    if answer is None and spend(limits.SIMULATIONS, limits.address_of(request)):
        needed = raters_needed(half_width, share, overlaps, spread)
        needed_per_cue = raters_needed(half_width, share, overlaps, spread, of_one_cue=True)
        answer = {
            "needed": asdict(needed) if needed else None,
            "needed_per_cue": asdict(needed_per_cue) if needed_per_cue else None,
            "table": [asdict(interval_width(raters, share, overlaps, spread)) for raters in PLANNED],
        }
        cache.set(key, answer, KEPT_SECONDS)
    return answer


def _observed_share(found: Sequence[ComparisonResult]) -> float:
    won = sum(cue.won for result in found[:1] for cue in result.preference.cues)
    shown = sum(cue.shown for result in found[:1] for cue in result.preference.cues)
    return min(0.98, max(0.02, round(won / shown, 2))) if shown else 0.5
