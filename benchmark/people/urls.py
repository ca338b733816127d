from __future__ import annotations

from django.urls import path, re_path

from benchmark.people import owners, pages, sessions
from benchmark.people.beside import pages as beside

app_name = "people"
_STUDY = "people/<slug:study_id>"
urlpatterns = [
    path("people/", pages.index, name="index"),
    path("people/new", owners.new, name="new"),
    path(f"{_STUDY}/", owners.study, name="study"),
    path(f"{_STUDY}/owner/<str:token>", owners.owner, name="owner"),
    path(f"{_STUDY}/edit", owners.edit, name="edit"),
    path(f"{_STUDY}/results", pages.results, name="results"),
    path(f"{_STUDY}/lists.json", pages.lists_json, name="lists-json"),
    path(f"{_STUDY}/lists.csv", pages.lists_csv, name="lists-csv"),
    path(f"{_STUDY}/answers.csv", pages.answers, name="answers"),
    path(f"{_STUDY}/raters.csv", pages.raters, name="raters"),
    path(f"{_STUDY}/sources", owners.add_source, name="add-source"),
    path(f"{_STUDY}/sources/make", owners.remake, name="make-lists"),
    re_path(
        r"^people/(?P<study_id>[a-z0-9]+)/sources/(?P<source_id>[0-9]{1,18})/(?P<action>remove|baseline)$",
        owners.change_source,
        name="change-source",
    ),
    re_path(r"^people/(?P<study_id>[a-z0-9]+)/(?P<action>open|close)$", owners.move, name="move"),
    path(f"{_STUDY}/merge", owners.merge_variant, name="merge"),
    path(f"{_STUDY}/read", owners.read_in, name="read-in"),
    path(f"{_STUDY}/erase", owners.erase, name="erase"),
    path(f"{_STUDY}/delete", owners.delete, name="delete"),
    path("compare/people", beside.page, name="beside"),
    path("rate/<slug:link>", sessions.consent, name="consent"),
    path("rate/<slug:link>/now", sessions.session, name="session"),
    path("rate/<slug:link>/answer", sessions.answer, name="answer"),
    path("rate/<slug:link>/erase", sessions.erase, name="rater-erase"),
]
