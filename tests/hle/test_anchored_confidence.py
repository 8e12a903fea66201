"""Both prompts for a confidence are put to the same answers, and differ in their examples alone."""

import asyncio

import numpy as np
import pandas as pd
import pytest
from proctor.hle.anchored_confidence import (
    anchor_effects,
    anchored_confidence,
    by_style,
    low_anchor,
    low_anchor_effects,
)
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


@pytest.fixture
def rows():
    """Three families of two answers, one right: 80 or 60 % without examples, 97 % after them."""
    return pd.DataFrame(
        [
            dict(style=which, category=family, answer_id=f"{family}-{i}", correct=i == 0, confidence=said)
            for which, spoken in (("plain", (0.8, 0.6)), ("anchored", (0.97, 0.97)))
            for family in ("tank", "ages", "mean")
            for i, said in enumerate(spoken)
        ]
    )


def test_the_anchor_is_paired_by_answer(rows):
    found = anchor_effects(rows).set_index("effect")["difference"]
    assert found.tolist() == pytest.approx([0.27, 0.2, 0.47])


def test_a_confidence_that_never_varies_tells_nothing(rows):
    table = by_style(rows, np.random.default_rng(1), 100).set_index("style")
    assert table["auc"].to_dict() == {"plain": 1, "anchored": 0.5}
    assert table["repeats_example"].to_dict() == {"plain": 0, "anchored": 1} and table["full"].eq(0).all()


def test_a_model_without_a_readable_answer_has_no_effects(rows):
    none = rows[rows["correct"] & ~rows["correct"]]
    assert by_style(none, np.random.default_rng(1), 100)["answers"].tolist() == [0, 0]
    assert anchor_effects(none)["difference"].isna().all()


def test_low_examples_are_compared_with_none_on_the_same_answers(rows):
    low = rows[rows["style"] == "plain"].assign(style="low", confidence=[0.95, 0.61] * 3)
    found = low_anchor_effects(pd.concat([rows, low]))
    assert found["difference"].tolist() == pytest.approx([0.08, -0.5]) and found["items"].tolist() == [6, 6]
    table = by_style(pd.concat([rows, low]), np.random.default_rng(1), 100, ("plain", "anchored", "low"))
    assert table["repeats_example"].tolist() == [0, 1, 0.5]
