"""The held-out development set: questions that are answered, by the same rules as the rest (UQ, A.1)."""

from datetime import date
from pathlib import Path

import pandas as pd

from proctor.data.tabular import DataError
from proctor.uq.dataset.review_queue import draw
from proctor.uq.dataset.rules import Filter, Rules, literal

SIZE = 30  # of UQ's
_ANSWER = "site AS its_site, question_id AS its_question, answer_id, body AS answer, created AS answered, "
_ANSWER += "owner_id AS answer_owner_id, owner_name AS answer_owner_name, licence AS answer_licence"


def development_set(
    pool: str | Path, rules: Rules, as_of: date | None = None, size: int = SIZE, seed: int = 0
) -> pd.DataFrame:
    """`size` questions drawn from those with an accepted answer that pass every rule but "no answer".

    Columns of the pool, then answer_id, answer and the answer's author. Raises DataError where the pool holds no
    answers. A smaller table where it holds fewer such questions.
    """
    if not list(Path(pool).glob("answers/site=*/answers.parquet")):
        raise DataError(f"{pool}: no answers there. Read the dump with `ingest --answers`.")
    files = literal(str(Path(pool) / "answers" / "*" / "*.parquet"))
    with Filter(pool, rules, as_of) as found:
        conditions = [f"({sql})" for name, sql in found.every_condition().items() if name != "no_answers"]
        answers = f"SELECT {_ANSWER} FROM read_parquet({files}, hive_partitioning = true)"
        eligible = found.ask(
            f"SELECT questions.*, a.* EXCLUDE (its_site, its_question) FROM questions JOIN given USING (site) "
            f"JOIN ({answers}) a ON its_site = site AND its_question = question_id AND answer_id = accepted_answer_id "
            f"WHERE {' AND '.join(conditions)}"
        ).df()
    order = [draw(seed, site, number) for site, number in zip(eligible["site"], eligible["question_id"])]
    chosen = eligible.assign(draw=order).sort_values("draw").head(size)
    return chosen.drop(columns="draw").reset_index(drop=True)
