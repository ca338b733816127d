"""Every kind of job, by the name of its Celery task."""

from __future__ import annotations

from importlib import import_module

from django.apps import apps
from django.utils.module_loading import module_has_submodule

from benchmark.operations.kinds import JobKind
from workers.kinds import cells, checking, fetching, finishing, planning, rebuilding

KINDS: dict[str, JobKind] = {
    "fetch": fetching.FETCH,
    "check_submission": checking.CHECK,
    "start_cells": planning.PLAN,
    "run_cell": cells.CELL,
    "finish": finishing.FINISH,
    "rebuild_vectors": rebuilding.REBUILD,
}
for _app in apps.get_app_configs():
    if _app.name.startswith("benchmark.") and module_has_submodule(_app.module, "jobs"):
        KINDS |= import_module(f"{_app.name}.jobs").KINDS
