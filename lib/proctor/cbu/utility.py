"""Consequence-Based Utility: a solution is worth what it helps one solve (CBU, section 3).

    U(C) = mean over neighbours Q* of the question Q, and over rollouts, of [the solver, shown (Q, C), solves Q*]

A rollout is one call: worked examples, then Q with C as the last of them, then Q*, whose key is known. Beside it stands
the same solver that was shown no candidate: what it solves then is the base rate, and U less that is the gain.
"""

import calendar
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from proctor.data.schemas import Answer, Question
from proctor.exam.answer_match import same
from proctor.models.messages import Reply, Request
from proctor.models.prompts import load
from proctor.models.read_answer import stated
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.models.studies import ask_table
from proctor.stats import checks

Neighbourhoods = Mapping[str, Sequence[Question]]  # by question id: its neighbours, each with a key
TEMPERATURE = 0.7
NEIGHBOURS, ROLLOUTS = 2, 1  # the recorded sizes: two neighbours as in the paper (section 4.2), which has 64 rollouts
_DAYS = {day.lower() for day in calendar.day_name}  # two of these are not the same, as other words may be
_GLUED = re.compile(r"^([\d.,]+)([A-Za-z]+\.?)$")  # a number and its unit
PROMPTS = ("cbu/solve", "cbu/rollout")  # without and with a candidate
STEPS = ("cbu/solve_steps", "cbu/rollout_steps")  # one operation a step and room for all steps
SOLVED = "solved"
OUTCOMES = (SOLVED, "wrong", "undecided", "unreadable", "cut off")  # of a rollout
NONE = "none"  # the kind of the rollouts that have seen no candidate


def rollout_request(
    model: str,
    question: Question,
    candidate: str | None,
    neighbour: Question,
    sample: int,
    settings: Settings | None = None,
    prompts: tuple[str, str] = PROMPTS,
) -> Request:
    """One rollout. What stands before the neighbour is the prefix that the candidate's other rollouts share."""
    sampling = dict(sample=sample, temperature=TEMPERATURE)
    if candidate is None:
        return load(prompts[0], settings).request(model, question=neighbour.question, **sampling)
    asked = load(prompts[1], settings).request(
        model, question=question.question, candidate=candidate, neighbour=neighbour.question, **sampling
    )
    return replace(asked, prefix=len(asked.messages) - 1)


async def run_rollouts(
    session: Session,
    models: Sequence[str],
    questions: Sequence[Question],
    answers: Sequence[Answer],
    neighbourhoods: Neighbourhoods,
    *,
    budget: int = ROLLOUTS,
    prompts: tuple[str, str] = PROMPTS,
    none: bool = True,
) -> pd.DataFrame:
    """One row a rollout, of each candidate and (unless `none` is False) of none, on the neighbours of its question.

    Columns: model, question_id, category, level, candidate (the answer's id, "" for none), kind (its label), neighbour
    and sample (from 1), answer, outcome (of OUTCOMES), correct (the outcome is "solved"), reply, prompt_tokens,
    completion_tokens. budget: rollouts of each neighbour (the paper does not say whether its 64 are those of each or of
    all together); a larger one only adds rows. Raises ValueError for two questions or two candidates of one id.
    """
    for ids in ([one.id for one in questions], [one.id for one in answers]):
        if len(set(ids)) < len(ids):
            raise ValueError(f"{max(ids, key=ids.count)!r} is there twice: give each question and candidate its own id")
    calls, samples = [], range(1, checks.at_least_one(budget, "budget") + 1)
    for model, question in product(models, questions):
        near = neighbourhoods[question.id]
        turns = list(product(range(1, len(near) + 1), samples))
        own = [answer for answer in answers if answer.question_id == question.id]
        for answer, (n, t) in product([None, *own] if none else own, turns):
            row = dict(model=model, question_id=question.id, category=question.category, level=question.level)
            row |= dict(candidate=answer.id if answer else "", kind=answer.label if answer else NONE)
            text = answer.text if answer else None
            request = rollout_request(model, question, text, near[n - 1], t, session.settings, prompts)
            calls.append((row | dict(neighbour=n, sample=t), request))

    def read(row: Mapping, _: Request, reply: Reply) -> dict:
        given = stated(reply).answer
        if given is None:
            outcome = "cut off" if reply.cut_off else "unreadable"
        else:
            key = neighbourhoods[row["question_id"]][row["neighbour"] - 1].answer
            outcome = {True: SOLVED, False: "wrong", None: "undecided"}[solved(given, key)]
        return dict(
            answer=given,
            outcome=outcome,
            correct=outcome == SOLVED,
            reply=reply.text,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
        )

    return await ask_table(session, calls, "rollouts", read)


def solved(given: str, key: str) -> bool | None:
    """Whether an answer meets a neighbour's key, by `exam.answer_match.same`, also "54m" with the key 54.

    None where only a judge could decide it. Such a rollout counts as not solved, and as undecided in `utilities`.

    >>> solved(r"\\frac{1}{2}", "1/2"), solved("54m", "54"), solved("the harmonic series", "12")
    (True, True, None)
    """
    found = same(given, key)
    if found:
        return found
    if {given.strip(" .").lower(), key.lower()} <= _DAYS:
        return False
    return True if same(_GLUED.sub(r"\1 \2", given), key) else found


def utilities(rows: pd.DataFrame) -> pd.DataFrame:
    """One row a model and candidate: utility (95 % interval low to high), rollouts, base rate, gain, and how many
    rollouts were undecided, unreadable and cut off. None of these counts as solved.

    Neighbours weigh the same, whatever their rollouts (CBU, section 3). The interval is Wilson's for these neighbours,
    at neighbours^2 / sum(1 / rollouts), which is the number of rollouts where all have as many; where neighbours differ
    in difficulty it is wide rather than narrow, since a mean of unequal chances varies less than one of equal chances.
    Undecided rollouts may be solved: `most` is the utility if all were, and `high` the upper end for that.
    """
    keys = ["model", "question_id", "category", "level", "candidate", "kind"]
    became = rows["outcome"] if "outcome" in rows else pd.Series("", rows.index)
    rows = rows.assign(most=rows["correct"] | became.eq("undecided"))
    rows = rows.assign(**{name: became.eq(name) for name in OUTCOMES[2:]})
    lost = {name: (name, "sum") for name in OUTCOMES[2:]}
    near = rows.groupby([*keys, "neighbour"], sort=False, dropna=False).agg(
        utility=("correct", "mean"), rollouts=("correct", "size"), most=("most", "mean"), **lost
    )
    means = dict(utility=("utility", "mean"), rollouts=("rollouts", "sum"), most=("most", "mean"))
    by_candidate = near.assign(inverse=1 / near["rollouts"]).groupby(keys, sort=False, dropna=False)
    table = by_candidate.agg(**means, near=("utility", "size"), inverse=("inverse", "sum"), **lost).reset_index()
    n = table.pop("near") ** 2 / table.pop("inverse")
    table["low"], _ = proportion_confint(table["utility"] * n, n, method="wilson")
    _, table["high"] = proportion_confint(table["most"] * n, n, method="wilson")
    table["weight"] = n
    base = table.loc[table["kind"] == NONE, ["model", "question_id", "utility"]].rename(columns={"utility": "base"})
    found = table[table["kind"] != NONE].merge(base, how="left", on=["model", "question_id"])
    return found.assign(gain=found["utility"] - found["base"])
