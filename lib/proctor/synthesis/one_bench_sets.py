"""Questions, candidates and every method's scores of them: the tables that `one_bench` judges.

A table has one row a candidate and method: set, model (who judges; "" where nobody is asked), paper, method, question,
family, candidate, correct, score (higher is better; NaN unreadable), accept (1, 0; NaN without a verdict of its own),
calls and tokens (generated ones) a candidate, and reads: methods that read the same calls share its name. A call that a
question's candidates share counts in equal parts.

| set | questions and candidates | who can judge them |
|---|---|---|
| solutions | planted solutions of seven kinds (`cbu.candidates`) | all but UQ's checks, of which C alone |
| pairs | of these the right one and the wrong one | all |
| answers | what the models answered themselves | UQ's checks and pipelines, own answers, HLE's confidences |
| judge_scores | public: RewardBench 2, one right of four | five judges of 2026 with two prompts, one to six repeats |
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from proctor.cbu import utility
from proctor.cbu.candidates import LEVELS, load_candidates, written
from proctor.cbu.judges import JUDGES, ask_judges
from proctor.cbu.score_candidates import final_answer, majority_score
from proctor.data.schemas import Answer, Question
from proctor.data.tabular import DataError, problem, read_rows, summary
from proctor.exam import recorded as exam_recorded
from proctor.exam.words import same_answer
from proctor.models.session import Session
from proctor.uq import checks, frontier_judges, labelled_findings
from proctor.uq.run_validator import validate

COLUMNS = ("question", "candidate", "correct", "method", "score", "calls", "tokens")
OPTIONAL = {"set": "own", "model": "", "paper": "", "family": "", "reads": "", "accept": np.nan}
PIPELINES = ("C u3 |U", labelled_findings.SHORT_PIPELINE, labelled_findings.PIPELINE)
PAPER = {"C": "uq", "utility": "cbu", "own answer": "uq", "own samples": "uq"} | dict.fromkeys(JUDGES, "cbu")
Cost = tuple[float, float]  # calls and generated tokens a candidate


class Meter:
    """A session that counts the distinct calls that pass through it, and what they generated."""

    def __init__(self, session: Session):
        self._session, self.generated = session, dict[str, int]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def ask(self, request, *rest):
        reply = await self._session.ask(request, *rest)
        self.generated[request.key] = reply.completion_tokens
        return reply

    async def ask_many(self, requests, what: str = "calls"):
        requests = list(requests)
        replies = await self._session.ask_many(requests, what)
        self.generated |= {request.key: reply.completion_tokens for request, reply in zip(requests, replies)}
        return replies

    def a_candidate(self, n: int) -> Cost:
        """Calls and generated tokens for each of `n` candidates."""
        return len(self.generated) / n, sum(self.generated.values()) / n


async def solutions(session: Session, models: Sequence[str], per_level: int = 1) -> pd.DataFrame:
    """CBU's methods, agreement with the judge's own answers and the probability of its answer, on seven candidates a
    question."""
    questions, answers = load_candidates(per_level)
    rolled = await utility.run_rollouts(session, models, questions, answers, written(questions, utility.NEIGHBOURS))
    judged = await ask_judges(session, models, questions, answers)
    tried = await utility.attempt(session, models, questions)
    first = await exam_recorded.answers(session, models, per_level)
    parts = [free(answers), of_rollouts(rolled, answers), of_judges(judged, answers)]
    parts += [of_votes("own samples", tried, answers), of_own_answer(first[first["level"].isin(LEVELS)], answers)]
    return labelled(pd.concat(parts, ignore_index=True), "solutions", questions)


async def pairs(session: Session, models: Sequence[str], per_level: int = 1) -> pd.DataFrame:
    """Every method on the right and the wrong worked solution of each question.

    UQ's checks saw the derivation alone; the other methods saw it with the two lines in which models answer. The
    judges' C on the form with two lines is "judge yes/no" (CBU)."""
    table = await solutions(session, models, per_level)
    questions, _ = load_candidates(per_level)
    answers = checks.worked_solutions(questions)
    asked = [await of_check(session, name, model, questions, answers) for model in models for name in checks.CHECKS]
    kept = table[table["candidate"].isin([answer.id for answer in answers])]
    found = labelled(pd.concat(asked, ignore_index=True), "pairs", questions)
    return pd.concat([kept.assign(set="pairs"), found], ignore_index=True)


async def answers(
    session: Session, models: Sequence[str], per_level: int = 1, authors: Sequence[str] = tuple(exam_recorded.MODELS)
) -> pd.DataFrame:
    """UQ's checks and pipelines, agreement with the judge's samples, and what the author states, on its own answers."""
    with session.as_recorded():
        questions, found = await exam_recorded.model_answers(session, authors, per_level)
        first = await exam_recorded.answers(session, authors, per_level)
    samples = await exam_recorded.samples(session, models, per_level)
    parts = [free(found), of_author(first, found, list(authors)), of_votes("own samples", samples, found)]
    parts += [await of_check(session, name, model, questions, found) for model in models for name in ASKED]
    parts += [await of_pipeline(session, text, model, questions, found) for model in models for text in PIPELINES]
    return labelled(pd.concat(parts, ignore_index=True), "answers", questions)


ASKED = ("V", "C", "FLC", "CC", "B")


async def all_sets(session: Session, models: Sequence[str], per_level: int = 1) -> pd.DataFrame:
    """The three sets, one table."""
    return pd.concat([await of(session, models, per_level) for of in (solutions, pairs, answers)], ignore_index=True)


def labelled(table: pd.DataFrame, name: str, questions: Sequence[Question]) -> pd.DataFrame:
    """The table as that of the set `name`, with the family of each question."""
    families = {question.id: question.category for question in questions}
    return table.assign(set=name, family=table["question"].map(families))


def load(path: str | Path) -> pd.DataFrame:
    """A table of one's own, .csv, .jsonl, .json or .parquet: COLUMNS, and of OPTIONAL what there is.

    Without a family each question is one. correct and accept are 1 or 0; a blank score is an unreadable one. Raises
    DataError naming file, row, column and mend.
    """
    path = Path(path)
    rows, problems = read_rows(path)
    table = pd.DataFrame([row for _, row in rows])
    if lacking := [name for name in COLUMNS if name not in table]:
        raise DataError(f"{path}: no column {', '.join(lacking)}. Give {', '.join(COLUMNS)}.")
    table = table.assign(**{name: value for name, value in OPTIONAL.items() if name not in table})
    table["family"] = table["family"].where(table["family"].astype(bool), table["question"])
    for name in ("correct", "score", "calls", "tokens", "accept"):
        given = table[name].replace("", np.nan)
        number = pd.to_numeric(given, errors="coerce").astype(float)
        bad = number.isna() & given.notna() | ~np.isfinite(number.fillna(0))
        if name in ("correct", "calls"):
            bad |= number.isna()
        if name in ("correct", "accept"):
            bad |= number.notna() & ~number.isin([0, 1])
        problems += [
            problem(path, rows[i][0], name, f"{table[name].iloc[i]!r} can't be used", "Give a number")
            for i in np.flatnonzero(bad)[:3]
        ]
        table[name] = number
    if problems:
        raise DataError(summary(problems))
    return table.astype({"correct": int})


# one method each


def rows(
    method: str,
    model: str,
    answers: Sequence[Answer],
    score,
    cost: Cost,
    paper: str = "",
    accept=np.nan,
    reads: str = "",
) -> pd.DataFrame:
    """The rows of one method and judge, in the order of `answers`."""
    return pd.DataFrame(
        dict(
            model=model,
            paper=paper or PAPER.get(method, ""),
            method=method,
            question=[answer.question_id for answer in answers],
            candidate=[answer.id for answer in answers],
            correct=[int(bool(answer.correct)) for answer in answers],
            score=np.asarray(score, float),
            accept=np.asarray(accept, float) if np.ndim(accept) else accept,
            calls=cost[0],
            tokens=cost[1],
            reads=reads,
        )
    )


def free(answers: Sequence[Answer]) -> pd.DataFrame:
    """What asks no model: the candidate's length, and the share of the question's other candidates that agree."""
    return pd.concat(
        [
            rows("length", "", answers, [len(answer.text) for answer in answers], (0, 0), "none"),
            rows("majority of candidates", "", answers, majority_score(answers), (0, 0), "none"),
        ]
    )


def of_rollouts(rolled: pd.DataFrame, answers: Sequence[Answer]) -> pd.DataFrame:
    """Utility (CBU, section 3). rolled: of `utility.run_rollouts`; the rollouts without a candidate count nothing."""
    found, ids = [], [answer.id for answer in answers]
    worth = utility.utilities(rolled)
    shown = rolled[rolled["kind"] != utility.NONE]
    for model, part in worth.groupby("model", sort=False):
        spent = shown.loc[shown["model"] == model, "completion_tokens"]
        cost = (len(spent) / len(ids), float(spent.sum()) / len(ids))
        score = part.set_index("candidate").loc[ids]["utility"]
        found.append(rows("utility", model, answers, score, cost))
    return pd.concat(found)


def of_judges(judged: pd.DataFrame, answers: Sequence[Answer]) -> pd.DataFrame:
    """CBU's judges and generative reward (section 4.3). judged: of `judges.ask_judges`. A score is the expectation of
    the token, where there is one; the verdict of yes/no is that of its word."""
    found, ids = [], [answer.id for answer in answers]
    for (method, model), part in judged.groupby(["method", "model"], sort=False):
        by = part.assign(value=part["expectation"].fillna(part["score"])).groupby("answer_id")
        cost = (len(part) / len(ids), float(part["completion_tokens"].sum()) / len(ids))
        accept = by["score"].mean().loc[ids].fillna(0).to_numpy() if method == "judge yes/no" else np.nan
        found.append(rows(method, model, answers, by["value"].mean().loc[ids], cost, accept=accept))
    return pd.concat(found)


def of_votes(method: str, samples: pd.DataFrame, answers: Sequence[Answer]) -> pd.DataFrame:
    """Share of a judge's own samples that state the candidate's answer. samples: of `run_exam` or `utility.attempt`.

    The verdict is yes where most do."""
    found = []
    for model, part in samples.groupby("model", sort=False):
        votes = part.groupby("question_id")["answer"].agg(list).to_dict()
        score = majority_score(answers, votes).loc[[answer.id for answer in answers]]
        cost = (len(part) / len(answers), float(part["completion_tokens"].sum()) / len(answers))
        found.append(rows(method, model, answers, score, cost, accept=(score > 0.5).astype(float)))
    return pd.concat(found)


def of_own_answer(first: pd.DataFrame, answers: Sequence[Answer]) -> pd.DataFrame:
    """The judge answers the question itself: whether the candidate agrees; and how sure it is of its own answer, in
    words and by token probability p: p where the candidate agrees, 1 - p where not (HLE, section 4.1). first: of
    `run_exam`, one answer a model and question."""
    found = []
    for model, part in first.groupby("model", sort=False):
        own = part.set_index("question_id")
        agrees = np.array([_states(own["answer"], answer) for answer in answers], float)
        cost = (len(part) / len(answers), float(part["completion_tokens"].sum()) / len(answers))
        found.append(rows("own answer", model, answers, agrees, cost, accept=agrees, reads="own answer"))
        for method, column in (("stated confidence", "confidence"), ("token probability", "probability")):
            sure = own[column].reindex([answer.question_id for answer in answers]).to_numpy(float)
            score = np.where(agrees == 1, sure, 1 - sure)
            found.append(rows(method, model, answers, score, cost, "hle", (score > 0.5).astype(float), "own answer"))
    return pd.concat(found)


def of_author(first: pd.DataFrame, answers: Sequence[Answer], authors: Sequence[str]) -> pd.DataFrame:
    """What the author of an answer states, and its token probability: both came with the answer and cost nothing. And
    the author's place among `authors`, the most capable last: what it takes to know who answered."""
    said = first.set_index(["model", "question_id"])
    key = [(answer.author, answer.question_id) for answer in answers]
    found = [rows("author's place", "", answers, [authors.index(who) for who, _ in key], (0, 0), "none")]
    for method, column in (("author's stated confidence", "confidence"), ("author's token probability", "probability")):
        score = said[column].loc[key].to_numpy(float)
        found.append(rows(method, "", answers, score, (0, 0), "hle", (score > 0.5).astype(float)))
    return pd.concat(found)


async def of_check(
    session: Session, name: str, model: str, questions: Sequence[Question], answers: Sequence[Answer], **how
) -> pd.DataFrame:
    """A check of UQ by one judge: its probability of a yes, and its verdict (UQ, appendix B.2)."""
    meter = Meter(session)
    found = await checks.run_check(meter, name, model, list(questions), list(answers), **how)  # type: ignore[arg-type]
    return of_verdicts(name, model, found["p_accept"], found["outcome"], answers, meter.a_candidate(len(answers)))


async def of_pipeline(
    session: Session, text: str, model: str, questions: Sequence[Question], answers: Sequence[Answer]
) -> pd.DataFrame:
    """A validator in UQ's notation by one judge: its verdict is its score (UQ, section 4)."""
    meter = Meter(session)
    found = await validate(meter, text, [model], questions, answers)  # type: ignore[arg-type]
    yes = (found["outcome"] == "accept").astype(float)
    return of_verdicts(text, model, yes, found["outcome"], answers, meter.a_candidate(len(answers)))


def of_verdicts(
    method: str, model: str, score: pd.Series, outcome: pd.Series, answers: Sequence[Answer], cost: Cost
) -> pd.DataFrame:
    """Scores and outcomes (accept, reject, unreadable) in the order of `answers`; without a score, the verdict."""
    accept = (outcome == "accept").astype(float)
    return rows(method, model, answers, score.astype(float).fillna(accept), cost, "uq", accept.to_numpy())


def _states(own: Mapping[str, Any] | pd.Series, answer: Answer) -> bool:
    given, said = own.get(answer.question_id), final_answer(answer.text)
    return pd.notna(given) and said is not None and same_answer(given, said)


def of_repeats(
    scores: frontier_judges.Scores, family: Mapping[Any, str], repeats: Sequence[int], name: str = "judge_scores"
) -> pd.DataFrame:
    """The mean of a judge's first scores, for each number of `repeats`: methods "<judge> <check> x<repeats>".

    family: by item. The log holds no tokens."""
    found = []
    for (judge, check), table in scores.by.items():
        items, candidates = table.shape[:2]
        for times in repeats:
            part = table[:, :, :times]
            given = np.isfinite(part).sum(axis=2)
            mean = np.where(given > 0, np.nansum(part, axis=2) / np.maximum(given, 1), np.nan)
            found.append(
                pd.DataFrame(
                    dict(
                        set=name,
                        model="",
                        paper=judge.partition("-")[0],
                        method=f"{judge} {check} x{times}",
                        question=np.repeat(scores.items.astype(str), candidates),
                        family=np.repeat([family[item] for item in scores.items], candidates),
                        candidate=np.tile(np.arange(candidates), items),
                        correct=np.tile(np.arange(candidates) == frontier_judges.RIGHT, items).astype(int),
                        score=mean.ravel(),
                        accept=np.nan,
                        calls=times,
                        tokens=np.nan,
                        reads="",
                    )
                )
            )
    return pd.concat(found, ignore_index=True)
