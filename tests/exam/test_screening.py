"""The screening rule: what it keeps is decided by base accuracy alone, and fresh questions were not screened; natural answers."""

import asyncio
from collections import Counter

import pandas as pd
import pytest
from proctor.data.questions import place_in_cell
from proctor.exam import screening
from proctor.generated.generate import NOTHING_CARRIES_OVER
from proctor.models.session import Session


def answers(right: dict) -> pd.DataFrame:
    """Ten replies a cell of (category, level): how many are right."""
    return pd.DataFrame(
        [
            dict(model=screening.MODEL, question_id=f"{family}-{level}-{i // 2}", category=family, level=level,
                 correct=i < k, cut_off=False)
            for (family, level), k in right.items()
            for i in range(10)
        ]
    )  # fmt: skip


def test_a_cell_is_kept_from_a_fifth_to_seven_tenths_and_a_reply_that_is_cut_off_counts_as_wrong():
    right = {("tank", 1): 1, ("tank", 2): 2, ("tank", 3): 7, ("mean", 1): 8}
    table = screening.cells(answers(right))
    assert table["keep"].tolist() == [False, True, True, False]
    assert (table["low"] < table["accuracy"]).all() and (table["accuracy"] < table["high"]).all()
    table = answers({("tank", 1): 7})
    assert screening.cells(table.assign(cut_off=True))["accuracy"].tolist() == [0.0]


def test_the_two_families_where_nothing_carries_over_stay_with_their_nearest_cell():
    right = {("long_sum", level): k for level, k in ((1, 10), (2, 9), (3, 0))}
    right |= {("letter_count", 1): 5, ("letter_count", 2): 9}
    table = screening.cells(answers(right))
    assert table["keep"].tolist() == [False, True, False, True, False]  # .9 and 0 are as near: the easier one
    assert table["why"].tolist()[1] == "nearest of a family that stays"
    assert screening.ALWAYS == NOTHING_CARRIES_OVER


def test_fresh_questions_come_evenly_from_kept_cells_and_were_not_screened():
    table = screening.cells(answers({("tank", 1): 5, ("tank", 2): 9, ("mean", 3): 4}))
    found = screening.fresh(table, 5)
    assert {(q.category, q.level) for q in found} == {("tank", 1), ("mean", 3)}
    assert min(map(place_in_cell, found)) == screening.QUESTIONS + 1
    assert sorted(pd.Series([q.category for q in found]).value_counts()) == [2, 3]
    assert len(screening.fresh(table, 1000)) == 2 * (12 - screening.QUESTIONS)


def test_the_screening_asks_each_cell_as_often_with_seeds_of_its_own(fake_model):
    found = asyncio.run(screening.screening(fake_model))
    assert len(found) == 27 * screening.QUESTIONS * screening.SAMPLES
    assert len({request.seed for request in fake_model.asked}) == len(found)
    assert {(r.temperature, r.seeds) for r in fake_model.asked} == {(0.7, "request")}
    assert len(screening.cells(found)) == 27
    tried = asyncio.run(screening.attempts(fake_model))
    assert len(tried) == screening.FRESH * screening.ATTEMPTS and set(tried["sample"]) == {1, 2}
    assert not set(tried["question_id"]) & set(found["question_id"])


@pytest.mark.parametrize("version, cells, families", [(screening.VERSION, 10, 9), (screening.MORE, 29, 16)])
def test_the_recorded_screenings_keep_cells_of_nine_and_of_sixteen_families(tmp_path, version, cells, families):
    async def run():
        async with Session("replay", cache=tmp_path / "none.sqlite", progress=False) as session:
            return await screening.screening(session, version=version)

    table = screening.cells(asyncio.run(run()))
    kept = table[table["keep"]]
    assert len(kept) == cells and kept["category"].nunique() == families
    if version == screening.VERSION:
        assert kept.groupby("category")["level"].agg(list)["rectangle"] == [2, 3]
        assert (kept["why"] == "within the limits").all() and len(screening.fresh(table, 1000)) == 70
    else:
        assert set(table["category"]) - set(kept["category"]) == {"speed", "clock"}
        assert len(screening.fresh(table, 40, screening.MORE)) == 80


# natural answers


def test_candidates_are_half_right_and_from_kept_cells(fake_model):
    questions, answers = asyncio.run(screening.candidates(fake_model, n=60))
    assert len(answers) == 60 == len({answer.id for answer in answers})
    right = Counter(answer.question_id.rsplit("-", 2)[0] for answer in answers if answer.correct)
    assert right.total() == 30 and len(right) == len({question.category for question in questions}) > 5
    table = asyncio.run(screening.kept_cells(fake_model))
    kept = {(row.category, row.level) for row in table[table["keep"]].itertuples()}
    assert {(question.category, question.level) for question in questions} <= kept
    assert {answer.question_id for answer in answers} == {question.id for question in questions}
