"""Where do two entries differ? The examples of a cell that one gets right and the other doesn't, by kind of error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from benchmark.compare.entries import CHOICE, LEAST, Picked, address_of, choice, is_open, page_is_open, picked
from benchmark.compare.parts import Part
from benchmark.compare.verdict import TOO_CLOSE, Verdict, colours_of, named, short_names
from benchmark.data import suite_or_404
from benchmark.inputs import Ignored, Parameters, refuse, takes
from benchmark.reports.tables import outcomes_of
from benchmark.responses import guarded
from benchmark.templatetags.figures import between, chance, correlation, csv_lines, percent, writer_of
from extensions.differ.measure.differ import (
    COLUMNS,
    LEAST_ERRORS,
    CellTexts,
    Differing,
    DifferingAnswer,
    KindOfError,
    comparable,
    differ,
    score_difference,
    table_row,
    texts_of,
)
from tasks.base import Task
from tasks.datasets.dataset import DataSet
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError
from tasks.metrics import metric_named
from tasks.results import UNITS_OF_COUNT, CellResult, cell_key
from tasks.statistics.intervals import LEVEL, Difference
from tasks.suite import Suite

MOST_QUOTED = 50
"""Texts of a data set that one page or file quotes."""
ORDER = ("first", "second")
MOST_KINDS = 10
"""Kinds of errors that are shown before the others are unfolded."""
AROUND = 12
"""Tokens that are quoted on each side of a token."""
LONGEST_QUOTE = 300
"""Characters."""
NO_BREAK = "\N{NO-BREAK SPACE}"
NO_CELLS = "The two have no score in common in a task with right and wrong answers."
FILTERS = ("cell", "gold", "answer", "right", "text")
NOT_HERE = "The texts are not shown: {}"
BY_OPERATOR = "the licence of {} does not allow it. Places count from 0 in its test part."


@dataclass(frozen=True)
class CellOfTwo:
    """A cell that both entries have a score for; ``title`` names task and mode."""

    key: str
    title: str
    task: Task
    first: CellResult
    second: CellResult


@dataclass(frozen=True)
class Quoted:
    """A row of the table with its text: ``token`` stands between ``before`` and ``after``; empty for whole texts."""

    row: DifferingAnswer
    before: str
    token: str
    after: str


@dataclass(frozen=True)
class FilteredRows:
    """The rows that the filters leave, and the filters."""

    rows: Sequence[DifferingAnswer]
    gold: str
    answer: str
    right: str
    text: str

    @property
    def filters(self) -> dict[str, str]:
        """The filters as query parameters; empty if all rows are left."""
        values = {"gold": self.gold, "answer": self.answer, "right": self.right, "text": self.text}
        return {name: value for name, value in values.items() if value}


@dataclass(frozen=True)
class CellComparison:
    """Two entries in a cell.

    Parameters
    ----------
    apart : difference of the scores; None without an interval.
    texts : None if they are not here, or may not be shown; ``why_no_texts`` says so.
    without_answers : letters of entries that were measured before answers were kept.

    Sentences have the entries' letters in braces.
    """

    cell: CellOfTwo
    differing: Differing
    apart: Difference | None
    dataset: DataSet
    texts: CellTexts | None
    why_no_texts: str
    without_answers: Sequence[str]

    @property
    def kinds(self) -> tuple[KindOfError, ...]:
        """The kinds of errors; none if whole sentences or groups are compared, or nothing tells kinds apart."""
        kinds = self.differing.kinds
        return kinds if not self.differing.by_share and any(kind.group for kind in kinds) else ()

    @property
    def tells_answers(self) -> bool:
        return any(kind.answer for kind in self.kinds)

    @property
    def group_title(self) -> str:
        if self.differing.by_rank:
            return "Rank by people"
        return "Section" if self.cell.task.family.id == "analogy" else "Gold label"

    @property
    def title(self) -> str:
        """The counts in a sentence."""
        differing = self.differing
        if not differing.first and not differing.second:
            alike = "rank all pairs alike" if differing.by_rank else f"are right on the same {differing.what}"
            return f"{{A}} and {{B}} {alike}"
        if differing.by_rank:
            return f"{{A}} ranks {differing.first:,} pairs more like people than {{B}} does, {{B}} {differing.second:,}"
        if differing.by_share:
            part = "tokens" if self.cell.task.family.id == "window" else "trials"
            return f"{{A}} has more {part} right in {differing.first:,} {differing.what}, {{B}} in {differing.second:,}"
        what = f"{differing.what} that {{B}} gets wrong"
        return f"{{A}} is right on {differing.first:,} {what}, {{B}} on {differing.second:,} that {{A}} gets wrong"

    @property
    def score_in_words(self) -> str:
        """The scores, their difference, and what the test says about it."""
        metric = metric_named(self.cell.first.metric)
        unit = f"{NO_BREAK}%" if metric.unit else ""
        first, second = (f"{writer_of(metric)(result.score)}{unit}" for result in (self.cell.first, self.cell.second))
        scores = f"{metric.title}: {{A}} {first}, {{B}} {second}."
        if self.apart is None:
            return f"{scores} The difference has no interval."

        write = percent if metric.unit else correlation
        ahead = "A" if self.apart.difference > 0 else "B"
        sign = 1 if ahead == "A" else -1
        ends = sorted(sign * end for end in self.apart.interval) if self.apart.interval else None
        bounds = f"{between(ends, write)}; " if ends else ""
        on = "On the pairs that both know, " if self.differing.by_rank else ""
        points = " points" if metric.unit else ""
        size, p = write(abs(self.apart.difference)), f"p{NO_BREAK}{_p(self.apart.p)}"
        by = f"{on}{{{ahead}}} is ahead by {size}{points} ({bounds}{p})"
        return f"{scores} {by}: on this task alone, {TOO_CLOSE if self.apart.p > LEVEL else 'clearly better'}."


def _p(p: float) -> str:
    text = chance(p)
    return text if text.startswith("<") else f"= {text}"


def cells_of(entries: Sequence[Picked], suite: Suite) -> dict[str, CellOfTwo]:
    """Cells with right and wrong answers in which both entries have a score, by key."""
    first_report, second_report = (entry.report for entry in entries)
    cells = {}
    for task, mode in suite.cells():
        first, second = first_report.result(task.id, mode), second_report.result(task.id, mode)
        if task.family.id in UNITS_OF_COUNT and first is not None and second is not None:
            key = cell_key(task.id, mode)
            cells[key] = CellOfTwo(key, f"{task.title}, {mode}" if mode else task.title, task, first, second)
    return cells


def compared(entries: Sequence[Picked], cell: CellOfTwo, suite: Suite) -> CellComparison:
    """Compare two entries' answers in a cell.

    Raises
    ------
    InputError
        outcomes are missing, or of other examples.
    """
    first, second = (
        replace(result, outcomes=outcomes_of(entry.submission, cell.task.id, result.mode or ""))
        for entry, result in zip(entries, (cell.first, cell.second), strict=True)
    )
    outcomes = comparable(cell.task, first, second)
    texts, why_not = _texts(cell.task)
    shas = [entry.report.vectors["sha256"] for entry in entries]
    apart = score_difference(suite, (first, shas[0]), (second, shas[1]), entries[0].submission.language)
    unknown = [entry.letter for entry, answers in zip(entries, outcomes, strict=True) if answers.predictions is None]
    differing = differ(cell.task, *outcomes, texts)
    silent = () if cell.task.family.id in ("odd-one-out", "similarity") else tuple(unknown)
    return CellComparison(cell, differing, apart, REGISTRY[cell.task.data], texts, why_not, silent)


def _texts(task: Task) -> tuple[CellTexts | None, str]:
    """The test texts, or the reason why they are not shown."""
    declared = REGISTRY[task.data]
    if declared.licensed:
        return None, NOT_HERE.format(BY_OPERATOR.format(declared.title))
    try:
        return texts_of(task, DataStore.default()), ""
    except DataUnavailable:
        return None, NOT_HERE.format(f"{declared.title} is not on this site. Places count from 0 in its test part.")
    except InputError as error:
        return None, NOT_HERE.format(error.message)


def chosen_rows(parameters: Parameters, comparison: CellComparison) -> FilteredRows:
    """The rows that the parameters ask for."""
    kinds, rows = comparison.differing.kinds, comparison.differing.rows
    gold = parameters.one_of("gold", dict.fromkeys(kind.group for kind in kinds))
    answer = parameters.one_of("answer", dict.fromkeys(kind.answer for kind in kinds if not gold or kind.group == gold))
    right, text = parameters.one_of("right", ORDER), parameters.text("text", 200)
    if text and comparison.texts is None:
        parameters.ignored.append(Ignored("text", text, ("empty, as the texts are not shown",)))
        text = ""
    left = [
        row
        for row in rows
        if (not gold or row.group == gold)
        and (not answer or row.error == answer)
        and (not right or ORDER[not row.first_is_right] == right)
        and (not text or (comparison.texts is not None and text.lower() in comparison.texts.texts[row.example].lower()))
    ]
    return FilteredRows(left, gold, answer, right, text)


def quoted(row: DifferingAnswer, texts: CellTexts | None) -> Quoted:
    """A row with its text, around the token that differs."""
    if texts is None:
        return Quoted(row, "", "", "")
    text = texts.texts[row.example]
    if row.token is None:
        return Quoted(row, text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE].rstrip()}…", "", "")
    tokens, place = text.split(" "), row.token
    begin, end = max(place - AROUND, 0), place + 1 + AROUND
    before = ["…"] * (begin > 0) + tokens[begin:place]
    after = tokens[place + 1 : end] + ["…"] * (end < len(tokens))
    return Quoted(row, " ".join(before), tokens[place], " ".join(after))


def _answers(row: DifferingAnswer, names: Mapping[str, str]) -> list[tuple[str, str, bool]]:
    """Each entry's name and answer, and whether it is right."""
    is_right = (row.first_is_right, not row.first_is_right)
    return list(zip(names.values(), row.answers, is_right, strict=True))


@takes(*CHOICE, *FILTERS)
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Two entries in a cell; with fewer, a form to choose them."""
    entries = picked(request)[:LEAST]
    context = choice(request, entries, LEAST)
    if len(entries) < LEAST:
        return guarded(render(request, "compare/choose.html", context), is_open=page_is_open(entries, context))
    names, colours = short_names(entries), colours_of(entries, "")
    context["named"] = named(entries)
    suite = suite_or_404(entries[0].submission.suite)
    parameters = Parameters(request.GET)
    cells = cells_of(entries, suite)
    context |= {"suite": suite, "cells": cells.values(), "most_quoted": MOST_QUOTED, "no_cells": NO_CELLS}
    context["ignored"] = parameters.ignored
    if cells:
        cell = cells[parameters.one_of("cell", cells, next(iter(cells)))]
        query = urlencode(address_of(entries, cell=cell.key))
        context |= {"cell": cell, "query": query, "address": f"{request.path}?{query}"}
        try:
            comparison = compared(entries, cell, suite)
        except InputError as error:
            context["problem"] = error.message
        else:
            context |= _of_cell(parameters, comparison, names)
            said = Verdict(comparison.title, (comparison.score_in_words,), "").coloured(names, colours)
            context |= {"title": said.title, "score": said.details[0]}
    # It quotes the data sets' texts.
    return guarded(render(request, "differ/differ.html", context), is_open=is_open(entries), is_listed=False)


def _of_cell(parameters: Parameters, comparison: CellComparison, names: Mapping[str, str]) -> dict[str, object]:
    chosen = chosen_rows(parameters, comparison)
    kinds = comparison.kinds
    return {
        "comparison": comparison,
        "differing": comparison.differing,
        "kinds": kinds[:MOST_KINDS],
        "more_kinds": kinds[MOST_KINDS:],
        "clear": sum(kind.is_clear for kind in kinds),
        "tested": sum(kind.p is not None for kind in kinds),
        "least_errors": LEAST_ERRORS,
        "golds": sorted({kind.group for kind in kinds}),
        "wrong_answers": sorted({kind.answer for kind in kinds if kind.answer}),
        "chosen": chosen,
        "rows": [(quoted(row, comparison.texts), _answers(row, names)) for row in chosen.rows[:MOST_QUOTED]],
        "without_answers": [names[letter] for letter in comparison.without_answers],
        "filters": urlencode(chosen.filters),
    }


@takes("e", *FILTERS)
@require_safe
def download(request: HttpRequest, extension: str) -> HttpResponse:
    """All rows that the filters leave, as CSV or JSON; as many texts as the page quotes.

    Raises
    ------
    InputError
        the parameters are unusable, or the cell cannot be compared.
    """
    entries = picked(request)
    if len(entries) != LEAST:
        message = f"Name two entries, as e=ID&e=ID; the request has {len(entries)}."
        raise InputError("number-of-entries", message, field="e")
    suite = suite_or_404(entries[0].submission.suite)
    parameters, cells = Parameters(request.GET), cells_of(entries, suite)
    if not cells:
        raise Http404(NO_CELLS)
    cell = cells[parameters.one_of("cell", cells, next(iter(cells)))]
    comparison = compared(entries, cell, suite)
    rows = chosen_rows(parameters, comparison).rows
    refuse(parameters.ignored)
    names = tuple(short_names(entries).values()) if extension == "csv" else ORDER
    header = [column.format(*names) for column in COLUMNS]
    table = [table_row(row, names, comparison.texts if place < MOST_QUOTED else None) for place, row in enumerate(rows)]
    if extension == "csv":
        response = HttpResponse(csv_lines([header, *table]), content_type="text/csv; charset=utf-8")
    else:
        response = JsonResponse(_as_json(entries, comparison, [dict(zip(header, row, strict=True)) for row in table]))
    response["Content-Disposition"] = f'attachment; filename="vecboard-differ-{cell.key}.{extension}"'
    return guarded(response, is_open=is_open(entries), is_listed=False)


def _as_json(
    entries: Sequence[Picked], comparison: CellComparison, rows: Sequence[Mapping[str, str | int]]
) -> dict[str, object]:
    differing, apart = comparison.differing, comparison.apart
    return {
        "entries": [{"id": entry.submission.pk, "name": entry.name} for entry in entries],
        "cell": comparison.cell.key,
        "scores": [comparison.cell.first.score, comparison.cell.second.score],
        "difference": None if apart is None else apart.difference,
        "interval": apart and apart.interval,
        "p": None if apart is None else apart.p,
        "unit": differing.what,
        "counts": {
            "only_first": differing.first, "only_second": differing.second, "both": differing.both,
            "neither": differing.neither, "left_out": differing.left_out,
        },
        "kinds": [
            {
                "gold": kind.group, "answer": kind.answer, "first": kind.first, "second": kind.second,
                "p": kind.p, "p_corrected": kind.adjusted,
            }
            for kind in comparison.kinds
        ],
        "data_set": {"title": comparison.dataset.title, "licence": comparison.dataset.licence},
        "rows": rows,
    }  # fmt: skip


PARTS = (Part(of_task="differ:differ"),)
app_name = "differ"
urlpatterns = [
    path("compare/differ", page, name="differ"),
    path("compare/differ.csv", download, {"extension": "csv"}, name="differ-csv"),
    path("compare/differ.json", download, {"extension": "json"}, name="differ-json"),
]
