"""Questions of their own, a folder each, which a site can do without: see ``benchmark/features.py``."""

from __future__ import annotations

EXTENSIONS = (
    "extensions.find",
    "extensions.study",
    "extensions.explore",
    "extensions.associations",
    "extensions.claim",
    "extensions.people",
    "extensions.differ",
    "extensions.pairs",
    "extensions.translation",
    "extensions.own",
    "extensions.sufficiency",
    "extensions.front",
    "extensions.practice",
    "extensions.texts",
    "extensions.training",
    "extensions.exports",
    "extensions.pictures",
    "extensions.operator",
    "extensions.metrics",
    "extensions.verify",
)
"""The extensions that are switched on, in the order of their links and questions."""
