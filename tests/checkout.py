"""The files of this checkout, as git knows them."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.databases import ROOT


def files_of_git(*arguments: str) -> list[str]:
    """Output of ``git ls-files``, relative to the root; without git or its folder, the test is skipped."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is not a checkout with git (Debian: apt install git)")
    done = subprocess.run(["git", "ls-files", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()
