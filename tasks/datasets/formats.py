"""Readers by name: declaring a data set imports no reader, only reading it does."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from tasks.datasets.dataset import Read
from tasks.datasets.examples import Parts

Source = TypeVar("Source")
Found = TypeVar("Found")


class Named(Generic[Source, Found]):
    """A reader that is imported when it is first called.

    Parameters
    ----------
    name : ``"module:attribute"``, the module below :mod:`tasks.datasets`.
    arguments, options : what the reader is made with; without any, the attribute itself is the reader.
    """

    def __init__(self, name: str, *arguments: object, **options: object) -> None:
        self.name = name
        self._arguments = arguments
        self._options = options

    def __call__(self, source: Source) -> Found:
        return self.load()(source)

    def load(self) -> Callable[[Source], Found]:
        """The reader itself."""
        module, attribute = self.name.split(":")
        found = getattr(importlib.import_module(f"tasks.datasets.{module}"), attribute)
        made = found(*self._arguments, **self._options) if self._arguments or self._options else found
        reader: Callable[[Source], Found] = made
        return reader


NamedReader = Named[Read, Parts]
NamedParagraphs = Named[Path, Iterator[str]]
