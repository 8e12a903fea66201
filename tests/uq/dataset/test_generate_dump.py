"""Made-up dumps are dumps, and the same for the same seed."""

import xml.etree.ElementTree as ET

import pandas as pd
import pytest
from proctor.uq.dataset.dump import read_rows
from proctor.uq.dataset.generate_dump import (
    COPIED,
    SITES,
    make_posts,
    make_questions,
    write_dump,
    write_dumps,
    write_later_dump,
)


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    files = [write_dump(tmp_path / str(k), make_posts(make_questions(20, seed))) for k, seed in enumerate((1, 1, 2))]
    first, same, other = (file.read_bytes() for file in files)
    assert first == same != other


@pytest.mark.parametrize("tags, bom, shown", [("old", True, b"&lt;"), ("new", False, b'Tags="|')])
def test_a_file_is_what_an_xml_parser_reads_back(tmp_path, tags, bom, shown):
    rows = list(make_posts(make_questions(40, 1)))
    path = write_dump(tmp_path / "Posts.xml", rows, tags, bom)
    content = path.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf") == bom and shown in content
    assert content.count(b"\n") == len(rows) + 2  # one row a line
    read = [element.attrib for element in ET.parse(path).getroot()]
    assert [{**row, "Tags": ""} for row in read] == [{**row, "Tags": ""} for row in ({"Tags": ""} | r for r in rows)]


def test_answers_follow_their_question_and_count_up():
    rows = pd.DataFrame(make_posts(make_questions(100, 1)))
    assert rows["Id"].astype(int).tolist() == list(range(1, len(rows) + 1))
    questions, answers = rows[rows["PostTypeId"] == "1"], rows[rows["PostTypeId"] == "2"]
    assert answers.groupby("ParentId").size().to_dict() == {
        q.Id: int(q.AnswerCount) for q in questions.itertuples() if q.AnswerCount != "0"
    }
    accepted = questions.dropna(subset="AcceptedAnswerId")
    parents = answers.set_index("Id")["ParentId"]
    assert len(accepted) and [parents[a] for a in accepted["AcceptedAnswerId"]] == accepted["Id"].tolist()


def test_every_share_of_a_profile_shows():
    rows = pd.DataFrame(make_questions(4000, 1, SITES[0]))
    site = SITES[0]
    assert (rows["AnswerCount"] != "0").mean() == pytest.approx(site.answered, abs=0.03)
    assert rows["Title"].str.startswith("Why").mean() == pytest.approx(site.why, abs=0.02)
    assert rows["Body"].str.contains("<img").mean() == pytest.approx(site.image, abs=0.02)
    assert rows["ViewCount"].astype(int).median() == pytest.approx(site.views, rel=0.15)


def test_copies_are_listed_and_alike(tmp_path):
    planted = write_dumps(tmp_path, 200, 3, SITES[:2], copies=0.1)
    texts = {
        site.name: {int(e.get("Id")): e for e in ET.parse(tmp_path / site.name / "Posts.xml").getroot()}
        for site in SITES[:2]
    }
    assert 5 < len(planted) < 45 and 200 < COPIED
    for (site, number), (origin, source) in planted.items():
        assert texts[site][number].get("Title") == texts[origin][source].get("Title")
        assert "CopyOf" not in texts[site][number].attrib


def test_an_unknown_encoding_is_refused(tmp_path):
    with pytest.raises(ValueError, match="neither"):
        write_dump(tmp_path / "x", [], tags="other")


def test_a_later_dump_holds_what_became_of_the_questions(tmp_path):
    posts = list(make_posts(make_questions(40, 1)))
    open_ones = [int(row["Id"]) for row in posts if row.get("AnswerCount") == "0" and "ClosedDate" not in row][:4]
    fates = dict(zip(open_ones, ("accepted answer", "answered", "closed", "deleted")))
    later = write_later_dump(tmp_path / "b.xml", write_dump(tmp_path / "a.xml", posts, tags="new"), fates)
    rows = {int(row["Id"]): row for part, _ in read_rows(later) for _, row in part}
    accepted, answered, closed, deleted = (rows.get(number) for number in open_ones)
    assert rows[int(accepted["AcceptedAnswerId"])]["ParentId"] == accepted["Id"] and accepted["AnswerCount"] == "1"
    assert answered["AnswerCount"] == "1" and "AcceptedAnswerId" not in answered
    assert "ClosedDate" in closed and deleted is None and len(rows) == len(posts) + 2 - 1
    assert rows[1]["Tags"] == posts[0]["Tags"].replace("><", "|").replace("<", "|").replace(">", "|")
