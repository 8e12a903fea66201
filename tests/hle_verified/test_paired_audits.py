"""One audit a version and component, with one probability each."""

import asyncio

import pytest
from proctor.hle_verified import paired_defects
from proctor.models.endings import MissingReply
from proctor.models.session import Session
from proctor.recordings.registry import PARALLEL


def test_each_component_with_a_truth_is_audited_once(fake_model):
    found = asyncio.run(paired_defects.paired_audits(fake_model, ["qwen2.5-coder-1.5b"]))
    assert len(found) == len({r.key for r in fake_model.asked}) == 946
    assert not found.duplicated(["base", "state", "kind", "component"]).any()
    assert found["sound"].eq(False).all() and found["p_sound"].between(0, 0.5).all()
    damaged = found[found["state"] == "damaged"]
    assert damaged[~damaged["holds"]].groupby("kind").size().eq(10).all()
    twins = found[(found["state"] == "sound") & found["holds"]].set_index(["base", "component"]).index
    assert all(pair in twins for pair in zip(damaged["base"], damaged["component"]))


def test_audits_are_one_token_without_sampling_and_the_items_parts_follow_each_other(fake_model):
    asyncio.run(paired_defects.paired_audits(fake_model))
    asked = fake_model.asked
    assert {(r.max_tokens, r.temperature, r.seeds) for r in asked} == {(1, 0.0, "request")}
    assert all(r.messages[:13] == asked[0].messages[:13] and r.prefix == 13 for r in asked)
    items = [r.messages[13]["content"].rpartition("\nPart: ")[0] for r in asked]
    assert sum(one != other for one, other in zip(items, items[1:])) + 1 == len(set(items))


def test_the_study_can_be_recorded_and_says_how_many_calls_it_lacks(tmp_path):
    async def missing():
        async with Session("replay", cache=tmp_path / "r.sqlite", recorded=None, progress=False) as session:
            await PARALLEL["verification.paired_audits"](session, ["qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b"])

    with pytest.raises(MissingReply) as found:
        asyncio.run(missing())
    assert len(found.value.requests) == 2 * 946
