"""Pages as a site may serve them: its policy forbids inline scripts and styles. Text files get a compressed copy."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

from whitenoise.compress import Compressor

INLINE = re.compile(r"<script>(.+?)</script>", re.DOTALL)
ALIGNED = re.compile(r'style="text-align: (\w+);"')
DIALOG = ('data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"')
"""Label for the search dialog of the theme, which has none."""
UNNAMED = re.compile(
    r'(<nav class="md-nav" data-md-level="\d" )aria-labelledby="(\w+)_label"'
    r'( aria-expanded="\w+">\s*<label class="md-nav__title" for="\2">\s*<span[^>]*></span>\s*)([^<]+?)(?=\s*<)'
)
"""A list of the navigation: the theme names it by a label that is empty if its heading is a link."""
FOLDER = "assets/javascripts/inline"


def on_post_build(config: Any) -> None:
    """Move what is inline into files, then compress."""
    site = Path(config["site_dir"])
    for page in site.rglob("*.html"):
        page.write_text(_strict(page, site), encoding="utf-8")
    pack = Compressor(quiet=True)
    for path in [path for path in site.rglob("*") if path.is_file() and pack.should_compress(path.name)]:
        list(pack.compress(str(path)))


def _strict(page: Path, site: Path) -> str:
    """The theme writes a few short scripts into every page, the same on all pages of one depth."""
    root = "../" * (len(page.relative_to(site).parts) - 1)

    def moved(link: re.Match[str]) -> str:
        name = f"{FOLDER}/{hashlib.sha256(link[1].encode()).hexdigest()[:8]}.js"
        (site / FOLDER).mkdir(parents=True, exist_ok=True)
        (site / name).write_text(link[1], encoding="utf-8")
        return f'<script src="{root}{name}"></script>'

    text = page.read_text(encoding="utf-8").replace(*DIALOG)
    text = UNNAMED.sub(r'\1aria-label="\4"\3\4', text)
    return ALIGNED.sub(r'align="\1"', INLINE.sub(moved, text))
