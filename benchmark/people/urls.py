from __future__ import annotations

from django.urls import path, re_path

from benchmark.people import list_comparison, sessions, study_pages

app_name = "people"
_STUDY = "people/<slug:study_id>"
urlpatterns = [
    path("people/", study_pages.index, name="index"),
    path("people/new", study_pages.new, name="new"),
    path(f"{_STUDY}/", study_pages.study, name="study"),
    path(f"{_STUDY}/owner/<str:token>", study_pages.owner, name="owner"),
    path(f"{_STUDY}/edit", study_pages.edit, name="edit"),
    path(f"{_STUDY}/results", study_pages.results, name="results"),
    path(f"{_STUDY}/lists.json", study_pages.lists_json, name="lists-json"),
    path(f"{_STUDY}/lists.csv", study_pages.lists_csv, name="lists-csv"),
    path(f"{_STUDY}/answers.csv", study_pages.answers, name="answers"),
    path(f"{_STUDY}/raters.csv", study_pages.raters, name="raters"),
    path(f"{_STUDY}/sources", study_pages.add_source, name="add-source"),
    path(f"{_STUDY}/sources/make", study_pages.remake, name="make-lists"),
    re_path(
        r"^people/(?P<study_id>[a-z0-9]+)/sources/(?P<source_id>[0-9]{1,18})/(?P<action>remove|baseline)$",
        study_pages.change_source,
        name="change-source",
    ),
    re_path(r"^people/(?P<study_id>[a-z0-9]+)/(?P<action>open|close)$", study_pages.move, name="move"),
    path(f"{_STUDY}/merge", study_pages.merge_variant, name="merge"),
    path(f"{_STUDY}/read", study_pages.read_in, name="read-in"),
    path(f"{_STUDY}/erase", study_pages.erase, name="erase"),
    path(f"{_STUDY}/delete", study_pages.delete, name="delete"),
    path("compare/people", list_comparison.list_comparison, name="beside"),
    path("rate/<slug:link>", sessions.consent, name="consent"),
    path("rate/<slug:link>/now", sessions.session, name="session"),
    path("rate/<slug:link>/answer", sessions.answer, name="answer"),
    path("rate/<slug:link>/erase", sessions.erase, name="rater-erase"),
]
