"""``manage.py up``: the whole site on this machine, with Python alone (what ``make run`` calls)."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from benchmark.data import DEMO, INSTALLATION, current_suite
from benchmark.env import env_bool, env_int, env_str
from benchmark.leaderboard.jobs import rank_board
from benchmark.management.commands.serve import RANKING
from benchmark.operations import fair_queue, space
from benchmark.operations.logs import logged
from benchmark.serve import bound
from benchmark.submissions.models import Submission
from tasks.baseline.published import published
from tasks.datasets.store import DataStore
from tasks.suite import Suite
from tasks.suites import SUITES
from workers import broker, resources, sweeper
from workers.gpus import workers_on_gpus
from workers.supervisor import Child, Supervisor, run_step

START_SECONDS = 90
INSTALL = """umask 022; echo running >"$0"; if {0}; then rm "$0"; else
echo failed >"$0"; echo 'Until then files are checked, but not measured. To repeat it by hand: {0}'; exit 1; fi"""
"""Shell command that notes for pages how far the installation is."""
INSTALL_PAUSE_SECONDS = 600.0


class Command(BaseCommand):
    help = "Migrate, load the board, and run web, workers, sweeper and the fetching of data until Ctrl-C."

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._unranked: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=env_str("HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=env_int("PORT", 8000, least=1))
        parser.add_argument(
            "--install", metavar="COMMAND", help="installs what only workers need; runs once the site serves"
        )

    def handle(self, *args: object, host: str, port: int, install: str | None, **options: object) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)  # an interrupted step ends its processes first
        try:
            status = self._up(host, port, install)
        except KeyboardInterrupt:
            self._say("Stopped before the site was up. The next start resumes from here.")
            status = 130
        sys.exit(status)

    def _up(self, host: str, port: int, install: str | None) -> int:
        os.chdir(settings.BASE_DIR)  # the processes below are started by module name
        var = settings.VECBOARD_VAR
        # Only a first start needs much space, so that entries can be deleted on a full disk.
        if not (var / "swept").exists() and shutil.disk_usage(var).free < space.FIRST_START_BYTES:
            raise CommandError(f"There is not enough room for a first start. {space.advice()}")
        is_first = not (var / fair_queue.LAUNCHED).exists()
        lock = self._lock(var / fair_queue.LAUNCHED)
        self._check_port(host, port)
        suite = current_suite()
        os.environ.setdefault("VECBOARD_BASELINE_SCORES", str(var / "baseline-scores"))
        os.environ.setdefault("VECBOARD_STATIC_ROOT", str(var / "static"))
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        missing, data = self._look_for_data(suite)
        # Both take seconds of one core, beside the loading of the boards.
        site = str(settings.DOCS_ROOT / "docs")
        docs = _made("documentation", "-m", "mkdocs", "build", "--quiet", "--no-strict", "--site-dir", site)
        static = _made("static files", "manage.py", "collectstatic", "--noinput", "--verbosity", "0")
        try:
            if not is_first:  # it would delay the first page
                static.start(environment)
            self._say("Bringing the database up to date.")
            call_command("migrate", interactive=False, verbosity=0)  # alone, so that a full disk is one sentence
            docs.start(environment | {"NO_MKDOCS_2_WARNING": "1", "VECBOARD_HOME": "/"})
            # Without data and network, new files are measured with the demo suite, so its board is prepared too.
            for board in (suite, *([SUITES[DEMO]] if missing and suite.comparable else [])):
                self._load_baseline(board.id, environment, install)
                if self._load_board(board.id):
                    self._unranked.append(f"{board.id}/{board.version}")
            for child, hence in (docs, "the site runs without it"), (static, "they are served uncompressed"):
                if child.process is not None and child.process.wait() != 0:
                    self._say(f"The {child.name} could not be built (see the lines above); {hence}.")
            if not settings.REDIS_URL:  # the embedded broker may have lost messages: queue open work from the rows
                broker.clear(var)
                sweeper.recover_after_restart()
            return self._run(host, port, environment, [*data, *self._workers(install)])
        finally:
            docs.kill()
            static.kill()
            lock.close()

    def _say(self, sentence: str) -> None:
        self.stdout.write(f"site   | {sentence}")
        self.stdout.flush()

    def _lock(self, path: Path) -> IO[str]:
        """Allow one launcher per var directory. The system releases the lock of a killed launcher."""
        stream = path.open("a+", encoding="ascii")
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            stream.seek(0)
            raise CommandError(
                f"The site is running already (process {stream.read().strip() or 'unknown'}). "
                "Stop it first, or set VECBOARD_VAR and PORT to run a second one."
            ) from None
        stream.truncate(0)
        stream.write(str(os.getpid()))
        stream.flush()
        return stream

    def _check_port(self, host: str, port: int) -> None:
        try:
            bound(host, port).close()
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", error)
            raise CommandError(
                f"{host}:{port} cannot be used ({why}). Set PORT to another one, as in PORT=8001."
            ) from None

    def _look_for_data(self, suite: Suite) -> tuple[list[str], list[Child]]:
        """Ids of missing data sets, and the process that will fetch them."""
        self._say("Looking for the data sets.")
        store = DataStore.default()
        missing = [name for name in suite.datasets if not store.status(name).available]
        coming = [name for name in missing if store.can_fetch(name)]
        for name in missing:
            if name not in coming:
                self._say(store.status(name).reason)
        if not coming:
            return missing, []
        self._say(f"{len(coming)} data set(s) will be fetched while the site serves; their tasks wait for them.")
        fetch = [sys.executable, "-m", "tasks", "datasets", "fetch", "--suite", suite.id, "--keep-trying"]
        return missing, [Child("data", fetch, may_end=True)]

    def _load_baseline(self, suite: str, environment: dict[str, str], install: str | None) -> None:
        """Load the published baseline as the board's first entry; for a suite without one, train it here."""
        if published(SUITES[suite]) is None:
            if install:
                run_step(["sh", "-c", install], environment)
            self._say(f"{suite} has no published baseline: training and evaluating one (minutes, once).")
            train = [sys.executable, "-m", "tasks", "baseline", "--suite", suite, "--publish"]
            if run_step(train, environment) != 0:
                self._say("The baseline could not be trained (see the lines above); the board starts without it.")
                return
        self._say("Loading the baseline.")
        self._command("load_baseline", suite, "The baseline could not be loaded", "the board starts without it")

    def _load_board(self, suite: str) -> bool:
        """Load the shipped entries, if the board has no others; return whether it had none."""
        if not env_bool("VECBOARD_SHIPPED_BOARD", True):
            return False
        if Submission.objects.filter(suite=suite, is_baseline=False).exists():
            return False
        failed, hence = "The shipped entries could not be loaded", "the board starts without them"
        self._command("load_board", suite, failed, hence, without_ranks=True)
        return True

    def _command(self, name: str, suite: str, failed: str, hence: str, **options: bool) -> None:
        """Run a management command; report a failure and continue."""
        try:
            call_command(name, suite=suite, stdout=self.stdout, **options)
        except Exception as error:  # a board without these entries is better than none
            self._say(f"{failed} ({error}); {hence}.")

    def _workers(self, install: str | None) -> list[Child]:
        """Workers and sweeper. Only measuring waits for the installation."""
        celery = ["env", "VECBOARD_DEVICE=cpu", sys.executable, "-m", "celery", "--quiet", "--app", "workers.app"]
        worker = Child("worker", [*celery, "worker", "--loglevel", "info"], signal.SIGQUIT)
        measuring = [worker, *workers_on_gpus()]
        children = [
            Child("checks", [*celery, "worker", "--loglevel", "info", *broker.AT_ONCE_ALONE], signal.SIGQUIT),
            Child("beat", [*celery, "beat", "--loglevel", "warning"]),
        ]
        note = settings.VECBOARD_VAR / INSTALLATION
        note.unlink(missing_ok=True)
        if install:
            note.write_text("running", encoding="ascii")
            command = ["sh", "-c", INSTALL.format(install), str(note)]
            installation = Child("install", command, signal.SIGKILL, may_end=True, longest_pause=INSTALL_PAUSE_SECONDS)
            if resources.has_driver():  # which of its GPUs can be used is known once torch is installed
                measuring = [worker, Child("gpus", [sys.executable, "-m", "workers.gpus"], may_end=True)]
            for child in measuring:
                child.after = installation
            children.append(installation)
        return [*children, *measuring]

    def _run(self, host: str, port: int, environment: dict[str, str], others: list[Child]) -> int:
        """Serve, and start the others once the first page can be seen: until then they would only slow it down."""
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        serve = [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve", "--bind", address]
        web = Child("web", serve, is_essential=True)
        self._check_port(host, port)  # again: another site may have taken it meanwhile
        self._say("Starting web.")
        supervisor = Supervisor([web], environment, self._say)
        with (settings.VECBOARD_VAR / RANKING).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            supervisor.start()
            for board in self._unranked:  # while web loads the program
                with logged(f"Ranking {board}"):
                    rank_board(board)
        browsable = address.replace("0.0.0.0", "127.0.0.1").replace("[::]", "[::1]")  # nosec B104 - read, not bound
        deadline = time.monotonic() + START_SECONDS
        healthy = f"http://{browsable}/healthz"

        def has_answer() -> bool:
            return web.is_running and _answers(healthy)

        status = supervisor.watch(0.1, until=lambda: has_answer() or time.monotonic() > deadline)
        if status is None:
            slow = f"{healthy} does not answer yet; the web lines above may show why."
            self._say(f"Vecboard is at http://{browsable} (Ctrl-C stops it)." if has_answer() else slow)
            supervisor.children = [web, *others]
            supervisor.start()
            status = supervisor.watch()
        self._say("Stopped.")
        return status or 0


def _made(name: str, *arguments: str) -> Child:
    return Child(name, [sys.executable, *arguments], may_end=True)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2):  # nosec B310 - our own address
            return True
    except (urllib.error.URLError, OSError):
        return False
