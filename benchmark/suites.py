"""The suite that this site measures with."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import Http404

from tasks.suite import Suite
from tasks.suites import SUITES


def current_suite() -> Suite:
    """The site's own suite, by the setting ``VECBOARD_SUITE``."""
    suite = SUITES.get(settings.VECBOARD_SUITE)
    if suite is None:
        raise ImproperlyConfigured(
            f"VECBOARD_SUITE is {settings.VECBOARD_SUITE!r}, which is not a suite; choose one of {', '.join(SUITES)}."
        )
    return suite


def task_title(suite_id: str, task_id: str) -> str:
    """Title of a task; its id if the site no longer has the suite, or the suite the task."""
    suite = SUITES.get(suite_id)
    return suite.title_of(task_id) if suite else task_id


def suite_or_404(suite_id: str | None) -> Suite:
    """The suite with this id, or the site's own if none is given; 404 for an unknown id."""
    if not suite_id:
        return current_suite()
    suite = SUITES.get(suite_id)
    if suite is None:
        raise Http404(f"There is no suite {suite_id!r}.")
    return suite
