"""Texts for raters in three languages; studies in other languages show English."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from benchmark.people.models import Kind

FOLDER = Path(__file__).with_name("texts")
ENGLISH = "en"
WRITTEN_IN = frozenset(path.stem for path in FOLDER.glob("*.json"))

Checks = tuple[tuple[str, str, str], ...]
PRACTICE: Mapping[str, Checks] = {
    "en": (("kitchen", "oven", "comet"),),
    "de": (("küche", "ofen", "komet"),),
    "es": (("cocina", "horno", "cometa"),),
}
SCREENERS: Mapping[str, Checks] = {
    "en": (("winter", "snow", "invoice"), ("ship", "harbour", "violin")),
    "de": (("winter", "schnee", "rechnung"), ("schiff", "hafen", "geige")),
    "es": (("invierno", "nieve", "factura"), ("barco", "puerto", "violín")),
}
"""Cue, a fitting word, a clearly unfitting one."""
MINUTES = {Kind.FREE_ASSOCIATIONS: 15, Kind.TRIADS: 4}


@cache
def texts_of(language: str) -> Mapping[str, str]:
    """The texts in a language, by default English."""
    texts: dict[str, str] = json.loads((FOLDER / f"{language_shown(language)}.json").read_text(encoding="utf-8"))
    return texts


def language_shown(language: str) -> str:
    """The language of the rater's pages, for their ``lang`` attribute."""
    return language if language in WRITTEN_IN else ENGLISH


def consent_of(language: str, kind: Kind) -> str:
    """The default consent text."""
    return texts_of(language)["consent"].format(minutes=MINUTES[kind])
