"""UQ's findings on answers whose truth is known, by small judges: gains and gaps with intervals, in points.

Frames are those of `checks.run_check` (columns judge, check) or `run_validator.validate` (judges, validator). Questions
are resampled, with all their answers and all verdicts on them: answers to one question are not independent.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from proctor.stats.bootstrap import Interval, exact_interval, no_interval, statistic_interval
from proctor.stats.calibration import auc_interval
from proctor.uq import validator_metrics

BY_VALIDATOR = ("judges", "validator")


def accepted_shares(
    frame: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> pd.DataFrame:
    """One row a judge and check: right_accepted and wrong_accepted, in percent, with limits (_low, _high).

    gap: right_accepted less wrong_accepted, in points, with limits; 0 for a judge that does not look. The limits of
    the shares are 95 %, those of the gap are of `level`.
    """
    plain = validator_metrics.metrics_by_group(frame, rng, resamples)
    wide = validator_metrics.metrics_by_group(frame, rng, resamples, level=level)
    found = plain[["judge", "check", "n", "questions", "tp", "fp", "fn", "tn"]].copy()
    for end in ("", "_low", "_high"):
        other = {"": "", "_low": "_high", "_high": "_low"}[end]
        found[f"right_accepted{end}"] = 100 * plain[f"recall{end}"]
        found[f"wrong_accepted{end}"] = 100 * (1 - plain[f"specificity{other}"])
        found[f"gap{end}"] = 100 * (2 * wide[f"balanced_accuracy{end}"] - 1)
    return found


def median_gap(frame: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95) -> Interval:
    """The median, over judges and checks, of the share of right answers accepted less that of wrong ones, in points."""
    accept, correct, question = _wide(frame, ["judge", "check"])

    def median(drawn: np.ndarray, a: np.ndarray, c: np.ndarray) -> np.ndarray:
        right, wrong = drawn * c, drawn * (1 - c)
        with np.errstate(invalid="ignore"):
            shares = [part @ a / part.sum(axis=1, keepdims=True) for part in (right, wrong)]
        return np.median(100 * (shares[0] - shares[1]), axis=1)

    return statistic_interval(
        median, [accept, correct], rng, resamples, level, clusters=question, bounds=(-100.0, 100.0), weighted=True
    )


def gains(
    frame: pd.DataFrame,
    one: str,
    other: str,
    rng: np.random.Generator,
    resamples: int = 2_000,
    figure: str = "balanced",
    level: float = 0.95,
    by: tuple[str, str] = BY_VALIDATOR,
) -> dict[str, Interval]:
    """{judge: gain of validator `one` over `other`, in points}, paired on the same answers.

    figure: right (share of right verdicts), balanced (balanced accuracy) or auc. by: the columns of the judge and of
    what differs; swapped, {validator: gain of judge `one` over judge `other`}.
    """
    rows = validator_metrics.difference(frame, one, other, rng, resamples, by, level)
    return {
        row[by[0]]: Interval(*(100 * row[f"{figure}{end}"] for end in ("", "_low", "_high")), level, "paired")
        for _, row in rows.iterrows()
    }


def panel_gains(
    panel: pd.DataFrame,
    frame: pd.DataFrame,
    validator: str,
    rng: np.random.Generator,
    resamples: int = 2_000,
    level: float = 0.95,
) -> dict[str, Interval]:
    """{judge: balanced accuracy of the panel less that of the judge alone with `validator`, in points}, paired."""
    alone = frame[frame["validator"] == validator]
    found = {}
    for judge, part in alone.groupby("judges", sort=False):
        both = pd.concat([panel.assign(judges="panel", validator="-"), part.assign(validator="-")])
        found |= {judge: gains(both, "panel", judge, rng, resamples, "balanced", level, ("validator", "judges"))["-"]}
    return found


def between_judges(
    frame: pd.DataFrame,
    models: Sequence[str],
    check: str,
    rng: np.random.Generator,
    resamples: int = 2_000,
    figure: str = "balanced",
) -> dict[tuple[str, str], Interval]:
    """{(weaker, stronger): gain of the stronger of two judges with `check`, in points}, for all pairs of `models`.

    models: by capability. frame: columns judge, check. Intervals are corrected for the number of pairs.
    """
    pairs = list(combinations(models, 2))
    part = frame[frame["check"] == check]
    level = 1 - 0.05 / max(len(pairs), 1)
    return {
        (weak, strong): gains(part, strong, weak, rng, resamples, figure, level, ("check", "judge"))[check]
        for weak, strong in pairs
    }


def pair_table(tested: Mapping[str, Mapping[tuple[str, str], Interval]], accuracy: pd.Series) -> pd.DataFrame:
    """One row a pair of `between_judges`, a column a figure: answers (accuracy gained), then "+1 [-2, +3]" each."""
    pairs = list(next(iter(tested.values())))
    rows = []
    for weak, strong in pairs:
        texts = {name: _signed(found[weak, strong]) for name, found in tested.items()}
        gained = f"{100 * (accuracy[strong] - accuracy[weak]):+.0f}"
        rows.append(dict(stronger=strong, weaker=weak, answers=gained) | texts)
    return pd.DataFrame(rows, columns=["stronger", "weaker", "answers", *tested])


def length_auc(
    frame: pd.DataFrame, lengths: Mapping[str, int], rng: np.random.Generator, resamples: int = 2_000
) -> Interval:
    """AUC of the answer's length for its being right: a baseline every judge should beat. lengths: by answer_id."""
    answers = frame.drop_duplicates("answer_id")
    length = answers["answer_id"].map(lengths).to_numpy(float)
    return auc_interval(length, answers["correct"].to_numpy(float), rng, resamples, clusters=answers["question_id"])


def mean_auc(frame: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95) -> Interval:
    """Mean over judges and checks of the AUC of p_accept, in percent: 50 is chance.

    A judge that gives no probabilities, as most providers' do, is left out; then an answer of which some judge gives
    none, because its reply can't be read. Where nothing is left, there is no interval."""
    known = frame["p_accept"].notna()
    frame = frame[known.groupby(frame["judge"]).transform("any")]
    frame = frame[frame["p_accept"].notna().groupby(frame["answer_id"]).transform("all")]
    if frame.empty:
        return no_interval(level)
    score, correct, question = _wide(frame, ["judge", "check"], "p_accept")

    def mean(scores: np.ndarray, c: np.ndarray) -> float | None:
        right, wrong = scores[c == 1], scores[c == 0]
        if not len(right) or not len(wrong):
            return None
        above = np.sign(right[:, None, :] - wrong[None, :, :])
        return float(50 * (1 + above.mean()))

    return statistic_interval(mean, [score, correct], rng, resamples, level, clusters=question, bounds=(0.0, 100.0))


def ranked_pairs(frame: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """One row a judge, check and question: win (1 if the right answer has the higher p, 1/2 for a tie), own_right.

    frame: one right and one wrong answer a question. own: what each judge answered itself (columns model,
    question_id, correct), `exam.recorded.answers`.
    """
    own = own.rename(columns={"model": "judge", "correct": "own_right"})[["judge", "question_id", "own_right"]]
    wide = frame.pivot(index=["judge", "check", "question_id"], columns="correct", values="p_accept")
    wins = (1 + np.sign((wide[True] - wide[False]).astype(float))) / 2
    return wins.rename("win").reset_index().merge(own, on=["judge", "question_id"], validate="many_to_one")


def repeats_own_errors(
    pairs: pd.DataFrame, judge: str, check: str, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> Interval:
    """Share of pairs ranked rightly where the judge's own answer is right less where it is wrong, in points."""
    part = pairs[(pairs["judge"] == judge) & (pairs["check"] == check)].dropna(subset=["win"])

    def contrast(drawn: np.ndarray, win: np.ndarray, right: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            shares = [drawn @ (win * group) / (drawn @ group) for group in (right, 1 - right)]
        return 100 * (shares[0] - shares[1])

    arrays = [part["win"].to_numpy(float), part["own_right"].to_numpy(float)]
    return statistic_interval(contrast, arrays, rng, resamples, level, bounds=(-100.0, 100.0), weighted=True)


def precision_interval(
    frame: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95, least: int = 10
) -> tuple[str, Interval]:
    """The name of the most precise validator that accepts at least `least` answers, and its precision in percent; no
    interval where none does."""
    table = validator_metrics.metrics_by_group(frame, rng, resamples, BY_VALIDATOR, level)
    known = table["precision"].where(table["tp"] + table["fp"] >= least)
    if known.isna().all():
        return f"none accepts {least} answers", no_interval(level)
    row = table.loc[known.idxmax()]
    limits = (100 * row[f"precision{end}"] for end in ("", "_low", "_high"))
    return f"{row['validator']} by {row['judges']}", Interval(*limits, level, "percentile")


def mean_gain(
    frame: pd.DataFrame,
    one: Sequence[str],
    other: Sequence[str],
    rng: np.random.Generator,
    resamples: int = 2_000,
    level: float = 0.95,
) -> Interval:
    """Mean balanced accuracy over all judges and the validators `one`, less that over `other`, in points, paired."""
    parts = [_wide(frame[frame["validator"].isin(list(names))], list(BY_VALIDATOR)) for names in (one, other)]
    (a, correct, question), (b, _, _) = parts

    def gain(drawn: np.ndarray, x: np.ndarray, y: np.ndarray, c: np.ndarray) -> np.ndarray:
        def share(part: np.ndarray, z: np.ndarray) -> np.ndarray:
            return (part @ z).sum(axis=1) / (part.sum(axis=1) * z.shape[1])

        with np.errstate(invalid="ignore"):
            levels = [(share(drawn * c, z) + 1 - share(drawn * (1 - c), z)) / 2 for z in (x, y)]
        return 100 * (levels[0] - levels[1])

    spare = exact_interval(0.0, len(np.unique(question)), level, (-100.0, 100.0))  # where no resample differs
    return statistic_interval(
        gain, [a, b, correct], rng, resamples, level, clusters=question, bounds=(spare.low, spare.high), weighted=True
    )


def _signed(it: Interval) -> str:
    return f"{it.estimate:+.0f} [{it.low:+.0f}, {it.high:+.0f}]"


def _wide(
    frame: pd.DataFrame, columns: list[str], values: str = "outcome"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """values (answers, columns), of outcomes 1 for accept; correct (answers,) 0/1; question_id (answers,)."""
    wide = frame.pivot(index="answer_id", columns=columns, values=values)
    if wide.isna().any(axis=None):
        raise ValueError(f"answer {wide.isna().any(axis=1).idxmax()} has no {values} of some judge: let all judge all")
    first = frame.drop_duplicates("answer_id").set_index("answer_id").loc[wide.index]
    cells = wide.to_numpy() == "accept" if values == "outcome" else wide.to_numpy()
    return cells.astype(float), first["correct"].to_numpy(float), first["question_id"].to_numpy(str)
