"""What a study still lacks before it can be opened."""

from __future__ import annotations

from benchmark.people.lists import needs_vectors
from benchmark.people.models import Study


def obstacles(study: Study) -> list[str]:
    """A sentence for each thing that keeps a draft from being opened; empty when it is ready."""
    return _triad_obstacles(study) if study.asks_triads else []


def _triad_obstacles(study: Study) -> list[str]:
    if study.sources.count() < 2:
        return ["Add at least two sources: a baseline and a candidate."]
    comparisons = list(study.comparisons.select_related("candidate", "baseline"))
    if any(comparison.prepared_at is None for comparison in comparisons):
        wait = "A worker is making the lists; they will appear on this page."
        return [wait if needs_vectors(study) else "The lists do not exist yet; recompute them."]
    found = [f"{comparison}: {comparison.reason}" for comparison in comparisons if comparison.reason]
    if not study.practice:
        found.append("Add a practice item.")
    return found
