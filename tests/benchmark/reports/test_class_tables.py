"""The tables of classes, which are written by hand, against scikit-learn and a template of Django's."""

from __future__ import annotations

import numpy as np
import pytest
from django.template import Context, Engine
from sklearn.metrics import precision_recall_fscore_support

from benchmark.reports.sections.downstream import _of_confusion, confusion_table, score_table

LABELS = ["<B-PER>", "R&D", '"', "never"]
CONFUSION = np.array([[50, 3, 0, 0], [4, 1000, 1, 0], [0, 7, 2, 0], [0, 0, 0, 0]])
SCORES = Engine(libraries={"figures": "benchmark.templatetags.figures"}).from_string(
    '{% load figures %}<div class="scroll" tabindex="0" role="region" aria-label="{{ task }}: scores by class">'
    '<table class="scores narrow classes"><thead><tr><th rowspan="2" scope="col">Class</th>'
    '<th rowspan="2" scope="col" class="number">Support</th>'
    '{% for mode in modes %}<th colspan="3" scope="colgroup" class="group-start">{{ mode|capfirst }}</th>{% endfor %}'
    '</tr><tr>{% for mode in modes %}<th scope="col" class="number group-start">Precision</th>'
    '<th scope="col" class="number">Recall</th><th scope="col" class="number">F1</th>{% endfor %}</tr></thead><tbody>'
    '{% for row in rows %}<tr><th scope="row">{{ row.label }}</th><td>{{ row.support|grouped }}'
    "{% for three in row.scores %}<td>{{ three.0|percent }}"
    "<td>{{ three.1|percent }}<td>{{ three.2|percent }}{% endfor %}</tr>"
    "{% if not forloop.last %}\n{% endif %}{% endfor %}</tbody></table></div>"
)
SHARES = Engine(libraries={"figures": "benchmark.templatetags.figures"}).from_string(
    '<table class="confusion"><thead><tr><td class="corner">gold ↓ predicted →</td>'
    '{% for label in labels %}<th scope="col">{{ label }}</th>{% endfor %}</tr></thead><tbody>'
    '{% for label, cells in rows %}<tr><th scope="row">{{ label }}</th>{% for count, shade, share in cells %}'
    '{% if count %}<td class="{{ shade }}">{{ share }}{% else %}<td>{% endif %}'
    "{% endfor %}</tr>{% endfor %}</tbody></table>"
)


def by_scikit_learn(table: np.ndarray) -> list[tuple[float | None, ...]]:
    """Precision, recall and F1 of every class; None where there is nothing to divide by."""
    gold, taken = np.nonzero(table)
    found = precision_recall_fscore_support(
        gold, taken, sample_weight=table[gold, taken], labels=range(len(table)), zero_division=np.nan
    )
    return [tuple(None if np.isnan(value) else float(value) for value in row) for row in zip(*found[:3], strict=True)]


def test_scores_by_class_are_scikit_learns_and_the_html_is_a_templates() -> None:
    modes = {"fixed": CONFUSION, "fine-tuned": CONFUSION.T.copy()}
    scores = [by_scikit_learn(table) for table in modes.values()]
    rows = [
        {"label": label, "support": int(CONFUSION[i].sum()), "scores": [of_mode[i] for of_mode in scores]}
        for i, label in enumerate(LABELS)
    ]
    expected = SCORES.render(Context({"task": "R&D", "modes": list(modes), "rows": rows}))
    counts = [(mode, _of_confusion(table)) for mode, table in modes.items()]
    assert score_table("R&D", "Class", LABELS, CONFUSION.sum(axis=1).tolist(), counts) == expected  # type: ignore[arg-type]
    assert "–" in expected


@pytest.mark.parametrize("seed", range(3))
def test_shares_of_a_confusion_are_a_templates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 400, (4, 4)) * rng.integers(0, 2, (4, 4)) + np.diag([0, 0, 100_000, 0])
    rows = []
    for i, (label, counts) in enumerate(zip(LABELS, table.tolist(), strict=True)):
        shares = [count / max(1, sum(counts)) for count in counts]
        shades = [("p" if i == j else "n") + str(max(1, round(share * 4))) for j, share in enumerate(shares)]
        texts = ["<1" if share < 0.005 else f"{share * 100:.0f}" for share in shares]
        rows.append((label, list(zip(counts, shades, texts, strict=True))))
    assert confusion_table(LABELS, table) == SHARES.render(Context({"labels": LABELS, "rows": rows}, use_l10n=False))
