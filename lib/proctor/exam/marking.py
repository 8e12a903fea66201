"""Mark replies that are kept already under given keys: by comparison first, by a judge what comparison can't decide.

keys = read_keys("keys.csv")                                   # id and key; with the question's text for a judge
replies = matched(read_replies("gpt.json", "claude.eval"), keys, "keys.csv")
marked = await mark(session, replies, keys, judge="openai/gpt-4o")      # no judge: nothing is asked
described(marked)                                              # lines per model; with the files' own marks, McNemar

Results of single systems, a file each, as one leaderboard: HLE's judged files, inspect_ai's logs, lm-eval's samples,
or a table of item and score.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proctor.data.questions import load_questions
from proctor.data.schemas import LETTERS, Question
from proctor.data.tabular import DataError, Wrong, made, needs, read_rows
from proctor.exam.formats import ITEMS, column_of, is_table, read_results
from proctor.exam.run_exam import compared, judge_undecided, matches_key
from proctor.models.messages import Reply
from proctor.models.session import Session
from proctor.stats import checks
from proctor.stats.compare import exact_p
from proctor.stats.interval import Interval
from proctor.stats.proportions import wilson, wilson_of_means

KEYS = ("answer", "key", "correct_answer", "target", "gold")
NO_TEXT = "(the file of keys has no text of this question)"


def read_keys(path: str | Path, columns: Mapping[str, str] | None = None) -> list[Question]:
    """Keys of one file, one per question: a file of questions (`load_questions`), or a table of id and key.

    A table may have `options` or `answer_type` too; its questions have no text, so no judge can weigh them. Raises
    DataError for a row without a key, two rows of one id, or columns that are none of these."""
    path = Path(path)
    rows, problems = read_rows(path)
    known = {column for _, row in rows for column in row}
    item, key = column_of(known, ITEMS), column_of(known, KEYS)
    if columns or known & {"question", "problem"} or not rows:
        named = {"id": item, "answer": key}
        columns = columns or {field: name for field, name in named.items() if name and field not in known}
        questions = load_questions(path, columns=columns)
        if lacking := next((question.id for question in questions if question.answer is None), None):
            raise DataError(f"{path}: question {lacking} has no key. Give it one, or leave it out.")
        return questions
    if not item or not key:
        raise DataError(
            f"{path}: the columns are {', '.join(sorted(known))}. Give id and answer, or name them with "
            "--column id=... and --column answer=...."
        )

    def question_of(_: int, row: dict) -> Question:
        needs(row, item, key, fix="Give every row its id and its key")
        name, right = str(row[item]).strip(), str(row[key]).strip()
        kind = str(row.get("answer_type") or "")
        kind = kind if kind == "multipleChoice" else "exactMatch"
        if kind == "multipleChoice" and right not in tuple(LETTERS):
            raise Wrong(key, f"{right!r} is no letter from A to {LETTERS[-1]}", "Give the letter of the right option")
        return Question(id=name, question=NO_TEXT, answer=right, answer_type=kind)

    once = (item, lambda question: question.id, "id", "Give each question one key")
    return made(path, rows, problems, question_of, once)


def read_replies(*files: str | Path, scores: Collection[str] = (), filters: Collection[str] = ()) -> pd.DataFrame:
    """Kept replies of any number of files: file, model, question_id, sample, reply, given (the answer that the file
    read in it; None: none), cut_off, and `before`, the mark that the file gives (1, 0; NaN: none).

    files, scores, filters: of `formats.read_results`. A file that names no model is a model of its file's name."""
    return joined(*((Path(file), read_results(file, scores, filters)) for file in files))


def joined(*tables: tuple[Path, pd.DataFrame]) -> pd.DataFrame:
    """The rows of files that are read, as `read_replies` gives them."""
    parts = [rows.assign(file=str(file), model=rows["model"].replace("", file.stem)) for file, rows in tables]
    for part in parts:
        if not part["reply"].any() and part["answer"].isna().all():
            raise DataError(f"{part['file'].iloc[0]}: no replies in it. Give question_id and reply or answer.")
    found = pd.concat(parts, ignore_index=True).rename(columns={"answer": "given", "score": "before"})
    again = found[found.duplicated(["model", "question_id", "sample"])]
    if len(again):
        row = again.iloc[0]
        raise DataError(
            f"{row['file']}: a second reply of {row['model']} to question {row['question_id']} "
            f"(sample {row['sample']}). Number samples in a column `sample`, or leave one reply out."
        )
    return found[["file", "model", "question_id", "sample", "reply", "given", "cut_off", "before"]]


def matched(replies: pd.DataFrame, keys: Sequence[Question], path: str | Path) -> pd.DataFrame:
    """The replies to questions that have a key. Raises DataError where there are none."""
    known = replies["question_id"].astype(object).isin({question.id for question in keys})
    if not known.any():
        shown = f"{replies['question_id'].iloc[0]!r} in {replies['file'].iloc[0]}, {keys[0].id!r} in {path}"
        raise DataError(f"{path}: no key for any of the {len(replies):,} replies ({shown}). Use the same ids in both.")
    return replies[known].reset_index(drop=True)


async def mark(session: Session, replies: pd.DataFrame, keys: Sequence[Question], judge: str = "") -> pd.DataFrame:
    """One row per reply: answer, correct, undecided, unreadable, confidence, right (1, 0; NaN: nobody could decide) and
    decided_by (comparison, the judge, nobody). A reply that we can't read counts with the answer that its file read.

    With a judge only what comparison cannot decide is put to it. Raises DataError where the keys have no text."""
    by_id = {question.id: question for question in keys}
    said = [_said(by_id[row.question_id], row) for row in replies.itertuples()]
    marked = pd.concat([replies, pd.DataFrame(said, index=replies.index)], axis=1).assign(source="kept")
    if judge:
        unknown = [question.id for question in keys if question.question == NO_TEXT]
        if unknown and marked["undecided"].any():
            raise DataError(
                f"question {unknown[0]} has no text (and {len(unknown) - 1} more): a judge must see the question. Give "
                "a file of questions with their keys."
            )
        seen = marked.assign(reply=marked["reply"].where(marked["reply"] != "", marked["answer"]))
        return await judge_undecided(session, judge, seen, list(keys))
    right = marked["correct"].astype(float).mask(marked["undecided"])
    return marked.assign(right=right, decided_by=np.where(marked["undecided"], "nobody", "comparison"))


def _said(question: Question, row: Any) -> dict[str, Any]:
    said = compared(question, Reply(row.reply, "length" if row.cut_off else "stop"))
    if said["answer"] is not None or not isinstance(row.given, str):
        return said
    right = matches_key(question, row.given)
    return said | dict(answer=row.given, correct=right is True, undecided=right is None, unreadable=False)


def accuracy_interval(right: ArrayLike, questions: ArrayLike, level: float = 0.95) -> Interval:
    """Accuracy in [0, 1] over questions, each the mean of its answers: unreadable judgements (NaN) count as wrong, and
    the limits go from that reading to the opposite one. Wilson's interval; with several answers a question, of their
    means (`wilson_of_means`). right: 1, 0 or NaN of each answer, questions: their ids."""
    right = np.asarray(right, float)
    codes, n = checks.cluster_index(np.asarray(questions), len(right))
    sizes = np.bincount(codes, minlength=n)
    low, high = (np.bincount(codes, weights=np.nan_to_num(right, nan=lost), minlength=n) / sizes for lost in (0.0, 1.0))
    if n == len(right):
        limits = wilson(round(low.sum()), n, level)[0], wilson(round(high.sum()), n, level)[1]
        return Interval(float(low.mean()), *limits, level, "wilson", n=n, of="questions")
    limits = wilson_of_means(low, len(right), level)[0], wilson_of_means(high, len(right), level)[1]
    return Interval(float(low.mean()), *limits, level, "wilson of means", n=n, of="questions")


def as_results(marked: pd.DataFrame) -> pd.DataFrame:
    """One row per reply, as `compare` and `leaderboard` read it: model, question_id, sample, score, then how it came.

    score counts what nobody could decide as wrong, as HLE scores the unreadable; `undecided` says which."""
    score = marked["right"].fillna(0).astype(int)
    names = ["answer", "undecided", "unreadable", "decided_by", "before", "file"]
    kept = marked.assign(score=score, undecided=marked["right"].isna())
    return kept[["model", "question_id", "sample", "score", *names]]


def described(marked: pd.DataFrame) -> str:
    """The marks as lines for a terminal: of each model accuracy over questions (`accuracy_interval`); of its replies
    that their file marked too, and that could be decided now, how many turned, and McNemar's exact test unless a
    question has several."""
    lines = []
    for model, part in marked.groupby("model", sort=False):
        found, lost = accuracy_interval(part["right"], part["question_id"]).scaled(100), part["right"].isna()
        unread = (lost & part["unreadable"]).sum()
        counts = f"{(part['right'] == 1).sum()} right, {lost.sum()} undecided"
        counts += f" ({unread} state no answer that can be read)" * bool(unread)
        of = f"{found.n} questions" + f", {len(part)} replies" * (len(part) > found.n)
        lines.append(f"{model}: {found.estimate:.1f}% [{found.low:.1f}, {found.high:.1f}], {counts}, of {of}")
        both = part.dropna(subset=["right", "before"])
        if len(both):
            now, was = both["right"] == 1, both["before"] == 1
            better, worse = int((now & ~was).sum()), int((was & ~now).sum())
            shares = f"{100 * was.mean():.1f}% there, {100 * now.mean():.1f}% now"
            test = f", p = {float(exact_p(better, worse)):.2g} (McNemar's exact test)"
            turned = f"{better} turned right, {worse} turned wrong{test * both['question_id'].is_unique}"
            lines.append(f"  marked in the file too: {len(both)}; {shares}; {turned}")
    if marked["right"].isna().any():
        lines.append(
            "undecided replies count as wrong; the upper limit counts them as right. --judge MODEL weighs them"
        )
    return "\n".join(lines)


def read_one(path: str | Path, scores: Collection[str] = (), filters: Collection[str] = ()) -> pd.Series:
    """The score of each item, by item; several samples of one are averaged. The series is called by the column `model`
    of a table, else by the file. scores, filters: of `read_results`. Raises DataError for what nobody has judged, or
    those of several models."""
    path, name = Path(path), Path(path).stem
    rows = read_results(path, scores, filters, replies=False)
    if rows["score"].isna().all():
        raise DataError(f"{path}: answers that nobody has judged. Judge them first, as `exam` and `mark` do.")
    if is_table(path):
        models = rows["model"].unique()
        if len(models) > 1:
            shown = ", ".join(models[:3])
            raise DataError(f"{path}: results of {len(models)} models ({shown} ...). Give a file of one.")
        if len(lost := rows.loc[rows["score"].isna(), "question_id"]):
            raise DataError(
                f"{path}: item {lost.iloc[0]} has no score (and {len(lost) - 1} more). Fill it in, or leave it out."
            )
        name = models[0] or name
    scored = rows.assign(score=rows["score"].fillna(0).astype(float))
    if len(odd := scored[~scored["score"].between(0, 1)]):
        raise DataError(
            f"{path}: item {odd['question_id'].iloc[0]} scores {odd['score'].iloc[0]:g} (and {len(odd) - 1} more "
            "are not from 0 to 1). Give the share of right answers; divide percentages by 100."
        )
    return scored.groupby("question_id", sort=False)["score"].mean().rename(name)


def board_of(
    files: Sequence[str | Path], scores: Collection[str] = (), filters: Collection[str] = ()
) -> tuple[str, list[str]]:
    """A long CSV (model, item, score) of some systems, and their names: those of `read_one`, or, where these are alike,
    as much of the files' paths as tells them apart."""
    places = [Path(file).resolve() for file in files]
    if len(set(places)) < len(places):
        raise DataError(f"{files[0]} is given twice. Name two different files.")
    found = [read_one(file, scores, filters) for file in files]
    names, depth = [str(each.name) for each in found], 0
    while len(set(names)) < len(names):
        depth += 1
        names = ["/".join(place.parts[-depth:]) for place in places]
    board = pd.concat(dict(zip(names, found)), names=["model", "item"]).rename("score")
    return board.to_csv(float_format="%.12g", lineterminator="\n"), names
