"""Public runs of strong models on HLE's text questions: accuracy, confidence, marking, and the same model twice.

    answers = load()                          # a row an answer whose key is one letter or one number
    metrics(answers, rng)                     # accuracy and calibration, a row a run
    retests(answers, rng)                     # one model from two providers: agreement, right again

Answers are marked by program where HLE's key is one letter or one number; those of GLM by the source's judge (GPT-5),
because the program misses their format. Items are resampled, so an item's answers by several runs stay together.
"""

import numpy as np
import pandas as pd

from proctor import logs
from proctor.hle.metrics import metrics_table
from proctor.stats import bootstrap, calibration
from proctor.stats.bootstrap import Interval

RETESTS = {
    "GPT-5": ("openai_gpt-5_openai", "openai_gpt-5_azure"),
    "GPT-5-mini": ("openai_gpt-5-mini_openai", "openai_gpt-5-mini_azure"),
    "o4-mini": ("openai_o4-mini_openai", "openai_o4-mini_azure"),
}
JUDGE_FAMILY = "openai"  # the judge is GPT-5
JUDGED = "z-ai"  # runs of this vendor are marked by the judge
NAMES = {
    "openai_gpt-5_openai": "GPT-5",
    "openai_gpt-5_azure": "GPT-5 (Azure)",
    "openai_gpt-5-mini_openai": "GPT-5-mini",
    "openai_gpt-5-mini_azure": "GPT-5-mini (Azure)",
    "openai_gpt-5-nano_openai": "GPT-5-nano",
    "openai_o4-mini_openai": "o4-mini",
    "openai_o4-mini_azure": "o4-mini (Azure)",
    "x-ai_grok-4_x-ai": "Grok-4",
    "x-ai_grok-4-fast_x-ai": "Grok-4-fast",
    "x-ai_grok-code-fast-1_x-ai": "Grok-code-fast",
    "z-ai_glm-4.5_z-ai": "GLM-4.5",
    "z-ai_glm-4.5-air_z-ai": "GLM-4.5-air",
}


SHARES = (
    "accuracy",
    "low",
    "high",
    "official",
    "official_half_width",
    "all_bins",
)  # of `metrics_table`, in percent here
SHARES += ("debiased", "debiased_low", "debiased_high", "overconfidence")


def load() -> pd.DataFrame:
    """A row an answer: item, run, model, kind, correct, by, program, judge, confidence, as_read, tokens.

    confidence: as stated, in [0, 1]; a stated number above 0 and below 1 is a share, not a percentage. as_read: the
    same, every number read as a percentage. by: "program" or "judge". NaN where the source has nothing.
    """
    return tidy(logs.table("hle_runs"), logs.table("hle_items"))


def tidy(runs: pd.DataFrame, items: pd.DataFrame) -> pd.DataFrame:
    """`load` of the source's two tables: only answers whose key is one letter or one number, and that were marked.

    GLM's answers whose judge's call failed have no mark and are left out."""
    kept = runs[runs["exact_original_key"].notna()].merge(items, on="id", how="left")
    judged, stated = kept["run"].str.startswith(JUDGED), kept["stated_confidence"]
    found = pd.DataFrame(
        dict(
            item=kept["id"],
            run=kept["run"],
            model=kept["run"].map(NAMES).fillna(kept["run"]),
            kind=kept["key_kind"],
            correct=kept["judge_correct"].where(judged, kept["exact_original_key"]),
            by=np.where(judged, "judge", "program"),
            program=kept["exact_original_key"],
            judge=kept["judge_correct"],
            confidence=stated.where((stated > 0) & (stated < 1), stated / 100),
            as_read=stated / 100,
            tokens=kept["completion_tokens"],
        )
    )
    return found.dropna(subset="correct").reset_index(drop=True)


def metrics(answers: pd.DataFrame, rng: np.random.Generator, resamples: int) -> pd.DataFrame:
    """`metrics.metrics_table`, a row a run in percent, the most accurate first; `fractions`: share stated below 1."""
    found = metrics_table(answers, ["model"], rng, resamples=resamples)
    found[[column for column in found if column in SHARES]] *= 100
    fraction = answers.assign(fraction=(answers["as_read"] < 0.01) & (answers["as_read"] > 0))
    stated = {
        model: bootstrap.interval(part["confidence"].dropna(), rng, resamples).scaled(100)
        for model, part in answers.groupby("model")
    }
    found = found.assign(
        stated_mean=[stated[model].estimate for model in found["model"]],
        stated_low=[stated[model].low for model in found["model"]],
        stated_high=[stated[model].high for model in found["model"]],
        fractions=found["model"].map(100 * fraction.groupby("model")["fraction"].mean()),
    )
    return found.sort_values("accuracy", ascending=False, kind="stable").reset_index(drop=True)


def overconfidence(answers: pd.DataFrame, rng: np.random.Generator, resamples: int, level: float) -> pd.DataFrame:
    """Mean stated confidence less accuracy, in points, a row a run: model, n, points, low, high."""
    rows = []
    for model, part in answers.dropna(subset=["confidence", "correct"]).groupby("model", sort=False):
        found = bootstrap.paired_difference(part["confidence"], part["correct"], rng, resamples, level)
        rows.append(dict(model=model, n=len(part), **_limits(found.scaled(100))))
    return pd.DataFrame(rows)


def surest(confidence: np.ndarray, correct: np.ndarray, share: float = 0.2) -> float:
    """Accuracy of the surest `share` of the answers. Answers tied at the border count in proportion.

    >>> surest(np.array([0.9, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0]), 0.5)
    0.75
    """
    border = np.sort(confidence)[::-1][max(int(np.ceil(share * len(confidence))) - 1, 0)]
    above, tied = confidence > border, confidence == border
    room = share * len(confidence) - above.sum()
    return float((correct[above].sum() + room * correct[tied].mean()) / (share * len(confidence)))


def signals(answers: pd.DataFrame, rng: np.random.Generator, resamples: int, level: float) -> pd.DataFrame:
    """What confidence tells, a row a run: AUC, accuracy of all and of the surest fifth, gain, limits."""
    rows = []
    for model, part in answers.dropna(subset=["confidence", "correct"]).groupby("model", sort=False):
        sure, right = part["confidence"].to_numpy(float), part["correct"].to_numpy(float)
        auc = calibration.auc_interval(sure, right, rng, resamples, level)
        gain = bootstrap.statistic_interval(lambda c, r: surest(c, r) - r.mean(), [sure, right], rng, resamples, level)
        rows.append(
            dict(
                model=model,
                n=len(part),
                auc=auc.estimate,
                auc_low=auc.low,
                auc_high=auc.high,
                every=100 * right.mean(),
                surest=100 * surest(sure, right),
                gain=100 * gain.estimate,
                gain_low=100 * gain.low,
                gain_high=100 * gain.high,
            )
        )
    return pd.DataFrame(rows)


def retests(answers: pd.DataFrame, rng: np.random.Generator, resamples: int, level: float = 0.95) -> pd.DataFrame:
    """The same model from two providers on the same items, in percent, a row a model, items resampled.

    points: agreement; first, second: accuracies; gap: their difference; again: of the items that one run gets right,
    those that the other gets right too (2 both / (first + second)). Limits end in _low and _high. both, one, none:
    counts of items that both, one or none of the runs gets right.
    """
    rows = []
    for model, (one, other) in RETESTS.items():
        pair = paired(answers, [one, other]).to_numpy(float)
        a, b = pair.T
        same = bootstrap.interval((a == b).astype(float), rng, resamples, level).scaled(100)
        gap = bootstrap.paired_difference(a, b, rng, resamples, level).scaled(100)
        again = bootstrap.statistic_interval(_right_again, [a, b], rng, resamples, level)
        row = dict(model=model, items=len(a), **_limits(same), first=100 * a.mean(), second=100 * b.mean())
        for name, found in (("gap", gap), ("again", again)):
            row |= {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}
        right = a + b
        rows.append(row | dict(both=int((right == 2).sum()), one=int((right == 1).sum()), none=int((right == 0).sum())))
    return pd.DataFrame(rows)


def rerun_share(answers: pd.DataFrame, one: str, other: str, rng: np.random.Generator, resamples: int) -> dict:
    """Of the disagreement between two models, the percentage that a rerun of either shows with itself, for a claim.

    one, other: names in RETESTS. The mean disagreement of the two pairs of reruns over the mean disagreement of the
    four pairs across the models, on the items that all four runs answered.
    """
    runs = paired(answers, [*RETESTS[one], *RETESTS[other]]).to_numpy(float)

    def share(scores: np.ndarray) -> float:
        a, b, c, d = scores.T
        within = ((a != b).mean() + (c != d).mean()) / 2
        between = np.mean([(x != y).mean() for x in (a, b) for y in (c, d)])
        return 100 * within / between if between > 0 else np.nan

    found = bootstrap.statistic_interval(share, [runs], rng, resamples)
    return dict(estimate=found.estimate, interval=found, n=len(runs), of="questions", unit="%")


def paired(answers: pd.DataFrame, runs: list[str]) -> pd.DataFrame:
    """Items x runs of 1 and 0, the items that all `runs` answered."""
    table = answers[answers["run"].isin(runs)].pivot(index="item", columns="run", values="correct")
    return table[runs].dropna()


def lengths(answers: pd.DataFrame, rng: np.random.Generator, resamples: int, level: float) -> pd.DataFrame:
    """Whether longer answers are right more often: AUC of the number of tokens for a right answer, a row a run.

    counted: whether the count includes the hidden reasoning. A mean below 500 tokens can't.
    """
    rows = []
    for model, part in answers.dropna(subset=["tokens", "correct"]).groupby("model", sort=False):
        found = calibration.auc_interval(part["tokens"], part["correct"], rng, resamples, level)
        mean = part["tokens"].mean()
        row = dict(model=model, n=len(part), tokens=mean, accuracy=100 * part["correct"].mean(), **_limits(found))
        rows.append(row | dict(counted=bool(mean >= 500)))
    return pd.DataFrame(rows).rename(columns={"points": "auc"})


def token_signal(rng: np.random.Generator, resamples: int, level: float) -> pd.DataFrame:
    """`first_tokens` of the source of first-token probabilities."""
    return first_tokens(logs.confidences("token_probability"), rng, resamples, level)


def first_tokens(rows: pd.DataFrame, rng: np.random.Generator, resamples: int, level: float) -> pd.DataFrame:
    """What the probability of the answer's first token tells, a row a system: AUC, accuracy, mean, debiased.

    rows: item, system, confidence, correct. Percent, but for the AUC; debiased is the calibration error.
    """
    found = []
    for system, part in rows.groupby("system", sort=False):
        sure, right = part["confidence"].to_numpy(float), part["correct"].to_numpy(float)
        auc = calibration.auc_interval(sure, right, rng, resamples, level)
        error = calibration.calibration_error(sure, right, "debiased", 100)
        row = dict(model=system, answers=len(part), accuracy=100 * right.mean(), stated=100 * sure.mean())
        found.append(row | dict(auc=auc.estimate, low=auc.low, high=auc.high, debiased=100 * error))
    return pd.DataFrame(found)


def _right_again(a: np.ndarray, b: np.ndarray) -> float:
    right = a.sum() + b.sum()
    return 200 * (a * b).sum() / right if right else np.nan


def _limits(found: Interval) -> dict[str, float]:
    return dict(points=found.estimate, low=found.low, high=found.high)
