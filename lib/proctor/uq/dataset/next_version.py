"""When a next version is due, and what it would replace: a release held against a later crawl (UQ, A.3 and H.5)."""

from pathlib import Path

import pandas as pd

from proctor.data.tabular import DataError, Wrong, problem, read
from proctor.uq.dataset.review_queue import KEY

SHARE = 20  # percent of the questions that experts have checked as solved
PROPOSED = {  # what a later crawl shows of a question -> what is proposed
    "accepted answer": "replace",
    "answered": "check",
    "closed": "check",
    "not in the crawl": "check",  # deleted or moved; a list of unanswered questions lacks the answered ones too
    "site not crawled": "keep",
    "open": "keep",
}
COLUMNS = (*KEY, "title", "link", "status", "proposal", "answers", "solved", "expert")


def is_due(solved: int, questions: int, share: int = SHARE) -> bool:
    """Whether a next version may follow: at least `share` percent are solved, as experts have checked.

    >>> is_due(100, 500), is_due(99, 500)
    (True, False)
    """
    return questions > 0 and 100 * solved >= share * questions


def propose(questions: pd.DataFrame, pool: str | Path) -> pd.DataFrame:
    """A row a question of a release, with its status in a later crawl and empty columns solved and expert.

    questions: with site, question_id, title and link. The proposal is no decision: an expert fills `solved`, and a
    question counts as solved only then.
    """
    import duckdb  # here, not above: whether a version is due takes no database

    from proctor.uq.dataset.rules import named_errors, scan

    pool = Path(pool)
    with duckdb.connect() as engine, named_errors(pool):
        engine.register("released", questions[[*KEY, "title", "link"]].reset_index(names="place"))
        found = engine.execute(
            f"""SELECT released.* EXCLUDE (place), coalesce(answers, 0) AS answers, CASE
                WHEN site NOT IN (SELECT site FROM {scan(pool)}) THEN 'site not crawled'
                WHEN crawled.question_id IS NULL THEN 'not in the crawl'
                WHEN accepted_answer_id IS NOT NULL THEN 'accepted answer'
                WHEN answers > 0 THEN 'answered'
                WHEN closed IS NOT NULL THEN 'closed' ELSE 'open' END AS status
            FROM released LEFT JOIN {scan(pool)} crawled USING (site, question_id) ORDER BY place"""
        ).df()
    absent = found["status"].isin(["site not crawled", "not in the crawl"])
    answers = found["answers"].astype(object).mask(absent, "")
    found = found.assign(proposal=found["status"].map(PROPOSED), answers=answers, solved="", expert="")[list(COLUMNS)]
    order = {status: place for place, status in enumerate(PROPOSED)}
    return found.sort_values("status", key=lambda column: column.map(order), kind="stable").reset_index(drop=True)


def read_proposal(path: str | Path, questions: set[tuple[str, int]]) -> pd.DataFrame:
    """The questions that an expert called solved, with site, question_id, status and expert.

    Raises DataError, with file and row: a question that is not released or stands twice, or that no expert signed.
    """

    def record(row: dict) -> tuple:
        if missing := [name for name in (*KEY, "status", "solved", "expert") if name not in row]:
            raise DataError(problem(Path(path), 1, missing[0], "not there", "Give a file that `next-version` wrote"))
        row = {name: str(value).strip() for name, value in row.items()}
        number = row["question_id"]
        key = row["site"], int(number) if number.isascii() and number.isdigit() else -1
        if key not in questions:
            raise Wrong("question_id", f"{row['site'][:40]} {number[:20]} is not in the release", "Remove the row")
        if row["solved"] not in ("", "yes", "no"):
            raise Wrong("solved", f"{row['solved'][:20]!r}", "Write yes or no, or leave it empty")
        if row["solved"] == "yes" and not row["expert"]:
            raise Wrong("expert", "solved, but checked by no one", "Name the expert who checked it")
        return (*key, row["status"], row["expert"], row["solved"])

    once = ("question_id", lambda row: f"{row[0]} {row[1]}", "question", "Remove one of them")
    found = pd.DataFrame(read(path, record, once=once), columns=[*KEY, "status", "expert", "solved"])
    return found[found.pop("solved") == "yes"].reset_index(drop=True)
