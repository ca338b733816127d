"""How long workers wait before they consider something lost, and how often they retry: the site's settings."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings

DEPLOY_SECONDS = 15
"""How long a job waits that this worker cannot do, such as one that a newer version of the program queued."""


def silence() -> timedelta:
    """A job without a heartbeat for this long is considered dead."""
    return timedelta(seconds=settings.VECBOARD_SILENCE_SECONDS)


def message_lost() -> timedelta:
    """A message not taken for this long may be lost."""
    return timedelta(seconds=settings.VECBOARD_MESSAGE_LOST_SECONDS)


def heartbeat_seconds() -> float:
    """Interval of heartbeats: several fit into the silence after which a job is considered dead."""
    return float(min(10.0, settings.VECBOARD_SILENCE_SECONDS / 4))
