"""Every address of the site."""

from __future__ import annotations

from django.urls import include, path

from benchmark import operator_site, pages
from benchmark.features import features

urlpatterns = [
    *(path(feature.prefix, include(f"{feature.name}.urls")) for feature in features()),
    path("account/", include("allauth.urls")),
    path("operator/", operator_site.site.urls),
]
handler400 = pages.bad_request
handler404 = pages.not_found
handler500 = pages.broken
