"""Files of the site are private to its account: mode 0600 in folders of 0700."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import httpx
import pytest

from tests.web import Web

pytestmark = pytest.mark.slow


def modes(folder: Path) -> dict[str, int]:
    """Permissions of everything in a folder, including itself."""
    return {
        str(path.relative_to(folder.parent)): stat.S_IMODE(path.lstat().st_mode)
        for path in (folder, *folder.rglob("*"))
        if not path.is_symlink()
    }


def too_open(folder: Path) -> dict[str, str]:
    allowed = (0o600, 0o700)
    return {name: oct(mode) for name, mode in modes(folder).items() if mode not in allowed}


def test_everything_that_the_site_writes_is_its_own(vector_file: Path) -> None:
    web = Web()
    var = web.directory / "var"
    old = os.umask(0o022)  # as set by the account that starts it
    try:
        var.mkdir(mode=0o755)
        (var / "vecboard.sqlite3").touch(0o644)  # as an earlier version left it
        with web, httpx.Client(base_url=f"{web.address}/api/v1", timeout=60) as client:
            sent = vector_file.read_bytes()
            whole = client.post("/submissions", data={"name": "whole"}, files={"file": ("a.gz", sent)})
            assert whole.status_code == 202, whole.text
            begun = client.post("/uploads", json={"name": "b", "files": [{"name": "b.gz", "bytes": len(sent)}]}).json()
            owner = {"Authorization": f"Bearer {begun['token']}"}
            half = client.put(f"/uploads/{begun['id']}?offset=0", content=sent[:100], headers=owner)
            assert half.status_code == 200, half.text
            written = modes(var)
            assert {"var/vecboard.sqlite3", "var/secret-key", "var/storage/incoming"} <= set(written)
            assert sum(name.endswith((".gz", ".part")) for name in written) == 2
            assert too_open(var) == {}
    finally:
        os.umask(old)
