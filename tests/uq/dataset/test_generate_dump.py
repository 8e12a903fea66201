"""Made-up dumps are dumps, and the same for the same seed."""

import pandas as pd
from proctor.uq.dataset.dump import read_rows
from proctor.uq.dataset.generate_dump import (
    make_posts,
    make_questions,
    write_dump,
    write_later_dump,
)


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    files = [write_dump(tmp_path / str(k), make_posts(make_questions(20, seed))) for k, seed in enumerate((1, 1, 2))]
    first, same, other = (file.read_bytes() for file in files)
    assert first == same != other


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
