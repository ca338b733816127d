"""How people's figures are written."""

from __future__ import annotations

from django import template

from benchmark.submissions.forms import LANGUAGES
from benchmark.templatetags.figures import BLANK, MINUS

register = template.Library()


@register.filter
def score(value: float | None) -> str:
    """Preferences, deviations, agreement: two decimals."""
    return BLANK if value is None else f"{value:.2f}".replace("-", MINUS)


@register.filter
def language_name(code: str) -> str:
    """``de`` → German."""
    return dict(LANGUAGES).get(code, code)
