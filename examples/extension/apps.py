from __future__ import annotations

from benchmark.features import Extension


class LengthsConfig(Extension):
    # Modules of this folder by name, imported when needed; benchmark/features.py has all that can be declared.
    name = "extensions.lengths"
    urls = "views"
    sections = "sections"
