"""Figures and tables of the study, from its results alone.

The numbers of the figures are those of Rodriguez & Spirling (2019). A figure is drawn from the settings that are done;
its description says which are missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tasks.cli.tables import number
from tasks.local_training.plan import Algorithm
from tasks.political.neighbours import JACCARD_AT
from tasks.political.study.grid import ALGORITHMS, LOCAL, REFERENCE, Setting, chosen, settings
from tasks.political.study.run import key
from tasks.political.study.store import Results
from tasks.political.study.svg import box_chart, heat_map, line_chart

_NAMES = {"glove": "GloVe", "skip-gram": "Skip-gram"}
_CORPORA = {LOCAL: "State of the Union", REFERENCE: "Wikipedia sample"}


def draw(results: Results) -> None:
    """Write every figure and table that the results allow, into ``figures/`` and ``tables.md``."""
    figures: dict[str, str | None] = {}
    for algorithm in ALGORITHMS:
        figures[f"1a-loss-{algorithm}"] = _technical(results, algorithm, "loss")
        figures[f"1b-minutes-{algorithm}"] = _technical(results, algorithm, "processor_minutes")
        for cues in ("random", "political"):
            nth = {"glove": "2", "skip-gram": "6"}[algorithm]
            figures[f"{nth}-correlations-{algorithm}-{cues}"] = _correlations(results, algorithm, cues)
            figures[f"3-stability-{algorithm}-{cues}"] = _stability(results, algorithm, cues)
        figures[f"10-jaccard-{algorithm}"] = _jaccard(results, algorithm)
    figures["7-glove-and-skip-gram"] = _between_algorithms(results)
    directory = results.results / "figures"
    directory.mkdir(exist_ok=True)
    for name, figure in figures.items():
        if figure is not None:
            (directory / f"{name}.svg").write_text(figure, encoding="utf-8")
    (results.results / "tables.md").write_text(_tables(results), encoding="utf-8")


def _done(results: Results, corpus: str, algorithm: Algorithm) -> list[tuple[Setting, dict[str, Any]]]:
    found = [(setting, results.cell(setting)) for setting in chosen(corpus, algorithm)]
    return [(setting, cell) for setting, cell in found if cell is not None]


def _missing(results: Results, corpus: str, algorithm: Algorithm) -> str:
    missing = [setting.label for setting in chosen(corpus, algorithm) if results.cell(setting) is None]
    return f" Not run yet: {', '.join(missing)}." if missing else ""


def _mean(cell: dict[str, Any], name: str) -> float | None:
    figures = [run[name] for run in cell["runs"]]
    return None if None in figures else sum(figures) / len(figures)


def _technical(results: Results, algorithm: Algorithm, name: str) -> str | None:
    """Loss, or minutes, by dimensions; a line a window."""
    series: dict[str, list[tuple[float, float]]] = {}
    for setting, cell in _done(results, LOCAL, algorithm):
        figure = _mean(cell, name)
        if figure is not None:
            series.setdefault(f"window {setting.plan.window}", []).append((setting.plan.dimensions, figure))
    if not series:
        return None
    loss = "loss a pair" if algorithm == "glove" else "loss a token"
    y = loss if name == "loss" else "processor minutes a run"
    title = f"{_NAMES[algorithm]}, {_CORPORA[LOCAL]}: {'loss at the end' if name == 'loss' else 'time of training'}"
    about = f"Mean over the runs, by dimensions and window.{_missing(results, LOCAL, algorithm)}"
    return line_chart(title, about, "dimensions", y, series)


def _correlations(results: Results, algorithm: Algorithm, cues: str) -> str | None:
    """Correlation of every two settings of the local corpus, and of each with the reference corpus's largest."""
    pairs = results.read("pairs") or {}
    local = [setting for setting, _ in _done(results, LOCAL, algorithm)]
    reference = [setting for setting, _ in _done(results, REFERENCE, algorithm)][-1:]
    everyone = local + reference
    names = [*(s.label for s in local), *(f"Wikipedia {s.label}" for s in reference)]
    values = {}
    for row, left in enumerate(everyone):
        for column, right in enumerate(everyone):
            found = pairs.get(key(left, right), {}).get(cues) or {}
            if row < column and "mean" in found:
                values[row, column - 1] = found["mean"]
    if not values:
        return None
    title = f"{_NAMES[algorithm]}: correlation of settings, {cues} cues"
    about = (
        f"Mean Pearson correlation of similarities averaged over runs, window-dimensions, {_CORPORA[LOCAL]}. The "
        f"Wikipedia sample's vectors stand in the place of pre-trained ones.{_missing(results, LOCAL, algorithm)}"
    )
    return heat_map(title, about, names[:-1], names[1:], values)


def _stability(results: Results, algorithm: Algorithm, cues: str) -> str | None:
    boxes = {
        setting.label: cell["stability"][cues]["quantiles"]
        for setting, cell in _done(results, LOCAL, algorithm)
        if cell["stability"][cues]
    }
    if not boxes:
        return None
    title = f"{_NAMES[algorithm]}: stability over runs, {cues} cues"
    about = (
        f"Pearson correlations between every two runs around every cue: least, quartiles, greatest, {_CORPORA[LOCAL]}."
        f"{_missing(results, LOCAL, algorithm)}"
    )
    return box_chart(title, about, "Pearson correlation between runs", boxes)


def _between_algorithms(results: Results) -> str | None:
    """GloVe (rows) against skip-gram (columns), political cues."""
    pairs = results.read("pairs") or {}
    sides = []
    for algorithm in ALGORITHMS:
        local = [(setting, setting.label) for setting, _ in _done(results, LOCAL, algorithm)]
        reference = [(setting, f"Wikipedia {setting.label}") for setting, _ in _done(results, REFERENCE, algorithm)]
        sides.append(local + reference[-1:])
    values = {}
    for row, (left, _) in enumerate(sides[0]):
        for column, (right, _) in enumerate(sides[1]):
            found = pairs.get(key(left, right), {}).get("political") or {}
            if "mean" in found:
                values[row, column] = found["mean"]
    if not values:
        return None
    rows = [f"GloVe {name}" for _, name in sides[0]]
    columns = [f"SG {name}" for _, name in sides[1]]
    about = "Mean Pearson correlation of GloVe (rows) and skip-gram (columns) around the political cues."
    return heat_map("GloVe and skip-gram, political cues", about, rows, columns, values)


def _jaccard(results: Results, algorithm: Algorithm) -> str | None:
    """Overlap of the nearest words of local settings with the reference's, by N; the largest dimensions of a window."""
    pairs = results.read("pairs") or {}
    reference = [setting for setting, _ in _done(results, REFERENCE, algorithm)][-1:]
    if not reference:
        return None
    series: dict[str, list[tuple[float, float]]] = {}
    for setting, _ in _done(results, LOCAL, algorithm):
        found = pairs.get(key(setting, reference[0]), {}).get("political") or {}
        if "jaccard" in found:
            series[f"{setting.plan.window}-{setting.plan.dimensions}"] = [
                (n, found["jaccard"][str(n)]) for n in JACCARD_AT
            ]
    if not series:
        return None
    largest = {label.split("-")[0]: label for label in series}
    title = f"{_NAMES[algorithm]}: overlap with the Wikipedia sample's neighbours"
    about = (
        "Mean Jaccard index of the N nearest words of the political cues, full vocabularies, against "
        f"{reference[0].label} of the Wikipedia sample, which stands in the place of pre-trained vectors."
    )
    return line_chart(title, about, "N", "Jaccard index", {label: series[label] for label in largest.values()})


def _tables(results: Results) -> str:
    """Every setting that is done, as Markdown."""
    head = (
        "| setting | runs | loss | iterations | processor minutes | stability, random | stability, political "
        "| distance from people | within |"
    )
    lines = [
        "Printed by `python -m tasks study`. Means over runs. Loss: GloVe, mean of f·(error)² over the pairs in the "
        "last iteration; skip-gram, a token of the last epoch. Minutes: of processor time, one thread.",
        "",
        head,
        "| --- |" + " ---: |" * 8,
    ]
    for setting in sorted(settings(), key=lambda s: (s.corpus, s.plan.algorithm, s.plan.window, s.plan.dimensions)):
        cell = results.cell(setting)
        if cell is not None:
            lines.append("| " + " | ".join(_row(setting, cell)) + " |")
    missing = [setting.id for setting in settings() if results.cell(setting) is None]
    lines += ["", f"Not run yet: {', '.join(missing)}." if missing else "Every setting has been run.", ""]
    return "\n".join([*lines, *_pair_table(results), *_neighbour_tables(results)])


def _pair_table(results: Results) -> list[str]:
    """GloVe beside skip-gram of the same settings, and every local setting beside the reference corpus's largest."""
    pairs = results.read("pairs") or {}
    chosen_pairs = [
        (a, b)
        for corpus in (LOCAL, REFERENCE)
        for a in chosen(corpus, "glove")
        for b in chosen(corpus, "skip-gram")
        if a.label == b.label
    ]
    for algorithm in ALGORITHMS:
        largest = [setting for setting, _ in _done(results, REFERENCE, algorithm)][-1:]
        chosen_pairs += [(a, b) for a in chosen(LOCAL, algorithm) for b in largest]
    known = [(a, b, pairs[key(a, b)]) for a, b in chosen_pairs if key(a, b) in pairs]
    if not known:
        return []
    lines = [
        "Mean Pearson correlation of two settings (similarities averaged over runs) ± standard error over the cues, "
        "and Jaccard index of the 10 nearest words of the political cues:",
        "",
        "| settings | common words | political cues | random cues | Jaccard@10 |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for a, b, found in known:
        means = [f"{number(found[cues].get('mean'), 3)} ± {number(found[cues].get('se'), 3)}" for cues in _PAIR_SETS]
        overlap = number(found["political"]["jaccard"].get("10"), 3)
        lines.append(f"| {a.id}, {b.id} | {found['common_words']:,} | {' | '.join(means)} | {overlap} |")
    return [*lines, ""]


def _row(setting: Setting, cell: dict[str, Any]) -> Sequence[str]:
    iterations = _mean(cell, "iterations") or 0.0
    open_end = any(run["converged"] is False for run in cell["runs"])
    return (
        setting.id,
        str(len(cell["runs"])),
        number(_mean(cell, "loss"), 5),
        f"{iterations:.0f}{' (limit)' if open_end else ''}",
        number(_mean(cell, "processor_minutes"), 2),
        *(number(cell["stability"][cues]["mean"] if cell["stability"][cues] else None) for cues in _SETS),
        *(number(cell["human"].get(name, {}).get("mean"), 2) for name in ("full", "within")),
    )


_SETS = ("random", "political")
_PAIR_SETS = ("political", "random")


def _neighbour_tables(results: Results) -> list[str]:
    """Nearest words of GloVe and skip-gram side by side (the paper's table 2), for the largest setting both have."""
    shared = [
        (glove, skip_gram)
        for glove, a in _done(results, LOCAL, "glove")
        for skip_gram, b in _done(results, LOCAL, "skip-gram")
        if glove.label == skip_gram.label and a and b
    ]
    if not shared:
        return []
    glove, skip_gram = shared[-1]
    cells = [results.cell(glove) or {}, results.cell(skip_gram) or {}]
    lines = [
        f"Nearest words by similarity averaged over runs, {_CORPORA[LOCAL]}, {glove.label}:",
        "",
        "| cue | GloVe | skip-gram |",
        "| --- | --- | --- |",
    ]
    for cue in cells[0]["neighbours"]:
        lists = (", ".join(cell["neighbours"].get(cue, [])) for cell in cells)
        lines.append(f"| {cue} | {' | '.join(lists)} |")
    return [*lines, ""]
