"""What a reader asked of the board: every choice is in the URL, so that a link shows what its sender saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q
from django.http import QueryDict

from benchmark.inputs import one_of, whole_number
from benchmark.submissions.models import Visibility
from tasks.languages import ENGLISH, LANGUAGES

DEFAULT_SORT = "overall"
_DEFAULTS = (("sort", DEFAULT_SORT), ("language", ENGLISH))
TRACKS = ("prescribed", "other")
TASK_DATA = {"no": False, "yes": True}
"""Whether something was trained on the tasks' data, as the uploader says."""
VOCABULARIES = {"closed": False, "open": True}
"""Whether the vectors were composed for the suite's list of words."""
VIEWS = ("heat",)
DENSITIES = ("roomy",)
"""Other than one line a row: with what each entry is, and every interval, below."""
_NAMES = {
    "suite": "suite", "version": "version", "sort": "sort", "columns": "c", "track": "track", "task_data": "task-data",
    "vocabulary": "vocabulary",
    "least": "dim-min", "most": "dim-max", "corpus": "corpus", "algorithm": "algorithm", "owner": "owner", "text": "q",
    "view": "view", "density": "rows", "after": "after", "language": "language", "as_of": "as-of",
}  # fmt: skip
FILTERS = ("track", "task_data", "vocabulary", "least", "most", "corpus", "algorithm", "owner", "text")
DIGITS = 16
"""Of the hash of frozen values, as URLs have it."""
HEXADECIMAL = frozenset("0123456789abcdef")
_WRITTEN = Q(visibility=Visibility.PUBLIC)
"""Only of these may a filter look at what a person wrote: else an anonymous entry could be found out by searching."""


@dataclass(frozen=True)
class BoardQuery:
    """``sort`` is a column's key, with ``-`` for the other way round; ``after`` where the page before ended.

    There is a board for every language: its entries and the columns that exist for it. ``as_of`` names frozen values.
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
    after: str = ""
    language: str = ENGLISH
    density: str = ""
    as_of: str = ""

    @classmethod
    def parse(cls, given: QueryDict) -> BoardQuery:
        """Read an address; what makes no sense is left out, so that an old link still works."""
        words = {name: given.get(_NAMES[name], "").strip()[:200] for name in ("corpus", "algorithm", "owner", "text")}
        as_of = given.get("as-of", "")
        return cls(
            suite=given.get("suite", "")[:40],
            version=whole_number(given.get("version")),
            sort=given.get("sort", "")[:80] or DEFAULT_SORT,
            columns=tuple(given.getlist("c"))[:200],
            track=one_of(given.get("track"), TRACKS),
            task_data=one_of(given.get("task-data"), TASK_DATA),
            vocabulary=one_of(given.get("vocabulary"), VOCABULARIES),
            least=whole_number(given.get("dim-min")),
            most=whole_number(given.get("dim-max")),
            view=one_of(given.get("view"), VIEWS),
            density=one_of(given.get("rows"), DENSITIES),
            as_of=as_of if len(as_of) == DIGITS and HEXADECIMAL.issuperset(as_of) else "",
            after=given.get("after", "")[:80],
            language=one_of(given.get("language"), LANGUAGES, ENGLISH),
            **words,
        )

    def address(self, **changes: Any) -> str:
        """``?…`` of this query with changes, without what is the default; a change of anything begins at page one."""
        changed = replace(self, **({"after": ""} | changes))
        pairs = [
            (_NAMES[name], value)
            for name in _NAMES
            for value in _several(getattr(changed, name))
            if value not in ("", None) and (name, value) not in _DEFAULTS
        ]
        return f"?{urlencode(pairs)}"

    @property
    def key(self) -> str:
        """The column that it is sorted by."""
        return self.sort.removeprefix("-")

    @property
    def turned(self) -> bool:
        """Worst first."""
        return self.sort.startswith("-")

    @property
    def filters(self) -> Mapping[str, Any]:
        """Those that the reader set."""
        return {name: getattr(self, name) for name in FILTERS if getattr(self, name) not in ("", None)}

    def condition(self) -> Q:
        """The filters as a condition on submissions."""
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
