"""`python -m proctor how-many`, in process; the chance that more families decide a claim, and what a plan asks first."""

import numpy as np
import pandas as pd
import pytest
from proctor import cli
from proctor.report.claims import Claim, verdict
from proctor.synthesis.how_many_command import READ, chances, plan
from scipy import stats
from typer.testing import CliRunner


def run(*words: str):
    return CliRunner().invoke(cli.app, ["how-many", *words])


@pytest.mark.parametrize(
    "words, first",
    [
        ("items --rates 0.6 0.5 --correlation 0.4 --power 0.8", "252 items"),
        ("items --rates 0.6 0.5 --correlation 0.4 --test score", "237 items"),
        ("items --rates 0.6 0.5 --correlation 0.4 --family 5 --icc 0.3", "520 items"),
        ("difference -n 500 --rate 0.15", "5.97 points"),
        ("repeats --within 2 --between 1", "18 repeats of each item"),
        ("votes --miss 0.3 --false-alarm 0.2", "17 votes on each answer"),
        ("rollouts", "64 rollouts of each candidate"),
        ("order --utilities 0.6 0.4", "21 rollouts of each candidate"),
        ("agreement --prevalence 0.3 --reviewers 3", "174 items, each labelled by 3 reviewers"),
        ("agreement --prevalence 0.3 --items 100", "7 reviewers of the same 100 items"),
        ("checks --population 1143 --below 0.05", "57 items to check"),
        ("checks --within 0.03 --expected 0.1", "419 items to check"),
        ("split --budget 100 --between 1 --within 4 --item-cost 9", "7 items with 5 repeats each"),
    ],
)
def test_each_question_has_its_answer_and_what_it_assumes(words, first):
    found = run(*words.split())
    assert found.exit_code == 0 and found.stdout.startswith(first), found.output
    assert "assumed: " in found.stdout or words.startswith("difference")


@pytest.mark.parametrize(
    "words, mend",
    [
        ("items --rates 60 0.5", "60 percent is 0.6"),
        ("checks", "one of them"),
        ("agreement --items 9 --reviewers 3", "not both"),
        ("difference -n 70 --rate 0.76 --correlation 0.8", "give more items"),
        ("items", "--rates"),
    ],
)
def test_errors_say_what_to_mend_and_end_with_2(words, mend):
    found = run(*words.split())
    assert found.exit_code == 2 and mend in found.stderr


# recordings that decide claims


def claim(values, says="> 0", notebook="cbu/5_worked_candidates", **other):
    half = stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    mean = float(np.mean(values))
    fields = dict(id="a/b", sentence="s", notebook=notebook, evidence="measured", estimate=mean, low=mean - half)
    fields |= dict(high=mean + half, level=0.95, family=1, n=len(values), of="families of questions", unit="points")
    fields |= dict(says=says, exact="", verdict=verdict(mean - half, mean + half, says), finding="f") | other
    return Claim(**fields)


@pytest.mark.parametrize("says", ["> 0", "within -12..12"])
def test_the_chance_is_that_of_families_drawn_around_a_truth_that_today_leaves_open(says):
    rng, n, families = np.random.default_rng(5), 9, 27
    values = rng.standard_normal(n)
    values = 6 + 20 * (values - values.mean()) / values.std(ddof=1)
    half, decided = stats.t.ppf(0.975, families - 1) * 20 / np.sqrt(families), []
    for truth in rng.normal(6, 20 / np.sqrt(n), 4_000):
        mean = np.concatenate([values, rng.normal(truth, 20, families - n)]).mean()
        decided.append(verdict(mean - half, mean + half, says) != "cannot tell")
    found = chances([claim(values, says)], families)["chance"].item()
    assert found == pytest.approx(np.mean(decided), abs=0.03)


def test_claims_that_families_cannot_decide_are_left_out():
    undecided = claim([-10, 0, 5, 12, 3.0])
    others = [
        claim([10, 11, 12.0]),  # decided
        claim([-10, 0, 5, 12, 3.0], evidence="logged"),
        claim([-10, 0, 5, 12, 3.0], of="questions"),
        claim([-10, 0, 5, 12, 3.0], n=40),
    ]
    assert len(chances([undecided, *others], 27)) == 1
    with pytest.raises(ValueError, match="nothing to plan"):
        chances(others, 27)


def test_a_plan_asks_first_what_decides_most_an_hour_and_no_study_twice():
    table = pd.DataFrame(
        [("hle/2_measured_models", 0.9), ("cbu/5_other_candidates", 0.9), ("cbu/5_worked_candidates", 0.1)],
        columns=["notebook", "chance"],
    )
    found = plan(table, 18, hours=1.0, seconds=4.0).set_index("notebook")
    assert found.index[0] == "hle/2_measured_models" and found["recorded"].iloc[0] and set(found.index) == set(READ)
    asked = " ".join(found["studies"]).split()
    assert len(asked) == len(set(asked)) and found["calls"].iloc[0] == 18 * 31
    assert found["recorded"].is_monotonic_decreasing and not found["recorded"].all()
