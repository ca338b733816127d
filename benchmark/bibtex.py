"""How the site writes a BibTeX entry."""

from __future__ import annotations


def misc(key: str, **fields: str) -> str:
    """An entry of type ``@misc``; fields are LaTeX (``templatetags.figures.tex``), empty ones are left out."""
    lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
    return "\n".join([f"@misc{{{key},", *lines, "}"])
