"""Rows from an older SQLite site may hold values that PostgreSQL cannot store; a restore repairs them.

Both databases are mended alike, so that a site is the same wherever it is restored.
"""

from __future__ import annotations

from typing import Any

from django.db import connection, models

from benchmark.fields import OrderedJSONField
from benchmark.inputs import storable


def mend(row: models.Model) -> list[str]:
    """Make every value of a row one that both databases hold; the names of the columns that were changed.

    A character that cannot be stored becomes U+FFFD, a text that is too long is cut, a number beyond its column becomes
    unknown where the column allows that, else the nearest one that fits. Keys are left alone.
    """
    mended = []
    for field in row._meta.concrete_fields:
        if field.primary_key or field.is_relation:
            continue
        value = getattr(row, field.attname)
        better = _mended(field, value)
        if better != value:
            setattr(row, field.attname, better)
            mended.append(field.attname)
    return mended


def _mended(field: models.Field[Any, Any], value: Any) -> Any:
    if isinstance(field, OrderedJSONField):  # written with every character escaped: any text fits
        return value
    if isinstance(field, models.JSONField):
        return _mended_json(value)
    if isinstance(field, models.IntegerField) and isinstance(value, int):
        least, most = connection.ops.integer_field_range(field.get_internal_type())
        if least <= value <= most:
            return value
        return None if field.null else min(max(value, least), most)
    if isinstance(value, str):
        text = storable(value)
        return text[: field.max_length] if isinstance(field, models.CharField) else text
    return value


def _mended_json(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): _mended_json(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_mended_json(part) for part in value]
    return value
