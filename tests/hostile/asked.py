"""Names of the fields that a view reads, noted while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

_READING = ("__getitem__", "get", "getlist", "__contains__")


@dataclass
class Asked:
    """Names of the fields (of URL or form) and files that were read."""

    fields: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.fields) + len(self.files)


@contextmanager
def noted() -> Iterator[Asked]:
    """Record the fields and files of requests that are read within the block."""
    asked = Asked()

    def noting(real: Callable[..., Any]) -> Callable[..., Any]:
        def read(self: Any, key: Any, *more: Any, **named: Any) -> Any:
            if type(self) is QueryDict:
                asked.fields.add(str(key))
            elif type(self) is MultiValueDict:
                asked.files.add(str(key))
            return real(self, key, *more, **named)

        return read

    with pytest.MonkeyPatch.context() as patch:
        for name in _READING:
            patch.setattr(MultiValueDict, name, noting(getattr(MultiValueDict, name)))
        yield asked
