"""Two hundred raters at once: lost or duplicate answers, and waiting times.

    python -m research.performance.people_load [--raters 200]

The web server (2 processes of 8 threads) over SQLite and over PostgreSQL, each with a study of 13 triads.
Every rater has a different IP address, starts at the same moment and answers as fast as the site allows; every fifth
answer is sent twice, like a double click. Afterwards the owner's export is compared with the answers that the site
acknowledged.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import re
import statistics
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

import httpx

from tests.servers import Postgres
from tests.web import Web

CUES = [f"cue{n}" for n in range(10)]
FITTING = {"kitchen": "oven", "winter": "snow", "ship": "harbour"}
REPEAT_SECONDS = 2.0
MOST_REPEATS = 60
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
PLACE = re.compile(r'name="place" value="(\d+)"')
CUE = re.compile(r'<span class="cue">([^<]+)</span>')
SIDE = re.compile(r'<button name="side" value="(left|right)">([^<]+)</button>')
RATER_ID = re.compile(r'<p class="code"><code>([a-z0-9]{12})</code></p>')


@dataclass
class Load:
    """The raters' answers, and those that the site stored."""

    acknowledged: Counter[tuple[str, str]] = field(default_factory=Counter)
    finished: int = 0
    failures: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    seconds: float = 0.0
    stored: Counter[tuple[str, str]] = field(default_factory=Counter)
    sessions: Counter[str] = field(default_factory=Counter)

    @property
    def lost(self) -> int:
        return (self.acknowledged - self.stored).total()

    @property
    def too_many(self) -> int:
        return (self.stored - self.acknowledged).total()


class Owner:
    """A study's owner, who uses the site's own forms."""

    def __init__(self, address: str) -> None:
        self.client = httpx.Client(base_url=address, follow_redirects=True, timeout=60)
        page = self._post("/people/new", "/people/new", _form())
        self.study = str(page.url).rstrip("/").split("/")[-1]
        for name, letter in (("people", "b"), ("model", "a")):
            words = "\n".join(["cue,word", *(f"{cue},{letter}{n}" for cue in CUES for n in range(10))])
            self._post(f"/people/{self.study}/", f"/people/{self.study}/sources", _source(name, words))
        page = self._post(f"/people/{self.study}/", f"/people/{self.study}/open", {})
        self.link = re.search(r"/rate/[\w-]+", page.text).group()  # type: ignore[union-attr]

    def _post(self, form: str, to: str, data: dict[str, str]) -> httpx.Response:
        token = TOKEN.search(self.client.get(form).text).group(1)  # type: ignore[union-attr]
        return self.client.post(to, data=data | {"csrfmiddlewaretoken": token}).raise_for_status()

    def answers(self) -> list[dict[str, str]]:
        text = self.client.get(f"/people/{self.study}/answers.csv").raise_for_status().text
        return list(csv.DictReader(io.StringIO(text)))


def _form() -> dict[str, str]:
    return {
        "title": "Load", "kind": "triads", "language": "en", "cues": "\n".join(CUES), "raters_wanted": "5000",
        "practice": "kitchen: oven / comet", "screeners": "winter: snow / invoice\nship: harbour / violin",
        "licence": "CC0", "retention_days": "1",
    }  # fmt: skip


def _source(name: str, words: str) -> dict[str, str]:
    return {"kind": "list", "name": name, "lists": words}


def _rate(address: str, link: str, seed: int, start: threading.Barrier, load: Load, lock: threading.Lock) -> None:
    """One rater, from the consent form to the last page."""
    dice = random.Random(seed)
    answers: list[tuple[str, str]] = []
    waits: list[float] = []
    line = httpx.HTTPTransport(local_address=f"127.0.{1 + seed // 250}.{1 + seed % 250}", verify=False)
    try:
        with httpx.Client(base_url=address, follow_redirects=True, timeout=120, transport=line) as client:
            page = client.get(link).raise_for_status().text
            start.wait()
            page = _send(client, page, link, {}, waits)
            page = _send(client, page, f"{link}/answer", {"page": "instructions"}, waits)
            while match := PLACE.search(page):
                cue, sides = CUE.search(page).group(1), dict(SIDE.findall(page))  # type: ignore[union-attr]
                side = dice.choice(["left", "right"])
                if cue in FITTING:
                    side = next(side for side, word in sides.items() if word == FITTING[cue])
                answer = {"page": "triad", "place": match.group(1), "side": side}
                if dice.random() < 0.2:
                    _send(client, page, f"{link}/answer", answer, waits)
                page = _send(client, page, f"{link}/answer", answer, waits)
                answers.append((cue, sides[side]))
        done = RATER_ID.search(page) is not None
        with lock:
            load.acknowledged.update(answers)
            load.finished += done
            load.waits += waits
    except Exception as error:
        start.abort() if not waits else None
        with lock:
            load.acknowledged.update(answers)
            load.failures.append(f"{type(error).__name__}: {error}")


def _send(client: httpx.Client, page: str, to: str, data: dict[str, str], waits: list[float]) -> str:
    """Send; like the page's script, retry after two seconds if the connection or the site failed."""
    token = TOKEN.search(page).group(1)  # type: ignore[union-attr]
    began = time.perf_counter()
    for repeat in range(MOST_REPEATS):
        time.sleep(REPEAT_SECONDS if repeat else 0.0)
        try:
            response = client.post(to, data=data | {"csrfmiddlewaretoken": token})
        except httpx.TransportError:
            continue
        if response.status_code < 500:
            waits.append(time.perf_counter() - began)
            return response.raise_for_status().text
    raise TimeoutError(f"{to} did not answer {MOST_REPEATS} times")


def run(address: str, raters: int) -> Load:
    """All raters at once against a running site; then read what the site stored."""
    owner, load, lock = Owner(address), Load(), threading.Lock()
    start = threading.Barrier(raters)
    threads = [
        threading.Thread(target=_rate, args=(address, owner.link, seed, start, load, lock)) for seed in range(raters)
    ]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    load.seconds = time.perf_counter() - began
    for row in owner.answers():
        word = row["left.word"] if row["left.choice"] == "TRUE" else row["right.word"]
        load.stored[row["cue"], word] += 1
        load.sessions[row["workerid"]] += 1
    return load


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raters", type=int, default=200)
    raters = parser.parse_args().raters
    counts = ("raters", "finished", "answers", "lost", "too many", "failures")
    columns = ("database", *counts, "wait: median", "95 %", "longest")
    print(f"| {' | '.join(columns)} | seconds in all |")
    print("|---" * (len(columns) + 1) + "|")
    with Web() as web:
        _print("SQLite", raters, run(web.address, raters))
    with Postgres() as postgres, Web(postgres.create("people")) as web:
        _print("PostgreSQL", raters, run(web.address, raters))


def _print(database: str, raters: int, load: Load) -> None:
    waits = sorted(load.waits) or [0.0]
    high = waits[min(len(waits) - 1, int(0.95 * len(waits)))]
    counts = (raters, load.finished, load.stored.total(), load.lost, load.too_many, len(load.failures))
    times = (f"{wait:.2f} s" for wait in (statistics.median(waits), high, waits[-1]))
    print(f"| {database} | {' | '.join(map(str, counts))} | {' | '.join(times)} | {load.seconds:.0f} |", flush=True)
    for failure in load.failures[:5]:
        print(f"    {failure}", file=sys.stderr)


if __name__ == "__main__":
    main()
