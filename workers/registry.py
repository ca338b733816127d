"""Every kind of job, by the name of its Celery task."""

from __future__ import annotations

from django.apps import apps

from workers import cells, checking, deviations, finishing, pairs, planning, standings, vectors
from workers.kinds import Kind

KINDS: dict[str, Kind] = {
    "check_submission": checking.CHECK,
    "start_cells": planning.PLAN,
    "run_cell": cells.CELL,
    "finish": finishing.FINISH,
    "rank": standings.RANK,
    "prepare_vectors": vectors.PREPARE,
    "correlate": pairs.CORRELATE,
    "compare": pairs.COMPARE,
    "deviate": deviations.DEVIATE,
}
if apps.is_installed("benchmark.people"):
    from workers import people_lists

    KINDS["make_lists"] = people_lists.LISTS
