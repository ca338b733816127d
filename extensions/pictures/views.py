"""Images of boards, a frame for other sites, and badges with their section of the report."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import path
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from benchmark.inputs import takes
from benchmark.leaderboard import markup
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.query import NAMES
from benchmark.leaderboard.views import board_for_programs, context_of, requested, table_of
from benchmark.reports.page import Section
from benchmark.responses import revalidated_page
from benchmark.submissions.access import find
from extensions.pictures.apps import MOST_ROWS
from extensions.pictures.badges import badge_of
from extensions.pictures.image import picture_of, rendered

FRAMED_ANYWHERE = (
    "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; frame-ancestors *"
)
"""Policy of the embeddable table, the only page that other sites may frame: no scripts, no forms."""


@takes(*NAMES)
@require_safe
def image(request: HttpRequest, extension: str) -> HttpResponse:
    """The first rows of a board as an image, with the view's columns, order and filters."""
    board = board_for_programs(request, size=MOST_ROWS)
    picture = picture_of(board)
    if extension == "svg":
        response = HttpResponse(picture.file(title_above=True), content_type="image/svg+xml")
    else:
        svg = picture.file(title_above=True, fixed=True)
        kind = "application/pdf" if extension == "pdf" else "image/png"
        response = HttpResponse(rendered(svg, extension), content_type=kind)
    response["Content-Disposition"] = f'inline; filename="vecboard-{board.suite.id}-{board.version}.{extension}"'
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return revalidated_page(request, response)


@takes(*NAMES)
@xframe_options_exempt
@require_safe
def embed(request: HttpRequest) -> HttpResponse:
    """The first rows of a board as a page for frames of other sites, without cookies, forms or scripts."""
    board = board_of(*requested(request), size=MOST_ROWS)
    context = context_of(board) | table_of(board) | {"body": markup.body(board, choosable=False)}
    response = render(request, "pictures/embed.html", context)
    response["Content-Security-Policy"] = FRAMED_ANYWHERE
    return revalidated_page(request, response)


@require_safe
def badge(request: HttpRequest, submission_id: str) -> HttpResponse:
    """An entry's badge with its score and rank; 404 if the entry is not public."""
    badge = badge_of(find(submission_id).submission)
    picture = render_to_string("pictures/badge.svg", {"badge": badge})
    response = HttpResponse(picture, content_type="image/svg+xml")
    response["Content-Security-Policy"] = "default-src 'none'"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return revalidated_page(request, response)


SECTIONS = (Section("badge", "Badge for your own page", lambda _: {}, "pictures/badge.html", place="share"),)

app_name = "pictures"
urlpatterns = [
    *(
        path(f"board.{extension}", image, {"extension": extension}, name=extension)
        for extension in ("svg", "pdf", "png")
    ),
    path("embed", embed, name="embed"),
    path("badge/<slug:submission_id>.svg", badge, name="badge"),
]
