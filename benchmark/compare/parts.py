"""Parts of a comparison that features add to its page and to the API's answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.http import HttpRequest

from benchmark.compare.entries import Picked
from benchmark.features import modules
from tasks.answers import ComparisonAnswer


@dataclass(frozen=True)
class Part:
    """A part of a comparison.

    Parameters
    ----------
    template : its section of the page.
    context : what the template needs besides the page's context; ``is_waiting`` while a worker computes some of it.
    parameters : names of its parameters in the page's URL.
    in_api : its parameters in the API, as OpenAPI describes them.
    complete : adds its figures to the API's answer; returns whether a worker still computes some of them.
    """

    template: str
    context: Callable[[HttpRequest, Sequence[Picked]], dict[str, object]] = lambda _request, _entries: {}
    parameters: tuple[str, ...] = ()
    in_api: tuple[dict[str, object], ...] = ()
    complete: Callable[[HttpRequest, Sequence[Picked], ComparisonAnswer], bool] = lambda _request, _entries, _body: (
        False
    )


def parts() -> list[Part]:
    """Those of all features, in order."""
    return [part for module in modules("comparison") for part in module.PARTS]
