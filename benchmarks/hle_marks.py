"""Marks by comparison (`proctor mark`) next to those of HLE's judge, on judged files that others published.

    PYTHONPATH=lib python benchmarks/hle_marks.py FOLDER       # of judged_hle_*.json, as HLE's evaluation writes them

For instance all versions of results/*/judged/ in the history of ZenMux-1/zenmux-benchmark (MIT). The key is the one
that the judge saw; an answer that stands in several files counts once; a failed call of the judge is no verdict. The
peer decides by equal text, case and spaces aside. Judges err too: what is marked otherwise is printed for reading.
"""

import asyncio
import json
import sys
from pathlib import Path

import pandas as pd
from proctor.data.schemas import Question
from proctor.exam.marking import NO_TEXT, mark, read_replies
from proctor.stats.proportions import wilson

BAR = 0.995  # of the answers that comparison decides, marked as the judge did


def judged(file: Path) -> pd.DataFrame | None:
    """The answers of one file on which its judge said yes or no, with the key that it saw; None: none."""
    said = json.loads(file.read_text())["judged_predictions"]
    keys = {name: (row.get("judge_response") or {}).get("correct_answer") for name, row in said.items()}
    if not any(keys.values()):  # each call failed
        return None
    replies = read_replies(file)
    return replies.assign(key=replies["question_id"].map(keys)).dropna(subset=["before", "key"])


def plain(text: object) -> str:
    return "".join(str(text).split()).casefold()


def main(folder: Path) -> int:
    replies = pd.concat(map(judged, sorted(folder.glob("*judged_hle_*.json"))), ignore_index=True)
    replies = replies.drop_duplicates(["model", "question_id"], keep="last").reset_index(drop=True)
    keys = replies.groupby("question_id")["key"].last().astype(str)
    questions = [Question(id=name, question=NO_TEXT, answer=key) for name, key in keys.items()]
    marked = asyncio.run(mark(None, replies.drop(columns="key"), questions))
    print(f"{len(marked):,} answers of {marked['model'].nunique()} systems to {len(keys):,} questions with a verdict")
    equal = marked["answer"].map(plain) == marked["question_id"].map(keys).map(plain)
    for name, right in {"mark": marked["right"], "equal text": equal.astype(float)}.items():
        decided = right.notna()
        alike = right[decided] == marked.loc[decided, "before"]
        low, high = wilson(int(alike.sum()), len(alike))
        shares = f"{alike.mean():.2%} [{low:.2%}, {high:.2%}] marked as the judge did"
        print(f"{name}: decides {decided.sum():,} ({decided.mean():.0%}); {shares}, {(~alike).sum()} otherwise")
    otherwise = marked[marked["right"].notna() & (marked["right"] != marked["before"])]
    for row in otherwise.itertuples():
        print(f"  {row.model}: key {keys[row.question_id]!r}, stated {row.answer!r}, judge {row.before:.0f}")
    decided = marked["right"].notna().sum()
    return int(len(otherwise) > (1 - BAR) * decided)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
