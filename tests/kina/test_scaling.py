import numpy as np
import pandas as pd
import pytest
from proctor.kina import scaling
from scipy.stats import linregress

MILLIONS = {"small": 100.0, "middle": 400.0, "large": 2000.0}
SIZES = [0.6, 1.7, 4, 8, 14, 32]


def answers(families=5, places=3):
    rng, rows = np.random.default_rng(0), []
    for family in range(families):
        for level, hard in ((1, 0.0), (3, 0.4)):
            for place in range(places):
                for model, chance in zip(MILLIONS, (0.2, 0.5, 0.9)):
                    name = f"f{family}-{level}-{place}"
                    row = dict(model=model, category=f"f{family}", question_id=name, level=level)
                    rows.append(row | dict(correct=rng.random() < max(chance - hard, 0.02)))
    return pd.DataFrame(rows)


def test_slope_of_an_exam_is_that_of_the_line_through_the_accuracies():
    data = answers()
    table = scaling.slope_table({"all": data}, MILLIONS, 0, 500)
    accuracy = [100 * data[data["model"] == model]["correct"].mean() for model in MILLIONS]
    assert table["slope"][0] == pytest.approx(linregress(np.log10(list(MILLIONS.values())), accuracy).slope)
    assert (table["questions"][0], table["families"][0]) == (30, 5) and table["middle"][0] == accuracy[1]
    assert table["low"][0] < table["slope"][0] < table["high"][0]


def test_an_exam_without_families_is_resampled_by_question():
    data = answers().assign(category="")
    found = scaling.slope_table({"exam": data}, MILLIONS, 0, 500)
    assert found["families"][0] == 0
    assert found[["low", "high"]].to_numpy().tolist() == found[["question_low", "question_high"]].to_numpy().tolist()


def test_slope_lost_is_the_difference_of_the_levels_over_families():
    data = answers()
    lost, families = scaling.slope_lost(data, MILLIONS, 0, 500)
    slopes = scaling.question_slopes(data, MILLIONS).merge(data[["question_id", "level"]].drop_duplicates())
    mean = slopes.groupby("level")["slope"].mean()
    assert lost.estimate == pytest.approx(mean[1] - mean[3]) and families == 5 and lost.low < lost.estimate < lost.high


def test_one_gain_gives_all_slopes_up_to_its_greatest():
    curve = scaling.slope_curve(1.5, SIZES, 2.0)
    shift, mean = scaling.where(curve, 7.6)
    later, more = scaling.where(curve, 14.8)
    assert later > shift and more > mean > 10
    assert curve.slope[[0, -1]].max() < 2 and np.isnan(scaling.where(curve, 25.0)).all()
    steeper = scaling.slope_curve(3.0, SIZES, 2.0)
    assert steeper.slope.max() > curve.slope.max()


def test_parts_are_the_exams_and_the_levels():
    data = answers()
    found = scaling.parts(data, data.head(3))
    assert tuple(found) == scaling.PARTS and set(found["generated, level 3"]["level"]) == {3}
    assert len(found["MMLU-tiny"]) == 3


def test_one_size_has_no_slope():
    with pytest.raises(ValueError, match="two sizes"):
        scaling.models_of({"m": 3.0, "n": 3.0})
    assert scaling.models_of({"m": 3.0, "n": 30.0}) == ["m", "n"]
