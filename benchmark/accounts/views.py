"""Account pages: settings, API tokens, deletion, and signing in with GitHub; authentication of the API by tokens."""

from __future__ import annotations

import re

from allauth.account.decorators import reauthentication_required
from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.providers.github.views import oauth2_callback, oauth2_login
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmark.accounts.forms import MailForm, TokenForm
from benchmark.accounts.models import Account, ApiToken
from benchmark.features import belongings
from benchmark.operations import retention
from benchmark.responses import POLICY, Middleware, error_answer
from benchmark.submissions.access import bearer_token
from benchmark.submissions.models import Submission

API = "/api/"
SAFE = ("GET", "HEAD", "OPTIONS")
BEGINS = re.compile(r"/api/v1/[a-z-]+/?")
"""Paths whose POST begins something new, on which no secret but an account's can have rights."""
ME = "/api/v1/me"
NO_ACCOUNTS_TOKEN = (
    "The header Authorization has no account's token; send “Bearer” and one of yours, which begins with "
    f"“{ApiToken.PREFIX}”. "
)
LEAVE_OUT = "Leave the header out where a site accepts files without accounts."
OF_ONE_SUBMISSION = "A submission's secret belongs to that submission only, not to an account."


class TokenUser(Middleware):
    """Middleware that sets the token's user below ``/api/``, where cookies are ignored.

    No other site can make a browser send the header.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(API):
            return self.get_response(request)
        request.user = AnonymousUser()
        secret = bearer_token(request)
        if secret.startswith(ApiToken.PREFIX):
            token = ApiToken.objects.present(secret)
            if token is None:
                return _refused(401, "unknown-token", "Unknown token; it may have been revoked.")
            if request.method not in SAFE and token.scope != ApiToken.Scope.WRITE:
                return _refused(403, "read-only", "This token is read-only; create one that can also write.")
            request.user = token.user
            request.api_token = token  # type: ignore[attr-defined]
        elif request.headers.get("Authorization", "").partition(" ")[0].lower() not in ("", "basic"):
            # Proxies in front of a site use ``basic``; any other scheme should have been that of a token.
            if request.path == ME:
                return _refused(401, "unknown-token", NO_ACCOUNTS_TOKEN + OF_ONE_SUBMISSION)
            if request.method == "POST" and BEGINS.fullmatch(request.path):
                return _refused(401, "unknown-token", NO_ACCOUNTS_TOKEN + LEAVE_OUT)
        return self.get_response(request)


def _refused(status: int, code: str, message: str) -> JsonResponse:
    response = error_answer(status, code, message)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


MOST_TOKENS = 20


class SignedIn(HttpRequest):
    """A request that has passed ``login_required``."""

    user: User


@never_cache
@login_required
@require_safe
def home(request: SignedIn) -> HttpResponse:
    account, _ = Account.objects.get_or_create(user=request.user)
    context = {
        "mail_form": MailForm(instance=account),
        "address": EmailAddress.objects.get_primary(request.user),
        "has_second_factor": is_mfa_enabled(request.user),
        "submissions": Submission.objects.filter(owner=request.user).count(),
        "tokens": request.user.api_tokens.count(),
        "github": bool(settings.GITHUB_CLIENT_ID),
    }
    return render(request, "accounts/home.html", context)


@never_cache
@login_required
@require_POST
def mail(request: SignedIn) -> HttpResponse:
    account, _ = Account.objects.get_or_create(user=request.user)
    form = MailForm(request.POST, instance=account)
    if form.is_valid():
        form.save()
        messages.success(
            request,
            "You will get an e-mail." if account.mail_when_finished else "You will get no e-mail about submissions.",
        )
    return redirect("accounts:home")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required
def tokens(request: SignedIn) -> HttpResponse:
    """List tokens and create new ones; a secret appears only in the response to the POST."""
    form = TokenForm(request.POST if request.method == "POST" else None, initial={"scope": ApiToken.Scope.READ})
    if request.method != "POST" or not form.is_valid():
        return _tokens_page(request, {"form": form}, 400 if form.is_bound else 200)
    if ApiToken.objects.filter(user=request.user).count() >= MOST_TOKENS:
        form.add_error(None, f"You have {MOST_TOKENS} tokens, the maximum; revoke one first.")
        return _tokens_page(request, {"form": form}, 400)
    token, secret = ApiToken.objects.issue(request.user, form.cleaned_data["name"], form.cleaned_data["scope"])
    fresh = TokenForm(initial={"scope": ApiToken.Scope.READ})
    return _tokens_page(request, {"form": fresh, "issued": token, "secret": secret})


def _tokens_page(request: SignedIn, context: dict[str, object], status: int = 200) -> HttpResponse:
    tokens = ApiToken.objects.filter(user=request.user)
    return render(request, "accounts/tokens.html", {"tokens": tokens} | context, status=status)


@never_cache
@login_required
@require_POST
def revoke(request: SignedIn, token_id: int) -> HttpResponse:
    token = get_object_or_404(ApiToken, pk=token_id, user=request.user)
    token.delete()
    messages.success(request, f"The token {token.name} is revoked; programs that use it can no longer access the API.")
    return redirect("accounts:tokens")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required
def delete(request: SignedIn) -> HttpResponse:
    """Delete the account. Its entries and other objects are deleted too, or stay without an owner."""
    user = request.user
    entries = Submission.objects.owned_by(user)
    others = [(kind, kind.rows.filter(owner=user)) for kind in belongings()]
    if request.method != "POST":
        counts = [(kind, rows.count()) for kind, rows in others]
        return render(request, "accounts/delete.html", {"entries": entries.count(), "belongings": counts})
    if request.POST.get("entries") == "delete":
        for entry in entries:
            retention.erase(entry)
    for kind, rows in others:
        if request.POST.get(kind.name) == "delete":
            for id in list(rows.values_list("pk", flat=True)):
                kind.erase(id)
    logout(request)
    user.delete()
    messages.success(request, "Your account is deleted.")
    return redirect("leaderboard:board")


def github(request: HttpRequest) -> HttpResponseBase:
    """Sign in with GitHub; only this page's policy allows a form to lead to github.com."""
    _check_github_is_offered()
    response: HttpResponseBase = oauth2_login(request)
    response["Content-Security-Policy"] = POLICY.replace("form-action 'self'", "form-action 'self' https://github.com")
    return response


def back_from_github(request: HttpRequest) -> HttpResponseBase:
    _check_github_is_offered()
    response: HttpResponseBase = oauth2_callback(request)
    return response


def _check_github_is_offered() -> None:
    if not settings.SOCIALACCOUNT_PROVIDERS["github"]["APPS"]:
        raise Http404("This site does not offer sign-in with GitHub.")


app_name = "accounts"
urlpatterns = [
    path("", home, name="home"),
    path("mail", mail, name="mail"),
    path("delete", delete, name="delete"),
    path("tokens", tokens, name="tokens"),
    path("github/login/", github),
    path("github/login/callback/", back_from_github),
    path("tokens/<int:token_id>/revoke", revoke, name="revoke"),
]
