"""What people see of their studies."""

from __future__ import annotations

from django import template

from tasks.languages import language_name

register = template.Library()
register.filter(language_name)
