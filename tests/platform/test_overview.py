from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from django.core.cache import cache
from proctor.platform import overview, resolution, seed
from proctor.platform.models import Account, Question, System
from proctor.uq import partial_verification
from proctor.uq.resolution import answer_states

SMALL = replace(seed.SETTING, questions=10, reviews=120)
WORDS = {"right": "verified", "wrong": "refuted", "disputed": "disputed"}


@pytest.fixture
def store(db):
    cache.clear()
    seed.seed(0, SMALL)
    Account.objects.filter(username="ada_k").update(affiliation="Marsh Lab")
    return overview.community()


def test_an_answer_counts_in_the_overview_as_it_does_on_its_page(store):
    states = answer_states(store, overview.RULE).set_index("answer_id")["state"]
    found = {}
    for question in Question.objects.all():
        found |= {answer.key: state for answer, state in resolution.answer_states(question).items()}
    assert set(found) == set(states.index) and {"right", "wrong"} <= set(states)
    for key, state in states.items():
        assert found[key] == WORDS.get(state, found[key])
        assert found[key] not in ("verified", "refuted") or WORDS[state] == found[key]


def test_people_stand_in_the_ranking_beside_systems(store):
    found = overview.summary(store)
    systems = set(System.objects.filter(people=False, answers__withdrawn_at=None).values_list("name", flat=True))
    assert set(found.ranking["system"]) == systems | {"people"}
    assert (found.ranking["low"] <= found.ranking["share"]).all()
    assert (found.ranking["share_most"] <= found.ranking["high"]).all()
    assert found.history["resolved"].iloc[-1] == Question.objects.filter(state="resolved").count()


def test_a_validator_that_is_not_there_gives_the_one_with_most_verdicts(store):
    assert (
        overview.summary(store, "nothing").screen
        == overview.summary(store).screen
        in overview.summary(store).validators
    )


def test_a_desk_without_answers_has_no_overview(db):
    cache.clear()
    assert overview.overview() is None


def test_guesses_and_colleagues_do_not_count():
    answers = pd.DataFrame(dict(answer_id=["a", "p"], organisation=["Lab", "Lab"], base_model=["m", ""]))
    row = dict(answer_id="a", reviewer="x", kind="human", confidence=3, conflict=False)
    changes = [
        {},
        {"confidence": 1},
        {"reviewer": "y"},
        {"reviewer": "y", "answer_id": "p"},
        {"kind": "ai", "confidence": 1},
    ]
    found = overview.counting(pd.DataFrame([row | change for change in changes]), answers, {"y": " lab "})
    assert found["conflict"].tolist() == [
        False,
        True,
        False,
        False,
    ]  # the guess is gone; people's own answers have no lab


def test_uq_s_evaluation_takes_its_human_verdicts_from_the_store(store):
    """The functions of notebook uq/7_evaluation, on the store's tables in the place of Table S3."""
    screen = overview.summary(store).screen
    models, every = partial_verification.counts_from_reviews(store, screen, overview.RULE)
    states, n = answer_states(store, overview.RULE), len(store.questions)
    passes = set(store.verdicts.query("validator == @screen and verdict == 'accept'")["answer_id"])
    for name in models.index:
        own = states[(states["system"] == name) & states["answer_id"].isin(passes)]
        settled = own[own["state"].isin(["right", "wrong"])]
        counts = [len(own), len(settled), (own["state"] == "right").sum()]
        assert models.loc[name, ["passed", "human_verified", "human_passed"]].tolist() == counts
    bounds = partial_verification.solve_rate_bounds(models, every, (0.5, 0.7))
    assert (bounds["verified_right"] <= bounds["passed_and_right_most"]).all() and len(bounds) == len(models) + 1
    answers = partial_verification.all_answers(models, n)
    assert answers.passed == models["passed"].sum() and answers.n == n * len(models)
    assert partial_verification.overlap(models, every).loc["passed", "questions"] == every["passed"]
    pairs = partial_verification.neighbours(models, n)
    assert (pairs["low"] <= pairs["difference"]).all() and len(pairs) == len(models) - 1
    best = models["human_passed"].idxmax()
    if 0 < models.loc[best, "human_verified"] < models["human_verified"].sum():
        assert np.isfinite(partial_verification.precision_gap(models, best).estimate)
