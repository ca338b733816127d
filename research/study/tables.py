"""The study's tables, and its figures with their captions, as one page in Markdown; from the results only.

The tables' and figures' numbers in brackets are those of Rodriguez & Spirling (2019).
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree  # nosec B405 - reads draw.py's output
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from research.pages import table
from research.study.store import (
    ALGORITHMS,
    DEVIATIONS,
    LOCAL,
    PARTIES,
    PARTY_PLAN,
    PUBLISHED,
    REFERENCE,
    SEPARATED,
    Cell,
    Numbers,
    Published,
    Results,
    Setting,
    chosen,
    settings,
)
from tasks.cli.tables import number

CORPORA = {LOCAL: "State of the Union", REFERENCE: "Wikipedia sample"}
SETS = ("random", "political")
COMPARED_CUES = {LOCAL: ("immigration", "welfare"), REFERENCE: ("immigration", "abortion")}
"""Cues of table 3; the paper shows one per corpus."""
FIRST_NEIGHBOURS = 5


def page(results: Results, numbers: Numbers) -> str:
    """All tables that the results allow."""
    parts = (
        _corpora(results),
        _settings(numbers),
        _pairs(numbers),
        _separability(numbers),
        _parties(numbers),
        _two_algorithms(numbers),
        _two_settings(numbers),
        _figures(results.results / "figures"),
    )
    written = "Written by `python -m research study`; see [the findings](../political.md)."
    head = ["# Tables and figures of the study", "", written]
    return "\n".join(line for part in (head, *parts) if part for line in (*part, ""))


def _corpora(results: Results) -> list[str]:
    corpora = results.read("corpora")
    if corpora is None:
        return []
    head = ("corpus", "licence", "period", "documents", "tokens", "tokens a document", "vocabulary")
    rows = [
        (
            CORPORA[name],
            about["licence"],
            about["period"] or "–",
            f"{about['documents']:,}",
            f"{about['tokens']:,}",
            f"{about['tokens'] / about['documents']:,.0f}",
            f"{about['words']:,}",
        )
        for name, about in corpora.items()
    ]
    note = "The Wikipedia sample's documents are paragraphs. Vocabulary: words of at least ten occurrences."
    return ["## Corpora (table 1)", "", note, "", *table(head, rows, words=3)]


def _settings(numbers: Numbers) -> list[str]:
    head = ("setting", "runs", "loss", "iterations", "processor minutes", "stability, random", "stability, political",
            "distance from people", "within", "relative")  # fmt: skip
    everyone = sorted(settings(), key=lambda s: (s.corpus, s.plan.algorithm, s.plan.window, s.plan.dimensions))
    rows = [_row(setting, numbers.cells[setting.id]) for setting in everyone if setting.id in numbers.cells]
    missing = [setting.id for setting in settings() if setting.id not in numbers.cells]
    note = (
        "Means over runs. Loss: GloVe, mean of f·(error)² over the pairs in the last iteration; skip-gram, loss of the "
        "last epoch divided by the expected pairs of word and context. Minutes: of processor time, one thread. "
        "Distance from people: log rank deviation as published; within the known words; and relative to a random order "
        "of these."
    )
    done = f"Not run yet: {', '.join(missing)}." if missing else "Every setting has been run."
    lines = ["## Settings", "", note, "", *table(head, rows), "", done]
    if numbers.published is not None:
        human = numbers.published["human"]
        distances = ", ".join(f"{_mean(human[name], 2)} {name}" for name in DEVIATIONS)
        lines.append(f"Distance of `{PUBLISHED.id}` from people: {distances}, over {human['full']['n']} cues.")
    return lines


def _row(setting: Setting, cell: Cell) -> Sequence[str]:
    open_end = any(run["converged"] is False for run in cell["runs"])
    return (
        setting.id,
        str(len(cell["runs"])),
        number(cell["loss"], 5),
        f"{cell['iterations']:.0f}{' (limit)' if open_end else ''}",
        number(cell["processor_minutes"], 2),
        *(number((cell["stability"][cues] or {}).get("mean")) for cues in SETS),
        *(_mean(cell["human"].get(name), 2) for name in DEVIATIONS),
    )


def _mean(figures: Mapping[str, float | None] | None, digits: int) -> str:
    """Mean ± standard error over the cues."""
    return f"{number(figures['mean'], digits)} ± {number(figures['se'], digits)}" if figures else "–"


def _pairs(numbers: Numbers) -> list[str]:
    """GloVe compared with skip-gram of the same settings, and local settings with vectors of other texts."""
    compared = [(a, b, pair) for a, b in _shown_pairs(numbers) if (pair := numbers.pair(a, b)) is not None]
    if not compared:
        return []
    rows = []
    for a, b, pair in compared:
        means = [_mean(pair[cues], 3) for cues in SETS]
        overlap = number(pair["political"]["jaccard"].get("10"), 3)
        rows.append((f"{a.id}, {b.id}", f"{pair['common_words']:,}", *means, overlap))
    note = (
        "Mean Pearson correlation of two settings (similarities averaged over runs) ± standard error over the cues, "
        f"and Jaccard index of the 10 nearest words of the political cues. `{PUBLISHED.id}` is the recipe of "
        "`vecboard public`; the first run of a setting is compared with it. All pairs: `pairs.json`."
    )
    head = ("settings", "common words", "random cues", "political cues", "Jaccard@10")
    return ["## Pairs of settings", "", note, "", *table(head, rows)]


def _shown_pairs(numbers: Numbers) -> Iterator[tuple[Setting, Setting | Published]]:
    for corpus in (LOCAL, REFERENCE):
        for a in chosen(corpus, "glove"):
            yield from ((a, b) for b in chosen(corpus, "skip-gram") if a.label == b.label)
    for algorithm in ALGORITHMS:
        reference = [setting for setting, _ in numbers.done(REFERENCE, algorithm)[-1:]]
        others: list[Setting | Published] = [*([PUBLISHED] if algorithm == "glove" else []), *reference]
        yield from ((a, other) for other in others for a in chosen(LOCAL, algorithm))


def _separability(numbers: Numbers) -> list[str]:
    rows = [
        (plan.name, *(number(row[name], 3) for name in ("same", "random", "difference")), _between(row["interval"]))
        for plan in SEPARATED
        if (row := numbers.separability.get(plan.name))
    ]
    if not rows:
        return []
    note = (
        "Mean cosine of the two halves of 100 words' occurrences, mean cosine of all other pairs of words, and the "
        "difference with its 95 % interval (tagged words resampled); one run each."
    )
    head = ("setting", "halves", "other words", "difference", "95 % interval")
    return [f"## Separability (figure 11): {CORPORA[LOCAL]}", "", note, "", *table(head, rows)]


def _parties(numbers: Numbers) -> list[str]:
    rows = [
        (
            f"{cues} ({comparison['difference']['cues']})",
            *(_mean(summary, 3) for summary in comparison["groups"].values()),
            number(comparison["difference"]["mean"], 3),
            _between(comparison["difference"]["interval"]),
            number(comparison["difference"]["p"], 3),
        )
        for cues, comparison in numbers.parties.items()
    ]
    if not rows:
        return []
    common = next(iter(numbers.parties.values()))["common_words"]
    note = (
        f"Mean Pearson correlation of `{PUBLISHED.id}` with vectors trained on one party's addresses "
        f"({PARTY_PLAN.name}, one run each) ± standard error over the cues, on {common:,} common words; the "
        "difference, its 95 % interval (cues resampled) and Wilcoxon's p."
    )
    head = ("cues", *PARTIES, "difference", "95 % interval", "p")
    return [f"## Published vectors and parties (figure 12): {CORPORA[LOCAL]}", "", note, "", *table(head, rows)]


def _between(interval: Sequence[float]) -> str:
    return f"{number(interval[0], 3)} to {number(interval[1], 3)}"


def _two_algorithms(numbers: Numbers) -> list[str]:
    """Nearest words of GloVe and skip-gram side by side, for the largest setting that both have."""
    glove = {setting.label: cell for setting, cell in numbers.done(LOCAL, "glove")}
    skip_gram = {setting.label: cell for setting, cell in numbers.done(LOCAL, "skip-gram")}
    shared = [label for label in glove if label in skip_gram]
    if not shared:
        return []
    sides = (glove[shared[-1]]["neighbours"], skip_gram[shared[-1]]["neighbours"])
    rows = [(cue, *(", ".join(side.get(cue, [])) for side in sides)) for cue in sides[0]]
    head = f"## Nearest words of two algorithms (table 2): {CORPORA[LOCAL]}, {shared[-1]}"
    note = "By similarity averaged over runs. A cue that is too rare in the corpus has no row."
    return [head, "", note, "", *table(("cue", "GloVe", "skip-gram"), rows, words=3)]


def _two_settings(numbers: Numbers) -> list[str]:
    """The first nearest words of GloVe's smallest and largest setting, on both corpora."""
    rows = []
    for corpus, cues in COMPARED_CUES.items():
        done = numbers.done(corpus, "glove")
        if len(done) < 2:
            continue
        (small, first), (large, last) = done[0], done[-1]
        for cue in cues:
            sides = [(s.label, c["neighbours"].get(cue, [])) for s, c in ((small, first), (large, last))]
            if all(near for _, near in sides):
                near = (f"{label}: {', '.join(words[:FIRST_NEIGHBOURS])}" for label, words in sides)
                rows.append((CORPORA[corpus], cue, *near))
    if not rows:
        return []
    head = ("corpus", "cue", "smallest setting", "largest setting")
    return ["## Nearest words of two GloVe settings (table 3)", "", *table(head, rows, words=4)]


def _figures(directory: Path) -> list[str]:
    """Every figure with its caption, taken from the file's own description."""
    lines = ["## Figures", "", "Window-dimensions name a setting. The numbers are the paper's."]
    for path in sorted(directory.glob("*.svg"), key=_place):
        root = ElementTree.parse(path).getroot()  # nosec B314 - our own file
        texts = {element.tag.rpartition("}")[2]: element.text or "" for element in root}
        prefix = path.name.split("-")[0]
        caption = f"*Figure {prefix}. {texts['title']}. {texts['desc']}*"
        lines += ["", f"![{texts['title']}](figures/{path.name})", "", caption]
    return lines


def _place(figure: Path) -> tuple[int, str]:
    """2 before 10, 1a before 1b."""
    return int(figure.name.split("-")[0].rstrip("ab")), figure.name
