"""Links from a page into the repository, which the built site does not include, become file names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import mkdocs.plugins

ROOT = Path(__file__).resolve().parents[2]
log = mkdocs.plugins.get_plugin_logger(__name__)
OUTSIDE = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+)([^)#]+)(?:#[^)]*)?\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replace such links; a broken one is a warning, which a strict build treats as an error."""
    depth = page.file.src_uri.count("/") + 1

    def replaced(match: re.Match[str]) -> str:
        text, up, place = match.groups()
        if up.count("../") < depth:
            return match.group(0)  # inside the documentation
        if not (ROOT / place).exists():
            log.warning("%s links to %s, which is not in the repository", page.file.src_uri, place)
        return text if "`" in text else f"{text} (`{place}`)"

    return OUTSIDE.sub(replaced, markdown)
