"""Pages at the repository's root as part of the documentation, and links between pages and the repository."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, normpath, relpath

import mkdocs.plugins
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
ROOT_PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "report-a-vulnerability.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "apache-licence.md",
}
"""Files of the repository by the page that the documentation makes of them."""
STATIC = ("icon.svg", "fonts/inter.woff2")
"""Files of the site that the documentation copies."""
log = mkdocs.plugins.get_plugin_logger(__name__)
# A block of code, or a link: only the second has a text and a place.
LINK = re.compile(r"^```.*?^```$|\[([^\]]+)\]\(([^)#\s:]+)(#[^)]*)?\)", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the root pages, the mark and the typeface to the files in the folder."""
    for name in STATIC:
        path = ROOT / "static" / name
        files.append(File.generated(config, path.name, abs_src_path=str(path)))
    for name, page in ROOT_PAGES.items():
        files.append(File.generated(config, page, content=_text(name)))
    return files


def _text(name: str) -> str:
    """A root page as Markdown."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return text if name.endswith(".md") else "# Apache License 2.0\n\n```text\n" + text.strip("\n") + "\n```\n"


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Make links between pages relative to the built page, and links to other files of the repository their names.

    A link to a missing file is a warning, which a strict build treats as an error.
    """
    built = page.file.src_uri
    source = next((name for name, made in ROOT_PAGES.items() if made == built), f"docs/{built}")

    def replaced(match: re.Match[str]) -> str:
        text, place, fragment = match.groups(default="")
        if not place:
            return match[0]
        target = normpath(f"{dirname(source)}/{place}" if dirname(source) else place)
        inside = ROOT_PAGES.get(target) or (target.removeprefix("docs/") if target.startswith("docs/") else "")
        if inside:
            return f"[{text}]({relpath(inside, dirname(built) or '.')}{fragment})"
        if target.startswith("../") or not (ROOT / target).exists():
            log.warning("%s links to %s, which is not in the repository", source, place)
        return text if "`" in text else f"{text} (`{target}`)"

    return LINK.sub(replaced, markdown)
