"""The recorded studies: checks in both styles on the same natural answers."""

import asyncio

import pytest
from proctor.models.prompts import load
from proctor.uq import recorded
from proctor.uq.checks import ONE_CALL, REASONED


def test_repeats_are_reasoned_verdicts_of_other_seeds(fake_model):
    found = asyncio.run(recorded.natural_repeats(fake_model, n=10, checks=["C"]))
    assert found.groupby("sample").size().to_dict() == {1: 10, 2: 10, 3: 10}
    verdicts = [r for r in fake_model.asked if r.prompt.startswith(ONE_CALL["C"])]
    assert len({r.key for r in verdicts}) == 30 and all(REASONED in r.prompt for r in verdicts)


@pytest.mark.parametrize("name", [ONE_CALL["C"], ONE_CALL["FLC"], "uq/cycle_compare", "uq/compare_blind"])
def test_reasoned_prompts_differ_from_bare_ones_in_their_line_of_reasons_alone(name):
    bare, reasoned = load(name), load(name + REASONED)
    fields = [[text for role, text in prompt.messages if "{{" in text] for prompt in (bare, reasoned)]
    assert fields[0] == fields[1]
    verdicts = [
        ["[[Y]]" in text for role, text in prompt.messages if role == "assistant" and "]]" in text]
        for prompt in (bare, reasoned)
    ]
    assert sorted(verdicts[0]) == sorted(verdicts[1]) and reasoned.output == "verdict"
