import asyncio

import numpy as np
import pytest
from proctor import paths
from proctor.cbu import own_candidates
from proctor.data.tabular import DataError
from proctor.models.session import Session
from proctor.models.studies import rehearsed, study

EXAMPLES = paths.ROOT / "data/examples"


async def planned(session, setup):
    return (await rehearsed(session, study(own_candidates.score, setup))).plan_so_far


@pytest.fixture(scope="module")
def setup():
    loaded = own_candidates.load(EXAMPLES / "candidates.jsonl", EXAMPLES / "neighbours.jsonl")
    return own_candidates.Setup(*loaded, ["qwen2.5-coder-1.5b"])


def test_the_example_is_all_recorded_and_ranked(setup, tmp_path):
    async def run():
        async with Session("replay", cache=tmp_path / "c.sqlite", progress=False) as session:
            return await planned(session, setup), *await own_candidates.score(session, setup)

    plan, worth, judged = asyncio.run(run())
    assert plan.to_ask == 0
    table = own_candidates.table(worth, judged, setup.candidates)
    assert len(table) == 28 and table["judge"].between(1, 10).all()
    first = table[table["question_id"] == "operation-1-01"]
    assert first["utility"].is_monotonic_decreasing and first["utility"].iloc[0] == 1
    found = own_candidates.gain(worth, np.random.default_rng(0), 200)
    assert found.estimate == pytest.approx(100 * worth["gain"].mean()) and found.low < found.estimate < found.high


def test_what_is_not_kept_is_planned_and_nothing_is_sent(setup, tmp_path):
    async def run():
        async with Session("auto", cache=tmp_path / "c.sqlite", recorded=None, progress=False) as session:
            return await planned(session, setup), session.mode

    plan, mode = asyncio.run(run())
    assert plan.to_ask == 28 + 2 * (28 + 4) - 0 and mode == "auto"  # judge; rollouts of each candidate and of none


def test_neighbours_that_do_not_fit_are_refused(tmp_path):
    file = tmp_path / "near.csv"
    for rows, told in (
        ("question,answer,neighbour_of\nWhat?,1,elsewhere\n", "has no candidate"),
        ("question,answer,neighbour_of\nWhat?,1,sums-1-01\n", "no neighbour of question"),
        ("question,answer,neighbour_of\nWhat?,,sums-1-01\n", "has no answer"),
    ):
        file.write_text(rows)
        with pytest.raises(DataError, match=told):
            own_candidates.load(EXAMPLES / "candidates.jsonl", file)
