"""The recorded studies: checks in both styles on the same natural answers."""

import asyncio

import pytest
from proctor.models.prompts import load
from proctor.uq import recorded
from proctor.uq.checks import ONE_CALL, REASONED


def test_each_check_is_asked_in_both_styles_of_the_same_answers(fake_model):
    found = asyncio.run(recorded.natural_checks(fake_model, n=10, checks=("C", "FLC", "CC", "B")))
    assert found.groupby(["check", "style"]).size().eq(10).all() and len(found) == 10 * 4 * 2
    bare, reasoned = (found[found["style"] == style] for style in ("bare", "reasoned"))
    assert (bare["outcome"] == "accept").all() and (bare["p_accept"].astype(float) > 0.9).all()
    assert (reasoned["outcome"] == "reject").all()
    assert sorted(bare["answer_id"]) == sorted(reasoned["answer_id"])
    own = {r.key for r in fake_model.asked if r.prompt.startswith("hle/answer_steps") and r.temperature == 0}
    assert 0 < len(own) <= 10  # the judge of B answers step by step, once a question


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
