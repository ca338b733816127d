"""How long the workers wait before they take something for lost, and how often they try: the site's settings."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings

DEPLOY_SECONDS = 15
"""A job of a newer version of the program waits so long for a worker that knows it."""


def silence() -> timedelta:
    """Without a sign of life for so long, a job is taken for dead."""
    return timedelta(seconds=settings.VECBOARD_SILENCE_SECONDS)


def message_lost() -> timedelta:
    """A message that was not taken for so long may be lost."""
    return timedelta(seconds=settings.VECBOARD_MESSAGE_LOST_SECONDS)


def step_lost() -> timedelta:
    """Planning and finishing take seconds; after this time their message is sent again."""
    return timedelta(seconds=settings.VECBOARD_STEP_LOST_SECONDS)


def most_tries() -> int:
    """A job that failed, or took its worker down, so many times is given up."""
    return int(settings.VECBOARD_MOST_TRIES)


def heartbeat_seconds() -> float:
    """Several signs of life fit into the silence after which a job is taken for dead."""
    return float(min(10.0, settings.VECBOARD_SILENCE_SECONDS / 4))
