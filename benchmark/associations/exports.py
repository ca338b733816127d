"""Answers as files: CSV, JSON, LaTeX. Each has the link that shows them again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence

from benchmark.associations.answers import Answered
from benchmark.associations.lists import Asked
from benchmark.templatetags.figures import between, chance, decimals, for_spreadsheet, tex
from tasks.associations.weat import CAUTION, shown

HEAD = ("id", "name", "of", "word", "d", "low", "high", "p", "partitions", "exact", "missing", "problem")


def as_csv(asked: Asked, answered: Sequence[Answered], address: str) -> str:
    """For every entry a row of the test, then one of every target word; ``of`` says which."""
    out = io.StringIO()
    out.write(f"# Vecboard, association test: {address}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for one in answered:
        about = (one.entry.submission.pk, for_spreadsheet(one.entry.name))
        found = one.answer
        if found is None:
            writer.writerow([*about, "test", *[""] * 8, one.problem])
            continue
        low, high = found.interval or ("", "")
        missing = for_spreadsheet(" ".join(found.missing))
        notes = " ".join(filter(None, (shown(found.left_out), found.reason)))
        tried = (found.partitions, int(found.exact), missing, for_spreadsheet(notes))
        writer.writerow([*about, "test", "", found.d, low, high, found.p, *tried])
        for word, single in found.single.items():
            writer.writerow([*about, "word", for_spreadsheet(word), single.d, "", "", single.p, *[""] * 4])
    return out.getvalue()


def as_json(asked: Asked, answered: Sequence[Answered], address: str) -> str:
    """The lists, and for every entry what the command prints, or the problem."""
    body = {
        "address": address,
        "test": asked.test or None,
        "targets": [{"name": one.name, "words": one.words} for one in asked.question.targets],
        "attributes": [{"name": one.name, "words": one.words} for one in asked.question.attributes],
        "caution": CAUTION,
        "entries": [
            {
                "id": one.entry.submission.pk,
                "name": one.entry.name,
                **({"problem": one.problem} if one.answer is None else one.answer.as_dict()),
            }
            for one in answered
        ],
    }
    return json.dumps(body, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def as_latex(asked: Asked, answered: Sequence[Answered], address: str) -> str:
    """A booktabs table with an entry a row."""
    rows = []
    for one in answered:
        found = one.answer
        figures = ["--"] * 3
        if found is not None and found.d is not None:
            figures = [
                decimals(found.d),
                between(found.interval, decimals) or "--",
                chance(found.p).replace("<", "$<$"),
            ]
        rows.append(" & ".join([tex(one.entry.name), *(figure.replace("−", "$-$") for figure in figures)]) + r" \\")
    lines = [
        f"% Vecboard, association test: {address}",
        f"% {tex(asked.title)}",
        "% needs \\usepackage{booktabs}",
        r"\begin{tabular}{l r r r}",
        r"\toprule",
        r"Entry & $d$ & 95\,\% interval & $p$ \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


FORMATS: dict[str, tuple[str, Callable[[Asked, Sequence[Answered], str], str]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "json": ("application/json", as_json),
    "tex": ("text/plain; charset=utf-8", as_latex),
}
