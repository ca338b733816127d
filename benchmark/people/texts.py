"""What raters read, in the languages that it was written for; a study in another language shows English."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_name("texts")
ENGLISH = "en"

PRACTICE = (("kitchen", "oven", "comet"),)
SCREENERS = (("winter", "snow", "invoice"), ("ship", "harbour", "violin"))
"""Each has a word that fits and one that clearly does not."""


@cache
def texts_of(language: str) -> Mapping[str, str]:
    """The rater's texts in a language, English where there is none."""
    texts: dict[str, str] = json.loads((FOLDER / f"{language_shown(language)}.json").read_text(encoding="utf-8"))
    return texts


@cache
def language_shown(language: str) -> str:
    """The language in which the rater's pages are really written, for their ``lang`` attribute."""
    return language if language.isalpha() and (FOLDER / f"{language}.json").is_file() else ENGLISH
