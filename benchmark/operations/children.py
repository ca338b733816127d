"""A process without secrets that reads a stranger's file, answers in lines, and ends with the job that started it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from django.conf import settings

from tasks.processes import says_it_lacks_memory

POLL_SECONDS = 0.5
"""How often a silent process is checked: whether it is late, and whether it is still wanted."""
_BLOCK_BYTES = 1 << 16
_LOGGED_BYTES = 4_000
ENVIRONMENT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TMPDIR")
"""Environment variables passed on to each such process."""
ARITHMETIC = ("OPENBLAS_", "MKL_")
"""Beginnings of the other variables passed on. They choose the kernels of NumPy and SciPy: only with the same ones do a
site and the script give the same figures to the last bit."""
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


@dataclass
class Sealed:
    """A started process; ``complaints`` is its output for the log."""

    process: subprocess.Popen[bytes]
    complaints: IO[bytes]

    def tell(self, line: bytes) -> None:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # its exit status is more informative
            self.process.stdin.write(line)

    def lines(self) -> Iterator[bytes | None]:
        """Yield its lines and, at least twice a second, None; end with its output."""
        assert self.process.stdout is not None
        answers, rest = select.poll(), bytearray()
        answers.register(self.process.stdout, select.POLLIN)
        while True:
            yield None
            if not answers.poll(POLL_SECONDS * 1000):
                continue
            block = os.read(self.process.stdout.fileno(), _BLOCK_BYTES)
            if not block:
                return
            rest += block
            if b"\n" in block:
                *lines, rest = rest.split(b"\n")
                yield from map(bytes, lines)

    def processor_seconds(self) -> float:
        """Processor time that it has used, unlike the time of the clock a measure of its work on a busy machine."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # proc(5): utime, stime

    def last_words(self) -> str:
        """The end of its output."""
        self.complaints.seek(max(0, self.complaints.seek(0, os.SEEK_END) - _LOGGED_BYTES))
        return self.complaints.read().decode("utf-8", "replace").strip()

    def places(self) -> str:
        """Places in the program from its output, for the log; other lines may quote a visitor's file."""
        return "\n".join(line for line in self.last_words().splitlines() if line.lstrip().startswith('File "'))

    def lacked_memory(self) -> bool:
        """Whether the kernel ended it, as it does with a process that exceeds its memory, or it says so itself."""
        return self.process.wait() == -signal.SIGKILL or says_it_lacks_memory(self.last_words())

    def end_in_words(self) -> str:
        status = self.process.wait()
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"


@contextmanager
def child(*arguments: str, pass_on: Sequence[str] = (), **environment: str) -> Iterator[Sealed]:
    """Start Python with these arguments and this process's id; at the end, end it and its own processes.

    Parameters
    ----------
    pass_on : further environment variables that it gets.
    environment : variables with other values.
    """
    passed = (*ENVIRONMENT, *pass_on)
    inherited = {name: value for name, value in os.environ.items() if name in passed or name.startswith(ARITHMETIC)}
    with (
        TemporaryFile() as complaints,
        subprocess.Popen(
            [sys.executable, *arguments, str(os.getpid())],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            cwd=settings.BASE_DIR,
            env=inherited | dict.fromkeys(_THREADS, "1") | environment,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield Sealed(process, complaints)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
