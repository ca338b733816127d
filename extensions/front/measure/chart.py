"""The picture of a report on smaller variants."""

from __future__ import annotations

from extensions.find.measure.scatter import LinkedDot, ScatterAxis, scatter
from extensions.front.measure.report import FrontReport, chosen_of, megabytes
from plots.chart import Chart
from tasks.formats.source import MEGABYTE

LEFT = 44


def chart_of(report: FrontReport) -> Chart:
    """Mean of the probes against bytes: the whole file, and a line through the sequence."""
    variants = report["variants"]
    whole, chosen = variants[0], chosen_of(report)
    dots = [
        LinkedDot(
            f"{variant['name']}: {megabytes(variant['bytes'])} MB, {variant['mean']['new']:.2f}",
            "",
            "best" if variant is chosen else "baseline" if variant is whole else "better",
            7 if variant is chosen else 5,
            "the whole file" if variant is whole else variant["name"],
        )
        for variant in variants
    ]
    across = ScatterAxis(
        [variant["bytes"] / MEGABYTE for variant in variants], "{:,g}".format, "MB", is_logarithmic=True
    )
    up = ScatterAxis([variant["mean"]["new"] for variant in variants], "{:g}".format, "Mean of the probes, %")
    joined = [place for place, variant in enumerate(variants) if place or variant["verdict"]]
    wide, narrow = (
        scatter(dots, across, up, left=LEFT, is_named=True, is_narrow=is_narrow, joined=joined)
        for is_narrow in (False, True)
    )
    return Chart(
        "front",
        report["sentence"],
        " ".join(f"{dot.title}." for dot in dots),
        wide,
        heading="What each size keeps",
        kind="scatter named",
        narrow=narrow,
    )
