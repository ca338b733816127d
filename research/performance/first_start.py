"""The README's first command in a fresh clone and an empty home: start time of each step, and disk space.

    python -m research.performance.first_start

Packages come from pip's configured index, so download times depend on it. The site stops after its first page.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from research.performance.versions import versions
from tasks.cli.tables import table
from tests.servers import free_port

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 1200
MARKS = {
    "1 of 3": "packages",
    "2 of 3": "torch",
    "3 of 3": "the command vecboard",
    "Bringing the database": "the site: database, data sets, shipped board",
}


def opened(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def megabytes(folder: Path) -> int:
    """Disk space of a folder."""
    said = subprocess.run(["du", "-sm", folder], capture_output=True, text=True, check=True).stdout
    return int(said.split()[0])


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="vecboard-first-") as scratch:
        home, clone, log = Path(scratch, "home"), Path(scratch, "vecboard"), Path(scratch, "log")
        home.mkdir()
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        port = free_port()
        kept = {name: value for name, value in os.environ.items() if name == "PATH" or name.startswith("PIP_")}
        mirror = os.environ.get("VECBOARD_DATA_MIRROR", str(ROOT.parent / "shared" / "datasets"))
        environment = kept | {"HOME": str(home), "PORT": str(port), "VECBOARD_DATA_MIRROR": mirror}
        rows, began = [], time.perf_counter()
        with log.open("w") as out:
            command = ["make", "run"]
            site = subprocess.Popen(command, cwd=clone, env=environment, stdout=out, stderr=out, start_new_session=True)
        try:
            waiting = dict(MARKS)
            while not opened(f"http://127.0.0.1:{port}/"):
                passed = time.perf_counter() - began
                if site.poll() is not None or passed > PATIENCE_SECONDS:
                    sys.exit(log.read_text())
                for mark in [mark for mark in waiting if mark in log.read_text()]:
                    rows.append((waiting.pop(mark), f"{passed:.0f}"))
                time.sleep(0.2)
            rows.append(("the first page is there", f"{time.perf_counter() - began:.0f}"))
        finally:
            os.killpg(site.pid, signal.SIGTERM)
            site.wait()
        print(f"git clone … && make run; {versions()}")
        print(table(("step", "begins after, s"), rows))
        print(f"{megabytes(clone / '.venv'):,} MB in .venv")


if __name__ == "__main__":
    main()
