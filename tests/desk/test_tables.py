"""The store as the tables of a community, read inside the desk and from a notebook."""

import asyncio

import pytest
from desk import acts, store, tables
from desk.models import Account
from django.core.cache import cache
from proctor.uq.community import COLUMNS, Community


def test_an_empty_store_has_all_tables_with_times_and_its_page_says_so(client, db):
    assert set(tables.TABLES) == set(COLUMNS) - {"truth", "reviewers"}
    for name, frame in tables.all_tables().items():
        assert frame.empty and tuple(frame.columns) == tables.COLUMNS[name]
        assert all(str(frame[column].dtype) == "datetime64[us, UTC]" for column in frame if column.endswith("_at"))
    cache.clear()
    assert b"Nobody has answered" in client.get("/overview/").content


def test_rows_tell_who_wrote_what_was_withdrawn_and_plain_conflicts(answer, reviewer):
    other = Account.objects.create_user("bob", role="reviewer", affiliation="Lab")
    acts.add_verdict(answer, "(C x3|U)", "accept", calls=3, dollars=0.5)
    acts.review(reviewer, answer, "yes", 5, "Mine.", conflict=True, conflict_text="mine")
    acts.withdraw(other, acts.review(other, answer, "no", 4, "Wrong."))
    acts.review(other, answer, "yes", 3, "AI.", kind="ai", system=acts.system_of("Lab", "Judge", "b"))
    acts.comment(reviewer, answer.question, "Is $x$ real?")
    acts.withdraw(reviewer, acts.comment(reviewer, answer.question, "Oops."))
    stored = tables.all_tables()
    reviews = stored["reviews"]
    assert list(reviews["reviewer"]) == ["ada", "bob", "Judge"]
    assert list(reviews["withdrawn_at"].notna()) == [False, True, False]
    assert list(reviews["conflict"]) == [True, True, True]  # bob is of the answer's organisation
    assert list(stored["comments"]["text"]) == ["Is $x$ real?"]
    assert stored["answers"].loc[0, ["answer_id", "question_id", "system", "submitted_by"]].tolist() == [
        answer.key, "math/1", "System A", "ada",
    ]  # fmt: skip
    assert stored["verdicts"]["probability"].isna().all() and stored["verdicts"]["dollars"].sum() == 0.5


@pytest.mark.django_db(transaction=True)
def test_a_notebook_with_its_event_loop_reads_the_tables(answer):
    async def cell():
        return store.read_tables()

    found = asyncio.run(cell())
    assert found["answers"]["answer_id"].tolist() == [answer.key]
    assert len(Community(**found).questions) == 1
