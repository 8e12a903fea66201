import numpy as np
import pandas as pd
import pytest
from proctor.kina import ranked_models
from proctor.kina.ranked_models import NOTHING, SEPARATES
from proctor.stats.rank_sets import rank_sets


def board(counts, n=200):
    """0/1 scores: model m has its first counts[m] items right, so leads are exact."""
    return np.array([[float(i < count) for i in range(n)] for count in counts])


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(3)
    chance = np.array([0.7, 0.62, 0.6, 0.58, 0.56, 0.2])
    return (rng.random((6, 400)) < chance[:, None]).astype(float)


def test_table_is_the_ranking_and_its_steps_are_the_intervals_behind_the_rank_sets(noisy):
    table = ranked_models.rank_models(noisy, list("abcdef"), 0, 1000)
    sets = rank_sets(noisy, np.random.default_rng(0), 1000)
    order = [list("abcdef").index(model) for model in table["model"]]
    assert table["set_low"].tolist() == sets.rank_low[order].tolist()
    assert table["rank"].is_monotonic_increasing and table["accuracy"].is_monotonic_decreasing
    steps = table.iloc[:-1]
    assert (steps["gap"].to_numpy() == pytest.approx(-np.diff(table["accuracy"]))) and (
        steps["gap_low"] < steps["gap"]
    ).all()
    assert ((steps["gap_low"] > 0) == steps["next_told_apart"]).all()
    assert table.iloc[-1][["gap", "gap_low"]].isna().all()


def test_border_between_equals_is_marked_as_separating_nothing(noisy):
    table = ranked_models.rank_models(noisy, list("abcdef"), 0, 1000)
    ends = np.flatnonzero(np.diff(table["tier"]) > 0)
    assert len(ends) >= 2 and (table["border"].iloc[ends] != "").all()
    for place in ends:
        apart = table["next_told_apart"].iloc[place]
        assert table["border"].iloc[place] == (SEPARATES if apart else NOTHING)
    assert table["border"].eq(SEPARATES).any()  # the last model is far below


def test_not_told_apart_names_the_places_and_nobody():
    table = ranked_models.rank_models(board([180, 100, 99, 10]), list("abcd"), 0, 500)
    assert table["not_told_apart"].tolist() == ["nobody", "3", "2", "nobody"]
    assert ranked_models.certain_ranks(table) == 2


def test_runs_of_places_are_shortened():
    assert ranked_models._runs(np.array([2, 3, 4, 7, 9, 10])) == "2-4, 7, 9-10"
    assert ranked_models._runs(np.array([], int)) == "nobody"


def test_widest_and_narrowest_step_are_judged_beside_their_half_width(noisy):
    table = ranked_models.rank_models(noisy, list("abcdef"), 0, 1000)
    ratio = (table["gap"] / (table["gap_high"] - table["gap"])).iloc[:-1]
    wide, narrow = ranked_models.widest_step(table), ranked_models.narrowest_step(table)
    assert wide.gap == table["gap"][ratio.idxmax()] and wide.gap_low > 0
    assert narrow.gap == table["gap"][ratio.idxmin()] and narrow.gap_low < 0
    assert wide.quantity(400, "items") == dict(
        estimate=wide.gap, interval=(wide.gap_low, wide.gap_high), n=400, of="items", unit="points"
    )


def test_models_that_never_differ_get_an_exact_step():
    table = ranked_models.rank_models(board([100, 100, 20]), list("abc"), 0, 300)
    assert table["gap"].iloc[0] == 0 and table["gap_low"].iloc[0] < 0 < table["gap_high"].iloc[0]
    assert table["rank"].tolist() == [1, 1, 3] and not table["next_told_apart"].iloc[0]


def answers(families=6, places=2):
    rng, rows = np.random.default_rng(1), []
    for family in range(families):
        good = rng.random() < 0.5
        for level in (1, 2):
            for place in range(places):
                for model, chance in (("big", 0.9 if good else 0.3), ("small", 0.5 if good else 0.1)):
                    name = f"f{family}-{level}-{place:02d}"
                    about = dict(model=model, category=f"f{family}", question_id=name, level=level)
                    rows.append(about | dict(correct=rng.random() < chance))
    return pd.DataFrame(rows)


def test_score_table_has_a_row_a_model_or_a_model_and_level():
    data = answers()
    table = ranked_models.score_table(data)
    assert table.shape == (2, 24) and table.loc["big"].mean() == data[data["model"] == "big"]["correct"].mean()
    by_level = ranked_models.score_table(data, by_level=True)
    assert by_level.shape == (4, 12)
    part = data[(data["model"] == "small") & (data["level"] == 2)]
    assert by_level.loc["small, level 2"].mean() == part["correct"].mean()


def test_families_resampled_are_less_sure_than_questions():
    table = ranked_models.score_table(answers(8, 4))
    by_unit = ranked_models.rank_by_unit(table, 0, 1000)
    width = {unit: (found["high"] - found["low"]).mean() for unit, found in by_unit.items()}
    assert width["family"] > width["question"]
    both = ranked_models.stacked({"models": by_unit})
    assert both.index.names == ["board", "row"] and {"family_low", "question_high"} <= set(both.columns)
    assert both["accuracy"].tolist() == by_unit["family"]["accuracy"].tolist()


def test_lead_over_names_its_pair_before_looking():
    table = ranked_models.score_table(answers(8, 4))
    one, other = (ranked_models.lead_over(table, *pair, 0, 500) for pair in (("big", "small"), ("small", "big")))
    assert one.gap == -other.gap and one.gap_low < one.gap < one.gap_high


def test_on_all_items_the_ranking_agrees_with_itself(noisy):
    found = ranked_models.on_fewer_items(noisy, np.random.default_rng(0), 20)
    assert found.index[0] == 50 and found.index[-1] == 400 and found["tau_with_all_items"].iloc[-1] == 1
