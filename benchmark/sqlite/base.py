"""SQLite backend that refuses the values that PostgreSQL refuses, so that a site behaves the same on both.

By default SQLite accepts an integer of any size in any column, and NUL in any text. Form validators and the ORM's
comparisons ask the backend for its bounds; here they get PostgreSQL's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import DataError
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.backends.sqlite3 import base, operations

from benchmark.inputs import is_storable


class Operations(operations.DatabaseOperations):
    def integer_field_range(self, internal_type: str) -> tuple[int, int]:
        bounds: tuple[int, int] = BaseDatabaseOperations.integer_field_range(self, internal_type)
        return bounds

    def adapt_integerfield_value(self, value: object, internal_type: str) -> object:
        # A number in an expression, such as F("bytes") + 3_000_000_000, has the type IntegerField and no column.
        if isinstance(value, int) and internal_type != "IntegerField":
            least, most = self.integer_field_range(internal_type)
            if not least <= value <= most:
                raise DataError(f"{value} does not fit into a column of the type {internal_type}.")
        return value

    def adapt_json_value(self, value: object, encoder: Any) -> str:
        _check_json(value)
        return str(super().adapt_json_value(value, encoder))


def _check_json(value: object) -> None:
    if isinstance(value, str):
        _check(value)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            _check_json(key)
            _check_json(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            _check_json(part)


def _check(value: object) -> None:
    if isinstance(value, str) and not is_storable(value):
        raise DataError("A text contains a NUL or half of a surrogate pair, which PostgreSQL cannot store.")


class Cursor(base.SQLiteCursorWrapper):
    def execute(self, query: str, params: Any = None) -> Any:
        for value in params.values() if isinstance(params, Mapping) else params or ():
            _check(value)
        return super().execute(query, params)

    def executemany(self, query: str, param_list: Iterable[Any]) -> Any:
        rows = list(param_list)
        for row in rows:
            for value in row:
                _check(value)
        return super().executemany(query, rows)


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = Operations

    def create_cursor(self, name: str | None = None) -> object:
        return self.connection.cursor(factory=Cursor)
