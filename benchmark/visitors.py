"""Who asks for a page: an account, nobody known, or (in workers and commands) no person at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

Visitor: TypeAlias = "User | AnonymousUser | None"
