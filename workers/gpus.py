"""A worker for each GPU of this machine: ``python -m workers.gpus``, and part of ``manage.py up``."""

from __future__ import annotations

import os
import signal
import sys

from workers import resources
from workers.broker import TRAINED_ALONE
from workers.supervisor import Child, Supervisor


def workers_on_gpus() -> list[Child]:
    """Workers that train on one GPU each; none if torch cannot use a GPU here."""
    return [
        Child(
            f"gpu {gpu}",
            [
                *("env", "VECBOARD_DEVICE=cuda", f"CUDA_VISIBLE_DEVICES={gpu}"),
                *(sys.executable, "-m", "celery", "--quiet", "--app", "workers.app", "worker", "--loglevel", "info"),
                *(*TRAINED_ALONE, "--hostname", f"gpu-{gpu}@%h"),
            ],
            signal.SIGQUIT,
        )
        for gpu in resources.gpus()
    ]


def main() -> int:
    """Run them until a signal; without a GPU there is nothing to do."""
    children = workers_on_gpus()
    if not children:
        print("There is no GPU here that torch can use: it needs NVIDIA's driver and torch's build with CUDA.")
        return 0
    supervisor = Supervisor(children, os.environ, print)
    supervisor.start()
    return supervisor.watch() or 0


if __name__ == "__main__":
    sys.exit(main())
