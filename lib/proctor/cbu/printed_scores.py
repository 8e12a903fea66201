"""What the text of the paper quotes of its Tables 1, 2, 4 and 5; bodies of these tables are not in our text.

All values come from data/published/cbu/facts.csv. Published evidence; `counts_of_daft_math` is reconstructed.
"""

import numpy as np
import pandas as pd

from proctor.data.published import load_published
from proctor.stats.proportions import clopper_pearson
from proctor.stats.reconstruct import accuracy_counts

BACKBONES = ("qwen3_235b", "qwen3_30b", "gpt_oss_120b", "gpt_oss_20b")


def facts() -> pd.DataFrame:
    """The quoted facts by name: `value` as printed, `value_value` as a number."""
    return load_published("cbu/facts").set_index("fact")


def table_4() -> pd.DataFrame:
    """What the text gives of Table 4: data sets, their questions, and Acc@1 on Daft-Math."""
    found = facts()
    sizes = ("realmath_related_work_questions", "realmath_generated_questions", "daft_math_questions")
    return pd.DataFrame(
        {
            "data set": ["RealMath, neighbours from cited work", "RealMath, neighbours by a model", "Daft-Math"],
            "questions": found["value_value"][list(sizes)].astype(int).to_numpy(),
            "judge Acc@1 (%)": ["", "", found.loc["judge_acc1_daft_math", "value"]],
            "utility Acc@1 (%)": ["", "", found.loc["cbu_acc1_daft_math", "value"]],
            "note": ["not in our text; utility is said to lead by far"] * 2 + ["quoted in section 7.2"],
        }
    )


def daft_math_counts(most_parts: int = 10) -> pd.DataFrame:
    """Counts that print as the two Acc@1 on Daft-Math: method, printed, parts of a question, count, whole (of 77).

    One row a method, with the fewest parts of a question that can print so; 10 parts stand for shared first places.
    """
    found, rows = facts(), []
    n = int(found.loc["daft_math_questions", "value_value"])
    for method in ("judge", "cbu"):
        printed = found.loc[f"{method}_acc1_daft_math", "value"]
        first = accuracy_counts(printed, n, samples=range(1, most_parts + 1))[0]
        rows.append(
            dict(method=method, printed=printed, questions=n, parts=first.samples, count=first.k)
            | dict(whole=first.samples == 1)
        )
    return pd.DataFrame(rows)


def paired_bounds(k_a: int, k_b: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Limits of the difference k_a / n - k_b / n of two counts on the same n items, whatever items they share.

    For each number shared, the exact (Clopper-Pearson) interval of the share of discordant items that are a's; the
    result holds all of them.

    >>> low, high = paired_bounds(72, 66, 77)
    >>> round(low, 3), round(high, 3)
    (-0.036, 0.162)
    """
    found = []
    for both in range(max(0, k_a + k_b - n), min(k_a, k_b) + 1):
        only_a, only_b = k_a - both, k_b - both
        discordant = only_a + only_b
        ends = clopper_pearson(only_a, discordant, level) if discordant else (0.5, 0.5)
        found += [(2 * end - 1) * discordant / n for end in ends]
    return min(found), max(found)


def token_ratios() -> pd.DataFrame:
    """Tokens of utility as a multiple of the judge's, by backbone, under the two readings of 64 rollouts (A.3)."""
    value = facts()["value_value"]
    ratio = np.array([1 + value[f"token_difference_{name}"] / 100 for name in BACKBONES])
    neighbours = value["variants"] / value["original_questions"]
    return pd.DataFrame(
        {
            "backbone": BACKBONES,
            "tokens of a generation": ratio,
            "of a candidate, if 64 is a total": ratio,
            "of a candidate, if 64 is for each neighbour": ratio * neighbours,
        }
    )
