"""Figures of the study, from its results only.

The numbers of the figures are those of Rodriguez & Spirling (2019). A figure is drawn from the settings that are done;
its description says which are missing.
"""

from __future__ import annotations

from research.study.figures import box_chart, heat_map, line_chart
from research.study.grid import ALGORITHMS, LOCAL, REFERENCE, Setting, chosen
from research.study.numbers import Numbers, criterion
from research.study.store import Results
from research.study.tables import CORPORA, page
from tasks.local_training.plan import Algorithm
from tasks.political.vocabulary import JACCARD_AT

_NAMES = {"glove": "GloVe", "skip-gram": "Skip-gram"}


def draw(results: Results) -> None:
    """Write every figure and table that the results allow, into ``figures/`` and ``tables.md``."""
    numbers = Numbers(results)
    figures: dict[str, str | None] = {}
    for algorithm in ALGORITHMS:
        figures[f"1a-loss-{algorithm}"] = _technical(numbers, algorithm, "loss")
        figures[f"1b-minutes-{algorithm}"] = _technical(numbers, algorithm, "processor_minutes")
        for cues in ("random", "political"):
            nth = {"glove": "2", "skip-gram": "6"}[algorithm]
            figures[f"{nth}-correlations-{algorithm}-{cues}"] = _correlations(numbers, algorithm, cues)
            figures[f"3-stability-{algorithm}-{cues}"] = _stability(numbers, algorithm, cues)
        figures[f"10-jaccard-{algorithm}"] = _jaccard(numbers, algorithm)
    figures["7-glove-and-skip-gram"] = _between_algorithms(numbers)
    directory = results.results / "figures"
    directory.mkdir(exist_ok=True)
    for name, figure in figures.items():
        path = directory / f"{name}.svg"
        if figure is None:
            path.unlink(missing_ok=True)  # what it was drawn from is gone
        else:
            path.write_text(figure, encoding="utf-8")
    (results.results / "tables.md").write_text(page(results, numbers), encoding="utf-8")


def _missing(numbers: Numbers, algorithm: Algorithm) -> str:
    missing = [setting.label for setting in chosen(LOCAL, algorithm) if setting.id not in numbers.cells]
    return f" {_NAMES[algorithm]} not run yet: {', '.join(missing)}." if missing else ""


def _reference(numbers: Numbers, algorithm: Algorithm) -> list[Setting]:
    """The largest setting of the reference corpus, if one has been run."""
    return [setting for setting, _ in numbers.done(REFERENCE, algorithm)][-1:]


def _technical(numbers: Numbers, algorithm: Algorithm, name: str) -> str | None:
    """Loss, or minutes, by dimensions; one line per window."""
    series: dict[str, list[tuple[float, float]]] = {}
    for setting, cell in numbers.done(LOCAL, algorithm):
        figure = criterion(cell, name)
        if figure is not None:
            series.setdefault(f"window {setting.plan.window}", []).append((setting.plan.dimensions, figure))
    if not series:
        return None
    loss = "loss a pair" if algorithm == "glove" else "loss a token"
    y = loss if name == "loss" else "processor minutes a run"
    title = f"{_NAMES[algorithm]}, {CORPORA[LOCAL]}: {'loss at the end' if name == 'loss' else 'time of training'}"
    about = f"Mean over the runs, by dimensions and window.{_missing(numbers, algorithm)}"
    return line_chart(title, about, "dimensions", y, series)


def _correlations(numbers: Numbers, algorithm: Algorithm, cues: str) -> str | None:
    """Correlation of every two settings of the local corpus, and of each with the reference corpus's largest."""
    local = [setting for setting, _ in numbers.done(LOCAL, algorithm)]
    reference = _reference(numbers, algorithm)
    everyone = local + reference
    names = [*(s.label for s in local), *(f"Wikipedia {s.label}" for s in reference)]
    values = {}
    for row, left in enumerate(everyone):
        for column, right in enumerate(everyone):
            if row < column and (mean := numbers.mean(left, right, cues)) is not None:
                values[row, column - 1] = mean
    if not values:
        return None
    title = f"{_NAMES[algorithm]}: correlation of settings, {cues} cues"
    about = (
        f"Mean Pearson correlation of similarities averaged over runs, window-dimensions, {CORPORA[LOCAL]}. The "
        f"Wikipedia sample's vectors take the place of pre-trained ones.{_missing(numbers, algorithm)}"
    )
    return heat_map(title, about, names[:-1], names[1:], values)


def _stability(numbers: Numbers, algorithm: Algorithm, cues: str) -> str | None:
    boxes = {
        setting.label: cell["stability"][cues]["quantiles"]
        for setting, cell in numbers.done(LOCAL, algorithm)
        if cell["stability"][cues]
    }
    if not boxes:
        return None
    title = f"{_NAMES[algorithm]}: stability over runs, {cues} cues"
    about = (
        f"Pearson correlations between every two runs around every cue: minimum, quartiles, maximum, {CORPORA[LOCAL]}."
        f"{_missing(numbers, algorithm)}"
    )
    return box_chart(title, about, "Pearson correlation between runs", boxes)


def _between_algorithms(numbers: Numbers) -> str | None:
    """GloVe (rows) against skip-gram (columns), political cues."""
    sides = []
    for algorithm in ALGORITHMS:
        local = [(setting, setting.label) for setting, _ in numbers.done(LOCAL, algorithm)]
        reference = [(setting, f"Wikipedia {setting.label}") for setting in _reference(numbers, algorithm)]
        sides.append(local + reference)
    values = {}
    for row, (left, _) in enumerate(sides[0]):
        for column, (right, _) in enumerate(sides[1]):
            if (mean := numbers.mean(left, right, "political")) is not None:
                values[row, column] = mean
    if not values:
        return None
    rows = [f"GloVe {name}" for _, name in sides[0]]
    columns = [f"SG {name}" for _, name in sides[1]]
    about = (
        "Mean Pearson correlation of GloVe (rows) and skip-gram (columns) around the political cues. The Wikipedia "
        "sample's vectors take the place of pre-trained ones."
        f"{_missing(numbers, 'glove')}{_missing(numbers, 'skip-gram')}"
    )
    return heat_map("GloVe and skip-gram, political cues", about, rows, columns, values)


def _jaccard(numbers: Numbers, algorithm: Algorithm) -> str | None:
    """Overlap of the nearest words of local settings with the reference's, by N; the largest dimensions of a window."""
    reference = _reference(numbers, algorithm)
    if not reference:
        return None
    series: dict[str, list[tuple[float, float]]] = {}
    for setting, _ in numbers.done(LOCAL, algorithm):
        found = (numbers.pair(setting, reference[0]) or {}).get("political") or {}
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
        f"{reference[0].label} of the Wikipedia sample, which takes the place of pre-trained vectors."
    )
    return line_chart(title, about, "N", "Jaccard index", {label: series[label] for label in largest.values()})
