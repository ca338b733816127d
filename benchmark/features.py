"""A feature is a folder of ``benchmark/`` and its line in the settings; delete both, and the feature is gone.

The folder holds all of it: models, views, URLs, templates, static files. What the rest of the site has to know is in
its ``AppConfig``, which is a ``Feature``; nothing outside imports the folder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.apps import AppConfig, apps
from django.conf import settings
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True)
class Link:
    """A link in the frame of every page.

    ``here`` names the apps and views on whose pages it is marked, by default its own view; ``of_suite`` leads to the
    page of the site's suite; ``is_button`` is for the one thing that most visitors come for.
    """

    text: str
    view: str
    here: tuple[str, ...] = ()
    of_suite: bool = False
    is_button: bool = False

    def url(self) -> str:
        return reverse(self.view, args=[settings.VECBOARD_SUITE] if self.of_suite else [])

    def is_of(self, request: HttpRequest) -> bool:
        """Whether it is marked on the requested page."""
        match = request.resolver_match
        return match is not None and not {match.app_name, match.view_name}.isdisjoint(self.here or (self.view,))


@dataclass(frozen=True)
class Belongings:
    """Rows with an ``owner`` that are not submissions, and how one of them is deleted for good, by its id.

    The form that deletes an account has a field of this ``name``, and words for ``one``, for ``many``, and for what
    becomes of them when they are ``kept`` or ``deleted``.
    """

    name: str
    rows: QuerySet[Model]
    erase: Callable[[str], None]
    one: str
    many: str
    kept: str
    deleted: str


class Feature(AppConfig):
    """What the site asks of a feature. The order of the settings is the order of the links."""

    default = False  # Django takes the one class of apps.py that may be a default: the feature's, not this one

    prefix = ""
    """What the addresses of its ``urls`` begin with."""
    header: tuple[Link, ...] = ()
    footer: tuple[Link, ...] = ()

    def __init_subclass__(cls) -> None:
        cls.default = True

    def tidy(self) -> None:
        """Once a day: delete what is kept for a time only."""

    def belongings(self) -> Belongings | None:
        """What of it people own, to be found by id or owner, and deleted."""
        return None


def features() -> list[Feature]:
    """The features that this site has, in the order of its settings."""
    return [config for config in apps.get_app_configs() if isinstance(config, Feature)]


def belongings() -> list[Belongings]:
    """Of all features."""
    return [found for feature in features() if (found := feature.belongings()) is not None]
