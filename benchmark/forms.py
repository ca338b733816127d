"""A form base class that cleans texts before it validates them."""

from __future__ import annotations

from typing import Any

from django import forms

from benchmark.inputs import lines, one_line


class TidyForm(forms.BaseForm):
    """A form that removes invisible characters, and line ends from single-line fields, before validation."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            if type(field) is forms.CharField:
                self.fields[name] = _tidy(field)

    def describe_fields(self) -> None:
        """Link each field to its help and error, for screen readers. This validates the form."""
        for name, field in self.fields.items():
            described = [f"{name}-help"]
            if self.is_bound and name in self.errors:
                field.widget.attrs["aria-invalid"] = "true"
                described.insert(0, f"{name}-error")
            field.widget.attrs["aria-describedby"] = " ".join(described)


def _tidy(field: forms.CharField) -> forms.CharField:
    tidy = lines if isinstance(field.widget, forms.Textarea) else one_line
    read = field.to_python
    setattr(field, "to_python", lambda value: tidy(read(value) or ""))  # noqa: B010 - of this form's own copy
    return field
