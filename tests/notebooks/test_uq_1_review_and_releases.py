"""The notebook from the LLM filter to a release, run once with params/quick.yaml; what it leaves in figures/."""

import asyncio

import numpy as np
import pytest
from proctor.models.session import Session
from proctor.uq.dataset import llm_filter

NAME = "uq/1_review_and_releases"


@pytest.fixture(scope="module")
def table(read):
    return lambda name: read(f"1c_{name}", keep_default_na=False)


@pytest.fixture(scope="module")
def found():
    return asyncio.run(llm_filter.question_filter(Session("replay", progress=False), ["smollm2-135m"]))


def test_the_measured_numbers_are_those_of_the_recorded_replies(table, claims_made, found):
    replies = np.array(found["correctness"].tolist(), float)
    criteria = table("criteria_table").set_index("criterion")
    assert float(criteria["measured"]["correctness"]) == pytest.approx(replies.mean())
    assert float(criteria["reply_2"]["clear"]) == 100 * np.mean([each[1] for each in found["clear"]])
    excess = []
    for fresh in range(3):
        selecting, other = np.delete(replies, fresh, axis=1).mean(axis=1), replies[:, fresh]
        chosen = selecting <= 40
        excess.append(selecting.mean() - selecting[chosen].mean() - other.mean() + other[chosen].mean())
    made = claims_made["uq/1c_fresh_reply.correctness"]
    assert made.estimate == pytest.approx(np.mean(excess)) and made.n == 3 and made.verdict == "cannot tell"
    assert claims_made["uq/1c_over_rating"].estimate == pytest.approx(replies.mean() - 100 / 40)  # one answer is right


def test_questions_are_counted_alike_in_every_table(table):
    stages = table("stages").set_index("stage")["questions"]
    review, versions = table("review"), table("versions").set_index("version")
    rule, later, licences = table("filter_rule"), table("later_crawl"), table("licences")
    assert stages["raw"] == 3200 and (stages.diff().dropna() <= 0).all()
    assert review[["by_votes", "to_review"]].sum().sum() == stages["in the review queue"]
    assert review["released"].sum() == stages["after human review"] == versions["questions"][1]
    assert review["diamond"].sum() == stages["diamond subset"] == versions["diamond"][1]
    assert licences["questions"].sum() == later["questions"].sum() == versions["questions"][1]
    assert versions["removed"][2] == later["solved"].sum() > 0
    assert versions["questions"][2] == versions["questions"][1] + versions["added"][2] - versions["removed"][2]
    assert rule["dropped_measured"].tolist()[2:] == [40] * 3  # no question has only yes
    assert rule["alone_simulated"].sum() <= stages["after rules"] - stages["after LLM judges"]
