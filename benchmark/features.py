"""A feature is a folder with its models, views, URLs, templates and static files.

Its ``AppConfig``, a ``Feature``, declares its parts, links and objects to the rest of the site. Features of the core
are in ``benchmark/``, their lines in the settings. An ``Extension`` is in ``extensions/``, its line in ``EXTENSIONS``,
and both can be deleted: the rest neither imports nor names it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Literal, NamedTuple, get_args
from urllib.parse import quote

from django.apps import AppConfig, apps
from django.conf import settings
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse

Aside = Literal["compare", "report_word_lists", "report_rankings", "board", "take", "scores", "find", "look_up"]
"""Places of links in a text: where entries are chosen for comparison, two sections of the report, the top of the
leaderboard, its downloads, its table of all scores, the starts of a search for vectors, and an entry whose vectors are
not ready, on whose id the view depends.
"""
Place = Literal["main", "submit", "account", "Results", "Method", "Take part"] | Aside
"""Places of links on every page: in the header the main items (at most five), the button, and the account's menu, then
the columns of the footer; and those in a text."""
Recognised = Literal["account", "submissions", ""]
"""Traces of an earlier visit: a session, or only submissions sent without an account."""


@dataclass(frozen=True)
class Link:
    """A link on every page, or in the text of some; ``detail`` says more about it, where there is room.

    ``here`` names further apps and views on whose pages it is marked. ``visitors`` see it, by default all. ``of_suite``
    adds the site's suite to the URL. ``returns`` adds the page that the target leads back to. ``turn`` orders the links
    of a place; those of the same turn are in the order of INSTALLED_APPS.
    """

    text: str
    view: str
    place: Place
    here: tuple[str, ...] = ()
    visitors: tuple[Recognised, ...] = ("account", "submissions", "")
    of_suite: bool = False
    returns: bool = False
    turn: int = 0
    detail: str = ""

    @property
    def url(self) -> str:
        """Its URL; empty if that depends on an entry."""
        return "" if self.place == "look_up" else reverse(self.view, args=[settings.VECBOARD_SUITE] * self.of_suite)


class ShownLink(NamedTuple):
    """A link on one page; ``current`` is its ``aria-current``."""

    text: str
    url: str
    current: str = ""
    detail: str = ""
    view: str = ""


class Upload(NamedTuple):
    """Texts that visitors send: paths of the POST, setting with the limit of bytes, and kind of the job about them."""

    paths: tuple[str, ...]
    most_bytes: str
    job: str


@dataclass(frozen=True)
class Belongings:
    """Rows with an ``owner`` that aren't submissions, and a function that permanently deletes one by its id.

    The form that deletes an account has a field of this ``name``, and uses the words in the singular and plural, and
    for the outcome if they are kept or deleted.
    """

    name: str
    rows: QuerySet[Model]
    erase: Callable[[str], None]
    singular: str
    plural: str
    if_kept: str
    if_deleted: str


class Feature(AppConfig):
    """The AppConfig of a feature."""

    default = False  # Django picks the one default AppConfig in apps.py: the feature's, not its base

    prefix = ""
    """Prefix of its URLs."""
    urls = "urls"
    """The module with its ``urlpatterns``; empty if it has none."""
    api = ""
    """The module with its part of the API, its ``router``; empty if it has none."""
    jobs = ""
    """The module with its kinds of jobs, ``KINDS`` by the name of the job; empty if it has none."""
    sections: str = ""
    """The module with its sections of the report page, ``SECTIONS``; empty if it has none."""
    comparison = ""
    """The module with its parts of the comparison of entries, ``PARTS``; empty if it has none."""
    questions = ""
    """The template with its questions on the page *Study texts*; empty if it has none."""
    links: tuple[Link, ...] = ()
    part_of: tuple[tuple[str, str], ...] = ()
    """Views of the feature, or its name for all of them, with the view whose link is marked on their pages."""
    uploads: tuple[Upload, ...] = ()
    unlimited: tuple[str, ...] = ()
    """Beginnings of paths whose POSTs don't count towards a visitor's writes a minute."""
    folders: tuple[str, ...] = ()
    """Folders of the storage with its files, which ``tidy`` deletes."""
    out_of_backups: tuple[str, ...] = ()
    """Models whose rows are too private for backups."""

    def __init_subclass__(cls) -> None:
        cls.default = hasattr(cls, "name")

    def tidy(self) -> None:
        """Daily cleanup of expired data."""

    def scratch(self) -> list[Path]:
        """Folders of this machine with temporary files."""
        return []

    def due(self) -> list[str]:
        """Sentences about expired data other than files, which ``tidy`` will delete."""
        return []

    def belongings(self) -> Belongings | None:
        """Objects of this feature that people own."""
        return None


class Extension(Feature):
    """A feature that can be deleted, after the extensions that require it.

    An extension imports those that it ``requires`` and no other one.
    """

    requires: tuple[str, ...] = ()


def features() -> list[Feature]:
    """The features of this site, in the order of its settings."""
    return [config for config in apps.get_app_configs() if isinstance(config, Feature)]


def modules(part: Literal["api", "jobs", "sections", "comparison"]) -> list[ModuleType]:
    """The modules that features name for this part, in order."""
    return [import_module(f"{feature.name}.{name}") for feature in features() if (name := getattr(feature, part))]


def links(request: HttpRequest, visitor: Recognised) -> dict[Place, list[ShownLink]]:
    """Links by place. At most one is current: ``page`` on its own page, ``true`` on others of its section."""
    every = (link for feature in features() for link in feature.links)
    offered = sorted((link for link in every if visitor in link.visitors), key=lambda link: link.turn)
    match = request.resolver_match
    view, app = (match.view_name, match.app_name) if match is not None else ("", "")
    can_be_current = [link for link in offered if link.place not in get_args(Aside)]
    exact = next((link for link in can_be_current if link.view == view), None)
    part_of = dict(pair for feature in features() for pair in feature.part_of)
    section = next(
        (
            link
            for name in (view, app)
            if name
            for link in can_be_current
            if name in link.here or link.view == part_of.get(name)
        ),
        None,
    )
    by_place: dict[Place, list[ShownLink]] = {}
    for link in offered:
        url = link.url + (f"?next={quote(request.path)}" if link.returns else "")
        current = "page" if link is exact else "true" if exact is None and link is section else ""
        by_place.setdefault(link.place, []).append(ShownLink(link.text, url, current, link.detail, link.view))
    return by_place


def uploads() -> list[Upload]:
    """Texts that visitors send, of all features."""
    return [upload for feature in features() for upload in feature.uploads]


def belongings() -> list[Belongings]:
    """Objects that each feature's users own."""
    return [kind for feature in features() if (kind := feature.belongings()) is not None]
