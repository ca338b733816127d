"""Archives of a search with damaged directories are refused, each by the same sentence."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from extensions.own.child import unpack
from tasks.errors import InputError
from tests.tasks.formats.models import zipped

GOOD = zipped({"queries.csv": b"id,text\n1,a b\n", "corpus.csv": b"id,text\n1,a b c\n"})
DIRECTORY, END = GOOD.index(b"PK\x01\x02"), GOOD.index(b"PK\x05\x06")
DAMAGES = {
    "an offset outside": (DIRECTORY + 42, struct.pack("<I", 2**31)),
    "a directory that begins later": (END + 16, struct.pack("<I", 2**20)),
    "a directory that is longer": (END + 12, struct.pack("<I", END)),
    "a directory that is shorter": (END + 12, struct.pack("<I", END - DIRECTORY - 20)),
    "no name": (DIRECTORY + 28, struct.pack("<H", 0)),
    "a longer name": (DIRECTORY + 28, struct.pack("<H", 60_000)),
    "a long extra field": (DIRECTORY + 30, struct.pack("<H", 60_000)),
    "another size": (DIRECTORY + 20, struct.pack("<2I", 3, 3)),
    "another checksum": (DIRECTORY + 16, b"abcd"),
    "an unknown method": (DIRECTORY + 10, struct.pack("<H", 77)),
    "a password": (DIRECTORY + 8, struct.pack("<H", 1)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_archive_with_a_damaged_directory_is_a_bad_archive(damage: str, tmp_path: Path) -> None:
    place, content = DAMAGES[damage]
    path, folder = tmp_path / "search.zip", tmp_path / "to"
    path.write_bytes(GOOD[:place] + content + GOOD[place + len(content) :])
    folder.mkdir()
    with pytest.raises(InputError) as refused:
        unpack(path, folder, 10_000)
    assert (refused.value.code, refused.value.field) == ("bad-archive", "data")


def test_every_damaged_byte_of_the_directory_is_survived(tmp_path: Path) -> None:
    """An error of the archive is the visitor's; any other would be tried three times."""
    for place in range(DIRECTORY, len(GOOD)):
        folder = tmp_path / str(place)
        folder.mkdir()
        path = folder / "search.zip"
        path.write_bytes(GOOD[:place] + bytes([GOOD[place] ^ 0x81]) + GOOD[place + 1 :])
        (folder / "to").mkdir()
        try:
            unpack(path, folder / "to", 10_000)
        except InputError as error:
            assert error.code in ("bad-archive", "too-large")  # noqa: PT017
