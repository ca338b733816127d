"""Files that are made from several published ones."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path

import pytest

from tasks.datasets.assembly import newsgroups, wiki_sample
from tasks.datasets.packing import open_unpacked
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore

LONG = "This line has more than eight words and {} ends like a sentence."


def extract(tmp_path: Path, *articles: list[str]) -> Path:
    source = tmp_path / "wiki_00"
    docs = [f'<doc id="1" url="u" title="T">\nT\n\n{chr(10).join(lines)}\n\n</doc>\n' for lines in articles]
    source.write_text("".join(docs))
    return source


def test_the_wikipedia_sample_drops_what_its_notes_name(tmp_path: Path) -> None:
    kept = [LONG.format(f"number {i}") for i in range(5)]
    dropped = [
        "Heading.",
        "Only six words are in here.",
        "This line has more than eight words but does not end",
        "This line has {{left-over}} markup of the kind that was dropped.",
        kept[0],
    ]
    assert list(wiki_sample([extract(tmp_path, kept + dropped)])) == kept


def test_the_wikipedia_sample_drops_short_articles_and_repeated_paragraphs(tmp_path: Path) -> None:
    first = [LONG.format(f"number {i}") for i in range(5)]
    again = [first[0], *(LONG.format(f"other {i}") for i in range(5))]
    source = extract(tmp_path, first, [LONG.format("alone")], again)
    assert list(wiki_sample([source])) == first + again[1:]


def archive_of(rows: list[dict[str, str]], path: Path) -> Path:
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for row in rows:
            content = row["text"].encode("latin-1")
            member = tarfile.TarInfo(f"20news-bydate-{row['split']}/{row['group']}/{row['id']}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def test_posts_are_ordered_by_group_and_number(tmp_path: Path) -> None:
    places = [
        ("train", "sci.space", "9"),
        ("train", "sci.med", "100"),
        ("train", "sci.med", "20"),
        ("test", "sci.med", "1"),
    ]
    rows = [{"split": split, "group": group, "id": number, "text": "\xe9"} for split, group, number in places]
    rows.append({"split": "train", "group": "talk.politics.misc", "id": "1", "text": "of no group that is used"})
    lines = newsgroups("train")([archive_of(rows, tmp_path / "a.tar.gz")])
    assert [json.loads(line)["id"] for line in lines] == ["20", "100", "9"]


@pytest.mark.data
def test_the_canonical_archive_gives_the_stored_posts_bit_for_bit(real_store: DataStore, tmp_path: Path) -> None:
    file = REGISTRY["20ng"].files[1]
    with open_unpacked(real_store.path("20ng", file.path), gzipped=True) as stored:
        rows = [json.loads(line) for line in stored]
    archive = archive_of(rows[::-1], tmp_path / "20news-bydate.tar.gz")
    text = "".join(f"{line}\n" for line in newsgroups("test")([archive]))
    assert hashlib.sha256(text.encode()).hexdigest() == file.sha256
