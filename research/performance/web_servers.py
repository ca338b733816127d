"""Web servers under slow clients: ``python -m research.performance.web_servers [--servers waitress,granian]``.

Each server runs the site in two processes with eight threads for pages. Against each, 64 clients from one address send
a byte now and then (or never read), 16 uploads arrive at 50 kB/s from other addresses, and the board is requested for
15 seconds. A board without an answer for 20 seconds is held up: the visitor holds all threads or connections.
gunicorn and granian must be installed for it. ``serve`` is the site's own command; ``waitress`` is the library alone.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import httpx

from research.performance.versions import versions
from tasks.cli.tables import table
from tests.faults.test_slow_connections import ATTACKS, CONTENT, HONEST
from tests.servers import free_port
from tests.slow_clients import HonestUploader, SlowClients, percentile
from tests.workers.running_site import Site

PAGES_SECONDS, PATIENCE_SECONDS, STALL_SECONDS = 15, 20, 5
UPLOAD_SECONDS = 40
MANY = 600
WAITRESS = '''
import os, socket, sys, waitress
from benchmark.wsgi import application

def without_bodies(environ, start_response):
    """waitress sends a body in response to HEAD, which no client expects."""
    answer = application(environ, start_response)
    if environ["REQUEST_METHOD"] != "HEAD":
        return answer
    answer.close()
    return []

sock = socket.socket()
sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
sock.bind(("127.0.0.1", int(sys.argv[1])))
sock.listen(1024)
os.fork()
waitress.serve(without_bodies, sockets=[sock], threads=8, connection_limit=500, channel_timeout=5, cleanup_interval=1,
               outbuf_high_watermark=1 << 30)
'''


COMMANDS = {
    "serve": ["manage", "serve", "--bind", "127.0.0.1:{port}"],
    "gunicorn": [
        *("gunicorn", "benchmark.wsgi:application", "--bind", "127.0.0.1:{port}"),
        *("--workers", "2", "--threads", "8"),
    ],
    "waitress": ["serve_with_waitress", "{port}"],
    "granian": [
        *("granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", "{port}", "--workers", "2"),
        *("--blocking-threads", "8", "--http1-header-read-timeout", "5000", "benchmark.wsgi:application"),
    ],
}


def is_healthy(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def started(var: Path, server: str) -> Site:
    """A site under one server."""
    site = Site(var, VECBOARD_STALL_SECONDS=str(STALL_SECONDS), WEB_CONCURRENCY="2")
    site.manage("load_baseline")
    site.port = free_port()
    (var / "serve_with_waitress.py").write_text(WAITRESS)
    paths = os.pathsep.join([str(var), os.environ.get("PYTHONPATH", "")])
    site.start("web", *(part.format(port=site.port) for part in COMMANDS[server]), PYTHONPATH=paths)
    site.wait_until(lambda: is_healthy(f"http://127.0.0.1:{site.port}"), 60)
    return site


def board_seconds(site: Site, seconds: float) -> list[float]:
    """Seconds of each request for the board, each on a new connection; PATIENCE_SECONDS for one without an answer."""
    took: list[float] = []
    url, end = f"http://127.0.0.1:{site.port}/", time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        try:
            answer = httpx.get(url, timeout=PATIENCE_SECONDS, headers={"Connection": "close"})
            took.append(time.monotonic() - began if answer.status_code == 200 else PATIENCE_SECONDS)
        except httpx.HTTPError:
            took.append(PATIENCE_SECONDS)
        time.sleep(0.05)
    return took


def under_attack(site: Site, attack: str, number: int) -> tuple[str, ...]:
    """A row of the table: 64 slow clients of one kind next to 16 honest uploads."""
    who = f"127.0.1.{number}"
    opening = ATTACKS[attack](site, who)
    url = f"http://127.0.0.1:{site.port}"
    uploaders = [HonestUploader(url, f"127.0.2.{n}", CONTENT, 50_000) for n in range(1, HONEST + 1)]
    for uploader in uploaders:
        uploader.daemon = True
    with SlowClients(site.port, lambda _: opening, address=lambda _: who, reading=attack == "unread answers"):
        for uploader in uploaders:
            uploader.start()
        took = board_seconds(site, PAGES_SECONDS)
        end = time.monotonic() + UPLOAD_SECONDS
        for uploader in uploaders:
            uploader.join(max(0.0, end - time.monotonic()))
    arrived = sum(uploader.status == 202 for uploader in uploaders)
    return attack, *seconds(took), f"{arrived} of {HONEST}"


def seconds(took: list[float]) -> tuple[str, str]:
    p99 = percentile(took, 0.99)
    return f"{1000 * percentile(took, 0.5):.0f}", "held up" if p99 >= PATIENCE_SECONDS else f"{1000 * p99:.0f}"


def many_connections(site: Site) -> tuple[str, ...]:
    """A row of the table: 600 connections of one address that send a byte now and then."""
    opening = ATTACKS["heads"](site, "127.0.3.1")
    with SlowClients(site.port, lambda _: opening, count=MANY, address=lambda _: "127.0.3.1"):
        return f"{MANY} connections", *seconds(board_seconds(site, PAGES_SECONDS)), "–"


def main() -> None:
    """Print a table for each server."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", default=",".join(COMMANDS))
    parser.add_argument("--attacks", default=",".join(ATTACKS))
    arguments = parser.parse_args()
    print(versions())
    threading.excepthook = lambda _: None  # an upload that fails is counted as one that did not arrive
    for server in arguments.servers.split(","):
        if server in ("gunicorn", "granian") and find_spec(server) is None:
            print(f"\n{server} is not installed.")
            continue
        rows = []
        with tempfile.TemporaryDirectory() as scratch:
            site = started(Path(scratch) / "site", server)
            try:
                took = board_seconds(site, 5)
                rows.append(("nobody else", *seconds(took), "–"))
                for number, attack in enumerate(arguments.attacks.split(","), 1):
                    rows.append(under_attack(site, attack, number))
                rows.append(many_connections(site))
            finally:
                site.kill_all()
        print(f"\n{server}\n{table(('slow clients', 'board p50, ms', 'p99, ms', 'uploads'), rows)}", flush=True)


if __name__ == "__main__":
    main()
