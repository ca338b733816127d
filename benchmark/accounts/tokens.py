"""Authentication of the API by tokens; the API ignores cookies."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, JsonResponse

from benchmark.accounts.models import ApiToken
from benchmark.submissions.access import bearer_token

API = "/api/"
SAFE = ("GET", "HEAD", "OPTIONS")


class TokenUser:
    """Middleware that sets the token's user below ``/api/``. No other site can make a browser send the header."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

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
        return self.get_response(request)


def _refused(status: int, code: str, message: str) -> JsonResponse:
    response = JsonResponse({"error": {"code": code, "message": message}}, status=status)
    response["Cache-Control"] = "no-store"
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response
