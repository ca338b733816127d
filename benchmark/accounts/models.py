"""Accounts: mail preferences, API tokens, and unsent mail."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from benchmark.fields import token_hash

USE_NOTED_EVERY = timedelta(minutes=1)


class Account(models.Model):
    """A user's mail preference; the row is created when it is first needed."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="account")
    mail_when_finished = models.BooleanField("E-mail me when a submission is done or has failed", default=True)

    def __str__(self) -> str:
        return f"account of {self.user_id}"


class ApiTokenManager(models.Manager["ApiToken"]):
    def issue(self, user: Any, name: str, scope: str) -> tuple[ApiToken, str]:
        """Create a token; returns it and its secret, of which only the hash is stored."""
        secret = f"{ApiToken.PREFIX}{secrets.token_urlsafe(30)}"
        hint = secret[: len(ApiToken.PREFIX) + 4]
        return self.create(user=user, name=name, scope=scope, secret_hash=token_hash(secret), hint=hint), secret

    def present(self, secret: str) -> ApiToken | None:
        """The token of this secret, with its use recorded; None if there is none or its user is locked out."""
        if not secret.startswith(ApiToken.PREFIX):
            return None
        token = self.select_related("user").filter(secret_hash=token_hash(secret), user__is_active=True).first()
        if token is not None:
            now = timezone.now()
            stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_NOTED_EVERY)
            self.filter(stale, pk=token.pk).update(last_used_at=now)
        return token


class ApiToken(models.Model):
    """A program's credential for the API, on behalf of its user. Revoking it deletes the row."""

    PREFIX = "vec_"

    class Scope(models.TextChoices):
        READ = "read", "Read: see what I may see"
        WRITE = "write", "Write: also submit and change"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    scope = models.CharField(max_length=5, choices=Scope, default=Scope.READ)
    secret_hash = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=12)
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)

    objects = ApiTokenManager()

    class Meta:
        ordering = ("-created_at",)
        verbose_name = "API token"

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"


class Mail(models.Model):
    """A message to one address for a worker to send. The row is deleted when the mail server has accepted it.

    A message that was given up stays for a month, with the reason and without its content, which may hold a link that
    sets a password. Backups leave mail out.
    """

    NOBODY = "nobody@unknown.invalid"
    """Recipient of messages that are queued, but not sent."""

    recipient = models.CharField(max_length=320)
    sender = models.CharField(max_length=320)
    subject = models.CharField(max_length=200)
    content = models.BinaryField()
    created_at = models.DateTimeField(default=timezone.now)
    given_up_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)

    class Meta:
        verbose_name = "unsent mail"
        verbose_name_plural = "unsent mail"

    def __str__(self) -> str:
        return f"mail {self.pk}"
