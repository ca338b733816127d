"""The image, and compose.yaml's services in containers, as ``deploy/prove`` builds and starts them without Docker."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.deploy.compose import ROOT

PROGRAMS = ("podman", "runc", "debootstrap")


@pytest.mark.slow
def test_the_image_serves_and_measures_with_the_rights_of_compose(
    capsys: pytest.CaptureFixture[str],
) -> None:
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing or os.geteuid():
        pytest.skip(f"deploy/prove needs root and {', '.join(PROGRAMS)}; missing: {', '.join(missing) or 'root'}")
    with capsys.disabled():  # each step with its seconds
        status = subprocess.run([sys.executable, "deploy/prove"], cwd=ROOT, check=False).returncode
    assert status == 0
