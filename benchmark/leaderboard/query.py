"""A view of the board, entirely defined by its URL, so that a link shows the same view to everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q
from django.http import QueryDict

from benchmark.inputs import Ignored, Parameters
from benchmark.submissions.models import Visibility
from tasks.languages import ENGLISH, LANGUAGES

DEFAULT_SORT = "overall"
_DEFAULTS = (("sort", DEFAULT_SORT), ("language", ENGLISH))
TRACKS = ("prescribed", "other")
TASK_DATA = {"no": False, "yes": True}
"""Whether the vectors were trained on the tasks' data, as stated by the uploader."""
VOCABULARIES = {"closed": False, "open": True}
"""Whether the vectors were composed for the suite's list of words."""
USED, SCORES, HEAT = "used", "scores", "heat"
VIEWS = (USED, SCORES, HEAT)
"""Instead of the entries by size: all on one axis; the table of all task scores; that table as a heat map."""
DENSITIES = ("roomy",)
"""Alternatives to one line per row: with the facts of each entry and all intervals."""
_NAMES = {
    "suite": "suite", "version": "version", "sort": "sort", "columns": "c", "track": "track", "task_data": "task-data",
    "vocabulary": "vocabulary",
    "least": "dim-min", "most": "dim-max", "corpus": "corpus", "algorithm": "algorithm", "owner": "owner", "text": "q",
    "view": "view", "task": "task", "density": "rows", "after": "after", "language": "language", "as_of": "as-of",
}  # fmt: skip
NAMES = tuple(_NAMES.values())
FILTERS = ("track", "task_data", "vocabulary", "least", "most", "corpus", "algorithm", "owner", "text")
DIGITS = 16
"""Length of the hash in permanent links."""
_WRITTEN = Q(visibility=Visibility.PUBLIC)
"""Entries searched by text filters; a search of anonymous ones could reveal them."""


@dataclass(frozen=True)
class BoardQuery:
    """A view; ``sort`` is a column's key, with ``-`` for reverse order; ``after`` is the end of the previous page.

    Outside the table of all task scores, ``task`` is the key of the column that is drawn.

    Every language has its own board, with its own entries and columns. ``as_of`` is the hash of a permanent link.
    """

    suite: str = ""
    version: int | None = None
    sort: str = DEFAULT_SORT
    columns: tuple[str, ...] = ()
    track: str = ""
    task_data: str = ""
    vocabulary: str = ""
    least: int | None = None
    most: int | None = None
    corpus: str = ""
    algorithm: str = ""
    owner: str = ""
    text: str = ""
    view: str = ""
    task: str = ""
    after: str = ""
    language: str = ENGLISH
    density: str = ""
    as_of: str = ""
    ignored: tuple[Ignored, ...] = ()
    """Parameters with invalid values."""

    @classmethod
    def parse(cls, given: QueryDict) -> BoardQuery:
        """Parse a query string. Columns, order, version and permanent link are validated with the board."""
        asked = Parameters(given)
        query = cls(
            suite=asked.text("suite", 40),
            version=asked.whole_number("version"),
            sort=asked.text("sort", 80) or DEFAULT_SORT,
            columns=tuple(given.getlist("c"))[:200],
            track=asked.one_of("track", TRACKS),
            task_data=asked.one_of("task-data", TASK_DATA),
            vocabulary=asked.one_of("vocabulary", VOCABULARIES),
            least=asked.whole_number("dim-min"),
            most=asked.whole_number("dim-max"),
            view=asked.one_of("view", VIEWS),
            task=asked.text("task", 80),
            density=asked.one_of("rows", DENSITIES),
            as_of=asked.text("as-of", 80),
            after=asked.text("after", 80),
            language=asked.one_of("language", LANGUAGES, ENGLISH),
            corpus=asked.text("corpus", 200),
            algorithm=asked.text("algorithm", 200),
            owner=asked.text("owner", 200),
            text=asked.text("q", 200),
        )
        return replace(query, ignored=tuple(asked.ignored))

    def address(self, **changes: Any) -> str:
        """URL query (``?…``) with changes applied and default values left out; any change resets to page one."""
        changed = replace(self, **({"after": ""} | changes))
        pairs = [
            (_NAMES[name], value)
            for name in _NAMES
            for value in _several(getattr(changed, name))
            if value not in ("", None) and (name, value) not in _DEFAULTS
        ]
        return f"?{urlencode(pairs)}"

    @property
    def is_table(self) -> bool:
        """Whether it shows the table of all task scores: with any choice that only the table has."""
        return bool(self.columns or self.density or self.sort != DEFAULT_SORT or self.view in (SCORES, HEAT))

    @property
    def key(self) -> str:
        """Key of the sort column."""
        return self.sort.removeprefix("-")

    @property
    def turned(self) -> bool:
        """Whether the order is reversed (worst first)."""
        return self.sort.startswith("-")

    @property
    def filters(self) -> Mapping[str, Any]:
        """Active filters, by name."""
        return {name: getattr(self, name) for name in FILTERS if getattr(self, name) not in ("", None)}

    def condition(self) -> Q:
        """Condition on submissions that the filters express."""
        found = Q(language=self.language)
        if self.track:
            found &= Q(track=self.track)
        if self.task_data:
            found &= Q(trained_on_task_data=TASK_DATA[self.task_data])
        if self.vocabulary:
            found &= Q(open_vocabulary=VOCABULARIES[self.vocabulary])
        if self.least is not None:
            found &= Q(dimensions__gte=self.least)
        if self.most is not None:
            found &= Q(dimensions__lte=self.most)
        if self.corpus:
            found &= _WRITTEN & Q(corpus__icontains=self.corpus)
        if self.algorithm:
            found &= _WRITTEN & Q(algorithm__icontains=self.algorithm)
        if self.owner:
            found &= _WRITTEN & Q(owner__username__iexact=self.owner)
        if self.text:
            words = Q(name__icontains=self.text) | Q(description__icontains=self.text)
            found &= _WRITTEN & (words | Q(corpus__icontains=self.text) | Q(algorithm__icontains=self.text))
        return found


def _several(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
