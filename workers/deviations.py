"""An entry's deviation from people's lists, stored for later requests."""

from __future__ import annotations

from typing import Any

from benchmark.compare.models import ListDeviation, is_due
from tasks.errors import VecboardError
from tasks.political.human import human_deviation
from workers import bounds
from workers.pairs import STOPPED, failed, opened

NONE: dict[str, Any] = {"full": None, "within": None, "cues": {}}
UNKNOWN = "These vectors know none of the cues together with a word of its list."


def deviate(deviation_id: int) -> None:
    """Compute one entry's deviation, and delete the lists; does nothing if it is known or gone."""
    waiting = ListDeviation.objects.select_related("submission").filter(words__isnull=False)
    row = waiting.filter(pk=deviation_id).first()
    if row is None or not is_due(row.figures):
        return
    forgotten: dict[str, Any] = {"words": None}
    try:
        found = human_deviation(opened(row.submission), row.words)
        figures = found.as_dict() | {"reason": "" if found.full else UNKNOWN}
    except VecboardError as error:
        figures = NONE | {"reason": str(error)}
    except Exception as error:
        figures = NONE | failed("deviate", deviation_id, row.figures, error)
        forgotten = forgotten if figures["tries"] >= bounds.most_tries() else {}  # the next try needs them
    ListDeviation.objects.filter(pk=deviation_id).update(figures=figures, **forgotten)


def give_up(deviation_id: int) -> None:
    """Store why there are no figures, and delete the lists."""
    figures = NONE | {"reason": STOPPED, "tries": bounds.most_tries()}
    ListDeviation.objects.filter(pk=deviation_id, words__isnull=False).update(figures=figures, words=None)
