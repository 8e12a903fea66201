"""What a submitted question must hold, and the difficulty check that it must pass (HLE, sections 3.1, 3.2, B.1, B.2.1).

    read_submissions("mine.jsonl")                   # or an error naming row, field and mend
    difficulty_check(answers, questions)             # which questions stump the models that tried them

The paper states the rule for multiple choice twice, and not alike: `CHOICE_RULES`. Both are a largest number of models
that may be right (`most_right`); an exact-match question must stump every model.

The collection of an exam that models must fail: what passes its check, and what a retest then shows.

Questions go through a difficulty check of several models and a review (HLE, Figure 4, section 3.2). `Solving` is the
check in one equation: each question has a chance p of being solved by any of the models, p is Beta(a, b) over the
questions, attempts are independent given p, and the key is exact. Of M models none solves a question with chance
(1 - p)^M, so that p is Beta(a, b + M) among those that pass:

    share that passes = B(a, b + M) / B(a, b)
    accuracy before = a / (a + b), of those that pass at a retest = a / (a + b + M)

`notebooks/hle/1_review` draws the whole collection with guessing, wrong keys and reviewers.
"""

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import betaln
from scipy.stats import binom

from proctor.data.schemas import LETTERS, Question
from proctor.data.tabular import DataError, problem, read_rows, summary
from proctor.exam.answer_match import plain_text
from proctor.stats import checks

REQUIRED = ("id", "question", "answer", "rationale", "subject", "author", "affiliation")  # section 3.1; the id is ours
FIELDS = (*REQUIRED, "answer_type", "options", "image")
OPTIONS = 5  # section 3.1: at least, in a multiple-choice question
DECIMALS = 3  # B.2.1: at most 2 to 3 in a numerical answer
LONGEST = 100  # ours: characters of an exact answer; the paper says short
_NUMBER = re.compile(r"[-+]?\d*\.(\d+)")
_OPEN = re.compile(
    r"\s*(?:please\s+)?(?:prove\b|give (?:a|the) proof|explain (?:why|how)|provide a theory|discuss\b|"
    r"what do you think|in your opinion)",
    re.IGNORECASE,
)
CHOICE_RULES = {"all but one": "appendix B.1", "below chance": "section 3.2"}  # name -> where it stands


def read_submissions(path: str | Path) -> list[Question]:
    """Submissions of a .jsonl, .csv, .json or .parquet file with FIELDS as columns (`options`: JSON in a .csv), as
    questions; their category is the subject, and `extra` holds author and affiliation.

    Raises DataError with the first few faults, each with its row, field and mend; ids and questions must be unique.
    """
    path = Path(path)
    rows, problems = read_rows(path)
    found, seen = [], {}
    for number, row in rows:
        row = {field: value for field, value in row.items() if value not in (None, "")}
        wrong = list(faults(row))
        for field, same in (("id", row.get("id")), ("question", plain_text(str(row.get("question", ""))))):
            if same and isinstance(same, str) and (first := seen.setdefault((field, same), number)) != number:
                wrong.append((field, f"stands in row {first} too", "Submit each question once, with its own id"))
        problems += [problem(path, number, *fault) for fault in wrong]
        if not wrong:
            fields = {field: row[field] for field in ("id", "question", "answer", "rationale", "image") if field in row}
            fields |= dict(options=tuple(_options(row) or ()), answer_type=_type(row), category=row["subject"])
            found.append(Question(**fields, extra={field: row[field] for field in ("author", "affiliation")}))
    if problems:
        raise DataError(summary(problems))
    if not found:
        raise DataError(f"{path}: no submissions in it. Give it at least one row.")
    return found


def faults(row: Mapping) -> Iterator[tuple[str, str, str]]:
    """All that is wrong with a submission: the field, what, and how to fix it; nothing if it may go to the check."""
    for field in row:
        if field not in FIELDS:
            near = difflib.get_close_matches(field, FIELDS, n=1)
            fix = f"Did you mean {near[0]}?" if near else f"Remove it; known are {', '.join(FIELDS)}"
            yield field, "unknown field", fix
    missing = [field for field in REQUIRED if not isinstance(row.get(field), str) or not row[field].strip()]
    for field in missing:
        yield field, "missing", f"Give every submission its {field}, as text"
    odd = [field for field in ("answer_type", "image") if not isinstance(row.get(field, ""), str)]
    for field in odd:
        yield field, "not a text", "Write it as text, or leave it out"
    if {"question", "answer", "answer_type"} & {*missing, *odd}:
        return
    if _OPEN.match(row["question"]):
        yield "question", "open-ended", "Ask for one answer that can be checked (B.2.1 scores it 0)"
    yield from _choice_faults(row) if _type(row) == "multipleChoice" else _exact_faults(row)


def _type(row: Mapping) -> str:
    return row.get("answer_type") or ("multipleChoice" if row.get("options") else "exactMatch")


def _options(row: Mapping) -> list | None:
    """The options; None if they are no list."""
    options = row.get("options", [])
    if isinstance(options, str):
        try:
            options = json.loads(options)
        except (ValueError, RecursionError):
            return None
    return list(options) if isinstance(options, (list, tuple)) else None


def _choice_faults(row: Mapping) -> Iterator[tuple[str, str, str]]:
    options = _options(row)
    if options is None or not all(isinstance(option, str) and option.strip() for option in options):
        yield "options", "not a list of texts", 'Write them as ["...", "..."]'
    elif not OPTIONS <= len(options) <= len(LETTERS):
        yield "options", f"{len(options)} options", f"Give {OPTIONS} to {len(LETTERS)} (section 3.1)"
    else:
        if len({plain_text(option) for option in options}) < len(options):
            yield "options", "two options are alike", "Replace one"
        if row["answer"] not in (letters := LETTERS[: len(options)]):
            yield "answer", f"{row['answer']!r} is no option", f"Write the letter, one of {letters}"


def _exact_faults(row: Mapping) -> Iterator[tuple[str, str, str]]:
    answer = row["answer"].strip()
    if _type(row) != "exactMatch":
        yield "answer_type", f"{_type(row)!r}", "Write exactMatch or multipleChoice"
        return
    if row.get("options"):
        yield "options", "given for an exact answer", "Remove them, or write answer_type multipleChoice"
    if len(answer) > LONGEST or "\n" in answer:
        what = f"{len(answer)} characters in {answer.count(chr(10)) + 1} lines"
        yield "answer", what, f"Ask for one line of at most {LONGEST} characters, which can be compared"
    if (number := _NUMBER.fullmatch(answer)) and len(number[1]) > DECIMALS:
        yield "answer", f"{len(number[1])} decimals", f"Round to at most {DECIMALS}, and say so"


# The difficulty check


def most_right(answer_type: str, models: int, options: int = 0, rule: str = "all but one") -> int:
    """How many of the models that try a question may solve it, for it to pass; below 0 never happens.

    Exact match: none. Multiple choice by "all but one": one. By "below chance": as many as keep the share of right
    models under 1 / options, strictly. Both rules let everything pass that no model solves.
    """
    if models < 1:
        raise ValueError(f"{models} models: a question passes only if at least one has tried it")
    if rule not in CHOICE_RULES:
        raise ValueError(f"rule {rule!r}: choose one of {', '.join(CHOICE_RULES)}")
    if answer_type != "multipleChoice":
        return 0
    if rule == "all but one":
        return 1
    if options < 2:
        raise ValueError(f"rule 'below chance' needs the number of options, got {options}: chance is one in so many")
    return -(-models // options) - 1


def difficulty_check(answers: pd.DataFrame, questions: Sequence[Question], rule: str = "all but one") -> pd.DataFrame:
    """Which questions stump the models that try them.

    answers: one row a model and question, columns model, question_id, correct (as from `exam.run_exam`).
    Returns a row a question: question_id, answer_type, options, models, right, most_right, stumped.
    Raises ValueError for a missing, repeated or unreadable row: a question that one model has not tried has not passed.
    """
    by_id = {question.id: question for question in questions}
    doubled = answers.duplicated(["model", "question_id"])
    if doubled.any():
        row = answers[doubled].iloc[0]
        raise ValueError(
            f"{row['model']} answers {row['question_id']} more than once: the check is one attempt a "
            "model; keep the rows of one sample"
        )
    if not answers["correct"].isin([True, False]).all():
        bad = answers[~answers["correct"].isin([True, False])].iloc[0]
        raise ValueError(
            f"correct is {bad['correct']!r} for {bad['model']} on {bad['question_id']}: write True or False"
        )
    unknown = sorted(set(answers["question_id"]) - set(by_id))
    if unknown:
        raise ValueError(
            f"answers to {unknown[0]} ({len(unknown)} such questions), which is not among the questions: "
            "give the questions that the models answered"
        )
    right = answers.pivot(index="question_id", columns="model", values="correct").reindex(list(by_id))
    rows = []
    for name, question in by_id.items():
        if lacking := list(right.columns[right.loc[name].isna()]) if len(answers) else ["any model"]:
            raise ValueError(f"question {name}: no answer of {lacking[0]}; ask it, or leave the question out")
        options, models = len(question.options), right.shape[1]
        row = dict(question_id=name, answer_type=question.answer_type, options=options, models=models)
        row |= dict(
            right=int(right.loc[name].sum()), most_right=most_right(question.answer_type, models, options, rule)
        )
        rows.append(row | dict(stumped=row["right"] <= row["most_right"]))
    return pd.DataFrame(rows)


SEEING = ("GPT-4o", "Gemini 1.5 Pro", "Claude 3.5 Sonnet", "o1")  # B.1: the models that see; it adds two for text


def guess_passes(models: int, options: int, rule: str) -> float:
    """Chance that a choice question passes if every model only guesses, evenly (HLE, B.1: lucky guesses)."""
    return float(binom.cdf(most_right("multipleChoice", models, options, rule), models, 1 / options))


@dataclass(frozen=True)
class Solving:
    """Chances of being solved, Beta(a, b) over questions; a, b > 0."""

    a: float
    b: float

    @property
    def before(self) -> float:
        """Accuracy of each model before the check."""
        return self.a / (self.a + self.b)

    def passes(self, models: int) -> float:
        """Share of questions that stump all of `models`."""
        return float(np.exp(betaln(self.a, self.b + models) - betaln(self.a, self.b)))

    def retest_accuracy(self, models: int) -> float:
        """Accuracy of any of the models on the questions that stumped all of them, when they are asked again."""
        return self.a / (self.a + self.b + models)


def fit_difficulty(passes: float, retest_accuracy: float, models: int) -> Solving:
    """The chances under which a share `passes` stumps all models, which solve `retest_accuracy` of it when asked again.

    At a given retest accuracy r the share that passes rises with a, from 0 (questions solved always or never) to
    (1 - r)^models (all questions alike). Raises ValueError for a larger one: no chances let so many pass and be
    solved so often.
    """
    checks.share(passes, "passes"), checks.share(retest_accuracy, "retest_accuracy")
    checks.at_least_one(models, "models")
    if passes >= (1 - retest_accuracy) ** models:
        raise ValueError(
            f"passes is {passes:.4g}: with {models} models and {retest_accuracy:.3g} at the retest it must "
            f"be below {(1 - retest_accuracy) ** models:.4g}, what questions that are all alike give"
        )
    least = models * retest_accuracy / (1 - retest_accuracy)  # of a, where b is 0

    def at(log_more: float) -> Solving:
        more = float(np.exp(log_more))
        return Solving(least + more, more * (1 - retest_accuracy) / retest_accuracy)

    return at(brentq(lambda x: np.log(at(x).passes(models) / passes), -40, 20, xtol=1e-12))
