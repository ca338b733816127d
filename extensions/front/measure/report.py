"""The report on smaller variants: the only form that the script, the site's page and its API read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, NotRequired

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from extensions.front.measure.choose import Measured, SmallestVariant
from tasks.fields import doc
from tasks.formats.quantised import Precision
from tasks.formats.source import MEGABYTE
from tasks.gate import Gated, Verdict, in_points
from tasks.text import with_sign


class VariantScore(TypedDict):
    """A variant on one task or a mean, compared with the whole vectors by one-sided 95 % bounds, all in points."""

    task: Annotated[str, doc("id of the task, or the name of a mean")]
    new: Annotated[float, doc("score of the variant")]
    old: Annotated[float, doc("score of the whole vectors")]
    difference: Annotated[float, doc("new − old")]
    lower: Annotated[float, doc("lower bound")]
    upper: Annotated[float, doc("upper bound")]
    verdict: Annotated[Verdict, doc("of this score alone")]


class VariantFigures(TypedDict):
    """A variant, or the whole vectors."""

    name: Annotated[str, doc("words, dimensions and precision")]
    words: Annotated[int | None, doc("number of its words; null for a token model")]
    dimensions: Annotated[int, doc("numbers per vector")]
    precision: Annotated[Precision, doc("of its numbers")]
    bytes: Annotated[int, doc("of its file")]
    loss: Annotated[float, doc("share of the vectors that is lost, a fraction")]
    sha256: Annotated[str, doc("content hash")]
    mean: Annotated[VariantScore, doc("of the probes, which counts")]
    probes: Annotated[list[VariantScore], doc("classifiers on mean vectors")]
    trained: Annotated[list[VariantScore], doc("trained tasks; empty on a site")]
    verdict: Annotated[Verdict | None, doc("at its step; null if it was not tested")]


class FrontReport(TypedDict):
    """How small may vectors become without being worse?"""

    name: Annotated[str, doc("of the vectors")]
    sentence: Annotated[str, doc("the answer")]
    budget: Annotated[int, doc("most bytes of a variant")]
    margin: Annotated[float, doc("of the verdicts, in points")]
    verdict: Annotated[Verdict, doc("on the chosen variant")]
    chosen: Annotated[str, doc("name of the smallest variant that is not inferior, or else of the first one tested")]
    variants: Annotated[list[VariantFigures], doc("the whole vectors, then the variants, the largest first")]
    warnings: NotRequired[Annotated[list[str], doc("about the words that the variants keep")]]


REPORT: TypeAdapter[FrontReport] = TypeAdapter(FrontReport)
"""Reads and writes a report."""


def chosen_of(report: FrontReport) -> VariantFigures:
    """The variant that the answer names."""
    return next(variant for variant in report["variants"] if variant["name"] == report["chosen"])


def report_of(
    name: str,
    measured: Sequence[Measured],
    budget: int,
    margin: float,
    choice: SmallestVariant,
    warnings: Sequence[str] = (),
    trained: Mapping[str, Sequence[Gated]] = {},
) -> FrontReport:
    """The report on vectors of this name.

    Parameters
    ----------
    measured : the whole vectors, then the sequence.
    choice : by the probes, or by the trained tasks.
    warnings : of :func:`extensions.front.measure.variants.warnings_of`.
    trained : judgements on these by content hash, if they were measured.
    """
    tested = {file.variant: verdict for file, verdict in choice.tested}
    variants: list[VariantFigures] = []
    for file in measured:
        variants.append(
            {
                "name": file.variant.name,
                "words": file.variant.words,
                "dimensions": file.variant.dimensions,
                "precision": file.variant.precision,
                "bytes": file.bytes,
                "loss": file.loss,
                "sha256": file.sha256,
                "mean": _score(file.mean),
                "probes": [_score(probe) for probe in file.probes],
                "trained": [_score(column) for column in trained.get(file.sha256, [])],
                "verdict": tested.get(file.variant),
            }
        )
    return {
        "name": name,
        "sentence": answer(name, choice, measured[0], budget, margin, is_trained=bool(trained)),
        "budget": budget,
        "margin": margin,
        "verdict": choice.verdict,
        "chosen": choice.chosen.variant.name,
        "variants": variants,
        "warnings": list(warnings),
    }


def _score(column: Gated) -> VariantScore:
    judgement = column.judgement
    return {
        "task": column.column,
        "new": column.new,
        "old": column.old,
        "difference": judgement.difference,
        "lower": judgement.lower,
        "upper": judgement.upper,
        "verdict": judgement.verdict,
    }


def answer(name: str, choice: SmallestVariant, whole: Measured, budget: int, margin: float, *, is_trained: bool) -> str:
    """The choice in words; the whole vectors' size is as they were written, not as they were sent."""
    chosen, points = choice.chosen, in_points(margin)
    variant, large = chosen.variant.name, f"{megabytes(whole.bytes)} MB as {whole.variant.precision}"
    if choice.verdict == "not inferior":
        by = " and trained tasks" * is_trained
        small = f"{name} in {megabytes(chosen.bytes)} MB isn't worse than in {large}"
        return f"{small}: {variant} loses less than {points} (by probes{by})."
    loses = f"{variant} loses more than {points}"
    if choice.verdict == "can't tell":
        loses = f"these test sets can't tell whether {loses}"
    return f"Nothing within {megabytes(budget)} MB is certainly as good as {name} in {large}: {loses}."


def megabytes(count: int) -> str:
    return f"{count / MEGABYTE:.2f}"


def rows_of(report: FrontReport) -> list[list[str]]:
    """Head and rows of the table: the whole vectors, then the variants."""
    probes = [probe["task"] for probe in report["variants"][0]["probes"]]
    rows = [["Variant", "MB", "lost, %", *probes, "mean", "difference", "95 % bounds", "verdict"]]
    for place, variant in enumerate(report["variants"]):
        mean, is_compared = variant["mean"], place > 0
        scores = (score["new"] for score in (*variant["probes"], mean))
        bounds = f"{with_sign(mean['lower'], 2)} to {with_sign(mean['upper'], 2)}"
        rows.append(
            [
                variant["name"],
                megabytes(variant["bytes"]),
                f"{100 * variant['loss']:.1f}",
                *(f"{score:.2f}" for score in scores),
                with_sign(mean["difference"], 2) if is_compared else "",
                bounds if is_compared else "",
                (variant["verdict"] or "not tested" * is_compared) + " (trained tasks)" * bool(variant["trained"]),
            ]
        )
    return rows
