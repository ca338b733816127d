"""The README's first command in a fresh clone and an empty home: start of each step, processor time and disk space.

    python -m research.performance.first_start

Packages come from pip's configured index, so download times depend on it. The site stops once its worker runs.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import psutil

from research.performance.versions import versions
from tasks.cli.tables import table
from tests.servers import free_port

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 1200
MARKS = {
    "locked packages": "packages of the pages",
    "Bringing the database": "database, shipped board, documentation",
    "Starting web": "web",
    "Installing what torch": "what torch, files of R and buckets need",
    "Installing torch": "torch",
    "worker |": "the worker can measure",
}
SHEET = re.compile(rb'href="(/static/css/[^"]+)"')


def has_page(address: str) -> bool:
    """Whether the first page and its style sheet are served."""
    try:
        with urllib.request.urlopen(f"{address}/", timeout=5) as page:
            sheet = SHEET.search(page.read())
        with urllib.request.urlopen(f"{address}{sheet[1].decode()}", timeout=5) if sheet else page as answer:
            return bool(sheet and answer.status == 200)
    except OSError:
        return False


def processor_seconds(pid: int) -> float:
    """Time of a process, those that it has started, and their ended children."""
    root = psutil.Process(pid)
    return sum(sum(process.cpu_times()[:4]) for process in (root, *root.children(recursive=True)))


def megabytes(folder: Path) -> int:
    """Disk space of a folder."""
    output = subprocess.run(["du", "-sm", folder], capture_output=True, text=True, check=True).stdout
    return int(output.split()[0])


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="vecboard-first-") as scratch:
        home, clone, log = Path(scratch, "home"), Path(scratch, "vecboard"), Path(scratch, "log")
        home.mkdir()
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        port = free_port()
        inherited = {name: value for name, value in os.environ.items() if name == "PATH" or name.startswith("PIP_")}
        mirror = os.environ.get("VECBOARD_DATA_MIRROR", str(ROOT.parent / "shared" / "datasets"))
        environment = inherited | {"HOME": str(home), "PORT": str(port), "VECBOARD_DATA_MIRROR": mirror}
        rows, load, began = [], os.getloadavg()[0], time.perf_counter()
        with log.open("w") as out:
            command = ["make", "run"]
            site = subprocess.Popen(command, cwd=clone, env=environment, stdout=out, stderr=out, start_new_session=True)
        try:
            waiting, size = dict(MARKS), 0
            while waiting:
                passed = time.perf_counter() - began
                if site.poll() is not None or passed > PATIENCE_SECONDS:
                    sys.exit(log.read_text())
                if not size and has_page(f"http://127.0.0.1:{port}"):
                    rows.append(("the first page is there", f"{time.perf_counter() - began:.0f}"))
                    used, size = processor_seconds(site.pid), megabytes(clone / ".venv")
                for mark in [mark for mark in waiting if mark in log.read_text()]:
                    rows.append((waiting.pop(mark), f"{passed:.0f}"))
                time.sleep(0.2)
        finally:
            os.killpg(site.pid, signal.SIGTERM)
            site.wait()
        whole = megabytes(clone / ".venv")
        print(f"git clone … && make run; {versions()}; load of the machine before: {load:.0f}")
        print(table(("step", "begins after, s"), rows))
        print(f"{used:.0f} s of processor time and {size:,} MB in .venv until the first page, {whole:,} MB at the end")


if __name__ == "__main__":
    main()
