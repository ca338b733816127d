from __future__ import annotations

from django.urls import path

from benchmark.protocol import views

app_name = "protocol"
urlpatterns = [
    path("corpus", views.corpus, name="corpus"),
    path("corpus/<slug:suite_id>", views.corpus, name="corpus-of"),
    path("corpus/<slug:suite_id>.txt.gz", views.corpus_text, name="corpus-text"),
    path("suites/<slug:suite_id>", views.suite, name="suite"),
]
