"""Parts of models: a JSON field that keeps the order of keys, ids, owners and their secrets, and locks by name."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.conf import settings
from django.db import connection, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Q
from django.http import HttpRequest, HttpResponse

from benchmark.responses import keep_secret

if TYPE_CHECKING:
    from benchmark.operations.counting import Visitor

    Written = TypeVar("Written")
    JsonOf = models.JSONField[Written, Written]
    _JSONField = models.JSONField[Any, Any]
else:
    _JSONField = models.JSONField


class OrderedJSONField(_JSONField):
    """JSON that keeps the order of its keys on every database.

    Django stores JSON as PostgreSQL's ``jsonb``, which sorts keys by length; reports would show categories, partitions
    and cues in a different order. This field stores text. To query a part of it, cast the column:
    ``KeyTransform("seconds", Cast("result", JSONField()))``.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "text" if connection.vendor == "postgresql" else super().db_type(connection)

    def get_db_prep_value(self, value: object, connection: BaseDatabaseWrapper, prepared: bool = False) -> str:
        """ASCII text with escapes, so that both databases can store any word of a vector file."""
        return json.dumps(value, cls=self.encoder)


def new_id() -> str:
    """60 random bits as 12 letters and digits: short enough to read out, too many to guess."""
    return base64.b32encode(secrets.token_bytes(8)).decode("ascii")[:12].lower()


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8")).hexdigest()


class Owned(models.Model):
    """A row that belongs to an account or to the holder of its secret; only the hash of the secret is stored."""

    COOKIE: ClassVar[str]
    """Begin of the names of the cookies with the secrets."""

    owner_token_hash = models.CharField(max_length=64, blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        abstract = True

    def give_to(self, user: Visitor) -> str:
        """Make this account the owner, if it is one, and return a new secret."""
        token = secrets.token_urlsafe(24)
        self.owner_token_hash = token_hash(token)
        if user is not None and user.is_authenticated:
            self.owner = user
        return token

    def is_owned_with(self, token: str) -> bool:
        """Compare in constant time, so that the delay reveals nothing about the secret."""
        return bool(token) and secrets.compare_digest(token_hash(token), self.owner_token_hash)

    def is_owned_by(self, user: Visitor, token: str) -> bool:
        """Look up the account only if it matters, so that other pages can be cached."""
        if self.is_owned_with(token):
            return True
        if self.owner_id is None or user is None:
            return False
        return user.is_authenticated and user.pk == self.owner_id

    @classmethod
    def cookie_name(cls, pk: str) -> str:
        return f"{cls.COOKIE}-{pk}"

    @classmethod
    def secret_in(cls, request: HttpRequest, pk: str) -> str:
        """The secret in this browser's cookie; pages trust it, behind their CSRF check."""
        return request.COOKIES.get(cls.cookie_name(pk), "")

    @classmethod
    def secrets_in(cls, request: HttpRequest) -> dict[str, str]:
        """All secrets in this browser's cookies, by id."""
        begin = cls.cookie_name("")
        return {name.removeprefix(begin): token for name, token in request.COOKIES.items() if name.startswith(begin)}

    @classmethod
    def of_visitor(cls, request: HttpRequest) -> Q:
        """Rows of this account, or with their secret in this browser."""
        with_secret = Q(owner_token_hash__in=[token_hash(token) for token in cls.secrets_in(request).values() if token])
        return with_secret | Q(owner=request.user) if request.user.is_authenticated else with_secret

    def remember(self, request: HttpRequest, response: HttpResponse, token: str) -> None:
        """Keep the secret in this browser, if it is the right one."""
        if self.is_owned_with(token):
            keep_secret(response, request, self.cookie_name(self.pk), token)


@contextmanager
def one_at_a_time(*names: str) -> Iterator[None]:
    """A transaction that excludes others with the same names until it is committed.

    PostgreSQL has advisory locks; SQLite's immediate transactions exclude each other anyway.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                for name in sorted(names):  # in one order, to avoid deadlocks
                    cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        yield
