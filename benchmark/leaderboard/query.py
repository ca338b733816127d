"""A view of the board, entirely defined by its URL, so that a link shows the same view to everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q
from django.http import QueryDict

from benchmark.inputs import Ignored, Parameters
from benchmark.submissions.visibility import shown_by_name
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
    def parse(cls, querystring: QueryDict) -> BoardQuery:
        """Parse a query string. Columns, order, version and permanent link are validated with the board."""
        parameters = Parameters(querystring)
        query = cls(
            suite=parameters.text("suite", 40),
            version=parameters.whole_number("version"),
            sort=parameters.text("sort", 80) or DEFAULT_SORT,
            columns=tuple(querystring.getlist("c"))[:200],
            track=parameters.one_of("track", TRACKS),
            task_data=parameters.one_of("task-data", TASK_DATA),
            vocabulary=parameters.one_of("vocabulary", VOCABULARIES),
            least=parameters.whole_number("dim-min"),
            most=parameters.whole_number("dim-max"),
            view=parameters.one_of("view", VIEWS),
            task=parameters.text("task", 80),
            density=parameters.one_of("rows", DENSITIES),
            as_of=parameters.text("as-of", 80),
            after=parameters.text("after", 80),
            language=parameters.one_of("language", LANGUAGES, ENGLISH),
            corpus=parameters.text("corpus", 200),
            algorithm=parameters.text("algorithm", 200),
            owner=parameters.text("owner", 200),
            text=parameters.text("q", 200),
        )
        return replace(query, ignored=tuple(parameters.ignored))

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
        condition = Q(language=self.language)
        if self.track:
            condition &= Q(track=self.track)
        if self.task_data:
            condition &= Q(trained_on_task_data=TASK_DATA[self.task_data])
        if self.vocabulary:
            condition &= Q(open_vocabulary=VOCABULARIES[self.vocabulary])
        if self.least is not None:
            condition &= Q(dimensions__gte=self.least)
        if self.most is not None:
            condition &= Q(dimensions__lte=self.most)
        if self.corpus:
            condition &= shown_by_name() & Q(corpus__icontains=self.corpus)
        if self.algorithm:
            condition &= shown_by_name() & Q(algorithm__icontains=self.algorithm)
        if self.owner:
            condition &= shown_by_name() & Q(owner__username__iexact=self.owner)
        if self.text:
            words = Q(name__icontains=self.text) | Q(description__icontains=self.text)
            condition &= shown_by_name() & (words | Q(corpus__icontains=self.text) | Q(algorithm__icontains=self.text))
        return condition


def _several(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
