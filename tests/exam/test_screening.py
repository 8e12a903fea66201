"""The screening rule: what it keeps is decided by base accuracy alone, and fresh questions were not screened."""

import asyncio

import pandas as pd
import pytest
from proctor.data.questions import load_families, place_in_cell
from proctor.exam import screening
from proctor.generated.more_families import MORE_FAMILIES
from proctor.generated.worked_families import WORKED_FAMILIES
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


def test_a_cell_is_kept_from_a_fifth_to_seven_tenths():
    right = {("tank", 1): 1, ("tank", 2): 2, ("tank", 3): 7, ("mean", 1): 8}
    table = screening.cells(answers(right))
    assert table["keep"].tolist() == [False, True, True, False]
    assert (table["low"] < table["accuracy"]).all() and (table["accuracy"] < table["high"]).all()


def test_a_reply_that_is_cut_off_counts_as_wrong():
    table = answers({("tank", 1): 7})
    assert screening.cells(table.assign(cut_off=True))["accuracy"].tolist() == [0.0]


def test_the_two_families_where_nothing_carries_over_stay_with_their_nearest_cell():
    right = {
        ("long_sum", 1): 10,
        ("long_sum", 2): 9,
        ("long_sum", 3): 0,
        ("letter_count", 1): 5,
        ("letter_count", 2): 9,
    }
    table = screening.cells(answers(right))
    assert table["keep"].tolist() == [False, True, False, True, False]  # .9 and 0 are as near: the easier one
    assert table["why"].tolist()[1] == "nearest of a family that stays"
    families = WORKED_FAMILIES | MORE_FAMILIES
    assert set(screening.ALWAYS) == {name for name, family in families.items() if not family.transfers}


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


def test_the_committed_questions_have_room_for_fresh_ones():
    assert (
        pd.Series([(q.category, q.level) for q in load_families(version=screening.VERSION)]).value_counts().eq(12).all()
    )
    with pytest.raises(Exception, match="families_v9"):
        load_families(version="families-v9")


def recorded(folder, version: str) -> pd.DataFrame:
    async def run():
        async with Session("replay", cache=folder / "none.sqlite", progress=False) as session:
            return await screening.screening(session, version=version)

    return screening.cells(asyncio.run(run()))


def test_the_recorded_screening_keeps_ten_cells_of_all_nine_families(tmp_path):
    table = recorded(tmp_path, screening.VERSION)
    kept = table[table["keep"]]
    levels = kept.groupby("category")["level"].agg(list).to_dict()
    assert len(kept) == 10 and levels["rectangle"] == [2, 3]
    assert (kept["why"] == "within the limits").all() and len(screening.fresh(table, 1000)) == 70


def test_the_recorded_screening_of_families_v3_keeps_29_cells_of_sixteen_families(tmp_path):
    table = recorded(tmp_path, screening.MORE)
    kept = table[table["keep"]]
    assert len(kept) == 29 and set(table["category"]) - set(kept["category"]) == {"speed", "clock"}
    assert len(screening.fresh(table, 40, screening.MORE)) == 80
