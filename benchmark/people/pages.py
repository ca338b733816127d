"""Pages that more than the owner may read: the list of studies, results, lists and answers as files."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from benchmark.people.access import StudyAccess, find, find_owned, owned_studies
from benchmark.people.charts import deviation_chart, preference_chart
from benchmark.people.exchange import answers_csv, lists_as_csv, raters_csv
from benchmark.people.lists import data_file, mentions_of
from benchmark.people.models import Study
from benchmark.people.planner import planner
from benchmark.people.results import deviations_of, result_of
from tasks.people.free_associations import LIST_LENGTH


@never_cache
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    context = {
        "own": owned_studies(request),
        "lists": Study.objects.with_public_lists()[:50],
        "results": Study.objects.with_public_results()[:50],
    }
    return render(request, "people/index.html", context)


@never_cache
@require_safe
def results(request: HttpRequest, study_id: str) -> HttpResponse:
    """What came out of it."""
    access = find(request, study_id)
    if access.study.asks_triads:
        return _triad_results(request, access)
    if not access.sees_lists:
        raise Http404("There is no such study.")
    return _association_results(request, access)


def _triad_results(request: HttpRequest, access: StudyAccess) -> HttpResponse:
    if not access.sees_results:
        raise Http404("There is no such study.")
    comparisons = access.study.comparisons.filter(lists__isnull=False).select_related("candidate", "baseline")
    found = [result_of(comparison) for comparison in comparisons]
    parts = [
        {
            "result": result,
            "chart": preference_chart(result),
            "rows": list(zip(result.cues, result.preference.cues, strict=True)),
        }
        for result in found
    ]
    context = {"study": access.study, "access": access, "parts": parts, "planner": planner(request, found)}
    return render(request, "people/triad_results.html", context)


def _association_results(request: HttpRequest, access: StudyAccess) -> HttpResponse:
    study = access.study
    deviations = deviations_of(study)
    by_cue = [(cue, found[:LIST_LENGTH], found[LIST_LENGTH:]) for cue, found in mentions_of(study).items()]
    context = {
        "study": study,
        "access": access,
        "by_cue": by_cue,
        "raters": study.raters.counted().count(),
        "deviations": deviations,
        "chart": deviation_chart(study.pk, deviations) if deviations else None,
    }
    return render(request, "people/association_results.html", context)


@never_cache
@require_safe
def lists_json(request: HttpRequest, study_id: str) -> HttpResponseBase:
    """The human lists of an association study: every word with its mentions."""
    study = _listed(request, study_id)
    how = {"ensure_ascii": False, "indent": 1}
    return JsonResponse(data_file(study), json_dumps_params=how, headers=_as_file(f"{study.pk}-lists.json"))


@never_cache
@require_safe
def lists_csv(request: HttpRequest, study_id: str) -> HttpResponseBase:
    """The same as a table."""
    study = _listed(request, study_id)
    return _csv(lists_as_csv(study), f"{study.pk}-lists.csv")


def _listed(request: HttpRequest, study_id: str) -> Study:
    access = find(request, study_id)
    if access.study.asks_triads or not access.sees_lists:
        raise Http404("There are no such lists.")
    return access.study


@never_cache
@require_safe
def answers(request: HttpRequest, study_id: str) -> HttpResponseBase:
    """Every answer, for the owner."""
    study = find_owned(request, study_id)
    return _csv(answers_csv(study), f"{study.pk}-answers.csv")


@never_cache
@require_safe
def raters(request: HttpRequest, study_id: str) -> HttpResponseBase:
    """Every rater with the replies to the owner's questions, for the owner."""
    study = find_owned(request, study_id)
    return _csv(raters_csv(study), f"{study.pk}-raters.csv")


def _csv(lines: Iterator[str], name: str) -> HttpResponseBase:
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=_as_file(name))


def _as_file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
