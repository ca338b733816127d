"""A claim as people state it, and its study in a collection of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from extensions.associations.measure.contexts import Tokens
from extensions.associations.measure.groups import (
    in_periods,
    merged,
    named_groups,
    repeating_field,
    split_at,
    split_documents,
)
from extensions.associations.measure.regression import DOCUMENTS, Unit
from extensions.claim.measure.counts import CountedCorpus, Ints
from extensions.claim.measure.effects import ClaimWords, Kind
from extensions.claim.measure.plan import LOCAL, Settings
from extensions.claim.measure.study import Study
from extensions.claim.measure.vectors import looked_up
from extensions.shared.measure.documents import having
from extensions.shared.measure.vectors import NamedVectors
from tasks.baseline.corpus_text import text_lines
from tasks.datasets.examples import Document
from tasks.errors import InputError
from tasks.files import temporary_folder
from tasks.text import LeftOut
from tasks.vectors import LookUp


@dataclass(frozen=True)
class Claim:
    """A claim about documents.

    Parameters
    ----------
    lists : its words, in the order of :data:`extensions.claim.measure.effects.LISTS`.
    by : field of two groups that are compared; None: none are.
    at : value of that field before which documents are in the first period, and from which on in the second.
    between : two values of that field, joined by a comma, if it has more.
    unit : what is resampled and dealt as a whole.
    """

    kind: Kind
    lists: Sequence[Sequence[str]]
    by: str | None = None
    at: float | None = None
    between: str | None = None
    unit: Unit = DOCUMENTS

    def study(
        self,
        documents: Sequence[Document],
        settings: Settings,
        starts: Sequence[NamedVectors],
        look_up: LookUp,
        left_out: LeftOut,
        most_words: int = 0,
    ) -> Study:
        """The claim about these documents; those that it cannot use are added to ``left_out``.

        Parameters
        ----------
        starts : pre-trained vectors.
        look_up : finds the words of the corpus in them.
        most_words : of all models of a plan on a site; 0: any number.

        Raises
        ------
        InputError
            two starts have one name, documents of one speaker would be taken to be independent, the documents lack a
            field, groups or words, or the plan is too large.
        """
        _check_starts(starts)
        by = self.by
        if by is None and (self.at is not None or self.between):
            raise InputError("no-group", "--at and --between choose two groups of the field of --by.", field="by")
        if by is not None:
            documents = having(documents, by, left_out)
            if self.at is not None:
                documents = in_periods(split_at(documents, by, self.at, left_out), by)
            repeated = None if self.unit.field else repeating_field(documents, by)
            if repeated is not None:
                message = (
                    f"Many documents have the same “{repeated}” within one “{by}”, so that they aren't independent: "
                    f"add --group-by {repeated}, which deals whole values of it to the groups."
                )
                raise InputError("dependent", message, field="group-by")
        units = _units(documents, self.unit, by, left_out)
        tokens = Tokens.of(units)
        if most_words:
            _check_plan(settings, len(tokens.ids), most_words)
        corpus = CountedCorpus.of(tokens, settings.windows, settings.minimum_count, len(units))
        lists = [list(dict.fromkeys(" ".join(text_lines([word])) for word in words)) for words in self.lists]
        words = ClaimWords.of(self.kind, lists, corpus)
        pretrained = {}
        for start in starts:
            with temporary_folder() as folder:
                embedding = start.with_words(corpus.words, folder)
                pretrained[start.name] = looked_up(embedding, look_up, corpus.words)
        group_of = None if by is None else _group_of(units, by, self.between)
        return Study(words, corpus, tokens, settings, self.unit, group_of, pretrained)


def _check_starts(starts: Sequence[NamedVectors]) -> None:
    """Refuse starts of one name."""
    names = [LOCAL, *(start.name for start in starts)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        message = (
            f"Two starts would be named “{twice}”: a start has the name of its file, and “{LOCAL}” are the vectors of "
            "the corpus itself. Rename a file of --pretrained."
        )
        raise InputError("start-twice", message, field="pretrained")


def _check_plan(settings: Settings, words: int, most: int) -> None:
    """Refuse a plan whose models have more words in all."""
    models = (1 + settings.samples) * len(settings.windows)
    if models * words > most:
        message = (
            f"The plan has {models} models of {words:,} words, {models * words:,} words in all; the limit here is "
            f"{most:,}. Lower --samples, name fewer --windows or send a part of the corpus. The command takes plans of "
            "any size."
        )
        raise InputError("too-large-plan", message, field="samples")


def _units(documents: Sequence[Document], unit: Unit, by: str | None, left_out: LeftOut) -> list[Document]:
    """One document for each value of a field or, without one, for equal documents of a group."""
    if unit.field:
        return merged(documents, unit.field, [by] if by else [], left_out)
    equal: dict[tuple[str, str], list[Document]] = {}
    for document in documents:
        equal.setdefault((document.text, dict(document.metadata).get(by or "", "")), []).append(document)
    return [copies[0]._replace(text="\n".join(each.text for each in copies)) for copies in equal.values()]


def _group_of(units: Sequence[Document], by: str, between: str | None) -> Ints:
    """0 and 1 for the two groups of a field or, of several, the named ones; else -1."""
    groups = split_documents(units, by)
    names = named_groups(between, groups, by) if between else sorted(groups)
    if len(set(names)) != 2:
        message = f"“{by}” has {len(groups):,} values; name two with --between, or divide numbers with --at."
        raise InputError("not-two-groups", message, field="between")
    place = {name: i for i, name in enumerate(names)}
    return np.array([place.get(dict(document.metadata)[by], -1) for document in units], dtype=np.int64)
