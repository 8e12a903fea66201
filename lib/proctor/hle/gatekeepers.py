"""HLE's difficulty check with recorded models as gatekeepers: what passes, what is left to them, and wrong keys.

    funnel_of_exams({"generated": (answers, questions)}, rules)   # how many questions stump the models
    retests(answers, samples, questions, rng)                     # the same models asked again
    keys_through_check(answers, questions)                        # right and wrong keys through the same check

answers, samples: rows of `exam.run_exam`. Shares are in [0, 1].
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from proctor.data.schemas import Question
from proctor.exam import run_exam
from proctor.hle.collection import fit_difficulty, guess_passes
from proctor.hle.submission import CHOICE_RULES, difficulty_check, most_right
from proctor.stats.bootstrap import Interval, interval, no_interval, paired_difference
from proctor.stats.proportions import precision_at, wilson

SEEING = ("GPT-4o", "Gemini 1.5 Pro", "Claude 3.5 Sonnet", "o1")  # B.1: the models that see; it adds two for text
WAYS = ("greedy, then two samples", "sample 1, then 2", "sample 2, then 1")
KEYS = ("right", "misconception", "unrelated")


def choice_rules(models: Mapping[str, int], options: Sequence[int] = range(5, 11)) -> pd.DataFrame:
    """The paper's two rules for multiple choice: kind, models, options, rule, section, most_right, passes.

    models: {kind of question: how many models try it}. passes: chance that a question passes on which all guess.
    """
    return pd.DataFrame(
        [
            dict(
                kind=kind,
                models=m,
                options=k,
                rule=rule,
                section=section,
                most_right=most_right("multipleChoice", m, k, rule),
                passes=guess_passes(m, k, rule),
            )
            for kind, m in models.items()
            for k in options
            for rule, section in CHOICE_RULES.items()
        ]
    )


def rules_agree(rules: pd.DataFrame) -> list[tuple[str, int]]:
    """The (kind, options) where both rules let the same number of models be right (from `choice_rules`)."""
    most = rules.pivot(index=["kind", "options"], columns="rule", values="most_right")
    return most.index[most["all but one"] == most["below chance"]].tolist()


def funnel_of_exams(
    answers: pd.DataFrame, questions: Sequence[Question], picks: pd.DataFrame, choices: Sequence[Question]
) -> pd.DataFrame:
    """Generated questions, and multiple choice by both rules, through the check: step, n, share, low, high (Wilson)."""
    check = difficulty_check(answers, questions)
    steps = [("generated: sent in", len(check), len(check)), ("stump all models", check["stumped"].sum(), len(check))]
    steps.append(("MMLU: sent in", len(choices), len(choices)))
    for rule in CHOICE_RULES:
        steps.append((f"pass '{rule}'", difficulty_check(picks, choices, rule)["stumped"].sum(), len(choices)))
    rows = [(step, int(k), k / n, *wilson(int(k), n)) for step, k, n in steps]
    return pd.DataFrame(rows, columns=["step", "n", "share", "low", "high"])


def rule_difference(picks: pd.DataFrame, choices: Sequence[Question], level: float = 0.95) -> Interval:
    """Share of choice questions that pass "all but one" less that of "below chance": the second passes no others.

    Wilson's interval of the questions that only the first rule lets pass.
    """
    one, other = (difficulty_check(picks, choices, rule)["stumped"] for rule in CHOICE_RULES)
    if (other & ~one).any():
        raise ValueError("'below chance' lets a question pass that 'all but one' does not: compare them as two samples")
    k, n = int((one & ~other).sum()), len(one)
    return Interval(k / n, *wilson(k, n, level), level, "wilson")


def stumping_samples(answers: pd.DataFrame, questions: Sequence[Question]) -> pd.DataFrame:
    """One question of each family that stumped all models: family, level, question, key, and what each model said."""
    check = difficulty_check(answers, questions)
    hard = set(check.loc[check["stumped"], "question_id"])
    first = {question.cluster: question for question in reversed(questions) if question.id in hard}
    said = answers.set_index(["question_id", "model"])["answer"].fillna("unreadable")
    models = list(dict.fromkeys(answers["model"]))
    return pd.DataFrame(
        [
            dict(family=q.cluster, level=q.level, question=q.question, key=q.answer)
            | {model: said[q.id, model] for model in models}
            for _, q in sorted(first.items())
        ],
        columns=["family", "level", "question", "key", *models],
    )


def implied_accuracy(
    models: Mapping[str, int], accuracies: Mapping[str, float], passes: Sequence[float]
) -> pd.DataFrame:
    """Accuracy before the check that the equation of `collection` implies.

    One row for each number of models, gatekeeper and share that passes: models, gatekeeper, retest_accuracy, passes,
    before. accuracies: {gatekeeper: accuracy on the exam}.
    """
    rows = []
    for m in models.values():
        for name, accuracy in accuracies.items():
            for share in passes:
                before = fit_difficulty(share, accuracy, m).before
                rows.append(dict(models=m, gatekeeper=name, retest_accuracy=accuracy, passes=share, before=before))
    return pd.DataFrame(rows)


def implied_curves(models: Mapping[str, int], passes: float, grid: Sequence[float]) -> pd.DataFrame:
    """Implied accuracy before the check against the retest accuracy, where it exists: kind, retest_accuracy, before."""
    rows = [
        dict(kind=f"{m} models ({kind})", retest_accuracy=x, before=fit_difficulty(passes, x, m).before)
        for kind, m in models.items()
        for x in grid
        if passes < (1 - x) ** m
    ]
    return pd.DataFrame(rows)


def retests(
    answers: pd.DataFrame,
    samples: pd.DataFrame,
    questions: Sequence[Question],
    rng: np.random.Generator,
    resamples: int = 2_000,
) -> pd.DataFrame:
    """The gatekeepers asked again on questions that stumped all of them, in three ways (WAYS); by question.

    Greedy answers are the check and two samples the retest; or one sample is the check of the other. Columns way,
    model ("all" for all), stumped, answers, right, retest_accuracy, low, high.
    """
    tested = set(samples["question_id"])
    asked, one, two = [q for q in questions if q.id in tested], *(samples[samples["sample"] == i] for i in (1, 2))
    rows = []
    for way, (gate, retest) in zip(WAYS, ((answers, samples), (one, two), (two, one))):
        hard = difficulty_check(gate[gate["question_id"].isin(tested)], asked).query("stumped")["question_id"]
        for model, part in (("all", retest), *retest.groupby("model", sort=False)):
            part = part[part["question_id"].isin(hard)]
            found = interval(part["correct"].astype(float), rng, resamples, clusters=part["question_id"])
            rows.append(
                dict(
                    way=way,
                    model=model,
                    stumped=len(hard),
                    answers=len(part),
                    right=part["correct"].sum(),
                    retest_accuracy=found.estimate,
                    low=found.low,
                    high=found.high,
                )
            )
    return pd.DataFrame(rows)


def before_and_after(answers: pd.DataFrame, samples: pd.DataFrame, retested: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of each model before the check (Wilson) and at the retest, on the questions that were asked again.

    One row a model: model, before, before_low, before_high, after, after_low, after_high.
    """
    part = answers[answers["question_id"].isin(set(samples["question_id"]))]
    after = retested[retested["way"] == WAYS[0]].set_index("model")
    rows = []
    for model, these in part.groupby("model", sort=False):
        low, high = wilson(int(these["correct"].sum()), len(these))
        row = dict(model=model, before=these["correct"].mean(), before_low=low, before_high=high)
        rows.append(row | {f"after{end}": after[name][model] for end, name in _AFTER.items()})
    return pd.DataFrame(rows)


_AFTER = {"": "retest_accuracy", "_low": "low", "_high": "high"}


def predicted_retest(before: float, passes: float, models: int) -> float:
    """The retest accuracy at which the equation gives both the accuracy before the check and the share that passes.

    The nearest of 2,000 tried values.
    """
    tried = np.linspace(0.0005, 0.9995 * (1 - passes ** (1 / models)), 2_000)
    gaps = [abs(fit_difficulty(passes, x, models).before - before) for x in tried]
    return float(tried[int(np.argmin(gaps))])


def prediction_error(compared: pd.DataFrame, retested: pd.DataFrame, asked: int) -> Interval:
    """The equation's retest accuracy less the measured one, all models; the interval is the measured one's.

    compared: `before_and_after`; retested: `retests`; asked: how many questions were asked again. Where all questions
    pass or none, or no model is ever right, the equation has no answer: no interval.
    """
    row = retested[(retested["way"] == WAYS[0]) & (retested["model"] == "all")].iloc[0]
    before, passes = compared["before"].mean(), row["stumped"] / asked
    if not (0 < before < 1 and 0 < passes < 1):
        return no_interval(0.95)
    said = predicted_retest(before, passes, len(compared))
    return Interval(said - row["retest_accuracy"], said - row["high"], said - row["low"], 0.95, "percentile")


def keys_through_check(answers: pd.DataFrame, questions: Sequence[Question]) -> pd.DataFrame:
    """Right and wrong keys through the check: indexed by key, stumped, questions, passes, low, high (Wilson).

    misconception: the wrong answer that the family plans for, which models may share. unrelated: the right answer to a
    neighbouring question.
    """
    passing = passing_keys(answers, questions)
    rows = []
    for name in KEYS:
        k, n = int(passing[name].sum()), len(passing)
        rows.append((name, k, n, k / n, *wilson(k, n)))
    return pd.DataFrame(rows, columns=["key", "stumped", "questions", "passes", "low", "high"]).set_index("key")


def passing_keys(answers: pd.DataFrame, questions: Sequence[Question]) -> pd.DataFrame:
    """Whether each question would pass with each of three keys: indexed by question_id, family and a column a key."""
    keys = {
        "right": [q.answer for q in questions],
        "misconception": [q.extra["wrong_answer"] for q in questions],
        "unrelated": [q.extra["neighbours"][0]["answer"] for q in questions],
    }
    found = pd.DataFrame(dict(question_id=[q.id for q in questions], family=[q.cluster for q in questions]))
    for name, these in keys.items():
        marked = {q.id: q.model_copy(update=dict(answer=key)) for q, key in zip(questions, these)}
        right = [
            pd.notna(row.answer) and run_exam.grade(marked[row.question_id], row.answer) for row in answers.itertuples()
        ]
        check = difficulty_check(answers.assign(correct=right), list(marked.values()))
        found[name] = check.set_index("question_id")["stumped"].reindex(found["question_id"]).to_numpy()
    return found.set_index("question_id")


def wrong_key_advantage(
    passing: pd.DataFrame, key: str, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> Interval:
    """Share of questions that pass with the wrong `key` less that with the right one; families resampled whole."""
    one, other = passing[key].astype(float), passing["right"].astype(float)
    return paired_difference(one, other, rng, resamples, level, clusters=passing["family"])


def passing_share(
    passing: pd.DataFrame, key: str, rng: np.random.Generator, resamples: int = 2_000, level: float = 0.95
) -> Interval:
    """Share of questions that pass with `key` (`passing_keys`); families resampled whole."""
    return interval(passing[key].astype(float), rng, resamples, level, clusters=passing["family"])


def wrong_keys_that_pass(
    kinds: pd.DataFrame, passed: float, sent: Sequence[float] = tuple(np.linspace(0.002, 0.2, 100))
) -> pd.DataFrame:
    """Share of wrong keys past the check against that sent in (Bayes): filter, sent, past.

    Filters: "HLE" (a share `passed` of all passes, and every wrong key), and ours with either kind of wrong key.
    """
    rows = [dict(filter="HLE", sent=x, past=min(x / passed, 1.0)) for x in sent]
    right = kinds["passes"]["right"]
    for name in KEYS[1:]:
        rows += [dict(filter=name, sent=x, past=precision_at(x, kinds["passes"][name], 1 - right)) for x in sent]
    return pd.DataFrame(rows)


def implied_wrong_keys(verified: pd.Series, passed: float) -> tuple[float, float]:
    """(share of wrong keys on the exam, share of wrong keys sent in that would do), by HLE-Verified's figures.

    verified: values of "hle_verified/facts" by fact. Takes Mathematics' share of wrong answers for all subjects, and
    that review finds none.
    """
    items = verified[["gold_items", "revised_items", "uncertain_items"]].sum()
    after = (1 - verified["gold_items"] / items) * verified["answer_invalid_math"] / 100
    return float(after), float(after * passed)
