"""A simulated community: the promised tables, the rates that it was given, and clear refusals of bad tables."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.uq import community
from proctor.uq.community import COLUMNS
from proctor.uq.simulated_community import SETTING, accept_chance, simulate


@pytest.fixture(scope="module")
def ours():
    return simulate(np.random.default_rng(5), replace(SETTING, questions=300, reviews=900))


def tables(made):
    return {name: getattr(made, name) for name in COLUMNS}


def test_tables_have_exactly_the_promised_columns_and_pass_the_check(ours):
    read = community.checked(tables(ours))
    for name, columns in COLUMNS.items():
        assert tuple(getattr(ours, name).columns) == columns
        pd.testing.assert_frame_equal(getattr(read, name), getattr(ours, name))
    texts = tables(ours) | {"reviews": ours.reviews.assign(written_at=ours.reviews["written_at"].map(str))}
    stored = community.checked({name: texts[name] for name in COLUMNS if name not in community.SIMULATED_ONLY})
    assert (stored.reviews["written_at"] == ours.reviews["written_at"]).all()  # read as UTC
    assert stored.truth.empty and stored.reviewers.empty  # which a store has not


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


@pytest.mark.parametrize(
    "table, column, value, words",
    [
        ("reviews", "correct", "maybe", "reviews, row 1, correct"),
        ("reviews", "confidence", 6, "reviews, row 1, confidence"),
        ("reviews", "answer_id", "a99999", "is not in answers"),
        ("answers", "answer_id", "a00002", "answers, row 2, answer_id"),
        ("reviews", "written_at", "yesterday", "written_at: not a time"),
    ],
)
def test_a_bad_cell_is_named_with_table_row_and_column(ours, table, column, value, words):
    frame = getattr(ours, table).copy()
    frame[column] = frame[column].astype(object)
    frame.loc[0, column] = value
    with pytest.raises(DataError, match=words):
        community.checked(tables(ours) | {table: frame})


def test_a_missing_table_or_column_is_named(ours):
    with pytest.raises(DataError, match="no table comments"):
        community.checked({name: frame for name, frame in tables(ours).items() if name != "comments"})
    with pytest.raises(DataError, match="verdicts: no column dollars"):
        community.checked(tables(ours) | {"verdicts": ours.verdicts.drop(columns="dollars")})
