"""Parts of a comparison that features add to its page and to the API's answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from benchmark.compare.entries import Marked, Picked, address_of
from benchmark.features import modules
from tasks.answers import ComparisonAnswer


@dataclass(frozen=True)
class Part:
    """A part of a comparison.

    Parameters
    ----------
    template : its section of the page; empty if it has none.
    context : what the template needs besides the page's context; ``is_waiting`` while a worker computes some of it.
    parameters : names of its parameters in the page's URL.
    in_api : its parameters in the API, as OpenAPI describes them.
    of_task : a view of two entries, ``e``, on one task, ``cell``; empty if it has none.
    complete : adds its figures to the API's answer; returns whether a worker still computes some of them.
    """

    template: str = ""
    context: Callable[[HttpRequest, Sequence[Picked]], dict[str, object]] = lambda _request, _entries: {}
    parameters: tuple[str, ...] = ()
    in_api: tuple[dict[str, object], ...] = ()
    of_task: str = ""
    complete: Callable[[HttpRequest, Sequence[Picked], ComparisonAnswer], bool] = lambda _request, _entries, _body: (
        False
    )


def parts() -> list[Part]:
    """Those of all features, in order."""
    return [part for module in modules("comparison") for part in module.PARTS]


def task_address(entries: Sequence[Marked]) -> str:
    """URL of a page of two entries on a task, whose key it ends with; empty if no feature has such a page."""
    view = next((part.of_task for part in parts() if part.of_task), "")
    return f"{reverse(view)}?{urlencode(address_of(entries, cell=''))}" if view else ""
