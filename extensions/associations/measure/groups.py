"""Groups of documents by their fields, such as the party of a speaker."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Mapping, Sequence

from extensions.shared.measure.documents import MISSING, field_of, having, number_of
from tasks.datasets.examples import Document
from tasks.errors import InputError
from tasks.text import LeftOut, listed

_NESTED = 0.95
_OF_SPREADSHEETS = re.compile(r"[-+−]?(\d+,\d+|\d{1,3}([.,'’ \u00a0\u202f]\d{3})+([.,]\d+)?)", re.ASCII)
"""A number with a decimal comma, or with separators of thousands."""


def split_documents(documents: Iterable[Document], field: str) -> dict[str, list[Document]]:
    """Documents by the value of a field that all have; the largest group (by characters) comes first."""
    groups: dict[str, list[Document]] = {}
    for document in documents:
        groups.setdefault(field_of(document, field), []).append(document)
    return dict(sorted(groups.items(), key=lambda item: -sum(len(document.text) for document in item[1])))


def named_groups(named: str, groups: Mapping[str, object], field: str) -> list[str]:
    """Names of groups in a comma-separated list, where quotation marks enclose a name with commas.

    Raises
    ------
    InputError
        a group does not exist; the message lists the names.
    """
    names = [name.strip() for name in next(csv.reader([named], skipinitialspace=True))]
    for name in names:
        if name not in groups:
            message = f"“{name}” is not a value of {field}; the values are {listed(list(groups))}."
            if any("," in group for group in groups):
                message += ' Put quotation marks around a value with a comma: "Smith, John","Doe, Jane".'
            raise InputError("no-group", message, field="groups")
    return names


def of_years(documents: Sequence[Document], first: int | None, last: int | None, left_out: LeftOut) -> list[Document]:
    """The documents of these years, both included; None: open end.

    With a bound, documents without a year are added to ``left_out``.

    Raises
    ------
    InputError
        a bound is given, and no document has a year.
    """
    if first is None and last is None:
        return list(documents)
    low, high = -math.inf if first is None else first, math.inf if last is None else last
    return [document for document, year in _numbered(documents, "year", left_out) if low <= year <= high]


def split_at(documents: Sequence[Document], field: str, at: float, left_out: LeftOut) -> dict[str, list[Document]]:
    """Documents before a value of a field, and from it on; those without a number there are added to ``left_out``.

    Raises
    ------
    InputError
        no document has a number there, or a period has no document.
    """
    numbered = _numbered(documents, field, left_out)
    periods = {
        f"before {at:.15g}": [document for document, value in numbered if value < at],
        f"from {at:.15g}": [document for document, value in numbered if value >= at],
    }
    for name, members in periods.items():
        if not members:
            raise InputError("no-period", f"The period “{name}” has no document.", field="at")
    return periods


def in_periods(periods: Mapping[str, Sequence[Document]], field: str) -> list[Document]:
    """The documents of all periods, with their period in place of the number in a field."""
    return [
        document._replace(metadata=tuple(dict(document.metadata, **{field: name}).items()))
        for name, members in periods.items()
        for document in members
    ]


def merged(
    documents: Sequence[Document], unit: str, fields: Sequence[str], left_out: LeftOut, *, is_averaged: bool = False
) -> list[Document]:
    """The documents with the same value of ``unit``, such as a speaker's, as one document.

    Parameters
    ----------
    unit : a field; documents without it are added to ``left_out``.
    fields : kept where all documents of a unit have the same value. Units with several values are added to
        ``left_out``.
    is_averaged : of several numbers, the mean is kept instead. Not for groups with numbers as names.

    Raises
    ------
    InputError
        no document has the field, or no unit has one value of each field.
    """
    units = []
    for name, members in split_documents(having(documents, unit, left_out), unit).items():
        values = {field: [field_of(document, field) for document in members] for field in fields}
        several = next((field for field in fields if not _is_single(values[field], is_averaged)), None)
        if several is None:
            metadata = tuple((field, _common(values[field])) for field in fields)
            units.append(Document(name, "", "\n".join(each.text for each in members), ((unit, name), *metadata)))
        else:
            what = f"The {unit} “{name}” has several values of “{several}”: {listed(sorted(set(values[several])))}."
            left_out.add(InputError("mixed-group", what, field="group-by"))
    if not units:
        left_out.refuse()
    return units


def repeating_field(documents: Sequence[Document], field: str) -> str | None:
    """A field whose values repeat within the groups of ``field``, as a speaker's name does within a party; else None.

    Such documents are not independent of each other. The field has at least two documents a value on average, more
    values than there are groups, and at least 95 % of its documents in the group where its value mostly occurs.
    """
    groups = len({field_of(document, field) for document in documents})
    for name in dict.fromkeys(name for document in documents for name, _ in document.metadata if name != field):
        counts: dict[str, dict[str, int]] = {}
        for document in documents:
            if value := field_of(document, name):
                groups_of_value = counts.setdefault(value, {})
                groups_of_value[field_of(document, field)] = groups_of_value.get(field_of(document, field), 0) + 1
        total = sum(sum(of_value.values()) for of_value in counts.values())
        nested = sum(max(of_value.values()) for of_value in counts.values())
        if groups < len(counts) <= total / 2 and nested >= _NESTED * total:
            return name
    return None


def check_numbers(values: Iterable[str], field: str) -> None:
    """Refuse a field of numbers as spreadsheets and R write them in many languages: neither words nor numbers here.

    Raises
    ------
    InputError
        every value is a number, and some have decimal commas or separators of thousands.
    """
    others = [value for value in values if value not in ("", *MISSING) and number_of(value) is None]
    if others and all(_OF_SPREADSHEETS.fullmatch(value) for value in others):
        message = (
            f"“{field}” has the number “{others[0]}”, as spreadsheets and R write it in some languages. Write numbers "
            "with a decimal point and without separators of thousands: 1234.5."
        )
        raise InputError("number-form", message, field="formula")


def _numbered(documents: Sequence[Document], field: str, left_out: LeftOut) -> list[tuple[Document, float]]:
    """Documents with their number in a field; those without one are added to ``left_out``."""
    check_numbers((field_of(document, field) for document in documents), field)
    numbered = []
    for document in documents:
        number = number_of(field_of(document, field))
        if number is None:
            left_out.add(InputError("no-number", f"Document {document.id} has no number as its “{field}”.", field="at"))
        else:
            numbered.append((document, number))
    if documents and not numbered:
        raise InputError("no-number", f"No document has a number as its “{field}”.", field="at")
    return numbered


def _is_single(values: Sequence[str], is_averaged: bool) -> bool:
    """Whether a unit has a single value, or numbers to average."""
    return len(set(values)) == 1 or (is_averaged and all(number_of(value) is not None for value in values))


def _common(values: Sequence[str]) -> str:
    """The value, or the mean of different numbers."""
    if len(set(values)) == 1:
        return values[0]
    return str(math.fsum(number_of(value) or 0.0 for value in values) / len(values))
