"""The operator's pages: Django's admin, in which the state machine makes all changes of a submission's state."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import path

from benchmark.accounts.models import ApiToken, Mail
from benchmark.operations import monitoring, retention, space
from benchmark.operations.models import Job, WorkerBeat
from benchmark.submissions import steering
from benchmark.submissions.models import RunFile, StoredReport, Submission, SubmissionCell
from benchmark.submissions.states import Actor, IllegalMove

Entries = QuerySet[Submission]


class OperatorSite(admin.AdminSite):
    site_header = site_title = "Vecboard, operator"
    index_title = "Site status"
    index_template = "admin/operator_index.html"

    def index(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> TemplateResponse:
        """Add queue, workers and space to the index page."""
        states = Submission.objects.values_list("state").annotate(count=Count("pk")).order_by("state")
        status = {
            "states": list(states),
            "workers": WorkerBeat.objects.order_by("name"),
            "readiness": monitoring.readiness(),
            "usage": list(retention.usage()),
            "free_bytes": space.free_bytes(),
        }
        return super().index(request, (extra_context or {}) | status)


site = OperatorSite(name="admin")
site.login = secure_admin_login(site.login)  # type: ignore[method-assign]


class LookOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """Read-only tables, which only the site itself writes."""

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class ReasonForm(ActionForm):
    reason = forms.CharField(required=False, max_length=200, label="Reason, when hiding")


class RunsInline(admin.TabularInline):  # type: ignore[type-arg]
    model = SubmissionCell
    template = "admin/runs_table.html"
    fields = readonly_fields = ("task",)  # Django requires one; the template shows the rows
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Submission, site=site)
class SubmissionAdmin(LookOnly):
    list_display = (
        "id", "name", "state", "owner", "visibility_in_words", "hidden", "suite", "suite_version", "created_at"
    )  # fmt: skip
    list_filter = ("state", "visibility", "suite", "suite_version", "background", "is_baseline")
    search_fields = ("id", "name", "owner__username", "owner__email", "vectors_sha256", "file_sha256")
    list_select_related = ("owner",)
    ordering = ("-created_at",)
    exclude = ("owner_token_hash",)
    inlines = (RunsInline,)
    action_form = ReasonForm
    actions = ("requeue", "measure_again", "cancel", "hide", "show_again", "erase")

    @admin.display(ordering="hidden_at")
    def hidden(self, entry: Submission) -> datetime | None:
        """The time of hiding; an icon for "not hidden" would look like an error."""
        return entry.hidden_at

    def _each(self, request: HttpRequest, entries: Entries, what: str, do: Callable[[Submission], object]) -> None:
        """Apply an action to every chosen entry that allows it, and report their number."""
        done = 0
        for entry in entries:
            try:
                do(entry)
                done += 1
            except (IllegalMove, retention.NotErasable) as error:
                messages.warning(request, f"{entry}: {error}")
        messages.info(request, f"{done} {what}.")

    @admin.action(description="Requeue failed submissions")
    def requeue(self, request: HttpRequest, entries: Entries) -> None:
        self._each(request, entries, "requeued", lambda entry: steering.retry(entry, Actor.OPERATOR))

    @admin.action(description="Re-evaluate, after all new work")
    def measure_again(self, request: HttpRequest, entries: Entries) -> None:
        again = "queued after all new work"
        self._each(request, entries, again, lambda entry: steering.measure_again(entry, Actor.OPERATOR))

    @admin.action(description="Cancel")
    def cancel(self, request: HttpRequest, entries: Entries) -> None:
        self._each(request, entries, "cancelled", lambda entry: steering.cancel(entry, Actor.OPERATOR))

    @admin.action(description="Hide from the site")
    def hide(self, request: HttpRequest, entries: Entries) -> None:
        reason = request.POST.get("reason", "")
        self._each(request, entries, "hidden; their owners still see them", lambda entry: steering.hide(entry, reason))

    @admin.action(description="Show again, including withdrawn entries")
    def show_again(self, request: HttpRequest, entries: Entries) -> None:
        self._each(request, entries, "shown again", steering.show_again)

    @admin.action(description="Delete permanently, with files and reports")
    def erase(self, request: HttpRequest, entries: Entries) -> None:
        self._each(request, entries, "permanently deleted", lambda entry: retention.erase(entry, Actor.OPERATOR))


@admin.register(Job, site=site)
class JobAdmin(LookOnly):
    list_display = ("kind", "subject", "submission", "level", "tries", "what", "reason", "asked_at", "heartbeat_at")
    list_filter = ("kind", "level")
    search_fields = ("subject", "submission__id")
    list_select_related = ("submission",)
    ordering = ("level", "sent_at")
    exclude = ("payer",)


@admin.register(StoredReport, site=site)
class ReportAdmin(LookOnly):
    list_display = ("submission", "version", "created_at", "etag")
    search_fields = ("submission__id", "submission__name")
    list_select_related = ("submission",)


@admin.register(RunFile, site=site)
class RunFileAdmin(LookOnly):
    list_display = ("submission", "position", "original_name", "bytes", "vectors_sha256")
    list_select_related = ("submission",)


@admin.register(WorkerBeat, site=site)
class WorkerAdmin(LookOnly):
    list_display = ("name", "device", "seen_at")
    ordering = ("-seen_at",)


@admin.register(User, site=site)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]
    """Accounts. Clearing "active" locks a person out: tokens and sessions stop working at once."""

    list_display = ("username", "email", "is_active", "is_staff", "entries", "date_joined", "last_login")
    readonly_fields = ("last_login", "date_joined")
    filter_horizontal = ()  # plain lists: screen readers can't read the paired boxes

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        people: QuerySet[User] = super().get_queryset(request)
        return people.annotate(entry_count=Count("submissions"))

    @admin.display(ordering="entry_count")
    def entries(self, person: Any) -> int:
        return int(person.entry_count)


@admin.register(EmailAddress, site=site)
class AddressAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("email", "user", "verified", "primary")
    search_fields = ("email", "user__username")


@admin.register(Mail, site=site)
class MailAdmin(LookOnly):
    list_display = ("recipient", "subject", "created_at", "given_up_at", "reason")
    ordering = ("-created_at",)
    exclude = ("content",)


@admin.register(ApiToken, site=site)
class TokenAdmin(LookOnly):
    list_display = ("name", "user", "scope", "hint", "created_at", "last_used_at")
    exclude = ("secret_hash",)

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return bool(request.user.is_superuser)


urlpatterns = [path("", site.urls)]
