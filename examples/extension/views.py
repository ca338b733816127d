"""The page on an entry: the answer, and a chart with its table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median_low

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from benchmark.inputs import Parameters, takes
from benchmark.responses import kept_if_open
from benchmark.submissions.access import access_of
from benchmark.submissions.models import Submission
from benchmark.submissions.vectors import NOT_HERE, prepared_directory, reason_without, stand_in
from plots.chart import Chart
from plots.drawing import Drawing, Scale
from tasks.errors import VecboardError
from tasks.prepared import open_prepared

FIRST = ("1000", "10000")
"""Few enough words for a page to count while its visitor waits; anything that takes longer is a job."""
LONG = 20
"""Longer words count as of this length: one URL would leave the other words no room in the chart."""
WIDTH, BASE, HEIGHT = 400, 160, 180


@takes("first")  # the page names all other parameters as ignored, and the values of this one that it can't use
@require_safe
def lengths(request: HttpRequest, submission_id: str) -> HttpResponse:
    """How long are the first words? ``?first=`` is their number."""
    submission = access_of(request, submission_id).submission
    parameters = Parameters(request.GET)
    first = parameters.one_of("first", FIRST, FIRST[0])
    words = words_of(submission, int(first))
    context = {"submission": submission, "first": first, "choices": FIRST, "ignored": parameters.ignored}
    context |= {"chart": chart_of(words)} if words else {"reason": reason_without(submission) or NOT_HERE}
    return kept_if_open(request, render(request, "lengths/lengths.html", context), is_open=submission.is_open_to_all)


def words_of(submission: Submission, most: int) -> Sequence[str]:
    """Its first words, read from disk; empty if neither its vectors nor an excerpt of them are on this machine."""
    excerpt = stand_in(submission)
    directory = excerpt.directory if excerpt else prepared_directory(submission)
    try:
        return open_prepared(directory, name="").words[:most] if directory else ()
    except VecboardError:
        return ()


def chart_of(words: Sequence[str]) -> Chart:
    """The answer as its title, and a bar for each length in characters (code points)."""
    lengths = sorted(min(len(word), LONG) for word in words)
    answer = (
        f"Counted in characters, the first {len(words):,} words have a median length of {median_low(lengths)}; "
        f"{100 * lengths.count(LONG) / len(words):.1f} % have {LONG} or more."
    )
    counts = Counter(lengths)
    across, up = Scale(0.5, LONG + 0.5, 0, WIDTH), Scale(0, max(counts.values()), BASE, 0)
    drawing = Drawing(WIDTH, HEIGHT, stretches=True)
    for length, count in counts.items():  # style sheets give the class its colour, by day and by night
        drawing.bar(across(length - 0.4), up(count), across(1.3) - across(0.5), BASE - up(count), "better")
    labels = {length: f"{length}+" if length == LONG else str(length) for length in range(LONG + 1)}
    drawing.x_axis([(across(length), labels[length]) for length in (1, 5, 10, 15, LONG)], HEIGHT - 4)
    rows = [(labels[length], f"{count:,}") for length, count in counts.items()]
    return Chart("lengths", answer, answer, drawing, table=(("characters", "words"), *rows))


app_name = "lengths"
urlpatterns = [path("entries/<slug:submission_id>/lengths", lengths, name="lengths")]
