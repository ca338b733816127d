"""A feature is a folder of ``benchmark/`` and its line in the settings; delete both, and the feature is gone.

The folder holds its models, views, URLs, templates and static files. Its ``AppConfig``, a ``Feature``, declares its
links and objects to the rest of the site; nothing outside imports the folder.
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
    """A link in the header or footer of every page.

    ``here`` names the apps and views on whose pages it is marked, by default its own view. ``of_suite`` adds the
    site's suite to the URL. ``is_button`` is for the most important link.
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
    """Rows with an ``owner`` that aren't submissions, and a function that permanently deletes one by its id.

    The form that deletes an account has a field of this ``name``, and uses the words for ``one``, for ``many``, and
    for the outcome if they are ``kept`` or ``deleted``.
    """

    name: str
    rows: QuerySet[Model]
    erase: Callable[[str], None]
    one: str
    many: str
    kept: str
    deleted: str


class Feature(AppConfig):
    """The AppConfig of a feature. The order of INSTALLED_APPS is the order of the links."""

    default = False  # Django picks the one default AppConfig in apps.py: the feature's, not this one

    prefix = ""
    """Prefix of its URLs."""
    urls = "urls"
    """The module with its ``urlpatterns``."""
    jobs = ""
    """The module with its kinds of jobs, ``KINDS`` by the name of the job; empty if it has none."""
    header: tuple[Link, ...] = ()
    footer: tuple[Link, ...] = ()

    def __init_subclass__(cls) -> None:
        cls.default = True

    def tidy(self) -> None:
        """Daily cleanup of expired data."""

    def due(self) -> list[str]:
        """Sentences about expired data other than files, which ``tidy`` will delete."""
        return []

    def belongings(self) -> Belongings | None:
        """Objects of this feature that people own."""
        return None


def features() -> list[Feature]:
    """The features of this site, in the order of its settings."""
    return [config for config in apps.get_app_configs() if isinstance(config, Feature)]


def belongings() -> list[Belongings]:
    """Objects that each feature's users own."""
    return [found for feature in features() if (found := feature.belongings()) is not None]
