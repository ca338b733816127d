"""The broker for messages from the web process to the workers: Redis, or a directory on this machine.

A message is the name of a job and one id; files and results never go through it. The sweeper resends lost messages,
from the rows of the database.
"""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem, virtual
from kombu.utils.json import dumps, loads

QUEUE = "vecboard"
AT_ONCE_QUEUE = "vecboard-at-once"
"""For jobs of seconds that a person waits for: checks, planning, reports. Every worker on CPUs takes from it; one that
takes from no other queue keeps such jobs from waiting behind trainings."""
TRAINED_QUEUE = "vecboard-trained"
"""For trained cells while a GPU worker is alive, which takes from no other queue."""
TRAINED_ALONE = ("--queues", TRAINED_QUEUE)
"""Options of a worker on a GPU."""
AT_ONCE_ALONE = ("--queues", AT_ONCE_QUEUE, "--concurrency", "1", "--hostname", "checks@%h")
"""Options of a worker for such jobs."""
LONGEST_JOB_SECONDS = 6 * 3600
"""Time limit of a job (on the prefork pool)."""

VISIBILITY_SECONDS = LONGEST_JOB_SECONDS + 3600
"""Redis gives an unacknowledged message to another worker after this time; it must outlast the longest job."""


class DirectoryChannel(filesystem.Channel):
    """kombu's file system channel, made safe for two processes that start and publish at the same moment.

    The original writes messages and the table of queues in place, so that a reader can see half of one, and moves each
    message through the machine's temporary directory. Here both steps are renames within the broker's own directory.
    Bindings stay in each process's memory: both declare the queues they use. A name begins with the message's
    priority (0 is taken first, as with Redis), then the time.
    """

    supports_fanout = False

    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{self._get_message_priority(message)}-{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        folder = Path(self.data_folder_out)
        unfinished = folder / f".{name}.part"
        unfinished.write_text(dumps(message), encoding="utf-8")
        unfinished.rename(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for message in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            taken = Path(self.processed_folder) / message.name
            try:
                message.rename(taken)
            except FileNotFoundError:
                continue  # another worker was faster
            payload = taken.read_text(encoding="utf-8")
            taken.unlink()
            return loads(payload)
        raise Empty

    def get_table(self, exchange: str) -> Any:
        return virtual.Channel.get_table(self, exchange)

    def _queue_bind(self, exchange: str, routing_key: str | None, pattern: str | None, queue: str | None) -> None:
        """Write nothing: the caller keeps bindings in memory."""


class DirectoryTransport(filesystem.Transport):
    """Transport of the embedded broker, known to kombu as ``embedded://``."""

    Channel = DirectoryChannel
    implements = virtual.Transport.implements.extend(asynchronous=False, exchange_type=frozenset(["direct", "topic"]))


TRANSPORT_ALIASES["embedded"] = "workers.broker:DirectoryTransport"


def broker_settings(redis_url: str | None, var: Path) -> Mapping[str, Any]:
    """Celery settings of the broker.

    Parameters
    ----------
    redis_url : ``redis://…``; None or empty for the embedded broker.
    var : directory of the site's files; the embedded broker keeps its messages in ``broker/`` below it.
    """
    if redis_url:
        return {
            "broker_url": redis_url,
            "broker_transport_options": {
                "visibility_timeout": VISIBILITY_SECONDS,
                "socket_keepalive": True,
                # Of all waiting messages, the lowest number is taken first.
                "priority_steps": list(range(10)),
                "queue_order_strategy": "priority",
            },
        }
    messages, taken = directories(var)
    options = {
        "data_folder_in": str(messages),
        "data_folder_out": str(messages),
        "processed_folder": str(taken),
        "polling_interval": 0.25,
    }
    return {"broker_url": "embedded://localhost", "broker_transport_options": options}


def directories(var: Path) -> tuple[Path, Path]:
    """Directories of the embedded broker's messages and of those being read; created if missing."""
    messages, taken = var / "broker" / "messages", var / "broker" / "taken"
    messages.mkdir(parents=True, exist_ok=True)
    taken.mkdir(parents=True, exist_ok=True)
    return messages, taken


def clear(var: Path) -> None:
    """Delete all messages of the embedded broker, while no worker runs; the sweeper then resends those that are due."""
    shutil.rmtree(var / "broker", ignore_errors=True)
    directories(var)
