"""The prompts of the recorded studies: each check in two styles."""

import pytest
from proctor.models.prompts import load
from proctor.uq.checks import ONE_CALL, REASONED


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
