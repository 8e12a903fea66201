"""How the shape of scores moves shares above the mean, and which errors fall there (CBU, Figures 4, 5 and 7).

Score frames have one row a candidate, as `score_candidates.score_all` gives them.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import norm

from proctor.cbu.judges import JUDGES
from proctor.cbu.printed_scores import facts
from proctor.cbu.score_behaviour import above_mean, mean_by
from proctor.cbu.sign_flip import cautious_interval
from proctor.stats.bootstrap import interval, intervals

PAIRS = {  # of candidates with equal truth: the first and the second
    "worked out over bare": ("right", "short"),
    "assured over plain": ("confident", "wrong"),
    "cited over left out": ("authority", "compressed"),
    "steps over none, wrong": ("wrong", "compressed"),
}
BENDS = tuple(np.linspace(-1.5, 1.5, 13))  # from pressed against the top to pressed against the bottom


def with_shares(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores of models, with `validator` (the method), method "<model> / <method>", `above` and `below` the mean."""
    own = scores[(scores["model"] != "") & scores["score"].notna()]
    own = own.assign(validator=own["method"], method=own["model"] + " / " + own["method"])
    return own.assign(above=above_mean(own), below=above_mean(own.assign(score=-own["score"])))


def missed_by_judge(shares: pd.DataFrame, judge: str, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """How often a wrong candidate is above the judge's mean and below utility's, by model (`method`) and kind."""
    keys = ["model", "question_id", "answer_id", "kind", "correct"]
    wide = {name: shares.pivot(index=keys, columns="validator", values=name) for name in ("above", "below")}
    both = {name: table.reindex(columns=[judge, "utility"]) for name, table in wide.items()}
    missed = (both["above"][judge] * both["below"]["utility"]).rename("missed").dropna().reset_index()
    wrong = missed[~missed["correct"].astype(bool)]
    return mean_by(wrong.assign(method=wrong["model"]), "missed", "kind", rng, resamples)


def share_differences(shares: pd.DataFrame, judge: str, models: Sequence[str]) -> pd.DataFrame:
    """Share of candidates above the mean, judge less utility, of right and of wrong ones, by model.

    One row a model and `truth` ("right", "wrong"): judge, utility, difference, low, high (simultaneous), questions.
    """
    rows, level = [], 1 - 0.05 / (2 * len(models))
    for model in models:
        for truth, label in ((True, "right"), (False, "wrong")):
            part = shares[(shares["model"] == model) & (shares["correct"].astype(bool) == truth)]
            wide = part.groupby(["question_id", "validator"])["above"].mean().unstack()
            wide = wide.reindex(columns=[judge, "utility"]).dropna()
            found = cautious_interval(wide[judge] - wide["utility"], level)
            rows.append(
                dict(model=model, truth=label, judge=wide[judge].mean(), utility=wide["utility"].mean())
                | dict(difference=found.estimate, low=found.low, high=found.high, questions=len(wide))
            )
    return pd.DataFrame(rows)


def separation_of(right: float, wrong: float) -> float:
    """AUC of two normal scores of equal spread of which these shares lie above one threshold.

    >>> round(float(separation_of(0.5, 0.5)), 2), round(float(separation_of(0.9, 0.53)), 2)
    (0.5, 0.8)
    """
    return norm.cdf((norm.ppf(right) - norm.ppf(wrong)) / np.sqrt(2))


def printed_points() -> pd.DataFrame:
    """Shares above the mean that the text prints of Qwen3-235B, and the AUC of normal scores with such shares.

    Utility's share of wrong solutions is printed as a range over all four models.
    """
    value, right = facts()["value_value"], "above_mean_correct_llm_qwen3_235b"
    wrong = value["judge_above_mean_wrong_qwen3_235b"]
    found = pd.DataFrame(
        {
            "right": [value[f"judge_{right}"], value[f"cbu_{right}"]],
            "wrong_low": [wrong, value["cbu_above_mean_wrong_low"]],
            "wrong_high": [wrong, value["cbu_above_mean_wrong_high"]],
        },
        index=["judge", "utility"],
    )
    return found.assign(
        auc_low=separation_of(found["right"], found["wrong_high"]),
        auc_high=separation_of(found["right"], found["wrong_low"]),
    )


def bend_scores(questions: int, separation: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Shares of wrong and of right candidates above their question's mean, as one set of scores is bent. Simulated.

    Returns (path, ends): path (bends, 2) with wrong and right; ends (questions, 2), the share of wrong ones at the
    first and the last bend. Ten candidates a question, five right, normal scores `separation` apart; the order of the
    candidates is the same at every bend.
    """
    correct = np.repeat([True, False], 5)
    z = rng.normal(size=(questions, 10)) + separation * correct
    path, ends = [], []
    for bend in BENDS:
        score = z if bend == 0 else np.sign(bend) * np.exp(bend * z)
        above = score > score.mean(axis=1, keepdims=True)
        path.append((above[:, ~correct].mean(), above[:, correct].mean()))
        ends.append(above[:, ~correct].mean(axis=1))
    return np.array(path), np.column_stack([ends[0], ends[-1]])


def equal_separation(aucs: Sequence[float], points: int = 400) -> dict[float, np.ndarray]:
    """{AUC: (points, 2)}: shares of wrong and of right above one threshold, for normal scores of equal spread."""
    x = np.linspace(1e-4, 1 - 1e-4, points)
    return {auc: np.column_stack([x, norm.cdf(norm.ppf(x) + np.sqrt(2) * norm.ppf(auc))]) for auc in aucs}


def style_preferences(
    shares: pd.DataFrame, judge: str, models: Sequence[str], pairs: dict[str, tuple[str, str]] = PAIRS
) -> pd.DataFrame:
    """Share of questions on which the first of two candidates of equal truth scores higher, ties half.

    One row a model, validator (the judge, utility) and pair: first_higher, and `difference` from one half with low and
    high, all of the table together at 95 %; questions.
    """
    rows, level = [], 1 - 0.05 / (2 * len(models) * len(pairs))
    for model in models:
        for validator in (judge, "utility"):
            own = shares[(shares["model"] == model) & (shares["validator"] == validator)]
            each = own.pivot(index="question_id", columns="kind", values="score")
            each = each.reindex(columns=each.columns.union({kind for two in pairs.values() for kind in two}))
            for pair, (one, other) in pairs.items():
                sign = np.sign((each[one] - each[other]).dropna().round(12)) / 2
                found = cautious_interval(sign, level, bounds=(-0.5, 0.5))
                rows.append(
                    dict(model=model, validator=validator, pair=pair, first_higher=0.5 + found.estimate)
                    | dict(difference=found.estimate, low=found.low, high=found.high, questions=len(sign))
                )
    return pd.DataFrame(rows)


def with_chances(judged: pd.DataFrame) -> pd.DataFrame:
    """Rows of `judges.ask_judges` with the chance of each score: where the model gives no probabilities, all of it lies
    on the score that the reply states. Replies without either are left out."""
    known = judged[judged["expectation"].notna() | judged["score"].notna()].copy()
    scales = [JUDGES[method] for method in known["method"]]
    known["chances"] = [
        one if one is not None else np.eye(len(scale.marks))[int(score) - scale.low]
        for one, scale, score in zip(known["chances"], scales, known["score"])
    ]
    return known.assign(expectation=known["expectation"].fillna(known["score"]))


def score_chances(judged: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """Chance of each score at temperature 1, mean over questions: model, correct, score, chance, low, high (95 %).

    judged: rows of `judges.ask_judges` of one judge, with `correct`.
    """
    rows = []
    for (model, correct), part in judged.groupby(["model", "correct"], sort=False):
        chances = pd.DataFrame(np.stack(part["chances"]), index=part["question_id"].to_numpy())
        found = intervals(chances.groupby(level=0).mean().to_numpy().T, rng, resamples)
        low = JUDGES[part["method"].iloc[0]].low
        rows += [
            dict(model=model, correct=correct, score=low + i, chance=one.estimate, low=one.low, high=one.high)
            for i, one in enumerate(found)
        ]
    return pd.DataFrame(rows, columns=["model", "correct", "score", "chance", "low", "high"])


def score_spread(judged: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, top: int = 2) -> pd.DataFrame:
    """One row a model: mean score, its spread between candidates and of one candidate's repeats, and the chance of the
    `top` highest scores with an interval over questions (simultaneous 95 %)."""
    rows, models = [], list(judged["model"].unique())
    for model in models:
        part = judged[judged["model"] == model]
        chances, mean = np.stack(part["chances"]), part["expectation"].to_numpy()
        steps = JUDGES[part["method"].iloc[0]].low + np.arange(chances.shape[1])
        high = pd.Series(chances[:, -top:].sum(axis=1)).groupby(part["question_id"].to_numpy()).mean()
        found = interval(high, rng, resamples, 1 - 0.05 / len(models))
        rows.append(
            {"model": model, "mean": mean.mean(), "between candidates": mean.std(ddof=1)}
            | {"within a candidate": np.sqrt((chances @ steps**2 - mean**2).mean()), "top scores": found.estimate}
            | {"low": found.low, "high": found.high, "questions": len(high)}
        )
    names = ["model", "mean", "between candidates", "within a candidate", "top scores", "low", "high", "questions"]
    return pd.DataFrame(rows, columns=names)
