"""How far an entry is from people's lists, kept for whoever asks next."""

from __future__ import annotations

from benchmark.compare.models import ListDeviation
from tasks.errors import VecboardError
from tasks.political.human import human_deviation
from workers.pairs import opened

UNKNOWN = "These vectors know none of the cues together with a word of its list."


def deviate(deviation_id: int) -> None:
    """Compute one entry's deviation, and forget the lists; harmless when it is known or gone."""
    waiting = ListDeviation.objects.select_related("submission").filter(figures__isnull=True, words__isnull=False)
    row = waiting.filter(pk=deviation_id).first()
    if row is None:
        return
    try:
        found = human_deviation(opened(row.submission), row.words)
        figures = found.as_dict() | {"reason": "" if found.full else UNKNOWN}
    except VecboardError as error:
        figures = {"full": None, "within": None, "cues": {}, "reason": str(error)}
    ListDeviation.objects.filter(pk=deviation_id).update(figures=figures, words=None)
