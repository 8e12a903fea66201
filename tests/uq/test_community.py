"""A community: simulated, with the rates that it was given; its tables, resolution, ranking and agreement counted by hand."""

from dataclasses import replace

import krippendorff
import numpy as np
import pandas as pd
import pytest
from proctor.stats.proportions import clopper_pearson
from proctor.uq import community
from proctor.uq.community import COLUMNS, Community, Rule
from proctor.uq.simulated_community import SETTING, accept_chance, simulate
from scipy.stats import binomtest


@pytest.fixture(scope="module")
def ours():
    return simulate(np.random.default_rng(5), replace(SETTING, questions=300, reviews=900))


def test_tables_have_exactly_the_promised_columns_with_unique_keys_and_known_words(ours):
    for name, columns in COLUMNS.items():
        frame = getattr(ours, name)
        assert tuple(frame.columns) == columns
        assert all(str(frame[column].dtype).endswith("UTC]") for column in columns if column.endswith("_at"))
    keys = dict(questions="question_id", answers="answer_id", reviews="review_id", comments="comment_id")
    assert not any(getattr(ours, name)[key].duplicated().any() for name, key in keys.items())
    assert set(ours.verdicts["verdict"]) <= {"accept", "reject", "unreadable"}
    assert set(ours.reviews["correct"]) <= {"yes", "no", "unsure"} and set(ours.reviews["kind"]) <= {"human", "ai"}
    assert ours.reviews["confidence"].between(1, 5).all()
    for name, home, key in (("answers", "questions", "question_id"), ("reviews", "answers", "answer_id")):
        assert getattr(ours, name)[key].isin(getattr(ours, home)[key]).all()


def test_systems_and_validators_keep_their_rates():
    setting = replace(SETTING, questions=3000, reviews=10, systems=(replace(SETTING.systems[0], rate=0.4),), people=0)
    made = simulate(np.random.default_rng(2), setting)
    right = made.truth["right"].to_numpy()
    assert right.mean() == pytest.approx(0.4, abs=0.04)
    first = setting.validators[0]
    accept = community.passed(made.verdicts, first.name, made.answers["answer_id"])
    assert accept[right].mean() == pytest.approx(first.recall, abs=0.05)
    assert 1 - accept[~right].mean() == pytest.approx(first.specificity, abs=0.03)


def test_tempting_answers_leave_the_validators_specificity_as_it_is():
    first = SETTING.validators[0]
    plain, tempting = accept_chance(first, [False, False], [False, True], 0.06)
    assert 0.94 * plain + 0.06 * tempting == pytest.approx(1 - first.specificity) and tempting == 4 * plain


def test_reviews_are_of_the_people_and_the_times_that_the_setting_says(ours):
    known = ours.reviews[ours.reviews["kind"] == "human"].merge(ours.answers, on="answer_id")
    assert not known.duplicated(["reviewer", "answer_id"]).any()
    assert (known["written_at"] > known["submitted_at"]).all()
    assert (known["reviewer"] != known["submitted_by"]).all()
    known = known.merge(ours.reviewers, on="reviewer").merge(ours.truth, on="answer_id")
    boosted = known[(known["group"] == "colluding") & (known["system"] == SETTING.favoured)]
    assert len(boosted) and (boosted["correct"] == "yes").all()
    known = known[known["correct"] != "unsure"]
    hit = ((known["correct"] == "yes") == known["right"]).groupby(known["group"]).mean()
    assert hit["expert"] > 0.8 > 0.65 > hit["careless"]


# resolution

DAY = pd.Timedelta("1D")
START = pd.Timestamp("2026-01-01", tz="UTC")


def review(number, answer, reviewer, correct, day, **more):
    row = dict(review_id=f"r{number}", answer_id=answer, reviewer=reviewer, kind="human", correct=correct)
    row |= dict(confidence=3, conflict=False, text="", written_at=START + day * DAY, withdrawn_at=pd.NaT)
    return row | more


def small(reviews) -> Community:
    """Two questions: a system's answer a1 that passed, and a person's a2 whose verdict is unreadable."""
    questions = [dict.fromkeys(COLUMNS["questions"], "") | dict(question_id=name) for name in ("q1", "q2")]
    empty = dict.fromkeys(COLUMNS["answers"], "") | dict(submitted_at=START, withdrawn_at=pd.NaT)
    answers = [
        empty | dict(answer_id="a1", question_id="q1", system="system A", base_model="base", submitted_by="lab"),
        empty | dict(answer_id="a2", question_id="q2", system="people", submitted_by="ann"),
    ]
    cast = dict(validator="v", probability=0.5, calls=1, dollars=0.0, decided_at=START)
    verdicts = [dict(answer_id=a, verdict=v) | cast for a, v in (("a1", "accept"), ("a2", "unreadable"))]
    frames = dict(questions=questions, answers=answers, verdicts=verdicts, reviews=reviews, comments=[])
    return Community(**{name: frame(name, rows) for name, rows in frames.items()})


def frame(name: str, rows=()) -> pd.DataFrame:
    """A table of the community as a desk gives it, times as UTC."""
    made = pd.DataFrame(rows, columns=list(COLUMNS[name]))
    times = [column for column in made if column.endswith("_at")]
    return made.assign(**{column: pd.to_datetime(made[column], utc=True) for column in times})


def test_rule_needs_enough_reviews_that_agree():
    found = Rule(2, 0.6).state([2, 1, 0, 2, 3], [0, 0, 2, 2, 2])
    assert found.tolist() == ["right", "open", "wrong", "disputed", "right"]
    with pytest.raises(ValueError, match="above 0.5"):
        Rule(2, 0.5)


def test_reviews_that_are_not_independent_do_not_count():
    ours = small([
        *(review(k, "a1", f"p{k}", "yes", k) for k in (1, 2)),
        review(3, "a1", "p3", "yes", 3, conflict=True),
        review(4, "a1", "machine", "yes", 3, kind="ai"),
        review(5, "a1", "p5", "yes", 3, withdrawn_at=START + 4 * DAY),
        review(6, "a1", "lab", "yes", 3),
        review(7, "a1", "p1", "yes", 5),
    ])  # fmt: skip
    assert community.answer_states(ours, Rule(3, 0.75)).loc[0, ["yes", "no", "state"]].tolist() == [2, 0, "open"]
    assert community.answer_states(ours, Rule(2, 0.75)).loc[0, "state"] == "right"
    before = community.answer_states(ours, Rule(3, 0.75), at=START + 3.5 * DAY)
    assert before.loc[0, "state"] == "right"  # p5 had not withdrawn yet
    row = community.answer_states(small([review(1, "a1", "p1", "yes", 1), review(2, "a1", "p1", "no", 2)])).loc[0]
    assert (row["yes"], row["no"]) == (0, 1)  # who changes their mind counts once, with the last word


def test_history_and_statistics_are_the_counts():
    reviews = [review(k, "a1", f"p{k}", "yes", k) for k in (1, 2, 3)]
    ours = replace(small(reviews), truth=pd.DataFrame(dict(answer_id=["a1", "a2"], right=[False, True])))
    table = community.history(ours, Rule(3, 0.75), steps=3)
    assert table["reviews"].tolist() == [1, 2, 3] and table["resolved"].tolist() == [0, 0, 1]
    assert table["false"].tolist() == [0, 0, 1]  # resolved by an answer that is wrong
    ours = small([*reviews, review(4, "a2", "p1", "unsure", 4)])
    table = community.statistics(ours, "v", Rule(3, 0.75)).set_index("measure")["count"]
    assert table["questions resolved"] == 1 and table["answers that passed"] == 1 and table["systems"] == 1
    assert table["passed answers that people reviewed"] == 1 and table["reviewed answers open"] == 1
    assert table["human reviews that count"] == 4 and table["human reviewers"] == 3 and table["AI reviews"] == 0
    rates = community.pass_rates(ours)
    assert rates[["system", "passed", "of"]].to_numpy().tolist() == [["system A", 1, 1]]


def test_a_store_without_reviews_or_without_anything_gives_empty_results_and_no_error():
    ours = small([])
    assert community.answer_states(ours)["state"].tolist() == ["open", "open"]
    assert community.statistics(ours, "v")["count"].tolist()[2] == 0
    assert community.history(ours, steps=2)["resolved"].tolist() == [0, 0]
    assert community.ranking(*community.scores(ours, "v"))["right"].tolist() == [0, 0]
    assert community.reviewer_agreement(ours, np.random.default_rng(0), 20).empty
    ours = Community(**{name: frame(name) for name in COLUMNS})
    assert community.answer_states(ours).empty and community.pass_rates(ours).empty
    assert community.history(ours).empty and (community.statistics(ours, "v")["count"] == 0).all()
    assert community.ranking(*community.scores(ours, "v")).empty


# the ranking


def boards(right: dict[str, int], unsettled: dict[str, int], n: int = 100):
    sure, possible = (
        pd.DataFrame({name: np.arange(n) < right[name] + more * unsettled[name] for name in right}).T.astype(float)
        for more in (0, 1)
    )
    return sure, possible


def test_ranking_counts_and_widens_by_unsettled_answers():
    table = community.ranking(*boards({"a": 2, "b": 5}, {"a": 10, "b": 0})).set_index("system")
    assert table.index.tolist() == ["b", "a"] and table["rank"].tolist() == [1, 2]
    assert table.loc["a", ["right", "unsettled", "share_most"]].tolist() == [2, 10, 0.12]
    assert table.loc["a", "low"] == clopper_pearson(2, 100)[0]
    assert table.loc["a", "high"] == clopper_pearson(12, 100)[1]


def test_a_pair_is_surely_apart_only_if_the_worst_case_keeps_the_order():
    row = community.apart(*boards({"a": 30, "b": 2}, {"a": 0, "b": 5})).iloc[0]
    assert row["p_by_count"] == pytest.approx(binomtest(28, 28).pvalue)
    assert row["p_at_worst"] == pytest.approx(binomtest(23, 23).pvalue) and row["surely_apart"]
    sure, possible = boards({"a": 30, "b": 2}, {"a": 0, "b": 40})
    row = community.apart(sure, possible).iloc[0]
    assert row["apart"] and not row["surely_apart"] and row["p_at_worst"] == 1
    assert community.ranking(sure, possible)["rank_high"].tolist() == [2, 2]


def test_people_are_an_entry_and_need_no_validator(ours):
    sure, possible = community.scores(ours, "three stages")
    assert "people" in sure.index and (possible >= sure).all().all() and sure.shape[1] == 300
    states = community.answer_states(ours)
    for name in sure.index:
        part = states[(states["system"] == name) & (states["state"] == "right")]
        assert sure.loc[name].sum() == part["question_id"].nunique()


# agreement


def test_alpha_from_counts_is_alpha_from_votes():
    rng = np.random.default_rng(0)
    votes = np.where(rng.random((12, 40)) < 0.4, (rng.random((12, 40)) < 0.6) * 1.0, np.nan)
    counts = np.stack([(votes == 1).sum(axis=0), (votes == 0).sum(axis=0)], axis=1)
    assert community.label_alpha(counts) == pytest.approx(krippendorff.alpha(votes, level_of_measurement="nominal"))
    assert np.isnan(community.label_alpha(np.array([[2, 0], [3, 0]])))


def test_agreement_table_keeps_people_and_machines_apart(ours):
    table = community.reviewer_agreement(ours, np.random.default_rng(0), 50).set_index("reviewers")
    assert (table["low"] <= table["alpha"]).all() and (table["alpha"] <= table["high"]).all()
    many = community.independent(ours)["answer_id"].value_counts()
    assert table.loc["people", "answers"] == (many > 1).sum()
    assert table.loc["people", "reviews"] == many[many > 1].sum()
