"""Every address of the site."""

from __future__ import annotations

from django.urls import include, path

from benchmark import operator_site, pages
from benchmark.accounts.views import back_from_github, github
from benchmark.api.api import api
from benchmark.api.page import about

urlpatterns = [
    path("", include("benchmark.leaderboard.urls")),
    path("", include("benchmark.compare.urls")),
    path("", include("benchmark.settings_grid.urls")),
    path("", include("benchmark.submissions.urls")),
    path("", include("benchmark.reports.urls")),
    path("", include("benchmark.explore.urls")),
    path("", include("benchmark.protocol.urls")),
    path("", include("benchmark.people.urls")),
    path("operator/", operator_site.site.urls),
    path("account/", include("benchmark.accounts.urls")),
    path("account/github/login/", github),
    path("account/github/login/callback/", back_from_github),
    path("account/", include("allauth.urls")),
    path("api", about, name="about-api"),
    path("api/v1/", api.urls),
    path("", include("benchmark.operations.urls")),
]
handler400 = pages.bad_request
handler404 = pages.not_found
handler500 = pages.broken
