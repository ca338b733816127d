"""Every error below ``/api/`` is reported as JSON, even where no view of the API was reached."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

ROOT = "/api/"
SENTENCES = {
    400: ("bad-request", "The request cannot be read; check its URL, headers and body."),
    404: ("not-found", "There is nothing at this URL; /api lists all endpoints."),
    405: ("bad-method", "This URL does not allow {method}; it allows {allowed}."),
    413: ("too-large", "The body is too long."),
    500: ("broken", "Something went wrong on our side. The error has been logged; try again later."),
}
KEPT = ("Allow", "Retry-After", "WWW-Authenticate", "Cache-Control")


class JsonErrors:
    """Middleware: an error page of the API becomes the API's error object."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_answer = response.status_code < 400 or response.get("Content-Type", "").startswith("application/json")
        return response if is_answer or not request.path.startswith(ROOT) else as_json(request, response)


def as_json(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    status = response.status_code
    code, sentence = SENTENCES.get(status) or SENTENCES[500 if status >= 500 else 400]
    message = sentence.format(method=request.method, allowed=response.get("Allow", "others"))
    answer = JsonResponse({"error": {"code": code, "message": message}}, status=status)
    for name in KEPT:
        if name in response:
            answer[name] = response[name]
    return answer
