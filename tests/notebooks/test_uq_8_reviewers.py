"""The notebook on reviews and reviewers, run once with params/quick.yaml; what it leaves in figures/."""

import math

import numpy as np
import pandas as pd
import pytest
from proctor.paths import ROOT
from proctor.stats.compare import holm
from proctor.workflow.notebook import Notebook
from scipy.special import stdtrit
from scipy.stats import hypergeom

NAME = "uq/8_reviewers"


def test_formula_column_is_the_binomial_sum(read):
    table = read("8b_reviews_needed_table")
    for row in table.itertuples():
        p, n = row.mean_skill, row.reviews
        mistaken = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range((n + 1) // 2))
        assert row.formula == pytest.approx(mistaken) and row.low <= row.error <= row.high
    misled = table[table["panel"].str.contains("misleading")]
    assert misled["mean_skill"].to_numpy() == pytest.approx(0.85 * 0.7)


@pytest.fixture(scope="module")
def functions():
    """The functions of the notebook that take votes."""
    known = dict(np=np, pd=pd, holm=holm, stdtrit=stdtrit, hypergeom=hypergeom)
    for cell in Notebook(ROOT / f"notebooks/{NAME}.ipynb").code:
        if "(votes" in cell.source and cell.source.startswith("def "):
            exec(cell.source, known)
    return known


@pytest.fixture
def votes():
    """(12 reviewers, 60 answers) of skill 0.8, four votes each."""
    rng = np.random.default_rng(0)
    right = rng.random(60) < 0.3
    voted = np.argsort(rng.random((12, 60)), axis=0) < 4
    return np.where(voted, (rng.random((12, 60)) < np.where(right, 0.8, 0.2)) * 1.0, np.nan)


def test_agreement_with_others_is_that_of_a_loop_and_its_error_that_of_leaving_one_out(functions, votes):
    def corrected(r, items):
        alike, their = [], []
        for i in items:
            others = [votes[s, i] for s in range(len(votes)) if s != r and not np.isnan(votes[s, i])]
            alike.append(np.mean([vote == votes[r, i] for vote in others]))
            their.append(np.mean(others))
        own = np.mean(votes[r, items])
        chance = own * np.mean(their) + (1 - own) * (1 - np.mean(their))
        return np.mean(alike), (np.mean(alike) - chance) / (1 - chance)

    found = functions["against_others"](votes)
    for r in range(3):
        items = np.flatnonzero(~np.isnan(votes[r]))
        assert (found["agreement"][r], found["corrected"][r]) == pytest.approx(corrected(r, items))
        without = np.array([corrected(r, np.delete(items, k))[1] for k in range(len(items))])
        expected = np.sqrt((len(items) - 1) / len(items) * ((without - without.mean()) ** 2).sum())
        assert found["error"][r] == pytest.approx(expected)


def test_a_pair_that_copies_its_mistakes_is_flagged_and_nobody_else(functions):
    rng = np.random.default_rng(1)
    votes = (rng.random((8, 120)) < 0.15) * 1.0  # all answers are wrong
    votes[1] = votes[0]
    assert functions["pairs"](votes, None).tolist() == [True, True] + 6 * [False]
    votes[1] = (rng.random(120) < 0.15) * 1.0
    assert not functions["pairs"](votes, None).any()


def test_the_model_s_error_is_near_that_of_bayes_with_known_rates(functions):
    rng = np.random.default_rng(0)
    skill, right = np.array([0.95, 0.9, 0.6, 0.6, 0.55]), rng.random(4000) < 0.25
    votes = (rng.random((5, 4000)) < np.where(right, skill[:, None], 1 - skill[:, None])) * 1.0
    weight = np.log(skill / (1 - skill)) @ (2 * votes - 1) + np.log(0.25 / 0.75)  # naive Bayes, by hand
    bayes = ((weight > 0) != right).mean()
    found = ((functions["dawid_skene"](votes) > 0.5) != right).mean()
    assert bayes < 0.06 and found == pytest.approx(bayes, abs=0.005)
