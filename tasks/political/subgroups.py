"""Subgroups: are general vectors closer to one group's use of words? (Rodriguez & Spirling 2019, appendix D)"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from scipy.stats import wilcoxon

from tasks.datasets.examples import Document
from tasks.errors import InputError, NoScore
from tasks.political.compare import Distribution, distribution
from tasks.political.stability import pair_correlations
from tasks.political.vocabulary import CommonVocabulary, Floats, cut_to_common
from tasks.results import Interval
from tasks.statistics.bootstrap import resampled_means
from tasks.statistics.intervals import percentile_interval
from tasks.text import LeftOut, is_blank
from tasks.vectors import Embedding


def having(documents: Sequence[Document], field: str, left_out: LeftOut) -> list[Document]:
    """The documents with a field in their metadata; the others are added to ``left_out``.

    Raises
    ------
    InputError
        no document has it.
    """
    found = [document for document in documents if not is_blank(dict(document.metadata).get(field, ""))]
    if not found:
        known = dict.fromkeys(name for document in documents for name, _ in document.metadata)
        message = f"The documents have no “{field}”; they have {', '.join(known) or 'no metadata'}."
        raise InputError("no-field", message, field="by")
    for document in documents:
        if is_blank(dict(document.metadata).get(field, "")):
            left_out.add(InputError("no-field", f"Document {document.id} has no “{field}”.", field="by"))
    return found


def split_documents(documents: Iterable[Document], field: str) -> dict[str, list[Document]]:
    """Documents by the value of a metadata field that all have; the largest group (by characters) comes first."""
    groups: dict[str, list[Document]] = {}
    for document in documents:
        groups.setdefault(dict(document.metadata)[field], []).append(document)
    return dict(sorted(groups.items(), key=lambda item: -sum(len(document.text) for document in item[1])))


def named_groups(listed: str, groups: Mapping[str, object], field: str) -> list[str]:
    """Names of groups in a comma-separated list.

    Raises
    ------
    InputError
        a group does not exist; the message lists the names.
    """
    names = [name.strip() for name in listed.split(",")]
    for name in names:
        if name not in groups:
            message = f"“{name}” is not a value of {field}; the values are {', '.join(groups)}."
            raise InputError("no-group", message, field="groups")
    return names


def of_years(documents: Sequence[Document], first: int | None, last: int | None, left_out: LeftOut) -> list[Document]:
    """The documents of these years, both included; None: open end.

    With a bound, documents without a year in their metadata are added to ``left_out``.

    Raises
    ------
    InputError
        a bound is given, and no document has a year.
    """
    if first is None and last is None:
        return list(documents)
    return [
        one for one, year in _dated(documents, left_out) if (first or 0) <= year <= (9999 if last is None else last)
    ]


def split_at(documents: Sequence[Document], year: int, left_out: LeftOut) -> dict[str, list[Document]]:
    """Documents before a year, and from it on; those without a year are added to ``left_out``.

    Raises
    ------
    InputError
        no document has a year in its metadata, or a period has no document.
    """
    dated = _dated(documents, left_out)
    periods = {
        f"before {year}": [one for one, its in dated if its < year],
        f"from {year}": [one for one, its in dated if its >= year],
    }
    for name, own in periods.items():
        if not own:
            raise InputError("no-period", f"The period “{name}” has no document.", field="at")
    return periods


def _dated(documents: Sequence[Document], left_out: LeftOut) -> list[tuple[Document, int]]:
    """Documents with their year; those without one are added to ``left_out``."""
    found = []
    for document in documents:
        year = dict(document.metadata).get("year", "")[:4]
        if year.isascii() and year.isdigit():
            found.append((document, int(year)))
        else:
            message = f"Document {document.id} has no year in its metadata."
            left_out.add(InputError("no-year", message, field="from"))
    if documents and not found:
        raise InputError("no-year", "No document has a year in its metadata.", field="from")
    return found


@dataclass(frozen=True)
class GroupDifference:
    """One group's agreement with the reference minus another's, cue by cue.

    Parameters
    ----------
    first, second : the groups.
    mean : over the cues.
    interval : 95 %, cues resampled.
    p : of Wilcoxon's two-sided signed-rank test over the cues; None without differences.
    cues : number of cues.
    """

    first: str
    second: str
    mean: float
    interval: Interval | None
    p: float | None
    cues: int


@dataclass(frozen=True)
class Subgroups:
    """Agreement of every group with the reference.

    Parameters
    ----------
    groups : Pearson correlation with the reference over the cues, by group.
    cues : the same for each cue; None for a cue that is not known to all, or a zero vector in one.
    differences : of every two groups.
    common_words : number of words common to all files.
    """

    groups: Mapping[str, Distribution]
    cues: Mapping[str, Mapping[str, float] | None]
    differences: tuple[GroupDifference, ...]
    common_words: int


def compare_subgroups(
    groups: Mapping[str, Sequence[Embedding]], reference: Embedding, cues: Sequence[str]
) -> Subgroups:
    """Compare each group's vectors with the reference, on the words common to all files.

    A group may have several runs: their cosines are averaged, never their vectors.

    Raises
    ------
    NoScore
        fewer than 200 common words, or no cue with a non-zero vector in all files.
    InputError
        fewer than two groups.
    """
    if len(groups) < 2:
        raise InputError("one-group", "A comparison of groups needs the vectors of at least two.", field="group")
    files = [embedding for runs in groups.values() for embedding in runs]
    cut = cut_to_common([reference, *files])
    known = cut.places(cues)
    if not known:
        raise NoScore(f"None of the {len(cues)} cues is known to all {len(files) + 1} files.")
    sizes = [len(runs) for runs in groups.values()]
    places = cut.distinct(cues)
    correlations = _with_reference(cut, places, sizes)
    # A zero vector has no correlations; its cue is left out, like a cue that a file lacks.
    kept = np.flatnonzero(np.isfinite(correlations).all(axis=0))
    if len(kept) == 0:
        raise NoScore("No cue has a correlation in every group: of each, the vector of some file is zeros.")
    columns = {places[column]: i for i, column in enumerate(kept.tolist())}
    by_group = dict(zip(groups, correlations[:, kept], strict=True))
    summaries = {name: distribution(values) for name, values in by_group.items()}
    figures: dict[str, Mapping[str, float] | None] = dict.fromkeys(cues)
    figures |= {
        cue: {name: float(by_group[name][columns[place]]) for name in groups}
        for cue, place in known.items()
        if place in columns
    }
    pairs = tuple(difference(a, b, by_group[a] - by_group[b]) for a, b in combinations(groups, 2))
    return Subgroups({name: s for name, s in summaries.items() if s}, figures, pairs, len(cut))


def _with_reference(cut: CommonVocabulary, places: Sequence[int], sizes: Sequence[int]) -> Floats:
    """Correlation of every group's averaged cosines with the reference's, shape (groups, cues)."""
    ends = np.cumsum([1, *sizes])
    blocks = []
    for _, cosines in cut.cosines(places):
        averaged = [cosines[begin:end].mean(axis=0) for begin, end in pairwise(ends)]
        blocks.append(np.stack([pair_correlations(np.stack([cosines[0], group]))[0] for group in averaged]))
    return np.concatenate(blocks, axis=1)


def difference(first: str, second: str, differences: Floats) -> GroupDifference:
    """Mean, interval and test of differences of two groups, shape (cues,)."""
    values = differences[np.isfinite(differences)]
    resampled = resampled_means(values)
    p = float(wilcoxon(values).pvalue) if len(values) > 1 and np.any(values != 0) else None
    interval = percentile_interval(resampled) if len(values) > 1 else None
    return GroupDifference(first, second, float(values.mean()), interval, p, len(values))
