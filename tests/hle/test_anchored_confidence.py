"""Both prompts for a confidence are put to the same answers, and differ in their examples alone."""

import asyncio

from proctor.hle.metrics import anchored_confidence, low_anchor
from proctor.models.prompts import load


def test_both_styles_are_asked_of_the_same_answers(fake_model):
    found = asyncio.run(anchored_confidence(fake_model, n=20))
    assert found.groupby("style")["answer_id"].nunique().tolist() == [20, 20]
    assert found.groupby("style")["confidence"].first().to_dict() == {"plain": 0.7, "anchored": 0.96}


def test_the_low_examples_are_put_before_the_same_answers(fake_model):
    first = asyncio.run(anchored_confidence(fake_model, n=20))
    low = asyncio.run(low_anchor(fake_model, n=20))
    assert set(low["style"]) == {"low"} and sorted(low["answer_id"]) == sorted(set(first["answer_id"]))


def test_the_prompts_differ_in_their_examples_alone():
    plain, anchored = load("hle/confidence_plain").messages, load("hle/confidence_anchored").messages
    assert (plain[0], plain[-1]) == (anchored[0], anchored[-1]) and len(plain) == 2
    assert [text for role, text in anchored if role == "assistant"] == ["96%", "97%"]
    low = load("hle/confidence_low").messages
    assert [text for role, text in low if role == "assistant"] == ["61%", "62%"]
    assert [m for m in low if m[0] != "assistant"] == [m for m in anchored if m[0] != "assistant"]
