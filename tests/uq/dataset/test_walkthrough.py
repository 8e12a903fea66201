"""The walk from made-up dumps to two versions: the parts fit, the draws hang on the question alone, faults are found."""

import pandas as pd
import pytest
from proctor.uq.dataset import walkthrough
from proctor.uq.dataset.dump import read_rows
from proctor.uq.dataset.generate_dump import make_posts, make_questions, write_dump, write_later_dump
from proctor.uq.dataset.llm_filter import effects
from proctor.uq.dataset.release_check import check_releases


@pytest.fixture(scope="module")
def walk():
    return walkthrough.walk(400, 3, dev=5)


def test_the_versions_are_sound_and_the_second_replaces_the_solved_questions(walk):
    assert check_releases(walk.folder) == [] and walkthrough.is_nested(walk)
    one, two = walk.releases
    solved = set(zip(*(walk.proposal.loc[walk.proposal["solved"] == "yes", name] for name in ("site", "question_id"))))
    assert solved and solved == set(one.keys) - set(two.keys) and len(one.dev) == 5
    assert walkthrough.later_statuses(walk)["questions"].sum() == len(one.questions)


def test_a_question_that_skips_a_stage_is_seen(walk):
    queue = walk.first.queue.iloc[1:]
    assert not walkthrough.is_nested(walk._replace(first=walk.first._replace(queue=queue)))


def test_stages_and_sites_count_the_same_questions(walk):
    stages = walkthrough.stages(walk).set_index("stage")["questions"]
    sites = walkthrough.review_by_site(walk.first, walk.releases[0])
    assert stages["raw"] == 1600 and stages["after human review"] == sites["released"].sum()
    assert (sites["accept"] + sites["reject"] + sites["split"] == sites["by_votes"] + sites["to_review"]).all()


def test_draws_do_not_hang_on_other_questions():
    kept = pd.DataFrame(dict(site="proofs", question_id=range(1, 301)))
    found = walkthrough.made_up_verdicts(kept, 7)
    alone = walkthrough.made_up_verdicts(kept.iloc[::-1].head(3), 7)
    assert alone["correctness"].tolist() == found["correctness"].tolist()[:-4:-1]
    before = effects(found).set_index("criterion")["before"]
    assert abs(before["correctness"] - 51.2) < 6 and abs(before["clear"] - 95) < 5


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
