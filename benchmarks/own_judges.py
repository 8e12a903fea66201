"""Does the corrected pass rate hold the truth, and does a probe tell a judge that errs otherwise?

    PYTHONPATH=lib python -P benchmarks/own_judges.py [--trials 500] [--seed 0]

1,000 answers, some labelled at random. Ours (`own_judges.corrected`) next to the labels alone (Wilson's interval) and,
where they can be imported, the intervals of ppi-python (`ppi_mean_ci`) and evalstats (`judge_debias_mean_ci`, its 1,000
resamples); `pip install ppi-python evalstats` works with requirements.txt. Both take answers as independent. shared:
three answers a question, half of whose truths and errors are the question's; whole questions are labelled. Goal 93 to
97.5 % in each cell; a peer without an interval in a trial does not hold the truth there. Then 500 licences on 200
labels, each probed by 100 fresh ones, of a judge whose specificity fell from 90 to 60 or 65 %, and of the same judge:
refused at least 95 %, at most 5 %. Simulated.
"""

import argparse
import itertools
import warnings

import numpy as np
import pandas as pd
from proctor.exam.judge_licence import Licence, probe
from proctor.stats.proportions import wilson
from proctor.uq.own_judges import corrected

try:
    from ppi_py import ppi_mean_ci
except ImportError:
    ppi_mean_ci = None
try:
    from evalstats import judge_debias_mean_ci
except ImportError:
    judge_debias_mean_ci = None

ANSWERS, PER = 1000, 3
BASES, LABELS, JUDGES = (0.05, 0.3, 0.5, 0.9), (30, 100, 300), ((0.7, 0.8), (0.95, 0.9))
GOAL = (0.93, 0.975)


def drawn(base, judge, labels, shared, rng) -> pd.DataFrame:
    """Answers with a verdict, and a label on some: the columns that `corrected` reads, and the truth."""
    n = ANSWERS // PER * PER
    questions = np.repeat(np.arange(n // PER), PER) if shared else np.arange(n)
    truth, error = rng.random((2, n))
    if shared:
        for own in (truth, error):
            common = rng.random(n) < 0.5
            own[common] = rng.random(n // PER)[questions][common]
    right = truth < base
    accept = error < np.where(right, judge[0], 1 - judge[1])
    chosen = np.isin(questions, rng.choice(questions[-1] + 1, labels // (PER if shared else 1), replace=False))
    correct = np.where(chosen, right, np.nan)
    return pd.DataFrame(dict(question_id=questions, accept=accept.astype(float), correct=correct))


def peers(table: pd.DataFrame, rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    known = table.dropna(subset="correct")
    found = {"labels alone": wilson(int(known["correct"].sum()), len(known))}
    if ppi_mean_ci is not None:
        rest = table[table["correct"].isna()]
        low, high = ppi_mean_ci(
            known["correct"].to_numpy(), known["accept"].to_numpy(), rest["accept"].to_numpy(), alpha=0.05
        )
        found["ppi-python"] = float(np.ravel(low)[0]), float(np.ravel(high)[0])
    if judge_debias_mean_ci is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that labels must be drawn at random: they are
            other = judge_debias_mean_ci(table["accept"].to_numpy(), table["correct"].to_numpy(), rng=rng)
        found["evalstats"] = other.ci_low, other.ci_high
    return found


def licence(rng: np.random.Generator) -> Licence:
    """Of a judge of sensitivity 85 and specificity 90 %, as 200 labels show it."""
    tp, tn = int(rng.binomial(100, 0.85)), int(rng.binomial(100, 0.9))
    counts = dict(right_accepted=tp, right_rejected=100 - tp, wrong_accepted=100 - tn, wrong_rejected=tn)
    rates = dict(sensitivity=(tp / 100, 0, 1), specificity=(tn / 100, 0, 1))
    return Licence(judge="j", prompt="p", labels="", day="", base_low=0, base_high=1, **counts, **rates)


def fresh(specificity: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    right = rng.random(100) < 0.5
    return rng.random(100) < np.where(right, 0.85, 1 - specificity), right


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--trials", type=int, default=500)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    rng, rows = np.random.default_rng(given.seed), []
    # apart, so that the same tables and probes are drawn with any peers and any number of trials
    resampling, probing = np.random.default_rng([given.seed, 1]), np.random.default_rng([given.seed, 2])
    for shared, base, judge, labels in itertools.product((False, True), BASES, JUDGES, LABELS):
        hits: dict[str, list] = {}
        for _ in range(given.trials):
            table = drawn(base, judge, labels, shared, rng)
            ours = corrected(table)
            for name, (low, high) in {"ours": (ours.low, ours.high), **peers(table, resampling)}.items():
                hits.setdefault(name, []).append((low <= base <= high, high - low))
        row = dict(shared=shared, base=base, sensitivity=judge[0], specificity=judge[1], labels=labels)
        for name, each in hits.items():
            held, width = np.nanmean(np.array(each, float), axis=0)
            row |= {name: round(100 * held, 1), f"{name} width": round(width, 3)}
        rows.append(row)
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    for name in [column for column in ("ours", "labels alone", "ppi-python", "evalstats") if column in table]:
        inside = table[name].between(100 * GOAL[0], 100 * GOAL[1])
        counted = f"{inside.sum()} of {len(table)} cells in the goal, least {table[name].min()} %"
        print(f"{name}: mean {table[name].mean():.1f} %, {counted}")
    for words, specificity in (
        ("errs otherwise (60 %)", 0.6),
        ("errs otherwise (65 %)", 0.65),
        ("errs as before", 0.9),
    ):
        refused = sum(bool(probe(licence(probing), *fresh(specificity, probing))) for _ in range(500))
        print(f"a judge that {words}: {refused} of 500 probes of 100 labels refuse")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
