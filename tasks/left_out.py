"""Records of a user's file that cannot be used: they are left out, counted and named, and the others are used."""

from __future__ import annotations

from tasks.errors import VecboardError

MOST_NAMED = 5


class LeftOut:
    """What was left out so far. The error of each record names its line and what is wrong with it."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[VecboardError] = []

    def add(self, error: VecboardError) -> None:
        self.count += 1
        if len(self.first) < MOST_NAMED:
            self.first.append(error)

    def refuse(self) -> None:
        """Raise the first error, if there is one: no usable record remains."""
        if self.first:
            raise self.first[0]

    def sentence(self, records: str) -> str:
        """“Lines left out: 2. Line 3 …. Line 8 ….”; empty if nothing was left out."""
        if not self.count:
            return ""
        more = f"; the first {MOST_NAMED} are named" if self.count > MOST_NAMED else ""
        return " ".join([f"{records} left out: {self.count:,}{more}.", *map(str, self.first)])
