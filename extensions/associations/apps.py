from __future__ import annotations

from benchmark.features import Extension, Link


class AssociationsConfig(Extension):
    name = "extensions.associations"
    urls = "views"
    api = "api"
    questions = "associations/_questions.html"
    part_of = (("associations", "study:study"),)
    links = (Link("Test other lists, or your own", "associations:page", "report_word_lists"),)
