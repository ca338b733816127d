"""The API's OpenAPI descriptions beyond the shared forms of :mod:`tasks.answers`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Literal, NamedTuple, cast

from django import forms
from django.core.validators import BaseValidator, MaxLengthValidator, MaxValueValidator, MinValueValidator
from pydantic import TypeAdapter

from benchmark.submissions.fetching import LONGEST_URL
from benchmark.submissions.forms import UploadForm
from benchmark.submissions.visibility import Facts
from tasks.answers import SubmissionStatus
from tasks.languages import LANGUAGES
from tasks.results import adapter


class SubmissionAnswer(SubmissionStatus):
    """A submission with its public facts."""

    facts: Facts


def parameter(name: str, what: str, *, required: bool = False, **schema: object) -> dict[str, object]:
    """A parameter of the URL; an array is repeated: ``c=pos&c=ner``."""
    kind = schema or {"type": "string"}
    return {"name": name, "in": "query", "required": required, "description": what, "schema": kind}


def listed(name: str, what: str, *, required: bool = False) -> dict[str, object]:
    """A list in one value, as people write lists."""
    words = {"type": "array", "items": {"type": "string"}}
    found = parameter(name, f"{what}; separated by commas: `{name}=one,two`", required=required, **words)
    return found | {"style": "form", "explode": False}


BOARD_PARAMETERS: dict[str, object] = {
    "parameters": [
        parameter("suite", "suite id; the site's own by default"),
        parameter("version", "suite version; the current one by default", type="integer", minimum=1),
        parameter("sort", "column key or name; -column reverses the order"),
        parameter(
            "c",
            "column by key or group; repeat it for several: `c=pos.fixed&c=ner.fixed`; all by default",
            type="array",
            items={"type": "string"},
        ),
        parameter("language", "language of the entries; English by default", type="string", enum=list(LANGUAGES)),
        parameter("q", "text in name, description, corpus or algorithm"),
        parameter("track", "which corpus", type="string", enum=["prescribed", "other"]),
        parameter("task-data", "whether trained on task data", type="string", enum=["no", "yes"]),
        parameter("vocabulary", "whether composed for a list of words", type="string", enum=["closed", "open"]),
        parameter("dim-min", "fewest dimensions", type="integer"),
        parameter("dim-max", "most dimensions", type="integer"),
        parameter("corpus", "text in the corpus"),
        parameter("algorithm", "text in the algorithm"),
        parameter("owner", "account name"),
        parameter("after", "next from the previous answer"),
        parameter("as-of", "hash of a permanent link, for the values of its day"),
    ]
}


SENTENCES = {
    "bad-request": (400, "The request cannot be read; check its URL, headers and body."),
    "bad-json": (400, "Send the body as JSON, with Content-Type: application/json, not as a form."),
    "broken-upload": (400, "The body ended early; send it again."),
    "invalid": (400, "The parameter {name} is wrong: {problem}."),
    "no-token": (401, "A token is needed; send one in the header Authorization: Bearer."),
    "unknown-token": (401, "The token belongs to no account, or has been revoked."),
    "read-only": (403, "This token is read-only; create one that can also write."),
    "not-owner": (403, "This is not the token of the owner."),
    "not-found": (404, "There is nothing at this URL; /api lists all endpoints."),
    "bad-method": (405, "This URL does not allow {method}; it allows {allowed}."),
    "wrong-state": (409, "This is not possible in the present state, which the message names."),
    "no-report": (409, "There is no report: the submission is {state}."),
    "too-large": (413, "The body is too long; shorten its texts."),
    "broken": (500, "Something went wrong on our side. The error has been logged; try again later."),
}
"""Status and sentence of each code that doesn't concern a field or a file; 401, 403 and 409 have longer ones."""


KINDS: dict[type[forms.Field], str] = {
    forms.BooleanField: "boolean", forms.IntegerField: "integer", forms.FloatField: "number",
}  # fmt: skip
LIMITS: dict[type[BaseValidator], str] = {
    MaxLengthValidator: "maxLength", MinValueValidator: "minimum", MaxValueValidator: "maximum",
}  # fmt: skip


_FRACTION = "a fraction from 0 to 1"
_REDUCTION = "relative error reduction as a fraction: 0.05 are five per cent fewer errors than the baseline's"
_INTERVAL = "95 % interval as [low, high]"
_OWN_UNIT = "in the metric's own unit: accuracies, F1 and precision are fractions, correlations are from −1 to 1"
_IN_COLUMN = "by column key, in the unit of the column"
DESCRIBED = {
    # Entries and their facts
    "id": "id of the entry, as in URLs", "name": "shown on the board", "owner": "account name; empty without one",
    "owner_runs": "files of this owner measured with the suite; null if that must not be shown",
    "anonymous": "whether the owner and all written facts are hidden", "baseline": "whether it is the baseline",
    "ranked": "whether the owner lets it be ranked", "language": "code of the language; `en` by default",
    "track": "which corpus: `prescribed` or `other`", "trained_on_task_data": "whether trained on the tasks' data",
    "open_vocabulary": "whether composed for the suite's list of words", "description": "by the owner",
    "licence": "of the vectors; required with `offers_download`", "corpus": "that the vectors are trained on",
    "algorithm": "that trained the vectors", "technical_notes": "by the owner", "window": "words on each side",
    "iterations": "over the corpus", "loss": "at convergence, in the algorithm's own unit",
    "training_minutes": "duration of the training, in minutes", "tokens": "of the corpus, in words",
    "words": "number of words in the vocabulary", "dimensions": "numbers per vector",
    "offers_download": "whether everybody may download the vectors", "visibility": "`public` by default",
    "member": "the file to read in a zip archive of several", "finished": "day of the report, ISO 8601, UTC",
    "created_at": "time in ISO 8601", "finished_at": "time in ISO 8601; null until the end",
    "suite": "suite and version of the measurement", "suite_version": "version of the suite",
    "version": "number of the version", "hash": "of the definition; null for an earlier version",
    "comparable": "false for demonstrations, whose scores mean nothing",
    "DatasetUse.id": "id of the data set", "DatasetUse.licence": "of the data set", "Facts.suite": "id of the suite",
    "SuiteNamed.id": "id of the suite", "SuiteUsed.id": "id of the suite", "ComparisonAnswer.suite": "id of the suite",
    # Submissions
    "state": "see the type", "token": "secret that controls the submission; returned only once",
    "owner_url": "page of the owner; the URL contains the secret", "status_url": "page of the submission",
    "report_url": "the report in this API; null until it exists", "facts": "public facts",
    "progress": "of the measurement", "error": "reason of the refusal or of the end",
    "warnings": "remarks on the file", "vectors_sha256": "hash of words and numbers; null before the check",
    "code": "for programs", "message": "one sentence", "field": "parameter or field of the request",
    "line": "line of the file, from 1", "word": "the word in question",
    "count": "number of places in the file", "done": "finished cells", "total": "cells of the suite for this file",
    "running": "jobs at work now", "share": f"finished part, {_FRACTION}",
    "expected_seconds": "remaining time as [least, most], in seconds; null if unknown",
    "ahead": "jobs of others that come first", "task": "id of the task", "mode": "use of the vectors; null without one",
    "what": "what the job does now, in words", "scope": "of the token", "submissions": "the latest first",
    "Me.name": "of the account",
    # Uploads
    "files": "in the order of their runs", "bytes": "size of the file", "position": "number of the file, from 1",
    "offset": "bytes that have arrived", "piece_bytes": "recommended size of a piece",
    "PartAnswer.name": "of the file", "AnnouncedFile.name": "of the file",
    "?file": "number of the file, from 1; 1 by default", "?offset": "byte at which the body continues the file",
    "?submission_id": "id of the submission", "?upload_id": "id of the submission",
    # The board
    "sort": "key of the column that orders the board; `-` reverses", "ranked_by": "key of the column of the ranks",
    "next": "send it as `after` for the next page; null on the last", "columns": "in the board's order",
    "entries": "in the order of the answer", "BoardPage.total": "entries on all pages", "key": "key of the column",
    "title": "heading", "group": "heading of a group of columns",
    "kind": "`reduction`, `score`, `coverage`, `count` or `rank`",
    "decimals": "on pages",
    "better": "the better end: `high` or `low`; empty for descriptive columns",
    "unit": "on pages; empty for numbers without one",
    "fraction": "whether values are fractions (0.05) that pages show in per cent (5)", "explanation": "in a sentence",
    "detectable": "smallest detectable difference, in the unit of the differences; null without tests",
    "rank": "first and last rank that the tests leave open; null without a rank",
    "rank_without_a_task": "best and worst position if each task of the mean is left out; null without a rank",
    "scores": f"{_IN_COLUMN}; null for a blank cell", "intervals": f"95 % intervals [low, high] {_IN_COLUMN}",
    "coverage": "share of the test's words in the vocabulary, a fraction, by column key",
    "marks": "`best`, or `equal` if not different from the best, by column key", "blank": "reason of a blank cell",
    # Reports
    "?version": "version of the suite; the current one by default",
    "Report.suite": "suite version that was measured", "vectors": "the measured file", "results": "measured cells",
    "aggregates": "means of error reductions", "unavailable": "tasks without a score",
    "environment": "versions of the programs, devices and threads that measured",
    "schema_version": "version of this form",
    "method": "version of the method of intervals and ranks", "sha256": "hash of the content",
    "VectorsUsed.name": "of the entry", "fixed": _REDUCTION, "fine_tuned": _REDUCTION, "overall": _REDUCTION,
    "reasons": "of missing means", "Aggregates.intervals": "95 % intervals [low, high] of the means, fractions",
    "errors": "standard errors by source, in the unit of the score",
    "Aggregates.errors": "standard errors of the means by source, fractions", "task_hash": "of the definition",
    "device_bytes": "bytes of the numbers and words that a device holds: of a model, not of the words composed from it",
    "file_bytes": "bytes of the uploaded file",
    "metric": "name of the metric", "higher_is_better": "whether a higher score is better",
    "score": f"mean over seeds, {_OWN_UNIT}", "sd": "standard deviation over seeds, in the unit of the score",
    "interval": f"{_INTERVAL}, in the unit of the value", "seeds": "number of trainings", "seed": "of the training",
    "Learning.seeds": "training by seed", "n": "scored tokens, texts, pairs or questions",
    "CellResult.coverage": "of the test by the vocabulary", "datasets": "behind the score",
    "device": "that measured: `cpu`, or the name of the GPU", "threads": "number of threads that measured",
    "seconds": "duration, in seconds", "seconds_per_epoch": "mean, in seconds",
    "secondary": "further figures of the task, in the form of its family", "training": "null without training",
    "CellResult.baseline": f"score of the baseline, {_OWN_UNIT}", "relative_error_reduction": _REDUCTION,
    "relative_error_reduction_interval": f"{_INTERVAL}, fractions",
    "relative_error_reduction_errors": "standard errors by source, fractions",
    "CellResult.equal_dimensions": f"against the baseline of as many dimensions, {_REDUCTION}",
    "Report.equal_dimensions": "means against the baseline of as many dimensions; null without one",
    "descriptive": "whether neither end is better", "Coverage.tokens": f"share of tokens, {_FRACTION}",
    "types": f"share of types, {_FRACTION}", "reason": "one sentence; empty if there is nothing to say",
    "lacks_data": "whether a data set is missing on this site", "best_epoch": "the scored epoch, from 1",
    "epochs": "number of epochs", "dev": "score on the development set by epoch, in the metric's own unit",
    "test": "score on the test set, in the metric's own unit",
    # Questions to entries
    "preparing": "what a worker does, in a sentence", "entry": "id of the entry", "among": "the words searched",
    "NeighboursAnswer.words": "in the order of the request", "NeighboursAnswer.name": "of the entry",
    "WordNeighbours.word": "as given", "found": "as spelled in the file; null if unknown",
    "neighbours": "nearest first", "NearWord.word": "as spelled in the file", "cosine": "from −1 to 1",
    "address": "page with the same figures", "reference": "id of the reference entry",
    "verdict": "null without anything to compare", "tests": "number of tests that the correction covers",
    "differences": "of all pairs", "correlations": "with people, in word similarity", "pairs": "null unless requested",
    "letter": "in the verdict and on the page", "details": "what the title leaves out, in sentences",
    "Finding.title": "the finding, in letters of the entries", "note": "tests, correction and unit",
    "is_mean": "whether a mean over cells",
    "column": "key of the column", "ScoreOfEntry.score": _REDUCTION, "ComparisonAnswer.scores": "of every entry",
    "against": "id of the other entry", "difference": "difference of error reductions, a fraction: 0.01 is one point",
    "DifferenceOfEntries.interval": f"{_INTERVAL}, fractions, not corrected",
    "DifferenceOfEntries.detectable": "smallest detectable difference of the two, a fraction; null without a test",
    "p": f"p value without correction, {_FRACTION}", "p_corrected": f"p value after Holm's correction, {_FRACTION}",
    "significant": "whether the corrected p is 0.05 at most",
    "p_of_williams": f"p value of Williams' test, {_FRACTION}",
    "CorrelationOfEntry.pairs": "pairs of the data set", "common_pairs": "pairs that every entry knows",
    "correlation": "Spearman's, from −1 to 1, on the common pairs",
    "correlation_of_own_pairs": "Spearman's, from −1 to 1, on the pairs that the entry knows",
    "CorrelationOfEntry.title": "title of the task", "set": "name of the set of cues; `typed` for the request's own",
    "cues": "number of cues behind the correlation", "RankingPairs.cues": "null if drawn from the vocabularies",
    "RankingPairs.pairs": "each pair once", "PairOfEntries.correlation": "Pearson's, mean over cues, from −1 to 1",
    "standard_error": "of the correlation over cues, in its unit", "PairOfEntries.state": "of the figures",
    "AssociationsAnswer.test": "name of the test; null for lists of the request", "targets": "lists X and Y",
    "attributes": "lists A and B", "caution": "what such a test does not show", "NamedWords.name": "of the list",
    "NamedWords.words": "as given", "problem": "why there is no answer", "d": "effect size, in standard deviations",
    "EntryAssociation.p": f"one-sided p value of the permutation test, {_FRACTION}",
    "EntryAssociation.interval": f"{_INTERVAL} of d", "partitions": "number of permutations",
    "exact": "whether the permutations are all there are", "EntryAssociation.words": "known words by list",
    "missing": "words outside the vocabulary", "single": "each target word alone",
    "left_out": "known words that don't count, with the reason",
}  # fmt: skip
"""Meaning of every field, with the unit of numbers; a type's own field is named with its type, a parameter with “?”."""


Description = dict[str, Any]
"""An OpenAPI description, which django-ninja makes."""


class Endpoint(NamedTuple):
    """An operation that the URLs of a feature answer themselves.

    Parameters
    ----------
    path : below the root of the API, with parameters in braces.
    answers : type of the body by status; None: no body.
    extra : further parts of its description in OpenAPI.
    """

    method: str
    path: str
    description: str
    answers: Mapping[int, object]
    extra: Mapping[str, object] = {}


def add_endpoints(schema: Description, endpoints: Sequence[Endpoint]) -> None:
    """Add operations and the types of their bodies to an OpenAPI description."""
    kinds = list(dict.fromkeys(kind for one in endpoints for kind in one.answers.values() if kind is not None))
    mode: Literal["serialization"] = "serialization"
    adapters = [(nth, mode, adapter(cast("type[object]", kind))) for nth, kind in enumerate(kinds)]
    nodes, found = TypeAdapter.json_schemas(adapters, ref_template="#/components/schemas/{model}")
    schema["components"]["schemas"] |= found.get("$defs", {})
    for method, path, description, answers, extra in endpoints:
        responses = {}
        for status, kind in answers.items():
            content = {} if kind is None else {"schema": nodes[kinds.index(kind), mode]}
            body = {"content": {"application/json": content}} if content else {}
            responses[status] = {"description": HTTPStatus(status).phrase, **body}
        names = re.findall(r"{(\w+)}", path)
        schema["paths"].setdefault(f"/api/v1{path}", {})[method] = {
            "operationId": "_".join([method, *re.findall(r"\w+", path)]),
            "description": description,
            "parameters": [
                {"in": "path", "name": name, "schema": {"type": "string"}, "required": True} for name in names
            ],
            "responses": responses,
            **extra,
        }


def completed(schema: Description, described: Mapping[str, str] = DESCRIBED) -> None:
    """Add what the forms don't say to an OpenAPI description: the meaning of every field, and who needs a token."""
    for name, node in schema["components"]["schemas"].items():
        if "description" in node:  # a docstring
            node["description"] = node["description"].replace("None", "null").replace("False", "false")
        for field, of in node.get("properties", {}).items():
            of.setdefault("description", described.get(f"{name}.{field}", described.get(field, "")))
    schema["components"]["securitySchemes"] = {"token": TOKEN}
    for methods in schema["paths"].values():
        for operation in methods.values():
            needed: list[dict[str, list[str]]] = [{"token": []}]
            may_lack = operation.pop("x-token-optional", 401 not in operation["responses"])
            operation["security"] = [{}, *needed] if may_lack else needed
            for part in operation.get("parameters", ()):
                part.setdefault("description", described.get(f"?{part['name']}", ""))


TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": "A token of an account (read, or read and write), or the token that a submission returned.",
}
"""The API ignores cookies. Public data needs no token; private entries need their owner's."""
TOKEN_OPTIONAL: dict[str, object] = {"x-token-optional": True}
"""For uploads: only some sites accept them from accounts only."""


def python(source: str, query: str = "") -> dict[str, object]:
    """The same request with the Python client, as OpenAPI's extension for samples of code; and a sample query."""
    return {"x-codeSamples": [{"lang": "Python", "source": source}]} | ({"x-query": query} if query else {})


def upload_body() -> dict[str, object]:
    """The multipart body of an upload, described by its form."""
    form = UploadForm()
    properties: dict[str, dict[str, object]] = {
        "file": {
            "description": "vector file; several files are runs of the same settings",
            "type": "array",
            "minItems": 1,
            "maxItems": 20,
            "items": {"type": "string", "format": "binary"},
        },
        "url": {
            "description": "instead of file: an https URL on a host that this site fetches files from",
            "type": "string",
            "maxLength": LONGEST_URL,
        },
    }
    for name, field in form.fields.items():
        properties.setdefault(name, _schema(name, field))
    schema = {"type": "object", "required": ["name"], "properties": properties}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


def _schema(name: str, field: forms.Field) -> dict[str, object]:
    """The JSON schema of a form's field."""
    found: dict[str, object] = {"type": KINDS.get(type(field), "string"), "description": DESCRIBED.get(name, "")}
    if isinstance(field, forms.ChoiceField):
        found["enum"] = [value for value, _ in cast("Iterable[tuple[str, str]]", field.choices)]
    for validator in field.validators:
        if isinstance(validator, BaseValidator) and type(validator) in LIMITS:
            found[LIMITS[type(validator)]] = validator.limit_value
    return found
