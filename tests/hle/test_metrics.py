"""The official metrics against a literal reference implementation, the sound ones against counts and closed forms;
confidences stated after examples."""

import asyncio
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proctor.exam.marking import accuracy_interval
from proctor.hle.metrics import anchored_confidence, low_anchor, metrics_table, official_metrics
from proctor.models.prompts import load
from proctor.stats.proportions import wilson

NAN = math.nan


def reference(predictions: list[dict | None]) -> dict:
    """What HLE's scoring does, step by step, of one prediction a question; None: no readable judgement.

    A judged prediction has `correct` (yes or no) and `confidence` (0 to 100, the judge's, 100 where none is stated).
    """
    n = len(predictions)
    correct, confidence = [], []
    for prediction in predictions:
        if prediction is None:
            continue
        correct.append("yes" in prediction["correct"])
        confidence.append(prediction["confidence"])
    accuracy = round(100 * sum(correct) / n, 2)
    half = round(1.96 * math.sqrt(accuracy * (100 - accuracy) / n), 2)
    order = sorted(range(len(confidence)), key=lambda i: confidence[i])  # stable: the tie rule that we state
    c, k = [confidence[i] / 100 for i in order], [correct[i] for i in order]
    bins = [[i * 100, (i + 1) * 100] for i in range(len(c) // 100)]
    try:
        bins[-1] = [bins[-1][0], len(c)]
    except IndexError:
        return dict(accuracy=accuracy, half_width=half, calibration_error=None)
    total = 0.0
    for i in range(len(bins) - 1):
        a, b = bins[i]
        gap = abs(sum(c[a:b]) / (b - a) - sum(k[a:b]) / (b - a))
        total += (b - a) / len(c) * gap**2
    return dict(accuracy=accuracy, half_width=half, calibration_error=100 * math.sqrt(total))


def arrays(predictions):
    """The same as arrays; a confidence that nobody stated is missing, where the judge put down 100."""
    correct = [NAN if p is None else float(p["correct"] == "yes") for p in predictions]
    confidence = [NAN if p is None or p.get("unstated") else p["confidence"] / 100 for p in predictions]
    return np.array(correct), np.array(confidence)


def draw(rng, n, unreadable=0.05, unstated=0.1, right=0.1):
    found = []
    for _ in range(n):
        silent = rng.random() < unstated
        found.append(
            None
            if rng.random() < unreadable
            else dict(
                correct="yes" if rng.random() < right else "no",
                confidence=100 if silent else int(rng.choice([0, 50, 90, 95, 100])),
                unstated=silent,
            )
        )
    return found


def agrees(predictions):
    """The official metrics, and the row of the table, of these predictions."""
    ours, theirs = official_metrics(*arrays(predictions)), reference(predictions)
    assert (ours["accuracy"], ours["half_width"]) == (theirs["accuracy"], theirs["half_width"])
    if theirs["calibration_error"] is None:
        assert np.isnan(ours["calibration_error"]) and "index error" in ours["note"]
    else:
        assert ours["calibration_error"] == pytest.approx(theirs["calibration_error"], abs=1e-9)
    assert ours["judged"] == sum(p is not None for p in predictions)
    return ours


def row_of(predictions):
    correct, confidence = arrays(predictions)
    frame = pd.DataFrame(dict(model="m", correct=correct, confidence=confidence))
    return metrics_table(frame, ["model"], np.random.default_rng(0), resamples=100).iloc[0]


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 450),
    st.sampled_from([0.0, 0.05, 0.5]),
    st.sampled_from([0.0, 0.02, 0.5, 1.0]),
)
def test_official_equals_the_reference(seed, n, unreadable, right):
    agrees(draw(np.random.default_rng(seed), n, unreadable, right=right))


@pytest.mark.parametrize("n, error, odd", [(99, np.nan, 1), (100, 0, 1), (199, 0, 1), (200, 100 * math.sqrt(0.5), 0)])
def test_official_error_does_not_exist_below_100_answers_and_counts_all_bins_but_the_last(n, error, odd):
    always_wrong = [dict(correct="no", confidence=100)] * n
    found, row = agrees(always_wrong), row_of(always_wrong)
    assert found["calibration_error"] == pytest.approx(error, nan_ok=True) and bool(found["note"]) == odd
    assert row["all_bins"] == 1 and row["official"] == pytest.approx(error / 100, nan_ok=True)


def test_unreadable_judgements_stay_in_n_and_leave_the_calibration():
    rows = [dict(correct="yes", confidence=90)] * 100 + [dict(correct="no", confidence=90)] * 150 + [None] * 50
    found, ours = agrees(rows), row_of(rows)
    assert (ours["n"], ours["right"], found["judged"], found["accuracy"]) == (300, 100, 250, 33.33)
    assert (ours["unreadable"], ours["stated"], ours["accuracy"]) == (50, 250, pytest.approx(1 / 3))
    assert (ours["low"], ours["high"]) == (wilson(100, 300)[0], wilson(150, 300)[1])


def test_an_unstated_confidence_is_100_officially_and_left_out_by_us():
    rows = [dict(correct="no", confidence=100, unstated=True)] * 150 + [dict(correct="no", confidence=0)] * 150
    found, ours = agrees(rows), row_of(rows)  # a stated 0 % is a value
    assert found["unstated"] == ours["unstated"] == 150
    assert found["calibration_error"] == pytest.approx(100 * math.sqrt(1 / 12))
    assert ours["stated"] == 150 and ours["all_bins"] == 0 and ours["overconfidence"] == 0


def test_nothing_to_calibrate_is_missing_and_not_0():
    ours = row_of([dict(correct="yes", confidence=100, unstated=True), dict(correct="no", confidence=50)])
    assert ours["stated"] == 1 and ours[["all_bins", "debiased", "debiased_low", "overconfidence"]].isna().all()


@pytest.mark.parametrize(
    "correct, confidence, told",
    [([], [], "empty"), ([2], [0.5], "0 or 1"), ([1], [50], "divide percentages"), ([1, 0], [0.5], "lengths differ")],
)
def test_bad_input_is_told(correct, confidence, told):
    with pytest.raises(ValueError, match=told):
        official_metrics(correct, confidence)


# by group


def samples(n=32, k=5, seed=4) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    chance = rng.beta(0.5, 0.7, n)
    frame = pd.DataFrame(dict(question_id=np.repeat(np.arange(n), k), sample=np.tile(np.arange(k), n), model="m"))
    return frame.assign(correct=(rng.random(n * k) < np.repeat(chance, k)).astype(float), confidence=rng.random(n * k))


def test_groups_keep_their_order_and_equal_the_single_figures():
    parts = [samples(40, 1, seed).assign(model=model) for seed, model in enumerate(("dear", "free", "odd"))]
    frame, rng = pd.concat(parts).assign(category=["a", "b"] * 60), np.random.default_rng
    rows = metrics_table(frame, ["model", "category"], rng(0), resamples=200)
    assert list(zip(rows["model"], rows["category"])) == [(m, c) for m in ("dear", "free", "odd") for c in "ab"]
    for row in rows.itertuples():
        group = frame[(frame["model"] == row.model) & (frame["category"] == row.category)]
        one = official_metrics(group["correct"], group["confidence"])
        assert (row.n, row.right) == (len(group), group["correct"].sum())
        assert row.official_half_width == one["half_width"] / 100
        assert np.isnan(row.official) and row.low < row.accuracy < row.high
        assert row.debiased_low <= row.debiased <= row.debiased_high
    assert set(metrics_table(frame, ["category"], rng(0), resamples=200)["n"]) == {60}


def test_equal_samples_of_a_question_count_as_one():
    one = samples(k=1)
    five = one.loc[one.index.repeat(5)].assign(sample=np.tile(np.arange(5), 32))
    row, single = (
        metrics_table(frame, ["model"], np.random.default_rng(0), resamples=300).iloc[0] for frame in (five, one)
    )
    assert (row["n"], row["answers"], single["answers"]) == (32, 160, 32)
    assert row["accuracy"] == single["accuracy"] and row["all_bins"] == pytest.approx(single["all_bins"])
    assert row["low"] == pytest.approx(single["low"], abs=0.02) and row["high"] == pytest.approx(
        single["high"], abs=0.02
    )
    assert row["debiased"] == pytest.approx(single["debiased"])
    assert row["debiased_high"] == pytest.approx(single["debiased_high"], abs=0.03)


def test_several_samples_are_averaged_by_question_and_by_sitting():
    frame = samples()
    row = metrics_table(frame, ["model"], np.random.default_rng(0), resamples=200).iloc[0]
    assert row["accuracy"] == pytest.approx(frame.groupby("question_id")["correct"].mean().mean())
    alone = [metrics_table(part, ["model"], np.random.default_rng(0)) for _, part in frame.groupby("sample")]
    assert row["all_bins"] == pytest.approx(np.sqrt(np.mean([each["all_bins"].iloc[0] ** 2 for each in alone])))
    assert np.isnan(row["official"]) and row["note"] == "below 100 answers: index error"
    big = metrics_table(samples(150, 3), ["model"], np.random.default_rng(0), resamples=50).iloc[0]
    assert big["official"] == 0 and big["note"] == "below 200 answers: always 0"


def test_intervals_over_questions_hold_the_accuracy_of_the_field_of_questions():
    held = widths = 0
    for seed in range(300):
        frame = samples(seed=seed)
        found = accuracy_interval(frame["correct"], frame["question_id"])
        held += found.low <= 0.5 / 1.2 <= found.high
        widths += found.high - found.low
    assert 0.92 < held / 300 < 0.98 and 0.2 < widths / 300 < 0.4


def test_unreadable_answers_widen_the_interval_to_the_opposite_reading():
    frame = samples()
    worse = frame.assign(correct=frame["correct"].where(frame.index % 10 > 0))
    found, full = (accuracy_interval(each["correct"], each["question_id"]) for each in (worse, frame))
    best = accuracy_interval(worse["correct"].fillna(1), frame["question_id"])
    assert found.low < full.low and found.high == best.high and found.n == 32


# confidences after examples


def test_all_styles_are_asked_of_the_same_answers(fake_model):
    found = asyncio.run(anchored_confidence(fake_model, n=10))
    assert found.groupby("style")["answer_id"].nunique().tolist() == [10, 10]
    assert found.groupby("style")["confidence"].first().to_dict() == {"plain": 0.7, "anchored": 0.96}
    low = asyncio.run(low_anchor(fake_model, n=10))
    assert set(low["style"]) == {"low"} and sorted(low["answer_id"]) == sorted(set(found["answer_id"]))


def test_the_prompts_differ_in_their_examples_alone():
    plain, anchored = load("hle/confidence_plain").messages, load("hle/confidence_anchored").messages
    assert (plain[0], plain[-1]) == (anchored[0], anchored[-1]) and len(plain) == 2
    assert [text for role, text in anchored if role == "assistant"] == ["96%", "97%"]
    low = load("hle/confidence_low").messages
    assert [text for role, text in low if role == "assistant"] == ["61%", "62%"]
    assert [m for m in low if m[0] != "assistant"] == [m for m in anchored if m[0] != "assistant"]
