"""Formulas such as ``party + year``: how the use of a word depends on several properties of documents at once.

Source: Rodriguez, Spirling & Stewart (2023), "Embedding Regression", American Political Science Review 117(4), with the
estimates of :mod:`extensions.associations.measure.regression`; docs/protocol.md §6.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from extensions.associations.measure.contexts import Contexts, Floats, Ints
from extensions.associations.measure.groups import check_numbers
from extensions.associations.measure.regression import DOCUMENTS, Regression, SquaredNorm, Unit
from extensions.shared.measure.documents import number_of
from tasks.datasets.examples import Document
from tasks.errors import InputError
from tasks.neighbours import Neighbour
from tasks.text import listed, shown

_DEPENDENT = 1e-8
"""Length of a column of length 1 without its projection on the others, below which they are collinear."""


@dataclass(frozen=True)
class Covariate:
    """A field of all documents of a corpus.

    Parameters
    ----------
    values : of every document.
    levels : the distinct values in alphabetical order; empty for numbers.
    """

    field: str
    values: tuple[str, ...]
    levels: tuple[str, ...]

    @classmethod
    def of(cls, field: str, documents: Sequence[Document], unit: Unit = DOCUMENTS) -> Covariate:
        """The field as numbers if every value is a number, as groups if none is.

        Raises
        ------
        InputError
            only some values are numbers, or they are written as spreadsheets do in some languages.
        """
        values = tuple(dict(document.metadata)[field] for document in documents)
        check_numbers(values, field)
        numbers = [number_of(value) is not None for value in values]
        if any(numbers) and not all(numbers):
            odd = numbers.index(False)
            raise InputError(
                "not-a-number",
                f"“{field}” is a number in {sum(numbers):,} of {len(values):,} {unit.many}, but "
                f"“{shown(values[odd])}” in {unit.named(documents[odd].id)}. Use numbers in all documents, or words in "
                "all. A document without the field is left out.",
                field="formula",
            )
        return cls(field, values, () if numbers and all(numbers) else tuple(sorted(set(values))))


@dataclass(frozen=True)
class DesignColumn:
    """A column of a design matrix.

    Parameters
    ----------
    level : group that it tells from the reference, the first level of its field among the documents; None for a number.
    values : 0 and 1, or the numbers, shape (n,).
    """

    field: str
    level: str | None
    reference: str | None
    values: Floats

    @property
    def name(self) -> str:
        return self.field if self.level is None else f"{self.field}: {self.level}"


@dataclass(frozen=True)
class Coefficient:
    """The change of a word's use with one covariate, all others being equal.

    Parameters
    ----------
    units : number of documents of the level or, merged, of the values of a field; of all for a number.
    length : squared, of the difference from the reference, or of the change per unit of a number.
    towards, away : nearest words to the coefficient's direction and to the opposite one.
    """

    name: str
    field: str
    level: str | None
    reference: str | None
    units: int
    length: SquaredNorm
    towards: tuple[Neighbour, ...]
    away: tuple[Neighbour, ...]


@dataclass(frozen=True)
class Explanation:
    """The coefficients of a formula for one target; ``units`` as of a coefficient."""

    target: str
    units: int
    occurrences: int
    coefficients: tuple[Coefficient, ...]


def fields_of(formula: str) -> list[str]:
    """The fields of a formula.

    Raises
    ------
    InputError
        a field is missing, or occurs twice.
    """
    fields = [field.strip() for field in formula.split("+")]
    if not all(fields) or len(set(fields)) < len(fields):
        message = f"“{formula}” is not a formula: write different fields joined by +, as in party + year."
        raise InputError("no-formula", message, field="formula")
    return fields


def columns_of(
    covariates: Sequence[Covariate], documents: Ints, unit: Unit = DOCUMENTS, target: str | None = None
) -> list[DesignColumn]:
    """The columns of a regression, without the constant.

    Parameters
    ----------
    documents : indices of the documents, all of which have the target.

    Raises
    ------
    InputError
        in these documents, a field is constant or columns are collinear, or there are too few of them.
    """
    those = f"{unit.many} with “{target}”" if target else unit.many
    columns = [column for covariate in covariates for column in _columns(covariate, documents, those)]
    if len(documents) <= len(columns) + 1:
        raise InputError(
            "few-units",
            f"The formula has {len(columns) + 1} coefficients with the constant, and there are only "
            f"{len(documents)} {those}. A regression needs more {unit.many} than coefficients.",
            field="formula",
        )
    _refuse_dependent(columns, those)
    return columns


def explain(contexts: Contexts, target: str, covariates: Sequence[Covariate]) -> Explanation:
    """Regress the uses of a word in documents on the covariates of these documents.

    Parameters
    ----------
    covariates : of the documents of the corpus, in its order.

    Raises
    ------
    InputError
        the word does not occur, or as in :func:`columns_of`.
    """
    uses = contexts.by_document(target)
    columns = columns_of(covariates, uses.documents, contexts.unit, target)
    scales = [1.0 if column.level is not None else float(column.values.std()) for column in columns]
    standardised = [
        column.values if column.level is not None else (column.values - column.values.mean()) / scale
        for column, scale in zip(columns, scales, strict=True)
    ]
    design = np.column_stack([np.ones(len(uses.documents)), *standardised])
    regression = Regression(design, uses.vectors, contexts.unit)
    coefficients = []
    for i, (column, scale) in enumerate(zip(columns, scales, strict=True), start=1):
        direction = regression.coefficients[i]
        coefficients.append(
            Coefficient(
                column.name,
                column.field,
                column.level,
                column.reference,
                len(uses.documents) if column.level is None else int(column.values.sum()),
                regression.squared_norm(i).scaled(1 / scale**2),
                tuple(contexts.neighbours(direction, target)),
                tuple(contexts.neighbours(-direction, target)),
            )
        )
    return Explanation(target, len(uses.documents), int(uses.occurrences.sum()), tuple(coefficients))


def _columns(covariate: Covariate, documents: Ints, those: str) -> list[DesignColumn]:
    """The columns of a field; levels that none of the documents has are left out."""
    field, values = covariate.field, [covariate.values[i] for i in documents]
    numbers = None if covariate.levels else np.array([number_of(value) for value in values], dtype=np.float64)
    if len(set(values if numbers is None else numbers.tolist())) < 2:
        where = f"all {len(values):,} {those}" if len(values) > 1 else f"the only one of the {those}"
        message = f"“{field}” is “{shown(values[0])}” in {where}, so nothing can depend on it."
        raise InputError("constant-field", message, field="formula")
    if numbers is not None:
        return [DesignColumn(field, None, None, numbers)]
    reference, *others = (level for level in covariate.levels if level in values)
    return [
        DesignColumn(field, level, reference, np.array([float(value == level) for value in values])) for level in others
    ]


def _refuse_dependent(columns: Sequence[DesignColumn], those: str) -> None:
    centred = np.stack([column.values - column.values.mean() for column in columns], axis=1)
    centred /= np.linalg.norm(centred, axis=0)
    for i in range(1, len(columns)):
        before = centred[:, :i]
        parts = np.linalg.lstsq(before, centred[:, i], rcond=None)[0]
        if np.linalg.norm(centred[:, i] - before @ parts) < _DEPENDENT:
            others = [column.name for column, part in zip(columns, parts, strict=False) if abs(part) > _DEPENDENT]
            raise InputError(
                "collinear",
                f"“{shown(columns[i].name)}” follows from {listed(others)} in the {those}, so their coefficients can't "
                "be told apart. Leave one of these fields out.",
                field="formula",
            )
