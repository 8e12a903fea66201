"""notebooks/kina/your_leaderboard.ipynb on the example that ships, and on a CSV of one's own."""

import json

import numpy as np
import pandas as pd
import pytest
from proctor.kina.leaderboard import load_given
from proctor.stats.proportions import wilson

NAME = "kina/your_leaderboard"


@pytest.fixture(scope="module")
def example(read):
    return read("own_leaderboard")


def test_the_example_is_read_back_as_it_was_written(example):
    own = load_given("data/examples/leaderboard.csv")
    assert own.scores.shape == (14, 899)
    accuracy = dict(zip(own.models, 100 * own.scores.mean(axis=1)))
    assert example["accuracy"].to_numpy() == pytest.approx(example["model"].map(accuracy).to_numpy())


def test_a_border_that_separates_nothing_lies_among_models_not_told_apart(example):
    after = np.flatnonzero(example["border"] == "separates nothing")[0]  # the row above the first such border
    low, high = (int(place) for place in example["not_told_apart"][after].split(", ")[-1].split("-"))
    assert low <= after + 2 <= high  # places count from 1


def test_one_s_own_csv_goes_through_the_same_notebook(quick_run, printed):
    rng = np.random.default_rng(0)
    chance = {"good": 0.9, "fair": 0.5, "twin": 0.5, "poor": 0.1}
    table = pd.DataFrame(
        {"item": range(300), "discipline": [f"d{n % 40}" for n in range(300)]}
        | {model: rng.binomial(1, p, 300).astype(object) for model, p in chance.items()}
    )
    table.loc[7, "fair"] = ""
    options, files = ("-p", "results", "{}/mine.csv", "-p", "least", "5"), {"mine.csv": table.to_csv(index=False)}
    folder = quick_run(NAME, *options, label="own", files=files)
    mine, pairs, categories = (
        pd.read_csv(folder / f"figures/kina/own_{name}.csv") for name in ("leaderboard", "pairs", "categories")
    )
    assert mine["model"].tolist()[0] == "good" and mine["model"].tolist()[-1] == "poor"
    assert mine["tier"].tolist() == [1, 2, 2, 3]
    about = json.loads((folder / "figures/kina/own_ranking.json").read_text())
    assert about["evidence"] == "measured" and about["inputs"][-1]["path"].endswith("mine.csv")
    assert "imulated" not in (folder / "figures/kina/own_ranking.svg").read_text()
    said = printed(folder)
    assert "4 models, 300 items, 40 disciplines" in said and "missing scores left out: 1" in said
    assert "1 of 1,200 scores (0.1%) are not there" in said and "the 40 disciplines are the units" in said
    assert pairs[["a", "b"]].iloc[0].tolist()[0] == "good" and len(pairs) == 6
    twins = pairs[pairs["a"].isin(["fair", "twin"]) & pairs["b"].isin(["fair", "twin"])]
    assert (pairs["holm"] < 0.05).sum() == 5 and twins["holm"].item() > 0.05
    categories = categories.set_index(["model", "category"])
    assert len(categories) == 4 * 40 and categories.loc[("fair", "d7"), "items"] == 7  # one is lacking
    first = table.loc[table["discipline"] == "d0", "good"].astype(int)
    low, high = wilson(first.sum(), len(first))
    assert categories.loc[("good", "d0")].tolist() == pytest.approx([8, 100 * first.mean(), 100 * low, 100 * high])
