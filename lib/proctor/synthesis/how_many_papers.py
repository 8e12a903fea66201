"""What the sizes that the five papers chose can tell: the smallest difference, or the width that is left."""

from collections.abc import Sequence
from fractions import Fraction

import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtri

from proctor.cbu.rollout_error import expected_error
from proctor.data.published import load_published
from proctor.stats.proportions import hypergeometric_limits
from proctor.synthesis import how_many
from proctor.uq.human_agreement import CELLS, rated_answers

PAPERS = ("uq", "hle", "hle_verified", "kina", "cbu")


def facts() -> dict[str, pd.Series]:
    """{paper: numbers of its text by name}."""
    return {paper: load_published(f"{paper}/facts").set_index("fact")["value_value"] for paper in PAPERS}


def leads(correlations: Sequence[float], power: float = 0.8) -> pd.DataFrame:
    """The printed lead on each exam, and the smallest difference that its items show with chance `power`.

    One row a comparison: paper, source, compared, items, better and gap (percent and points, printed), for each of
    `correlations` the smallest difference in points (NaN where none of that correlation is possible), needed (items for
    the printed gap at the middle one of `correlations`) and enough (items at least as many). One answer an item is
    assumed; several answers an item lower what is needed.
    """
    known, rows = facts(), []
    middle = sorted(correlations)[len(correlations) // 2]
    for paper, source, compared, items, better, other in _printed(known):
        row = dict(paper=paper, source=source, compared=compared, items=items, better=better)
        row |= dict(gap=round(better - other, 2))
        for correlation in correlations:
            row[f"at {correlation:g}"] = 100 * how_many.smallest_difference(items, better / 100, correlation, power)
        needed = how_many.items_for_difference(better / 100, other / 100, middle, power).n
        rows.append(row | dict(needed=needed, enough=items >= needed))
    return pd.DataFrame(rows)


def other_sizes(level: float = 0.95) -> pd.DataFrame:
    """Checks, agreement and rollouts: paper, source, size (n, of), quantity, printed value, within (the half-width or
    error that n leaves), aim and needed (the n for that aim)."""
    known = facts()
    rows = [_checked(known["uq"], level), _rated(known["uq"], level), _rechecked(known["hle_verified"], level)]
    return pd.DataFrame([*rows, *_rollouts(known["cbu"])]).astype({"n": "Int64"})


def splits(budget: float, call_cost: float, correlation: float) -> pd.DataFrame:
    """What a budget in dollars buys, if an item costs what two papers paid, or is there already.

    correlation: of two answers to one item. Columns: items, item_cost (dollars), n, k, error (points of an accuracy of
    50 %), once (the same with one call an item), spent.
    """
    known = facts()
    hle, cbu = known["hle"], known["cbu"]
    prices = {
        "written for HLE's prizes": (hle["prize_pool"] / hle["questions"], None),
        "written for CBU's pay": (cbu["author_payment"], None),
        "HLE's, already there": (0.0, int(hle["questions"])),
    }
    rows = []
    for items, (cost, most) in prices.items():
        found = how_many.split_budget(budget, correlation / 4, (1 - correlation) / 4, cost, call_cost, most)
        row = dict(items=items, item_cost=cost, n=found.n, k=found.k, error=100 * found.error, once=100 * found.once)
        rows.append(row | dict(spent=found.spent))
    return pd.DataFrame(rows)


def _printed(known: dict[str, pd.Series]) -> list[tuple[str, str, str, int, float, float]]:
    """(paper, section, what is compared, items, better and other in percent)."""
    uq, kina = load_published("uq/table_S3"), load_published("kina/leaderboard").dropna(subset="accuracy_value")
    hle, verified = load_published("hle/table_1"), load_published("hle_verified/table_2")
    uq = uq[(uq["questions_of"] == "full set") & (uq["answer_model"] != "all")]
    revised, cbu = known["hle_verified"]["revised_items"], known["cbu"]
    lists = [
        ("UQ", "Table S3", "pass rates", known["uq"]["uq_questions"], uq["pass_rate_value"]),
        ("HLE", "Table 1", "accuracies", known["hle"]["questions"],
         hle.loc[hle["text_only"] == "no", "accuracy_value"]),
        ("HLE-Verified", "Table 2", "accuracies, text items (as UQ counts them)", known["uq"]["hle_text_questions"],
         verified["full_verified_accuracy_value"]),
        ("HLE-Verified", "Table 2", "accuracies, revised items (at most so many)", revised,
         verified["subset_verified_accuracy_value"]),
        ("KINA", "abstract", "accuracies", known["kina"]["items"], kina["accuracy_value"]),
    ]  # fmt: skip
    rows = [
        (paper, source, f"{what}, 1st and 2nd", int(n), *scores.sort_values(ascending=False).iloc[:2].tolist())
        for paper, source, what, n, scores in lists
    ]
    utility, judge = cbu["cbu_acc1_gpt_oss_120b"], cbu["judge_acc1_gpt_oss_120b"]
    rows.append(("CBU", "Table 2", "Acc@1, utility and judge", int(cbu["original_questions"]), utility, judge))
    utility, judge = cbu["cbu_acc1_daft_math"], cbu["judge_acc1_daft_math"]
    rows.append(("CBU", "7.2", "Acc@1, judge and utility, Daft-Math", int(cbu["daft_math_questions"]), judge, utility))
    return rows


def _checked(uq: pd.Series, level: float) -> dict:
    n, passed, right = (int(uq[f"{name}_questions"]) for name in ("verified", "passed", "human_passed"))
    low, high = hypergeometric_limits(right, n, passed, level)
    row = dict(
        paper="UQ", source="D", n=n, of=f"of {passed} passed questions checked", quantity="share of right answers"
    )
    needed = how_many.checks_within(0.05, right / n, passed, level).n
    return row | dict(printed=right / n, within=float(high - low) / 2, aim=0.05, needed=needed)


def _rated(uq: pd.Series, level: float) -> dict:
    rated = rated_answers(int(uq["agreement_questions"]))
    cells = rated[rated["kappa"] != ""].iloc[0]
    n, kappa = int(cells[CELLS].sum()), float(Fraction(cells["kappa"]))
    yes = (2 * cells["both_passed"] + cells["only_validator"] + cells["only_people"]) / (2 * n)
    width = ndtri((1 + level) / 2) * how_many.kappa_error(n, 2, kappa, yes)
    row = dict(paper="UQ", source="I.3", n=n, of="answers, people and validator", quantity="Cohen's kappa")
    needed = how_many.items_for_agreement(0.1, 2, kappa, yes, level).n
    return row | dict(printed=kappa, within=float(width), aim=0.1, needed=needed)


def _rechecked(verified: pd.Series, level: float) -> dict:
    revised = int(verified["revised_items"])
    row = dict(paper="HLE-Verified", source="3.3", n=None, of=f"of {revised:,} repairs checked again: not printed")
    needed = how_many.checks_within(0.02, 0.05, revised, level).n
    return row | dict(quantity="share of wrong repairs, 5 % expected", aim=0.02, needed=needed)


def _rollouts(cbu: pd.Series) -> list[dict]:
    bound, rows = cbu["enough_rollouts_error"], []
    for n in (int(cbu["enough_rollouts"]), int(cbu["rollouts"])):
        row = dict(paper="CBU", source="7.1", n=n, of="rollouts of a candidate")
        error = float(expected_error(50_000, 100_000, n, replace=True))
        needed = how_many.rollouts_for_error(0.5, bound).n
        quantity = "mean error of a utility of 0.5"
        rows.append(row | dict(quantity=quantity, within=error, aim=bound, needed=needed))
        apart = brentq(lambda d, n=n: how_many.chance_of_order(0.5 + d / 2, 0.5 - d / 2, n) - 0.9, 0, 1)
        quantity = "difference of utilities near 0.5 ranked rightly in 90 %"
        needed = how_many.rollouts_for_order(0.55, 0.45, 0.9).n
        rows.append(row | dict(quantity=quantity, within=apart, aim=0.1, needed=needed))
    return rows
