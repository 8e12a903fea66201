"""How a validator's scores behave: share above the question's mean, correlation with length, similarity of replies.

CBU, section 6 and appendix A. Score frames have one row a candidate, as `score_candidates.score_all` gives them:
method, question_id, kind, score, and what else a function names. Questions are resampled.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from proctor.cbu.sign_flip import cautious_interval
from proctor.stats import bootstrap
from proctor.stats.bootstrap import Interval


def above_mean(frame: pd.DataFrame) -> pd.Series:
    """Per row: does the score lie above the mean of its method's scores on its question? (CBU, section 6.)

    0/1; a score that equals the mean is not above it, so a method that scores all candidates alike has none above.
    """
    mean = frame.groupby(["method", "question_id"])["score"].transform("mean")
    return (frame["score"] - mean > 1e-12 * frame["score"].abs().clip(lower=1)).astype(int)


def mean_by(
    frame: pd.DataFrame, column: str, group: str, rng: np.random.Generator, resamples: int = 2_000
) -> pd.DataFrame:
    """Mean of `column`, in [0, 1], by method and `group` of candidates: first within a question, then over them.

    One row a method and group: estimate, low, high (bootstrap over questions), questions that have such a candidate.
    """
    rows = []
    for (method, name), part in frame.groupby(["method", group], sort=False):
        value = part.groupby("question_id")[column].mean()
        found = bootstrap.interval(value, rng, resamples)
        rows.append(
            {
                "method": method,
                group: name,
                "estimate": found.estimate,
                "low": found.low,
                "high": found.high,
                "questions": len(value),
            }
        )
    return pd.DataFrame(rows, columns=["method", group, "estimate", "low", "high", "questions"])


def rank_correlation_with(
    frame: pd.DataFrame, column: str, rng: np.random.Generator, resamples: int = 2_000
) -> pd.DataFrame:
    """Spearman's rank correlation of score and `column` among a question's candidates, averaged over questions.

    One row a method: estimate, low, high (bootstrap over questions), questions; `flat` counts those left out because
    the score or the column does not vary there.
    """
    rows = []
    for method, part in frame.groupby("method", sort=False):
        each = part.groupby("question_id").apply(
            lambda one: _spearman(np.ones((1, len(one))), one["score"], one[column])[0]
        )
        known = each.dropna()
        found = (
            bootstrap.interval(known, rng, resamples, bounds=(-1.0, 1.0))
            if len(known)
            else Interval(np.nan, np.nan, np.nan, 0.95, "none")
        )
        rows.append(
            dict(
                method=method,
                estimate=found.estimate,
                low=found.low,
                high=found.high,
                questions=len(known),
                flat=len(each) - len(known),
            )
        )
    return pd.DataFrame(rows)


def prompt_correlations(
    scores: pd.DataFrame, pairs: dict[str, tuple[str, str]], rng: np.random.Generator, resamples: int = 2_000
) -> pd.DataFrame:
    """Spearman's correlation of two judge prompts over all candidates, by model: rho, low, high (CBU, A.2).

    pairs: {label: (method, method)}. Simultaneous 95 % over all rows; questions are resampled, candidates and all.
    """
    wide = scores.pivot(index=["model", "question_id", "answer_id"], columns="method", values="score").reset_index()
    models, rows = list(wide["model"][wide["model"] != ""].unique()), []
    level = 1 - 0.05 / (len(models) * len(pairs))
    for model in models:
        part = wide[wide["model"] == model]
        for label, (one, other) in pairs.items():
            both = part.dropna(subset=[one, other])
            how = dict(clusters=both["question_id"], bounds=(-1, 1), weighted=True)
            found = bootstrap.statistic_interval(_spearman, [both[one], both[other]], rng, resamples, level, **how)
            rows.append(dict(model=model, prompts=label, rho=found.estimate, low=found.low, high=found.high))
    return pd.DataFrame(rows).assign(questions=wide["question_id"].nunique())


def _spearman(drawn: np.ndarray, one: Sequence[float], other: Sequence[float]) -> np.ndarray:
    """Spearman's correlation in each resample, shape (resamples,); NaN where one side is flat.

    drawn: how often each item counts, shape (resamples, items)."""
    n = drawn.sum(axis=1, keepdims=True)
    a, b = (_mid_ranks(drawn, np.asarray(values)) - (n + 1) / 2 for values in (one, other))
    products = [(drawn * left * right).sum(axis=1) for left, right in ((a, b), (a, a), (b, b))]
    scale = np.sqrt(products[1] * products[2])
    return np.divide(products[0], scale, out=np.full(len(drawn), np.nan), where=scale > 0)


def _mid_ranks(drawn: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Rank of each item among those drawn, from 1; equal values share the middle of their ranks."""
    _, group = np.unique(values, return_inverse=True)
    (each,) = bootstrap.sums_by_value(drawn, values, np.ones(len(values)))
    return (each.cumsum(axis=1) - (each - 1) / 2)[:, group]


def cosine_similarity(texts: Sequence[str]) -> np.ndarray:
    """Cosine similarity (texts, texts) of word counts, in [0, 1]; an empty text is like nothing.

    Words are what stands between spaces, in lower case, without punctuation at their ends. It sees words
    only: the paper compares embeddings (A.3), which see meaning, and whose figures lie much higher.
    """
    words = [[word.strip(".,;:!?()[]'\"") for word in text.lower().split()] for text in texts]
    place = {word: i for i, word in enumerate(sorted({word for text in words for word in text}))}
    counts = np.zeros((len(texts), max(len(place), 1)))
    for row, text in zip(counts, words):
        for word in text:
            row[place[word]] += 1
    length = np.linalg.norm(counts, axis=1, keepdims=True)
    unit = np.divide(counts, length, out=np.zeros_like(counts), where=length > 0)
    return np.clip(unit @ unit.T, 0, 1)


def reply_similarity(rolled: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000) -> pd.DataFrame:
    """Similarity of replies: to the same prompt, and on one neighbour after different candidates (CBU, A.3).

    rolled: rows of `utility.run_rollouts`, of `utility.attempt` or of both; each question needs pairs of either
    sort. One row a model and `pairs` ("same prompt", "other candidate"): mean cosine, first over the pairs of a
    question, then over questions; low, high.
    """
    rows = []
    for model, part in rolled.groupby("model", sort=False):
        same, other = [], []
        for question, own in part.groupby("question_id", sort=False):
            pairs = [np.concatenate(one) for one in zip(*(_pairs(near) for _, near in own.groupby("neighbour")))]
            if not all(map(len, pairs)):
                raise ValueError(
                    f"question {question!r}: reply_similarity needs two replies to one prompt, and two candidates on "
                    "one neighbour; raise the budget, or add attempts"
                )
            same.append(pairs[0].mean()), other.append(pairs[1].mean())
        for name, value in (("same prompt", same), ("other candidate", other)):
            found = bootstrap.interval(value, rng, resamples)
            rows.append(
                dict(
                    model=model,
                    pairs=name,
                    estimate=found.estimate,
                    low=found.low,
                    high=found.high,
                    questions=len(value),
                )
            )
    return pd.DataFrame(rows)


def _pairs(rollouts: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Cosines of the pairs of rollouts that saw the same candidate, and of those that did not."""
    alike = cosine_similarity(rollouts["reply"].tolist())
    one, other = np.triu_indices(len(rollouts), 1)
    candidate = rollouts["candidate"].to_numpy()
    same = candidate[one] == candidate[other]
    return alike[one, other][same], alike[one, other][~same]


def similarity_gap(rolled: pd.DataFrame, spoken: pd.DataFrame) -> pd.DataFrame:
    """Similarity of critiques of a question's candidates less that of rollouts after them, by model (CBU, A.3).

    rolled: rows of `utility.run_rollouts`; spoken: rows of `judges.ask_judges` with a critique. One row a model:
    critiques, rollouts (mean cosines), difference, low, high (simultaneous 95 % over models), questions.
    """
    models, rows = list(rolled["model"].unique()), []
    for model in models:
        each = {}
        for question, own in rolled[rolled["model"] == model].groupby("question_id"):
            apart = np.concatenate([_pairs(near)[1] for _, near in own.groupby("neighbour")])
            said = spoken[(spoken["model"] == model) & (spoken["question_id"] == question)]["reply"].tolist()
            alike = cosine_similarity(said)[np.triu_indices(len(said), 1)]
            each[question] = alike.mean(), apart.mean()
        frame = pd.DataFrame(each, ["critiques", "rollouts"]).T
        found = cautious_interval(frame["critiques"] - frame["rollouts"], 1 - 0.05 / len(models))
        rows.append(
            dict(model=model, critiques=frame["critiques"].mean(), rollouts=frame["rollouts"].mean())
            | dict(difference=found.estimate, low=found.low, high=found.high, questions=len(frame))
        )
    return pd.DataFrame(rows)


def token_differences(
    rolled: pd.DataFrame, spoken: pd.DataFrame, rng: np.random.Generator, resamples: int = 2_000
) -> pd.DataFrame:
    """Tokens that a rollout writes against those of a critique, by model: rollout, critique, difference (%), low, high.

    Intervals resample questions, simultaneous 95 % over models. Frames as for `similarity_gap`.
    """
    models, rows = list(rolled["model"].unique()), []
    for model in models:
        written = [
            table[table["model"] == model].groupby("question_id")["completion_tokens"].mean()
            for table in (rolled, spoken)
        ]
        found = bootstrap.statistic_interval(
            lambda a, b: 100 * (a.mean() / b.mean() - 1), written, rng, resamples, 1 - 0.05 / len(models)
        )
        rows.append(
            dict(model=model, rollout=written[0].mean(), critique=written[1].mean(), difference=found.estimate)
            | dict(low=found.low, high=found.high, questions=len(written[0]))
        )
    return pd.DataFrame(rows)


def overlap(parts: Sequence[int], n: int) -> tuple[int, int]:
    """Least and greatest number of n items that carry all of several labels of known counts (Frechet)."""
    if not parts or any(not 0 <= part <= n for part in parts):
        raise ValueError(f"counts {list(parts)} of {n}: each must lie between 0 and {n}")
    return max(0, sum(parts) - (len(parts) - 1) * n), min(parts)
