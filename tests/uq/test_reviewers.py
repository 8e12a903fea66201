"""Statistics of reviewers against brute force, and Dawid and Skene's model against enumeration."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from proctor.stats.agreement import alpha
from proctor.uq import community, resolution, reviewers
from proctor.uq.community import Group
from proctor.uq.reviewers import Panel
from scipy.stats import hypergeom

HONEST = (Group("expert", 4, 0.95), Group("careful", 8, 0.85))


@pytest.fixture(scope="module")
def ours():
    return community.simulate(np.random.default_rng(4), replace(community.SETTING, questions=150, reviews=700))


def ballot(seed=0, **more):
    return reviewers.draw_votes(
        Panel(**dict(groups=HONEST, answers=40, per_answer=4) | more), np.random.default_rng(seed)
    )


def test_alpha_from_counts_is_alpha_from_votes():
    votes = ballot().votes
    counts = np.stack([(votes == 1).sum(axis=0), (votes == 0).sum(axis=0)], axis=1)
    assert reviewers.label_alpha(counts) == pytest.approx(alpha(votes.tolist()))
    assert np.isnan(reviewers.label_alpha(np.array([[2, 0], [3, 0]])))


def test_agreement_table_keeps_people_and_machines_apart(ours):
    table = reviewers.reviewer_agreement(ours, np.random.default_rng(0), 50).set_index("reviewers")
    assert (table["low"] <= table["alpha"]).all() and (table["alpha"] <= table["high"]).all()
    people = resolution.independent(ours)
    many = people["answer_id"].value_counts()
    assert table.loc["people", "answers"] == (many > 1).sum()
    assert table.loc["people", "reviews"] == many[many > 1].sum()


def test_ai_reviews_are_held_against_what_people_settled(ours):
    table = reviewers.ai_against_people(ours, resolution.answer_states(ours))
    assert len(table) == 2 and ((table["agreement"] >= 0) & (table["agreement"] <= 1)).all()


def test_agreement_with_others_is_that_of_a_loop_and_its_error_that_of_leaving_one_out():
    votes = ballot().votes
    found = reviewers.against_others(votes)

    def corrected(r, items):
        alike, own, their = [], [], []
        for i in items:
            others = [votes[s, i] for s in range(len(votes)) if s != r and not np.isnan(votes[s, i])]
            alike.append(np.mean([vote == votes[r, i] for vote in others]))
            own.append(votes[r, i])
            their.append(np.mean(others))
        chance = np.mean(own) * np.mean(their) + (1 - np.mean(own)) * (1 - np.mean(their))
        return np.mean(alike), (np.mean(alike) - chance) / (1 - chance)

    for r in range(3):
        items = np.flatnonzero(~np.isnan(votes[r]))
        raw, kappa = corrected(r, items)
        assert (found["agreement"][r], found["corrected"][r]) == pytest.approx((raw, kappa))
        without = np.array([corrected(r, np.delete(items, k))[1] for k in range(len(items))])
        n = len(items)
        assert found["error"][r] == pytest.approx(np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum()))


def test_who_always_says_no_agrees_often_and_not_beyond_chance():
    panel = Panel((*HONEST, Group("always no", 1, 0.5)), answers=400, base_rate=0.1)
    votes = reviewers.draw_votes(panel, np.random.default_rng(0)).votes
    found = reviewers.against_others(votes)
    assert found["corrected"][-1] == pytest.approx(0) and found["agreement"][-1] > 0.75
    assert reviewers.careless(votes)[-1] and not reviewers.by_raw_agreement(votes)[-1]
    assert not reviewers.careless(votes[:, :30]).any()  # fewer than 20 answers each


def test_pairs_are_counted_as_by_a_loop():
    votes = ballot(answers=120, per_answer=5).votes
    table = reviewers.together_against_others(votes).set_index(["a", "b"])
    a, b = table.index[0]
    rows = []
    for i in np.flatnonzero(~np.isnan(votes[a]) & ~np.isnan(votes[b])):
        rest = [v for s, v in enumerate(votes[:, i]) if s not in (a, b) and not np.isnan(v)]
        if rest and 2 * sum(rest) != len(rest):
            side = float(2 * sum(rest) > len(rest))
            rows.append((votes[a, i] != side, votes[b, i] != side))
    one, other = np.array(rows).T
    expected = [len(rows), one.sum(), other.sum(), (one & other).sum()]
    assert table.loc[(a, b), ["shared", "one", "other", "both"]].tolist() == expected
    p = hypergeom.sf(expected[3] - 1, expected[0], expected[1], expected[2])
    assert table.loc[(a, b), "p"] == pytest.approx(p)


def test_favour_is_seen_and_an_honest_crowd_left_alone():
    groups = (*HONEST, Group("colluding", 3, 0.85))
    found = reviewers.draw_votes(Panel(groups, answers=600), np.random.default_rng(1))
    flagged = reviewers.favours(found.votes, found.systems)
    assert flagged[-3:].all() and not flagged[:-3].any()


def test_posterior_is_bayes_by_enumeration():
    votes = np.array([[1, 0, np.nan], [1, 1, 0]], float)
    sensitivity, specificity, base = np.array([0.9, 0.7]), np.array([0.8, 0.6]), 0.3
    right, likelihood = reviewers.posterior(votes, sensitivity, specificity, base)

    def chance(truth):
        p = 1.0
        for i, is_right in enumerate(truth):
            p *= base if is_right else 1 - base
            for r in range(2):
                if not np.isnan(votes[r, i]):
                    yes = sensitivity[r] if is_right else 1 - specificity[r]
                    p *= yes if votes[r, i] == 1 else 1 - yes
        return p

    worlds = list(product([0, 1], repeat=3))
    total = sum(chance(world) for world in worlds)
    by_hand = [sum(chance(world) for world in worlds if world[i]) / total for i in range(3)]
    assert right == pytest.approx(by_hand) and likelihood == pytest.approx(np.log(total))


def test_maximum_likelihood_never_falls_and_no_grid_point_is_better():
    votes = np.array([[1, 1, 0, 0, 0], [1, 1, 0, 0, 1], [1, 0, 0, 0, 0]], float)
    found = reviewers.dawid_skene(votes, pseudo=0, steps=2000, tolerance=1e-12)
    steps = np.array(found.likelihood)
    assert (np.diff(steps) > -1e-9).all()
    grid = np.linspace(0.05, 0.95, 7)
    best = max(
        reviewers.posterior(votes, np.array(rates[:3]), np.array(rates[3:]), base)[1]
        for rates in product(grid[3:], repeat=6)
        for base in (0.2, 0.4, 0.6)
    )
    assert steps[-1] >= best


def test_model_beats_the_majority_where_skills_differ_and_not_where_half_collude():
    panels = {
        "apart": Panel((Group("expert", 4, 0.97), Group("careful", 8, 0.6)), 150),
        "group": Panel((*HONEST, Group("colluding", 12, 0.85)), 150),
    }
    table = reviewers.compare_with_majority(panels, 12, np.random.default_rng(0), 100).set_index("panel")
    assert table.loc["apart", "high"] < 0 and table.loc["group", "difference"] > -0.5
    assert (table["dawid_skene"] - table["majority"]).to_numpy() == pytest.approx(table["difference"].to_numpy())


def test_majority_is_the_share_of_yes():
    votes = np.array([[1, np.nan, 0], [0, np.nan, 0]], float)
    assert reviewers.majority(votes).tolist() == [0.5, 0.5, 0.0]


def test_detection_holds_each_test_against_its_own_group():
    panels = {"no": Panel((*HONEST, Group("always no", 1, 0.5)), 60), "none": Panel(HONEST, 60)}
    table = reviewers.detection(panels, 4, np.random.default_rng(0))
    assert set(table.loc[table["panel"] == "no", "test"]) == {"raw agreement", "beyond chance"}
    assert set(table.loc[table["panel"] == "none", "test"]) == set(reviewers.TESTS)
    assert (table["low"] <= table["flagged"]).all() and (table["flagged"] <= table["high"]).all()


def test_flags_of_a_community_name_every_reviewer_with_votes(ours):
    table = reviewers.flags_of(ours)
    votes = reviewers.votes_of(resolution.independent(ours))
    assert set(table["reviewer"]) == set(votes.index) and table["group"].notna().all()


def test_compared_panels_hold_the_groups_that_they_are_named_for():
    panels = reviewers.compared_panels(HONEST)
    assert (panels["20 collude"].names == "colluding").sum() == 20 and (panels["6 coins"].names == "coin").sum() == 6
    assert panels["the same, 10 reviews each"].reviews_each == 10
