"""Fields of rows that Django does not have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    Written = TypeVar("Written")
    JsonOf = models.JSONField[Written, Written]
    _JSONField = models.JSONField[Any, Any]
else:
    _JSONField = models.JSONField


class OrderedJSONField(_JSONField):
    """JSON whose keys come back in the order they were given in, on every database.

    PostgreSQL's ``jsonb``, which Django's field is stored as, sorts keys by their length: a report put together from it
    would have its categories, partitions and cues in another order than the measurement gave them. So the text is kept.
    To ask for a part of it, cast the column: ``KeyTransform("seconds", Cast("result", JSONField()))``.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "text" if connection.vendor == "postgresql" else super().db_type(connection)

    def get_db_prep_value(self, value: object, connection: BaseDatabaseWrapper, prepared: bool = False) -> str:
        """As text, every character beyond ASCII escaped: so both databases hold any word of a vector file."""
        return json.dumps(value, cls=self.encoder)
