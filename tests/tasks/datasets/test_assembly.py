"""Files assembled from several published ones."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import rdata
import xlrd

from tasks.datasets.assembly import addresses, assemble, neighbour_lists, newsgroups, priming_table, wiki_sample
from tasks.datasets.dataset import Assembled, content_sha256, packed_writer, problem
from tasks.datasets.registry import REGISTRY

LONG = "This is a long line of plain words, the one with number {}, and it ends here."


def extract(tmp_path: Path, *articles: list[str]) -> Path:
    source = tmp_path / "wiki_00"
    docs = [f'<doc id="1" url="u" title="T">\nT\n\n{chr(10).join(lines)}\n\n</doc>\n' for lines in articles]
    source.write_text("".join(docs))
    return source


@pytest.mark.parametrize(
    ("published", "kept"),
    [
        ("AT&amp;T was a company and it sold many telephones.", "AT&T was a company and it sold many telephones."),
        ("It has a <br/>tag and some words that come after.", "It has a tag and some words that come after."),
        ("It is 3 &lt;ref name=x&gt;km from here to the old town.", "It is 3 km from here to the old town."),
        ("Attila ( ; , ) ruled the Huns and died quite young.", "Attila ( ; , ) ruled the Huns and died quite young."),
        ("Attila ( ,; ) ruled the Huns and died quite young.", "Attila ruled the Huns and died quite young."),
        ("Attila () ruled\u00a0 the Huns and\tdied quite young.", "Attila ruled the Huns and died quite young."),
        ("It ends here. But this goes on and has no", "It ends here. But this goes on and has no"),
        ('He called it "the best there was!") and so on then', 'He called it "the best there was!") and so on then'),
        ("It is version 2.5 and nothing in this line ends", None),
        ("Does ‘it end here?’ the quote is of another kind", None),
        ("There are only seven words in this.", None),
        ("In 1801 1802 1803 1804 1805 1806 1807 it was.", None),
        ("It has a [[link and the words that come after.", None),
        ("It has a template}} and the words that come after.", None),
        ("It has a cell || and the words that come after.", None),
        ("| is where a table goes on with words in it.", None),
        ("It has | one bar and the words that come after.", "It has | one bar and the words that come after."),
    ],
)
def test_a_line_of_wikipedia_is_cleaned_and_then_kept_or_dropped(
    published: str, kept: str | None, tmp_path: Path
) -> None:
    others = [LONG.format(number) for number in range(3)]
    lines = list(wiki_sample([extract(tmp_path, [*others, published])]))
    assert lines == others + [kept] * (kept is not None)


def test_a_tag_of_more_than_200_characters_is_text(tmp_path: Path) -> None:
    others = [LONG.format(number) for number in range(3)]
    short, long = (f"It has a <{'a' * size}> and some words that come after." for size in (200, 201))
    assert list(wiki_sample([extract(tmp_path, [*others, short, long])]))[3:] == [
        "It has a and some words that come after.",
        long,
    ]


def test_a_line_of_wikipedia_is_kept_once_in_all_files_and_short_articles_are_dropped(tmp_path: Path) -> None:
    first, second = [LONG.format(number) for number in range(3)], [LONG.format(number) for number in range(2, 6)]
    (tmp_path / "other").mkdir()
    sources = [extract(tmp_path, first, [LONG.format("alone")]), extract(tmp_path / "other", second)]
    assert list(wiki_sample(sources)) == first + second[1:]


def test_the_title_of_an_article_is_dropped_even_where_it_reads_like_a_sentence(tmp_path: Path) -> None:
    lines = [LONG.format(number) for number in range(4)]
    source = extract(tmp_path, lines)
    source.write_text(source.read_text().replace("\nT\n", f"\n{LONG.format('title')}\n"))
    assert list(wiki_sample([source])) == lines


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


TABLE = "TargetWord,Prime,Relation1,FAS,BAS,LSA," + ",".join(
    f"{{task}} {delay}ms {measure}{what}"
    for delay in (200, 1200)
    for measure in ("RT", "Z", "Acc")
    for what in ("", " Priming")
)


def tables(folder: Path, name: str, *primes: str) -> list[Path]:
    """Tables of lexical decision and naming: RT 700 and Z 0.5 and accuracy 0.75, all with an effect of 0.25."""
    measured = "700,0.25,0.5,0.25,0.75,0.25,700.123456789,0.25,,0.25,1,0.25"
    for task in ("LDT", "NT"):
        rows = [TABLE.format(task=task), *(f"{prime},synonym,0.10,,0.3,{measured}" for prime in primes)]
        (folder / f"{name}{task}.csv").write_text("".join(f"{row}\n" for row in rows))
    return [folder / f"{name}LDT.csv", folder / f"{name}NT.csv"]


def test_the_priming_table_follows_from_the_published_effects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {str: xlrd.XL_CELL_TEXT, float: xlrd.XL_CELL_NUMBER, bool: xlrd.XL_CELL_BOOLEAN}
    cells = [
        ["", "f_unrelated", "f_LSA", "o_unrelated", "o_LSA", "TARGET"],
        [1.0, False, 0.05, "LAWN", "n/a", "crunchy"],
        [2.0, "CRISP", -0.1, "STICK", 0.18, "sunday"],
    ]
    rows = [[SimpleNamespace(value=value, ctype=kinds[type(value)]) for value in row] for row in cells]
    sheet = SimpleNamespace(nrows=len(rows), row=rows.__getitem__)
    monkeypatch.setattr(xlrd, "open_workbook", lambda _: SimpleNamespace(sheet_by_name=lambda _: sheet))
    folds = [tmp_path / f"fold_{number}.csv" for number in range(2)]
    folds[0].write_text("target,prime\r\nSunday,EASTER\r\n")
    folds[1].write_text("target,prime\r\ncrunchy,FALSE\r\n")
    first = tables(tmp_path, "first", "Sunday,EASTER", "crunchy,CRISPY")
    other = tables(tmp_path, "other", "Sunday,PALM", "crunchy,CHIPS")
    header, *lines = priming_table([*first, *other, tmp_path / "items.xls", *folds])
    assert header.startswith(
        "target,prime,condition,fold,relation,fas,bas,lsa,ldt_200_rt,ldt_200_z,ldt_200_acc,ldt_1200"
    )
    related, unrelated = "700,0.5,0.75,700.1234568,,1", "700.25,0.75,1,700.3734568,,1.25"
    less_accurate = "700.25,0.75,0.5,700.3734568,,0.75"
    assert lines == [
        f"crunchy,CRISPY,first_related,,synonym,0.1,,0.3,{related},{related}",
        f"crunchy,FALSE,first_unrelated,1,,,,0.05,{less_accurate},{less_accurate}",
        f"crunchy,CHIPS,other_related,,synonym,0.1,,0.3,{related},{related}",
        f"crunchy,LAWN,other_unrelated,,,,,,{unrelated},{unrelated}",
        f"sunday,EASTER,first_related,0,synonym,0.1,,0.3,{related},{related}",
        f"sunday,CRISP,first_unrelated,,,,,-0.1,{less_accurate},{less_accurate}",
        f"sunday,PALM,other_related,,synonym,0.1,,0.3,{related},{related}",
        f"sunday,STICK,other_unrelated,,,,,0.18,{unrelated},{unrelated}",
    ]


def test_addresses_are_the_texts_joined_with_their_metadata(tmp_path: Path) -> None:
    row = {"president": "A", "year": 1790, "years_active": "1789-1793", "party": "B", "sotu_type": "speech"}
    metadata = pd.DataFrame([row, row | {"year": 1791}], dtype=object).astype({"year": int})
    rdata.write_rda(tmp_path / "meta.rda", {"sotu_meta": metadata})
    rdata.write_rda(tmp_path / "text.rda", {"sotu_text": np.array(["Fellow-Citizens \u2014\n\nI", "Again"])})
    lines = list(addresses([tmp_path / "text.rda", tmp_path / "meta.rda"]))
    assert lines[0] == (
        '{"year": 1790, "president": "A", "years_active": "1789-1793", "party": "B", "type": "speech", '
        '"text": "Fellow-Citizens \u2014\\n\\nI"}'
    )
    assert json.loads(lines[1])["text"] == "Again"


def test_neighbour_lists_keep_the_order_of_sources_cues_and_words(tmp_path: Path) -> None:
    lists = {"w2v": {"taxes": ["tax", "irs"], "abortion": ["roe", "law"]}, "human": {"taxes": ["money", "april"]}}
    arrays = {source: {cue: np.array(words) for cue, words in cues.items()} for source, cues in lists.items()}
    rdata.write_rds(tmp_path / "lists.rds", arrays)
    (text,) = neighbour_lists([tmp_path / "lists.rds"])
    assert text == json.dumps(lists, indent=1)


ASSEMBLED = {
    file.path: (file, file.recipe)
    for dataset in REGISTRY.values()
    for file in dataset.files
    if isinstance(file.recipe, Assembled)
}


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("path", ASSEMBLED)
def test_the_published_files_give_the_declared_one_bit_for_bit(
    path: str, published: Callable[[str], Path], tmp_path: Path
) -> None:
    file, recipe = ASSEMBLED[path]
    made = tmp_path / "made"
    with packed_writer(made, gzipped=file.gzipped) as target:
        lines = assemble(recipe.how, [published(part.url) for part in recipe.parts])
        target.writelines(f"{line}\n".encode() for line in lines)
    assert problem(file, made, content_sha256) is None
