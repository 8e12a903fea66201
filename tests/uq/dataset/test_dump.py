"""Posts.xml: valid rows kept, the others listed with the reason, nothing expanded."""

import csv
import xml.etree.ElementTree as ET
from pathlib import Path

import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.uq.dataset import dump
from proctor.uq.dataset.dump import ingest_dump, read_rows
from proctor.uq.dataset.generate_dump import make_posts, make_questions, write_dump

REAL = Path("/work/shared/data/coffee_posts.xml")
GOOD = 'PostTypeId="1" CreationDate="2015-01-27T20:09:32.720" Score="2" ViewCount="9" Body="b" Title="t" Tags="&lt;a&gt;" AnswerCount="0"'


def row(number: int, attributes: str = GOOD) -> str:
    return f'  <row Id="{number}" {attributes} />\n'


def posts(
    *rows: str | bytes, header: str = '<?xml version="1.0" encoding="utf-8"?>\n<posts>\n', end: str = "</posts>\n"
) -> bytes:
    return b"".join(part.encode() if isinstance(part, str) else part for part in (header, *rows, end))


def ingest(tmp_path, content: bytes):
    """What was ingested, the ids kept, and the rejected rows as (row, post_id, reason)."""
    path = tmp_path / "Posts.xml"
    path.write_bytes(content)
    told = ingest_dump(path, "s", tmp_path / "pool")
    kept = pd.read_parquet(tmp_path / "pool/questions/site=s/questions.parquet")["question_id"].tolist()
    with open(tmp_path / "pool/rejected/site=s.csv", encoding="utf-8", newline="") as file:
        rejected = [tuple(line) for line in csv.reader(file)][1:]
    assert told.questions == len(kept) and told.rejected == len(rejected)
    return told, kept, rejected


@pytest.mark.parametrize(
    "wrong, reason",
    [
        (row(2, GOOD.replace('Title="t"', "")), "no Title"),
        (row(2, GOOD.replace('Score="2"', "")), "no Score"),
        (row(2, GOOD.replace('PostTypeId="1"', "")), "no PostTypeId"),
        (row(2, GOOD.replace('Score="2"', 'Score="two"')), "Score 'two' is no number"),
        (row(2, GOOD.replace('Score="2"', 'Score="-99999999"')), "Score -99999999 is absurd"),
        (row(2, GOOD.replace('ViewCount="9"', 'ViewCount="-9"')), "ViewCount '-9' is no count"),
        (row(2, GOOD.replace('ViewCount="9"', 'ViewCount="99999999999"')), "ViewCount 99999999999 is absurd"),
        (row(2, GOOD.replace('ViewCount="9"', f'ViewCount="{"9" * 9000}"')), "is absurd"),
        (row(2, GOOD.replace("2015-01-27", "2015-02-30")), "is no time"),
        (row(2, GOOD.replace("2015-01-27", "9999-01-27")), "lies in the future"),
        (row(2, GOOD.replace("&lt;a&gt;", "a b")), "neither <a><b> nor |a|b|"),
        (row(2, GOOD.replace('Body="b"', 'Body="&bomb;"')), "not expanded"),
        (row(2, GOOD.replace('Body="b"', 'Body="a < b"')), "not well-formed"),
        (row(2, GOOD.replace('Body="b"', 'Body="&#x0;"')), "not well-formed"),
        (row(2, GOOD.replace('Body="b"', 'Body="b')), "not well-formed"),
        (row(2, GOOD + ' Body="twice"'), "not well-formed"),
        (row(2).encode().replace(b'Body="b"', b'Body="\xff"'), "not UTF-8: byte 0xff"),
        (row(1), "post 1 stands in an earlier row too"),
        ('  <row Id="99999999999" PostTypeId="1" />\n', "Id 99999999999 is absurd"),
    ],
    ids=range(19),
)
def test_a_bad_row_is_listed_and_the_others_are_kept(tmp_path, wrong, reason):
    told, kept, [(number, post_id, why)] = ingest(tmp_path, posts(row(1), wrong, row(3)))
    assert kept == [1, 3] and number == "2" and reason in why
    assert post_id in ("1", "2", "99999999999")


@pytest.mark.parametrize("between", ["text", "<other/>\n", "<!-- a", "</posts><posts>"])
def test_what_is_no_row_is_reported(tmp_path, between):
    _, kept, rejected = ingest(tmp_path, posts(row(1), between, row(2)))
    assert kept == [1, 2] and len(rejected) == 1 and "no row" in rejected[0][2]


def test_declared_entities_are_neither_expanded_nor_fetched(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    bomb = "".join(f'<!ENTITY e{k + 1} "{f"&e{k};" * 10}">' for k in range(12))
    header = f'<?xml version="1.0"?>\n<!DOCTYPE posts [<!ENTITY e0 "ha">{bomb}<!ENTITY x SYSTEM "file://{secret}">]>\n<posts>\n'
    wrong = [row(k, GOOD.replace('Body="b"', f'Body="&{name};"')) for k, name in ((2, "e12"), (3, "x"))]
    _, kept, rejected = ingest(tmp_path, posts(row(1), *wrong, header=header))
    assert kept == [1]
    assert [number for number, *_ in rejected] == ["0", "2", "3"]
    assert "document type" in rejected[0][2] and all("not expanded" in why for *_, why in rejected[1:])


@pytest.mark.parametrize(
    "end, reasons", [("", ["it may be cut"]), (row(2)[:60], ["cut: the row does not end", "it may be cut"])]
)
def test_a_cut_file_keeps_its_whole_rows(tmp_path, end, reasons):
    _, kept, rejected = ingest(tmp_path, posts(row(1), end=end))
    assert kept == [1] and len(rejected) == len(reasons)
    assert all(reason in why for reason, (*_, why) in zip(reasons, sorted(rejected, key=lambda r: r[2])))


def test_an_overlong_row_does_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(dump, "PIECE", 1000)
    monkeypatch.setattr(dump, "LONGEST", 5000)
    long = row(2, GOOD.replace('Body="b"', f'Body="{"b" * 20_000}"'))
    _, kept, rejected = ingest(tmp_path, posts(row(1), long, row(3)))
    assert kept == [1, 3] and 1 <= len(rejected) < 10


@pytest.mark.parametrize(
    "content, says",
    [
        (b"", "no <posts>"),
        (b"<html><body/></html>", "no <posts>"),
        ("\ufeff<posts></posts>".encode("utf-16"), "UTF-16"),
        (b'<?xml version="1.0" encoding="latin-1"?><posts></posts>', "latin-1"),
        (b"7z\xbc\xaf\x27\x1c", "archive"),
    ],
)
def test_a_file_that_is_no_dump_is_refused_and_nothing_changes(tmp_path, content, says):
    ingest(tmp_path, posts(row(1)))
    (tmp_path / "other.xml").write_bytes(content)
    with pytest.raises(DataError, match=says):
        ingest_dump(tmp_path / "other.xml", "s", tmp_path / "pool")
    assert len(pd.read_parquet(tmp_path / "pool/questions")) == 1


def test_a_dump_without_posts_is_an_empty_site(tmp_path):
    for content in (b"<posts></posts>", b"<posts />", b"\xef\xbb\xbf<posts>\n</posts>\n"):
        assert ingest(tmp_path, content)[1:] == ([], [])


def test_rows_do_not_depend_on_where_the_file_is_cut_into_pieces(tmp_path, monkeypatch):
    path = write_dump(tmp_path / "Posts.xml", list(make_posts(make_questions(30, 1))))
    expected = [dict(element.attrib) for element in ET.parse(path).getroot()]
    for piece in (700, 2999, 1 << 20):
        monkeypatch.setattr(dump, "PIECE", piece)
        found = [pair for rows, rejected in read_rows(path) for pair in rows if not rejected]
        assert [attributes for _, attributes in found] == expected
        assert [number for number, _ in found] == list(range(1, len(expected) + 1))


@pytest.mark.parametrize("tags, bom", [("old", True), ("new", False)])
def test_encodings_of_tags_and_byte_order_marks_read_the_same(tmp_path, tags, bom):
    rows = list(make_posts(make_questions(50, 2)))
    path = write_dump(tmp_path / "Posts.xml", rows, tags=tags, bom=bom)
    told = ingest_dump(path, "s", tmp_path / "pool", answers=True)
    questions = pd.read_parquet(tmp_path / "pool/questions")
    assert told.rejected == 0 and told.answers == len(pd.read_parquet(tmp_path / "pool/answers")) == len(rows) - 50
    expected = [r["Tags"][1:-1].split("><") for r in rows if r["PostTypeId"] == "1"]
    assert [list(tags) for tags in questions["tags"]] == expected
    assert questions["body"].tolist() == [r["Body"] for r in rows if r["PostTypeId"] == "1"]


@pytest.mark.skipif(not REAL.is_file(), reason="the real dump is not here")
def test_the_real_dump_goes_through_whole(tmp_path):
    told = ingest_dump(REAL, "coffee", tmp_path, answers=True)
    assert told == ("coffee", 225, 327, 40, 0)
    elements = {int(e.get("Id")): e for e in ET.parse(REAL).getroot()}
    for post in pd.read_parquet(tmp_path / "questions").itertuples():
        element = elements[post.question_id]
        assert (post.title, post.body) == (element.get("Title"), element.get("Body"))
        assert post.views == int(element.get("ViewCount")) and post.created == pd.Timestamp(element.get("CreationDate"))
