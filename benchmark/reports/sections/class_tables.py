"""Tables of the classes of a task as HTML.

Written by hand: a report has thousands of their cells, and a template takes half of a page's time for them. Their cells
have no end tags, which HTML lets one leave out: a twentieth of the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from django.utils.safestring import SafeString, mark_safe
from numpy.typing import NDArray

from benchmark.templatetags.figures import grouped, percent
from tasks.results import Mode

Counts = NDArray[np.int64]


def score_table(
    task: str, kind: str, labels: Sequence[str], support: Sequence[int], scores: Sequence[tuple[Mode, Counts]]
) -> SafeString:
    """Precision, recall and F1 of every label; ``scores``: by mode, true and false positives and false negatives.

    The counts are integers of shape (labels, 3). "–" where nothing is to find or was found. The style sheet aligns the
    cells of such a table as numbers and draws a line before each mode.
    """
    modes = "".join(
        f'<th colspan="3" scope="colgroup" class="group-start">{escape(m.capitalize())}</th>' for m, _ in scores
    )
    names = (
        '<th scope="col" class="number group-start">Precision</th><th scope="col" class="number">Recall</th>'
        '<th scope="col" class="number">F1</th>'
    )
    head = (
        f'<thead><tr><th rowspan="2" scope="col">{escape(kind)}</th>'
        f'<th rowspan="2" scope="col" class="number">Support</th>{modes}</tr><tr>{names * len(scores)}</tr></thead>'
    )
    cells = [[_scores(*counts) for counts in table.tolist()] for _, table in scores]
    lines = [
        f'<tr><th scope="row">{escape(label)}</th><td>{grouped(number)}{"".join(of_label)}</tr>'
        for label, number, *of_label in zip(labels, support, *cells, strict=True)
    ]
    region = f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(task)}: scores by {kind.lower()}">'
    body = "\n".join(lines)
    return mark_safe(f'{region}<table class="scores narrow classes">{head}<tbody>{body}</tbody></table></div>')  # nosec B308 B703


def _scores(tp: int, fp: int, fn: int) -> str:
    shares = ((tp, tp + fp), (tp, tp + fn), (2 * tp, 2 * tp + fp + fn))
    precision, recall, f1 = [percent(part / whole if whole else None) for part, whole in shares]
    return f"<td>{precision}<td>{recall}<td>{f1}"


def confusion_table(labels: Sequence[str], counts: Counts) -> SafeString:
    """Shares of each gold class in per cent, shaded in quarters. ``counts``: (labels, labels), a row a gold class."""
    heads = "".join(f'<th scope="col">{escape(label)}</th>' for label in labels)
    rows = zip(labels, counts.tolist(), counts.sum(axis=1).tolist(), strict=True)
    lines = [
        f'<tr><th scope="row">{escape(label)}</th>{_shares(row, total, i)}</tr>'
        for i, (label, row, total) in enumerate(rows)
    ]
    head = f'<thead><tr><td class="corner">gold ↓ predicted →</td>{heads}</tr></thead>'
    return mark_safe(f'<table class="confusion">{head}<tbody>{"".join(lines)}</tbody></table>')  # nosec B308 B703


def _shares(row: Sequence[int], total: int, right: int) -> str:
    """The cells of one gold class; ``right``: which of them is the class itself."""
    cells = ["<td>"] * len(row)
    for j, count in enumerate(row):
        if count:
            share = count / total
            text = f"{share * 100:.0f}" if share >= 0.005 else "&lt;1"
            shade = f"{'p' if j == right else 'n'}{round(share * 4) or 1}"
            cells[j] = f'<td class="{shade}">{text}'
    return "".join(cells)
