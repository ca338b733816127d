"""``manage.py build_corpus``: make the prescribed corpus text that the site offers for download."""

from __future__ import annotations

import gzip
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from benchmark.protocol.corpus import CorpusFile, describe, ready, text_path
from benchmark.suites import current_suite
from tasks.baseline.corpus_text import write_corpus
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.suites import SUITES

BLOCK_BYTES = 1 << 20


class Command(BaseCommand):
    help = "Write the prescribed corpus text of a suite into the storage. Running it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--suite", choices=sorted(SUITES), help="default: the site's suite")
        parser.add_argument("--again", action="store_true", help="write it even if it exists")

    def handle(self, *args: object, suite: str | None = None, again: bool = False, **options: object) -> None:
        chosen = SUITES[suite] if suite else current_suite()
        if ready(chosen) and not again:
            self.stdout.write(f"The corpus text of {chosen.id} already exists.")
            return
        path = text_path(chosen)
        try:
            sha256 = write_corpus(chosen, DataStore.default(), path)
        except DataUnavailable as missing:
            raise CommandError(str(missing)) from None
        if chosen.corpus.sha256 not in (None, sha256):
            path.unlink()
            raise CommandError(f"The text has SHA-256 {sha256}, but the suite prescribes {chosen.corpus.sha256}.")
        size, lines = _measure(path)
        describe(chosen, CorpusFile(sha256, size, path.stat().st_size, lines))
        self.stdout.write(f"The corpus text of {chosen.id} is ready: {lines:,} lines, {size:,} bytes.")


def _measure(path: Path) -> tuple[int, int]:
    """Bytes and lines of a gzipped text, block by block."""
    size = lines = 0
    with gzip.open(path) as text:
        while block := text.read(BLOCK_BYTES):
            size += len(block)
            lines += block.count(b"\n")
    return size, lines
