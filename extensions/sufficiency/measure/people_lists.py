"""People's lists that a corpus is compared with: the published ones, or one's own file."""

from __future__ import annotations

import json
from pathlib import Path

from extensions.shared.measure.texts import text_of
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError
from tasks.languages import ENGLISH
from tasks.political.human import PUBLISHED, HumanLists, published_lists


def published_in(language: str | None, data: DataStore) -> dict[str, HumanLists]:
    """The published lists in a language, by title; empty if there are none, or none on this machine."""
    try:
        return {PUBLISHED: published_lists(data)} if language == ENGLISH else {}
    except DataUnavailable:
        return {}


def read_lists(path: Path) -> HumanLists:
    """Lists from a JSON file ``{cue: [word, …]}``, best first, as a study with people on a site exports them.

    Raises
    ------
    InputError
        the file is something else.
    """
    try:
        parsed = json.loads(text_of(path.read_bytes(), path.name, field="people"))
    except ValueError:
        parsed = None
    lists = parsed if isinstance(parsed, dict) else {}
    if not lists or not all(
        isinstance(words, list) and all(isinstance(word, str) for word in words) for words in lists.values()
    ):
        message = (
            f"{path.name} has no lists of words. Write a JSON object with a list for each cue: {{cue: [word, …]}}."
        )
        raise InputError("no-lists", message, field="people")
    return lists
