"""Posts.xml, made up and real, into a pool: valid rows kept, the others listed with the reason, files whole or not at all;
and a post's HTML as Markdown."""

import csv
import random
import xml.etree.ElementTree as ET

import pandas as pd
import pyarrow.parquet as pq
import pytest
from proctor.data.tabular import DataError
from proctor.uq.dataset import pool
from proctor.uq.dataset.generate_dump import make_posts, make_questions, write_dump
from proctor.uq.dataset.pool import Rejected, ingest_dump, read_rows, write_site
from proctor.uq.dataset.posts import to_markdown

GOOD = 'PostTypeId="1" CreationDate="2015-01-27T20:09:32.720" Score="2" ViewCount="9" Body="b" Title="t" Tags="&lt;a&gt;" AnswerCount="0"'


def row(number: int, old: str = "", new: str = "") -> str:
    return f'  <row Id="{number}" {GOOD.replace(old, new, 1) if old else GOOD} />\n'


def posts(
    *rows: str | bytes, header: str = '<?xml version="1.0" encoding="utf-8"?>\n<posts>\n', end="</posts>\n"
) -> bytes:
    return b"".join(part.encode() if isinstance(part, str) else part for part in (header, *rows, end))


def ingest(tmp_path, content: bytes):
    """The ids kept, and the rejected rows as (row, post_id, reason)."""
    path = tmp_path / "Posts.xml"
    path.write_bytes(content)
    told = ingest_dump(path, "s", tmp_path / "pool")
    kept = pd.read_parquet(tmp_path / "pool/questions/site=s/questions.parquet")["question_id"].tolist()
    with open(tmp_path / "pool/rejected/site=s.csv", encoding="utf-8", newline="") as file:
        rejected = [tuple(line) for line in csv.reader(file)][1:]
    assert told.questions == len(kept) and told.rejected == len(rejected)
    return kept, rejected


WRONG = (
    (row(2, 'Title="t"'), "Title: Field required"),
    (row(2, 'PostTypeId="1"'), "PostTypeId: Field required"),
    (row(2, 'Score="2"', 'Score="two"'), "Score: it should be a valid integer"),
    (row(2, 'ViewCount="9"', 'ViewCount="99999999999"'), "ViewCount: it should be less than or equal to 10000000000"),
    (row(2, 'ViewCount="9"', f'ViewCount="{"9" * 9000}"'), "ViewCount: "),
    (row(2, "2015-01-27", "2015-02-30"), "CreationDate: it should be a valid datetime"),
    (row(2, "2015-01-27", "9999-01-27"), "lies in the future"),
    (row(2, "&lt;a&gt;", "a b"), "Tags: neither <a><b> nor |a|b|"),
    (row(2, 'Body="b"', 'Body="&bomb;"'), "undefined entity"),
    (row(2, 'Body="b"', 'Body="a < b"'), "not well-formed"),
    (row(2, 'Body="b"', 'Body="b'), "not well-formed"),
    (row(2).encode().replace(b'Body="b"', b'Body="\xff"'), "not UTF-8: byte 0xff"),
    (row(1), "Id: stands in an earlier row too"),
    ('  <row Id="99999999999" PostTypeId="1" />\n', "Id: it should be less than or equal to 2147483647"),
    ("text\n", "no <row ... />: b'text'"),
    ('  <other Id="2" />\n', "no <row ... />: b'<other"),
    (row(2).rstrip() + "<!-- a\n", "not well-formed"),
    (row(2).rstrip() + "text\n", "not well-formed"),
)


def test_a_bad_row_is_listed_and_the_others_are_kept(tmp_path):
    """Alone between good ones, and all in one file."""
    for wrong, reason in WRONG:
        kept, [(number, post_id, why)] = ingest(tmp_path, posts(row(1), wrong, row(3)))
        assert kept == [1, 3] and number == "2" and reason in why, reason
        assert post_id in ("1", "2", "99999999999") or reason.startswith("no <row")
    _, rejected = ingest(tmp_path, posts(row(1), *(wrong for wrong, _ in WRONG), row(3)))
    assert [int(number) for number, *_ in rejected] == list(range(2, len(WRONG) + 2))


def test_declared_entities_are_neither_expanded_nor_fetched(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    bomb = "".join(f'<!ENTITY e{k + 1} "{f"&e{k};" * 10}">' for k in range(12))
    header = f'<?xml version="1.0"?>\n<!DOCTYPE posts [<!ENTITY e0 "ha">{bomb}<!ENTITY x SYSTEM "file://{secret}">]>\n<posts>\n'
    wrong = [row(k, 'Body="b"', f'Body="&{name};"') for k, name in ((2, "e12"), (3, "x"))]
    kept, rejected = ingest(tmp_path, posts(row(1), *wrong, header=header))
    assert kept == [1] and [number for number, *_ in rejected] == ["2", "3"]
    assert all("undefined entity" in why for *_, why in rejected)


def test_a_cut_file_keeps_its_whole_rows_and_an_overlong_row_does_not_fill_the_memory(tmp_path, monkeypatch):
    for end, reasons in (("", ["it may be cut"]), (row(2)[:60], ["not well-formed", "it may be cut"])):
        kept, rejected = ingest(tmp_path, posts(row(1), end=end))
        assert kept == [1] and len(rejected) == len(reasons)
        assert all(reason in why for reason, (*_, why) in zip(reasons, rejected))
    monkeypatch.setattr(pool, "PIECE", 1000)
    monkeypatch.setattr(pool, "LONGEST", 5000)
    kept, rejected = ingest(tmp_path, posts(row(1), row(2, 'Body="b"', f'Body="{"b" * 20_000}"'), row(3)))
    assert kept == [1, 3] and 1 <= len(rejected) < 10


def test_a_file_that_is_no_dump_is_refused_and_nothing_changes_and_one_without_posts_is_an_empty_site(tmp_path):
    ingest(tmp_path, posts(row(1)))
    for content, says in (
        (b"", "no <posts>"),
        (b"<html><body/></html>", "no <posts>"),
        ("\ufeff<posts></posts>".encode("utf-16"), "unpacked and in UTF-8"),
    ):
        (tmp_path / "other.xml").write_bytes(content)
        with pytest.raises(DataError, match=says):
            ingest_dump(tmp_path / "other.xml", "s", tmp_path / "pool")
        assert len(pd.read_parquet(tmp_path / "pool/questions")) == 1
    assert ingest(tmp_path, posts(row(1).strip(), row(2).strip(), row(3).strip())) == ([1, 2, 3], [])  # on one line
    for content in (b"<posts></posts>", b"<posts />", b"\xef\xbb\xbf<posts>\n</posts>\n"):
        assert ingest(tmp_path, content) == ([], [])


@pytest.mark.parametrize("tags, bom", [("old", True), ("new", False)])
def test_rows_depend_on_no_encoding_of_tags_no_byte_order_mark_and_no_piece(tmp_path, monkeypatch, tags, bom):
    rows = list(make_posts(make_questions(30, 2)))
    parents = {row["Id"]: row.get("ParentId") for row in rows}
    assert all(parents.get(row["AcceptedAnswerId"]) == row["Id"] for row in rows if "AcceptedAnswerId" in row)
    path = write_dump(tmp_path / "Posts.xml", rows, tags=tags, bom=bom)
    told = ingest_dump(path, "s", tmp_path / "pool", answers=True)
    questions = pd.read_parquet(tmp_path / "pool/questions")
    assert told.rejected == 0 and told.answers == len(pd.read_parquet(tmp_path / "pool/answers")) == len(rows) - 30
    asked = pd.DataFrame([r for r in rows if r["PostTypeId"] == "1"])
    assert [list(tags) for tags in questions["tags"]] == [text[1:-1].split("><") for text in asked["Tags"]]
    for column, attribute in dict(title="Title", body="Body", views="ViewCount", score="Score").items():
        assert questions[column].astype(str).tolist() == asked[attribute].tolist()
    assert questions["created"].tolist() == pd.to_datetime(asked["CreationDate"], format="ISO8601").tolist()
    expected = [dict(element.attrib) for element in ET.parse(path).getroot()]
    for piece in (700, 2999):
        monkeypatch.setattr(pool, "PIECE", piece)
        found = [pair for rows in read_rows(path) for pair in rows]
        assert found == list(enumerate(expected, 1))


# the pool


def test_numbers_that_came_are_those_of_a_set(tmp_path):
    rng = random.Random(0)
    numbers = [0, 7, 8, pool.LARGEST_ID, *(rng.randrange(3_000_000) % 500 * 601 for _ in range(800))]
    rows = [(place, {"Id": str(number), "PostTypeId": "4"}) for place, number in enumerate(numbers)]
    told = write_site(tmp_path, "math", [rows])
    assert told.other == len(set(numbers)) and told.rejected == len(numbers) - len(set(numbers))


def numbered(count: int) -> list[tuple[int, dict]]:
    """The rows of so many made-up questions, with their numbers."""
    posts = (post for post in make_posts(make_questions(count, 1)) if post["PostTypeId"] == "1")
    return list(enumerate(posts, 1))


def test_a_site_is_written_whole_and_replaced_whole_or_not_at_all(tmp_path):
    for posts in (3, 2):
        told = write_site(tmp_path, "math", [[*numbered(posts), Rejected(4, "9", "why")]], answers=posts == 3)
        assert told == ("math", posts, 0, 0, 1)
        assert pq.read_table(tmp_path / "questions/site=math/questions.parquet").num_rows == posts
        assert (tmp_path / "answers/site=math/answers.parquet").exists() == (posts == 3)  # of an earlier source they go
    assert (tmp_path / "rejected/site=math.csv").read_text().splitlines() == ["row,post_id,reason", "4,9,why"]
    assert pool.sites(tmp_path) == ["math"]
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def stopped():
        yield numbered(9)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_site(tmp_path, "math", stopped())
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


# Markdown


@pytest.mark.parametrize(
    "html, markdown",
    [
        ("<p>one</p>\n\n<p>two</p>", "one\n\ntwo"),
        ("<p>$a_1 * b_2 &lt; c$</p>", "$a_1 * b_2 < c$"),
        ("<pre><code>x = 1\n  y</code></pre>", "```\nx = 1\n  y\n```"),
        ("<blockquote><p>said</p><p>more</p></blockquote>", "> said\n>\n> more"),
        ("<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>", "1. a\n\n   - b\n2. c"),
        ("<h2>Head</h2><hr>", "## Head\n\n---"),
        ('<p><img src="u" alt="x">a<br>b</p>', "![x](u)a  \nb"),
        ("<p><code>a_b</code> <strong>c</strong> <b></b></p><!-- no -->", "`a_b` **c**"),
        ("plain <sup>2</sup>", "plain 2"),
        ("", ""),
        ("<div>" * 5000 + "deep" + "</div>" * 5000, "deep"),
    ],
    ids=range(11),
)
def test_what_posts_are_made_of(html, markdown):
    assert to_markdown(html) == markdown
