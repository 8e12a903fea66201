"""Fewer rollouts for the same ranking: calls against Acc@1, the error of racing beside what it states, and what
stopping early does to the estimates. Then: does the utility's estimate hold what it should, and for which neighbours?

    PYTHONPATH=lib python benchmarks/rollout_budgets.py [--questions 2000] [--trials 2000] [--seed 0]

Ten candidates a question, simulated (`cbu.rollout_error.transfer`, chosen to come near the published Acc@1 and AUC),
all schemes on the same rollouts. Peer: uniform, above all at the paper's 64 a candidate. Simulated evidence.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from proctor.cbu.adaptive_rollouts import (
    halving,
    race_against_base,
    race_to_best,
    replay_rollouts,
    run_trials,
    simulate,
    uniform,
    violates_guarantee,
)
from proctor.cbu.ranking_metrics import by_question
from proctor.cbu.rollout_error import expected_error, transfer
from proctor.cbu.utility import utilities
from proctor.data.published import load_published
from proctor.stats import bootstrap
from proctor.stats.proportions import wilson

DELTAS, MARGINS = (0.05, 0.2), (0.0, 0.25, 0.4)
EQUAL_POINTS, EQUAL_CALLS = 1.0, 0.5  # the target: at most 1 point of Acc@1 lost with at most half of the calls


def schemes(rng: np.random.Generator) -> dict[str, Callable]:
    found = {f"uniform {n}": lambda draw, c, n=n: uniform(draw, c, n) for n in (64, 32, 16, 8, 4, 2, 1)}
    found |= {f"halving {n}": lambda draw, c, n=n: halving(draw, c, n, rng) for n in (320, 160, 80, 40)}
    return found | {
        f"racing {delta:g}, {margin:g}": lambda draw, c, how=(delta, margin): race_to_best(draw, c, *how)
        for margin in MARGINS
        for delta in DELTAS
    }


def calibration(rates: np.ndarray, correct: np.ndarray, rng: np.random.Generator) -> None:
    k = rng.binomial(64, rates)
    human = np.arange(len(correct)) == 0
    frame = pd.DataFrame(
        dict(
            method="simulated",
            question=np.repeat(np.arange(len(k)), len(correct)),
            score=k.ravel() / 64,
            correct=np.tile(correct, len(k)),
            human=np.tile(human, len(k)) * 1,
        )
    )
    means = by_question(frame).iloc[:, 4:].mean()
    facts = load_published("cbu/facts").set_index("fact")["value"]
    print("simulated transfer beside GPT-OSS-120B under utility, 64 rollouts (published)")
    for metric, fact in (("Acc@1", "acc1"), ("AUC", "auc"), ("HumanWin", "humanwin"), ("Recall@5", "recall5")):
        print(f"  {metric:9} {100 * means[metric]:6.2f}   {facts[f'cbu_{fact}_gpt_oss_120b']}")
    higher = k > k.mean(axis=1, keepdims=True)
    print(
        f"  above the question's mean: right {higher[:, correct == 1].mean():.2f}, "
        f"wrong {higher[:, correct == 0].mean():.2f}   (0.52 to 0.57, 0.08 to 0.14 over the backbones)"
    )
    print(f"  mean error of 8 rollouts {expected_error(k, 64, 8).mean():.3f}   (under 0.05)")


def frontier(found: pd.DataFrame, rng: np.random.Generator) -> bool:
    """True if an adaptive scheme meets the target."""
    acc = found.pivot(index="question", columns="scheme", values="acc1")
    print(
        f"\nfrontier over {len(acc)} questions: Acc@1, its loss in points against uniform 64, calls, simple regret,\n"
        "for racing (delta, margin) the share of questions on which it broke its word, bias of the first and others"
    )
    print("  scheme              Acc@1     loss [95 %]           calls   of 640   regret   broke    first    others")
    met = False
    for name, part in found.groupby("scheme", sort=False):
        loss = bootstrap.paired_difference(acc["uniform 64"], acc[name], rng, 2000)  # of itself: the exact interval
        mean = part[["calls", "acc1", "regret", "bias_first", "bias_others"]].mean()
        failed = (
            f"{violates_guarantee(part, float(name.split(', ')[1])).mean():.4f}"
            if name.startswith("racing")
            else "     -"
        )
        print(
            f"  {name:17}  {100 * mean['acc1']:6.2f}  {100 * loss.estimate:6.2f} [{100 * loss.low:5.2f}, "
            f"{100 * loss.high:5.2f}]   {mean['calls']:6.1f}    {mean['calls'] / 640:.3f}   {mean['regret']:.4f}  "
            f"{failed}   {mean['bias_first']:+.4f}   {mean['bias_others']:+.4f}"
        )
        met |= not name.startswith("uniform") and 100 * loss.high <= EQUAL_POINTS and mean["calls"] <= EQUAL_CALLS * 640
    return met


def stated_errors(n: int, rng: np.random.Generator) -> bool:
    boards = {
        "ladder .9 to 0": np.linspace(0.9, 0, 10),
        "one .6, nine .4": np.r_[0.6, np.full(9, 0.4)],
        "one .1, nine .02": np.r_[0.1, np.full(9, 0.02)],
        "nearly equal": np.r_[0.51, np.full(9, 0.5)],
    }
    print(f"\nerror beside delta, {n} questions each, calls as a share of 640; verdicts are against a base of .4")
    met = True
    for name, rates in boards.items():
        many = np.tile(rates, (n, 1))
        for delta, margin in ((d, m) for d in DELTAS for m in MARGINS[:2]):
            race = run_trials(
                {"race": lambda draw, c, how=(delta, margin): race_to_best(draw, c, *how)}, many, rates == rates[0], rng
            )
            verdicts = [
                race_against_base(
                    replay_rollouts(simulate(rates, 64, rng)), 10, (int(rng.binomial(64, 0.4)), 64), delta
                )
                for _ in range(n)
            ]
            wrong = [
                int(violates_guarantee(race, margin).sum()),
                sum(bool(((one.verdict != 0) & (one.verdict != np.sign(rates - 0.4))).any()) for one in verdicts),
            ]
            met &= all(wilson(k, n)[0] <= delta for k in wrong)
            spent = np.mean([one.calls.mean() for one in verdicts]) / 64
            print(
                f"  {name:17} delta {delta:4.2f} margin {margin:4.2f}   race wrong {wrong[0] / n:.4f} "
                f"(calls {race['calls'].mean() / 640:.2f})   verdicts wrong {wrong[1] / n:.4f} (calls {spent:.2f})"
            )
    return met


def coverage(n: int, rng: np.random.Generator) -> bool:
    """U of these neighbours against U of all such neighbours: the unit that is resampled decides which is covered."""
    print(f"\nutility .3, {n} candidates a row: bias of the estimate, and coverage of 95 % intervals in %")
    print("  neighbours  rollouts each   bias (s.e.)          rollouts, these   rollouts, all   neighbours, all")
    met = True
    for neighbours, times in ((1, 64), (2, 32), (2, 64), (5, 13), (10, 7), (20, 8)):
        labels = np.repeat(np.arange(neighbours), times)
        drawn = rng.beta(0.3 * 7 / 3, 0.7 * 7 / 3, (n, neighbours))  # intraclass correlation .3
        scores = (rng.random((n, len(labels))) < drawn[:, labels]).astype(float)
        own = rng.beta(0.3 * 7 / 3, 0.7 * 7 / 3, neighbours)  # of neighbours that stay the same
        fixed = rng.random((n, neighbours * times)) < own[labels]
        here, everywhere = (utilities(_rows(table, labels, times)) for table in (fixed, scores))
        these = bootstrap.held(here["low"], here["high"], own.mean()).estimate
        of_rollouts = bootstrap.held(everywhere["low"], everywhere["high"], 0.3).estimate
        few = [bootstrap.interval(row, rng, 400, clusters=labels) for row in scores[: n // 5]]
        of_neighbours = bootstrap.held([one.low for one in few], [one.high for one in few], 0.3).estimate
        gap, error = here["utility"].mean() - own.mean(), here["utility"].std() / np.sqrt(n)
        met &= abs(gap) < 4 * error and these > 0.95 - 4 * np.sqrt(0.05 * 0.95 / n)
        shares = 100 * these, 100 * of_rollouts, 100 * of_neighbours
        print(
            f"  {neighbours:10}  {times:13}   {gap:+.4f} ({error:.4f})  {{:16.1f}} {{:15.1f}} {{:17.1f}}".format(
                *shares
            )
        )
    return met


def _rows(outcomes: np.ndarray, labels: np.ndarray, times: int) -> pd.DataFrame:
    """As the table of `utility.roll`, one candidate a row of outcomes."""
    candidates, n = outcomes.shape
    return pd.DataFrame(
        dict(
            model="m",
            question_id="q",
            category="",
            level=1,
            kind="right",
            correct=outcomes.ravel(),
            candidate=np.repeat(np.arange(candidates), n),
            neighbour=np.tile(labels + 1, candidates),
            sample=np.tile(np.arange(n) % times, candidates),
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, began = np.random.default_rng(options.seed), time.perf_counter()
    rates, correct = transfer(options.questions, rng)
    calibration(rates, correct, rng)
    saved = frontier(run_trials(schemes(rng), rates, correct, rng), rng)
    kept = stated_errors(options.trials, rng)
    covered = coverage(options.trials, rng)
    print(f"\nseed {options.seed}, {time.perf_counter() - began:.0f} s, of them {time.process_time():.0f} s at work")
    for what, met in (
        (f"a scheme loses at most {EQUAL_POINTS:g} point of Acc@1 at {EQUAL_CALLS:.0%} of the calls", saved),
        ("no error above delta beyond chance", kept),
        ("unbiased, and covers the utility on its own neighbours", covered),
    ):
        print(f"  {what}: {'met' if met else 'MISSED'}")


if __name__ == "__main__":
    main()
