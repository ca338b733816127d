"""The site's rules for its header as a style sheet of the documentation, so that both headers are alike."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

STATIC = Path(__file__).resolve().parents[2] / "static" / "css"
RULE = re.compile(r"(@media[^{]*)\{((?:[^{}]*\{[^{}]*\})*[^{}]*)\}|([^{}]+)\{([^{}]*)\}")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
OF_HEADER = re.compile(r"header\.site|\.brand|#site-menu")
REM = re.compile(r"([\d.]+)rem")
"""Of the site, 16 pixels; the theme has another."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the style sheet."""
    text = "".join((STATIC / name).read_text(encoding="utf-8") for name in ("base.css", "parts.css"))
    files.append(File.generated(config, "header.css", content=header_rules(text)))
    return files


def header_rules(css: str) -> str:
    """The rules about the header, also those for some widths, in pixels."""
    lines = []
    for media, inner, selector, body in RULE.findall(COMMENT.sub("", css)):
        if media:
            rules = header_rules(inner)
            lines += [f"{media.strip()} {{\n{rules}\n}}"] if rules else []
        elif OF_HEADER.search(selector):
            lines.append(f"{selector.strip()} {{{body}}}")
    return REM.sub(lambda size: f"{16 * float(size[1]):g}px", "\n".join(lines))
