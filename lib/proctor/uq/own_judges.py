"""How far judges of one's own can be trusted: their verdicts next to human labels on a part of the answers.

table = judged(read_verdicts("verdicts.csv"), read_labels("labels.csv"))     # one row per judge and answer
for judge, part in table.groupby("judge"):
    corrected(part)                                    # share right among its answers, with limits

The notebook uq/your_judge takes it from there: error rates, panels, which answers to label next.

Unlabelled answers are corrected by the labelled ones, so these must be a random part of all answers, or at random
among the accepted and among the rejected (`correct` in UQ's section 4 is such a label; Angelopoulos and others 2023
call the idea prediction-powered inference). Other answers need a licence: `judge_licence`.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from proctor.data.answers import OUTCOMES as TRUTHS
from proctor.data.tabular import DataError, Wrong, made, read_rows
from proctor.stats.interval import Interval, no_interval
from proctor.stats.judge_error import drawn_limits

ANSWERS = ("answer_id", "item", "id")
VERDICTS = ("verdict", "outcome", "accept", "score")
ACCEPT = {word: float(right) for word, right in TRUTHS.items()} | dict(accept=1.0, accepted=1.0)  # what a word says
ACCEPT |= dict(reject=0.0, rejected=0.0, unreadable=np.nan, abstain=np.nan)
KEPT = ("question_id", "judge", "author", "order", "calls")
DRAWS = 20_000


def read_labels(path: str | Path) -> pd.Series:
    """Human labels by answer: 1 right, 0 wrong. A table of answer_id (or item, id) and correct (yes, no, 1, 0 ...);
    rows without a label are left out. It may be the file of verdicts, where each verdict on an answer has its label.
    Raises DataError for other words, two labels of one answer, or none."""
    path = Path(path)
    rows, problems = read_rows(path)
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    id = _named(path, names, ANSWERS)
    right = _named(path, names, ("correct", "label", "right"))

    known: dict[str, bool] = {}

    def label(_: int, row: dict) -> None:
        word, answer = _word(row.get(right)), _text(row.get(id))
        if word and word not in TRUTHS:
            raise Wrong(right, f"{row[right]!r} is no label", "Write yes or no, or leave it empty")
        if not answer:
            raise Wrong(id, "empty", "Name the answer")
        if word and known.setdefault(answer, TRUTHS[word]) != TRUTHS[word]:
            raise Wrong(right, f"an earlier row says otherwise of {answer!r}", "Give each answer one label")

    made(path, rows, problems, label)
    labels = pd.Series(known, dtype=float)
    if labels.empty:
        raise DataError(f"{path}: no label in column {right}. Label some of the answers.")
    return labels


def read_verdicts(path: str | Path, accept_from: float | None = None) -> pd.DataFrame:
    """One row per verdict: judge, answer_id, question_id (the answer's own where none is given), accept (1, 0; NaN:
    nothing readable), author, order, calls.

    A table of answer_id (or item, id) and verdict, outcome or accept (accept, reject, yes, no, 1, 0, abstain), or score
    with `accept_from`, its least accepted one; if there are any judge, question_id, author, order (of what the
    judge was shown), calls. Raises DataError with file, row, column and fix."""
    path = Path(path)
    rows, problems = read_rows(path)
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    id, said = _named(path, names, ANSWERS), _named(path, names, VERDICTS)
    if said == "score" and accept_from is None:
        raise DataError(f"{path}: column score holds scores. Give --accept-from, the least score that accepts.")

    def verdict_of(_: int, row: dict) -> dict:
        word, kept = _word(row.get(said)), {name: _text(row.get(name)) for name in KEPT}
        if not (answer := _text(row.get(id))):
            raise Wrong(id, "empty", "Name the answer")
        try:
            if not word:
                accept = np.nan
            else:
                accept = float(float(word) >= accept_from) if said == "score" else ACCEPT[word]
        except (KeyError, ValueError):
            raise Wrong(said, f"{row[said]!r} is no verdict", "Write accept, reject or abstain") from None
        return kept | dict(answer_id=answer, accept=accept, judge=kept["judge"] or "judge")

    table = pd.DataFrame(made(path, rows, problems, verdict_of))
    table["question_id"] = table["question_id"].where(table["question_id"] != "", table["answer_id"])
    table["calls"] = pd.to_numeric(table["calls"], errors="coerce").fillna(1)
    return table


def judged(verdicts: pd.DataFrame, labels: pd.Series) -> pd.DataFrame:
    """One row per judge and answer: judge, answer_id, question_id, author, accept (most of the repeats; an equal number
    rejects), correct (1, 0; NaN: no label), verdicts (repeats), differ (whether these differ), calls."""
    if not verdicts["answer_id"].isin(labels.index).any():
        shown = f"{verdicts['answer_id'].iloc[0]!r} and {labels.index[0]!r}"
        raise DataError(f"none of the judged answers has a label ({shown}). Use the same ids in both files.")
    by = verdicts.groupby(["judge", "answer_id"], sort=False)
    said = by["accept"].agg(["mean", "size", "nunique"]).reset_index()
    first = by[["question_id", "author"]].first().reset_index(drop=True)
    accept = (said["mean"] > 0.5).astype(float).mask(said["mean"].isna())
    table = said[["judge", "answer_id"]].join(first).assign(accept=accept, correct=said["answer_id"].map(labels))
    return table.assign(verdicts=said["size"], differ=said["nunique"] > 1, calls=by["calls"].sum().to_numpy())


def corrected(part: pd.DataFrame, level: float = 0.95) -> Interval:
    """Share of right answers among those like `part`: that of the labelled accepted and of the labelled rejected ones,
    each weighed by its share of all answers.

    Limits: quantiles over 20,000 draws of the three shares, each from its posterior under Jeffreys' prior, half an
    answer of each kind more (Brown, Cai and DasGupta, Statistical Science 16, 2001). Where questions hold several
    answers, these count for as many as their design effect leaves. No limits without a labelled answer of each verdict
    that occurs."""
    accept, correct = part["accept"].fillna(0).to_numpy(), part["correct"].to_numpy()
    questions, known = part["question_id"].to_numpy(), ~np.isnan(correct)
    share, off, strata = accept.mean(), np.zeros(len(part)), []  # off: each label's part in the error of the estimate
    for verdict, weight in ((1, share), (0, 1 - share)):
        these = known & (accept == verdict)
        if weight and not these.any():
            return no_interval(level)
        if weight:
            strata.append((weight, correct[these].sum(), these.sum()))
            off[these] = weight * (correct[these] - correct[these].mean()) / these.sum()
    estimate = float(sum(weight * right / labels for weight, right, labels in strata))

    effect = design_effect(off[known], questions[known], level)
    shares = [(right, labels, effect) for _, right, labels in strata]
    if len(strata) == 2:  # else all answers have one verdict, and its share is known
        shares = [(accept.sum(), len(part), design_effect(accept - share, questions, level)), *shares]

    def overall(*drawn):
        return drawn[0] * drawn[1] + (1 - drawn[0]) * drawn[2] if len(drawn) == 3 else drawn[0]

    counts, sizes, effects = zip(*shares)
    counts, rng = [np.array([count]) for count in counts], np.random.default_rng(0)
    low, high, _ = drawn_limits(overall, counts, sizes, rng, DRAWS, level, effects)
    low, high = min(float(low[0]), estimate), max(float(high[0]), estimate)
    return Interval(estimate, low, high, level, "Jeffreys", n=len(part), of="answers")


def design_effect(off: np.ndarray, questions: np.ndarray, level: float) -> float:
    """Design effect, 1 or more: by how much the answers of one question err together. off: each answer's part in the
    error of the estimate. Of few questions by Student's t; without any error to go by, all of a question are one."""
    by = pd.Series(off).groupby(questions)
    if by.ngroups == len(off):
        return 1.0
    size = float((by.size() ** 2).sum() / len(off))  # of the question of an answer
    if by.ngroups == 1 or not off.any():
        return size
    together = by.ngroups / (by.ngroups - 1) * float((by.sum() ** 2).sum() / (off**2).sum())
    return max(min(together, size) * (stdtrit(by.ngroups - 1, (1 + level) / 2) / ndtri((1 + level) / 2)) ** 2, 1.0)


def _named(path: Path, names: list[str], wanted: tuple[str, ...]) -> str:
    found = next((name for name in wanted if name in names), None)
    if found is None:
        raise DataError(f"{path}: the columns are {', '.join(names) or 'none'}. One must be {' or '.join(wanted)}.")
    return found


def _text(value: object) -> str:
    return "" if value is None or value != value else str(value).strip()  # an empty cell of Parquet is NaN


def _word(value: object) -> str:
    word = _text(value).casefold()
    return {"nan": "", "1.0": "1", "0.0": "0"}.get(word, word)  # pandas writes 1.0 in a column with blanks


def prompt_of(validator: str, settings: Mapping[str, object]) -> str:
    """What a licence calls the prompts of a validator: its notation, and a digest of them and of how they are asked."""
    folder = Path(str(settings.get("prompts_dir") or Path(__file__).with_name("prompts")))
    texts = [path.read_bytes() for path in sorted(folder.rglob("*.md"))]
    asked = json.dumps({name: str(value) for name, value in settings.items()}, sort_keys=True).encode()
    return f"validate {validator} {hashlib.sha256(b''.join([asked, *texts])).hexdigest()[:8]}"
