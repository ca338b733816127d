"""What people see of their studies."""

from __future__ import annotations

from django import template

from benchmark.submissions.forms import LANGUAGES

register = template.Library()


@register.filter
def language_name(code: str) -> str:
    """``de`` → German."""
    return dict(LANGUAGES).get(code, code)
