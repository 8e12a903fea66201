"""A licence for a judge: what its error rates were, where they hold, and the share right that follows elsewhere.

licence = issue(table, "openai/o3", prompt="hle/judge@1-0a1b2c3d", labels="labels.csv", day="2026-11-25")
write(licence, "o3.json")
applies(licence, "openai/o3", prompt, 0.6)     # the reasons why it does not hold here; none: []
said(licence, "openai/o3", prompt, accept, correct, rng)    # the share right among answers of which it accepted some
probe(licence, accept, correct)                # at least 30 fresh labels: do they agree?

Error rates carry over only where the judge errs as often as on the licence's answers. A licence can't show that; it
refuses where something shows the contrary: another judge or prompt, a base rate outside of its range, a probe that
contradicts it (UQ, section 4: a validator is measured where the truth is known, and used where it is not).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from scipy.stats import fisher_exact

from proctor.data.tabular import DataError
from proctor.files import digest, write_atomic
from proctor.models.prompts import load
from proctor.models.registry import spec
from proctor.models.settings import Settings
from proctor.stats.interval import Interval
from proctor.stats.judge_error import estimated_judge
from proctor.stats.proportions import Confusion, confusion, wilson

PROBE, WIDER = 30, 0.10  # fresh labels at least; how far the base rate may lie outside of its interval


class Licence(BaseModel):
    """counts of the labelled answers by truth and verdict; base_low and base_high: the shares of right answers
    for which it holds. labels: SHA-256 of their file. prompt: whatever names it,
    such as `<paper>/<name>@<version>-<digest>`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    kind: Literal["proctor judge licence 1"] = "proctor judge licence 1"
    judge: str = Field(min_length=1)
    prompt: str
    labels: str
    day: str
    right_accepted: int = Field(ge=0)
    right_rejected: int = Field(ge=0)
    wrong_accepted: int = Field(ge=0)
    wrong_rejected: int = Field(ge=0)
    sensitivity: tuple[float, float, float]
    specificity: tuple[float, float, float]
    base_low: float = Field(ge=0, le=1)
    base_high: float = Field(ge=0, le=1)

    @property
    def counts(self) -> Confusion:
        return Confusion(tp=self.right_accepted, fp=self.wrong_accepted, fn=self.right_rejected, tn=self.wrong_rejected)


def issue(table: pd.DataFrame, judge: str, prompt: str, labels: str | Path, day: str) -> Licence:
    """The licence of one judge of `uq/own_judges.judged`. Raises DataError where it has no labelled right or wrong
    answers, or is no better than chance."""
    part = table[(table["judge"] == judge) & table["correct"].notna()]
    found = confusion(part["accept"].fillna(0), part["correct"])
    right, wrong = found.tp + found.fn, found.tn + found.fp
    if not right or not wrong:
        raise DataError(f"{judge}: {right} right and {wrong} wrong answers have a label. A licence needs both.")
    sensitivity, specificity = found.tp / right, found.tn / wrong
    if sensitivity + specificity <= 1:
        rates = f"{sensitivity:.0%} of the right and {1 - specificity:.0%} of the wrong answers"
        raise DataError(f"{judge}: accepts {rates}: no better than chance, so nothing can be corrected by it.")
    low, high = wilson(right, right + wrong)
    return Licence(
        judge=judge, prompt=prompt, labels=digest(labels), day=day,
        right_accepted=found.tp, right_rejected=found.fn, wrong_accepted=found.fp, wrong_rejected=found.tn,
        sensitivity=(sensitivity, *wilson(found.tp, right)), specificity=(specificity, *wilson(found.tn, wrong)),
        base_low=round(max(low - WIDER, 0), 4), base_high=round(min(high + WIDER, 1), 4),
    )  # fmt: skip


def write(licence: Licence, path: str | Path) -> None:
    write_atomic(Path(path), licence.model_dump_json(indent=1) + "\n")


def read(path: str | Path) -> Licence:
    """Raises DataError for what is no licence."""
    try:
        return Licence.model_validate_json(Path(path).read_bytes())
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check the path.") from None
    except ValidationError as error:
        first = error.errors()[0]
    where = ".".join(map(str, first["loc"])) or "the file"
    raise DataError(f"{path}: no licence ({where}: {first['msg']}). Write it by `python -m proctor judge`.")


def applies(
    licence: Licence, judge: str, prompt: str, share: float | None = None, probed: Sequence[str] = ()
) -> list[str]:
    """Why the licence does not hold here, a sentence each; none: nothing speaks against it. share: the corrected share
    right; probed: of `probe`."""
    reasons = []
    if judge != licence.judge:
        reasons.append(f"the judge is {judge}, the licence is for {licence.judge}")
    if prompt != licence.prompt:
        reasons.append(f"the prompt is {prompt or 'not named'}, the licence is for {licence.prompt or 'one not named'}")
    if share is not None and not licence.base_low <= share <= licence.base_high:
        supported = f"{licence.base_low:.0%} to {licence.base_high:.0%}"
        reasons.append(f"about {share:.0%} of these answers are right; its labels support {supported}")
    return [*reasons, *probed]


def probe(licence: Licence, accept: ArrayLike, correct: ArrayLike, level: float = 0.95) -> list[str]:
    """What fresh labels say against the licence: sensitivity and specificity by Fisher's exact test, each at half of
    1 - level. accept, correct: 1 or 0 of each fresh answer. Raises DataError for fewer than PROBE."""
    accept, correct = np.asarray(accept, bool), np.asarray(correct, bool)
    if len(accept) < PROBE:
        raise DataError(f"{len(accept)} fresh labels. A probe needs at least {PROBE}, of answers drawn at random.")
    known, reasons = licence.counts, []
    for name, hit, miss, these in (
        ("sensitivity", known.tp, known.fn, accept[correct]),
        ("specificity", known.tn, known.fp, ~accept[~correct]),
    ):
        table = [[hit, miss], [int(these.sum()), int((~these).sum())]]
        if len(these) and fisher_exact(table).pvalue < (1 - level) / 2:
            rates = f"{these.mean():.0%} of {len(these)} fresh answers, {hit / (hit + miss):.0%} in the licence"
            reasons.append(f"the {name} is {rates}: the judge errs otherwise here")
    return reasons


def said(
    licence: Licence, judge: str, prompt: str, accept: ArrayLike, correct: ArrayLike, rng: np.random.Generator
) -> str:
    """A line: the share right behind what this judge accepted (Rogan-Gladen, error rates drawn with the counts of the
    licence), or why the licence does not hold. accept: 1 or 0 of each answer; correct: 1, 0 or NaN (no label) of each:
    PROBE labels or more are a probe."""
    accept, correct = np.asarray(accept, bool), np.asarray(correct, float)
    k, n, fresh = int(accept.sum()), len(accept), ~np.isnan(correct)
    reasons = probe(licence, accept[fresh], correct[fresh]) if fresh.sum() >= PROBE else []
    try:
        share = estimated_judge(k, n, licence.counts, rng)
        reasons = applies(licence, judge, prompt, share.estimate, reasons)
    except ValueError as error:
        reasons = applies(licence, judge, prompt, None, [*reasons, str(error)])
    if reasons:
        return (
            f"the licence does not hold here: {'; '.join(reasons)}. The share accepted ({k} of {n}) is not corrected."
        )
    tested = f"{int(fresh.sum())} fresh labels agree" if fresh.sum() >= PROBE else "not probed by fresh labels"
    right = f"{100 * share.estimate:.0f} % [{100 * share.low:.0f}, {100 * share.high:.0f}]"
    return f"accepted {k} of {n}; right, by the licence of {licence.day}: {right} ({tested})"


def corrected_difference(
    licence: Licence, one: ArrayLike, other: ArrayLike, rng: np.random.Generator, level: float = 0.95, draws: int = 4000
) -> Interval:
    """Share right of one system minus the other's on the same items, of which `one` and `other` hold the judge's marks
    (1 or 0): their difference over sensitivity + specificity - 1, if the judge errs as often on both.

    Items are drawn anew in pairs, error rates as in `judge_error.drawn_limits` (Jeffreys). Raises ValueError where the
    two arrays differ in length or most draws of the rates are no better than chance."""
    gap = np.asarray(one, float) - np.asarray(other, float)
    n, counts = len(gap), licence.counts
    drawn = rng.multinomial(n, [np.mean(gap > 0), np.mean(gap < 0), np.mean(gap == 0)], draws)
    hits = rng.beta(counts.tp + 0.5, counts.fn + 0.5, draws) + rng.beta(counts.tn + 0.5, counts.fp + 0.5, draws) - 1
    if np.mean(hits <= 0) > 0.5:
        raise ValueError("in most draws of its error rates this judge is no better than chance: nothing to correct")
    found = np.where(hits > 0, (drawn[:, 0] - drawn[:, 1]) / n / np.where(hits > 0, hits, 1), np.nan)
    low, high = np.nanquantile(found, [(1 - level) / 2, (1 + level) / 2])
    share = licence.sensitivity[0] + licence.specificity[0] - 1
    return Interval(float(gap.mean() / share), float(low), float(high), level, "rogan-gladen", n=n, of="items")


def compared(
    licence: Licence, judge: str, prompt: str, one: pd.Series, other: pd.Series, rng: np.random.Generator
) -> str:
    """Lines for a terminal: what the licence says of each of two systems, and of their difference where it holds for
    both. one, other: the judge's mark (1 or 0) of each item, by item; items of both count. Raises DataError for other
    scores."""
    marks = pd.concat([one, other], axis=1, join="inner").dropna()
    if not marks.isin([0, 1]).all(axis=None):
        raise DataError("a licence is for marks of yes and no: scores between 0 and 1, or means of samples, have none.")
    unknown = [np.nan] * len(marks)
    lines = [f"{name}: {said(licence, judge, prompt, marks[name] == 1, unknown, rng)}" for name in marks]
    if not any("does not hold" in line for line in lines):
        gap = corrected_difference(licence, marks.iloc[:, 0], marks.iloc[:, 1], rng)
        points = f"{100 * gap.estimate:+.1f} points [{100 * gap.low:+.1f}, {100 * gap.high:+.1f}]"
        lines.append(f"difference by the licence, if the judge errs as often on both: {points}")
    return "\n".join(lines)


def prompt_of(judge: str, settings: Settings | None = None) -> str:
    """What a licence calls the prompt by which `exam` and `mark` ask this judge."""
    return load("hle/judge" if spec(judge).local else "hle/judge_fields", settings).version
