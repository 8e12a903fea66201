"""The cautious ranking of systems by verified resolutions (UQ, appendices C and F.3).

A system is credited with a question when an answer of its is right by the rule of `resolution`. Answers that passed
the screen and that people did not settle may be right or wrong: they widen what is possible (Manski's bounds), and
no number of further questions makes that range narrower. People are an entry like any system.
"""

from itertools import combinations

import pandas as pd

from proctor.stats.compare import discordant, exact_p, holm
from proctor.stats.proportions import clopper_pearson
from proctor.uq.community import Community, passed
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
