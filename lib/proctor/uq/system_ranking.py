"""The cautious ranking of systems by verified resolutions, and how little a short list of them tells (UQ, C and F.3).

A system is credited with a question when an answer of its is right by the rule of `resolution`. Answers that passed
the screen and that people did not settle may be right or wrong: they widen what is possible (Manski's bounds), and
no number of further questions makes that range narrower. People are an entry like any system.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proctor.data.published import load_published
from proctor.stats import bootstrap
from proctor.stats.compare import discordant, exact_p, holm, mcnemar_bounds, pairwise
from proctor.stats.proportions import clopper_pearson
from proctor.stats.ranking import kendall
from proctor.uq.community import Community, Setting, passed, simulate
from proctor.uq.resolution import RULE, Rule, answer_states

PEOPLE = "people"


def scores(community: Community, validator: str, rule: Rule = RULE) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(sure, possible), 0/1 (systems, questions): solved by a right answer, and by one that is right or unsettled.

    Unsettled: passed the validator and is neither right nor wrong by the reviews. Answers of people need not pass.
    """
    states = answer_states(community, rule)
    is_system = states["answer_id"].map(community.answers.set_index("answer_id")["base_model"]) != ""
    states["system"] = states["system"].where(is_system, PEOPLE)
    right = states["state"] == "right"
    screened = passed(community.verdicts, validator, states["answer_id"]) | ~is_system
    unsettled = states["state"].isin(["open", "disputed"]) & screened
    tables = []
    for mask in (right, right | unsettled):
        table = mask.groupby([states["system"], states["question_id"]]).any().unstack(fill_value=False)
        tables.append(table.reindex(columns=community.questions["question_id"], fill_value=False).astype(float))
    return tables[0], tables[1]


def ranking(sure: pd.DataFrame, possible: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """One row a system, most resolutions first: right and unsettled (questions), of, share and its exact limits.

    share_most: if all unsettled answers are right. low, high: limits of the share of such questions that the system
    solves with a right and passed answer, whatever the unsettled ones are: Clopper and Pearson's for the two extremes.
    rank_low, rank_high: the ranks that it can have, by the pairs that `apart` tells apart whatever the unsettled are.
    """
    above = apart(sure, possible)
    rows = []
    for name in sure.index:
        k, most, n = int(sure.loc[name].sum()), int(possible.loc[name].sum()), sure.shape[1]
        low, high = clopper_pearson(k, n, level)
        at_most = clopper_pearson(most, n, level)[1]
        beaten_by = int(((above["lower"] == name) & above["surely_apart"]).sum())
        beats = int(((above["higher"] == name) & above["surely_apart"]).sum())
        row = dict(system=name, right=k, unsettled=most - k, of=n, share=k / n, low=low, high_by_count=high)
        row |= dict(share_most=most / n, high=at_most, rank_low=1 + beaten_by, rank_high=len(sure) - beats)
        rows.append(row)
    columns = "system right unsettled of share low high_by_count share_most high rank_low rank_high".split()
    table = pd.DataFrame(rows, columns=columns).sort_values("right", ascending=False, kind="stable", ignore_index=True)
    table.insert(1, "rank", table["right"].rank(ascending=False, method="min").astype(int))
    return table


def apart(sure: pd.DataFrame, possible: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """Each pair, the one with more resolutions first: p by count, and at worst, corrected for all pairs (Holm).

    p_by_count: McNemar's exact test, as if unsettled answers were wrong. p_at_worst: the higher one's unsettled answers
    all wrong and the lower one's all right; 1 where that turns the order.
    """
    order = sure.sum(axis=1).sort_values(ascending=False, kind="stable").index
    pairs = list(combinations(range(len(order)), 2))
    if not pairs:
        return pd.DataFrame(columns="higher lower p_by_count p_at_worst apart surely_apart".split())
    only = discordant(sure.loc[order].to_numpy())
    by_count = holm(exact_p([only[i, j] for i, j in pairs], [only[j, i] for i, j in pairs]))
    worst = []
    for i, j in pairs:
        one, other = sure.loc[order[i]].to_numpy(), possible.loc[order[j]].to_numpy()
        a, b = int(((one == 1) & (other == 0)).sum()), int(((one == 0) & (other == 1)).sum())
        worst.append(float(exact_p(a, b)) if a > b else 1.0)
    at_worst = holm(worst)
    return pd.DataFrame(
        dict(
            higher=[order[i] for i, _ in pairs],
            lower=[order[j] for _, j in pairs],
            p_by_count=by_count,
            p_at_worst=at_worst,
            apart=by_count < 1 - level,
            surely_apart=at_worst < 1 - level,
        )
    )


def published_people(level: float = 0.95) -> dict:
    """The paper's entry for people: questions solved, of how many, share and exact limits."""
    facts = load_published("uq/facts").set_index("fact")["value_value"]
    k, n = int(facts["human_performance_solved"]), int(facts["human_performance_of"])
    low, high = clopper_pearson(k, n, level)
    return dict(
        system="people (the paper)", right=k, unsettled=0, of=n, share=k / n, low=low, high=high, share_most=k / n
    )


def published_pairs(models: pd.DataFrame, n: int = 500) -> pd.DataFrame:
    """Pairs of Table S3's models by verified answers: McNemar's p at the overlap that makes it smallest.

    models: `partial_verification.full_set`. Every other overlap gives a larger p; not corrected for the pairs, so what
    is not told apart here is not told apart by any reading of the counts.
    """
    right = models["human_passed"].astype(int).sort_values(ascending=False, kind="stable")
    rows = []
    for a, b in combinations(right.index, 2):
        smallest = mcnemar_bounds(right[a], right[b], n)[0].p
        rows.append(dict(higher=a, lower=b, right=f"{right[a]} / {right[b]}", p_min=smallest))
    return pd.DataFrame(rows).sort_values("p_min", kind="stable", ignore_index=True)


def simulate_boards(
    rates: ArrayLike,
    questions: int,
    times: ArrayLike,
    verified: float,
    boards: int,
    rng: np.random.Generator,
    resamples: int = 2_000,
) -> pd.DataFrame:
    """What a ranking tells as solutions accumulate: one row an entry of `times`, which multiplies all solve rates.

    rates (systems,): true and different, at times 1. Of the right answers a share `verified` is confirmed, nothing
    wrong is. best: expected resolutions of the best. apart: share of the pairs told apart in the right order (McNemar,
    Holm). first: how often the truly best has most resolutions, ties split evenly. tau: Kendall's with the truth. low,
    high of each: 95 %, boards resampled.
    """
    rates, rows = np.asarray(rates, float), []
    higher = rates[:, None] > rates[None, :]
    pairs = int(higher.sum())
    for factor in np.asarray(times, float):
        chance = np.minimum(factor * rates, 1) * verified
        found = np.empty((boards, 3))
        for board in range(boards):
            solved = (rng.random((len(rates), questions)) < chance[:, None]).astype(float)
            total = solved.sum(axis=1)
            separated = (pairwise(solved) < 0.05) & (total[:, None] > total[None, :]) & higher
            leaders = total == total.max()
            first = leaders[rates.argmax()] / leaders.sum()
            found[board] = separated.sum() / pairs, first, kendall(rates[:, None], total[:, None])[0]
        row = dict(times=factor, best=float(chance.max() * questions), boards=boards)
        found[np.isnan(found)] = 0.0  # all systems at 0: no order
        for name, each in zip(("apart", "first", "tau"), bootstrap.intervals(found.T, rng, resamples, bounds=(-1, 1))):
            row |= {name: each.estimate, f"{name}_low": each.low, f"{name}_high": each.high}
        rows.append(row)
    return pd.DataFrame(rows)


def boosts(
    settings: Mapping[str, Setting],
    rules: Mapping[str, Rule],
    communities: int,
    rng: np.random.Generator,
    resamples: int = 2_000,
) -> pd.DataFrame:
    """What each rule makes of many communities of each setting: one row a rule and setting.

    leads: communities in which the favoured system has most resolutions, a shared lead counts as one. mistaken: mean
    share of the resolving answers that are wrong, with 95 % limits, communities resampled; resolved: mean number.
    """
    seen: dict[tuple[str, str], list] = {(rule, name): [] for rule in rules for name in settings}
    for name, setting in settings.items():
        for _ in range(communities):
            community = simulate(rng, setting)
            states = answer_states(community, RULE).merge(community.truth, on="answer_id")
            for label, rule in rules.items():
                right = states[rule.state(states["yes"], states["no"]) == "right"]
                count = right.groupby("system")["question_id"].nunique().drop(PEOPLE, errors="ignore")
                leads = len(count) > 0 and count.get(setting.favoured, 0) == count.max()
                seen[label, name].append((leads, len(right), 1 - right["right"].mean()))
    rows = []
    for (label, name), found in seen.items():
        leads, resolved, mistaken = np.array(found, float).T
        rule = rules[label]
        row = dict(rule=f"{label}: {rule.needed} reviews, {rule.share:.0%}", setting=name, communities=communities)
        each = bootstrap.interval(mistaken[~np.isnan(mistaken)], rng, resamples)
        row |= dict(leads=int(leads.sum()), resolved=float(resolved.mean()))
        rows.append(row | dict(mistaken=each.estimate, low=each.low, high=each.high))
    return pd.DataFrame(rows)


def possible_truth(community: Community, validator: str) -> pd.Series:
    """Of each system: share of the questions for which it handed in a right answer that passed (simulation only)."""
    answers = community.answers.merge(community.truth, on="answer_id")
    use = answers["right"] & (
        passed(community.verdicts, validator, answers["answer_id"]) | (answers["base_model"] == "")
    )
    count = answers[use].groupby("system")["question_id"].nunique()
    return count.reindex(answers["system"].unique(), fill_value=0) / len(community.questions)


def with_and_without_collusion(setting: Setting) -> dict[str, Setting]:
    """The setting with its colluding reviewers made careful ones ("honest"), and as it is ("collusion")."""
    careful = next(group for group in setting.groups if group.name == "careful")
    honest = tuple(
        replace(careful, count=group.count) if group.name == "colluding" else group for group in setting.groups
    )
    return {"honest": replace(setting, groups=honest), "collusion": setting}
