import pytest
from desk import acts, tables
from desk.models import Account
from proctor.uq.community import COLUMNS, SIMULATED_ONLY


@pytest.fixture
def store(answer, reviewer):
    other = Account.objects.create_user("bob", role="reviewer", affiliation="Lab")
    acts.add_verdict(answer, "(C x3|U)", "accept", calls=3, dollars=0.5)
    acts.review(reviewer, answer, "yes", 5, "Mine.", conflict=True, conflict_text="mine")
    row = acts.review(other, answer, "no", 4, "Wrong.")
    acts.withdraw(other, row)
    acts.review(other, answer, "yes", 3, "AI.", kind="ai", system=acts.system_of("Lab", "Judge", "b"))
    acts.comment(reviewer, answer.question, "Is $x$ real?")
    acts.withdraw(reviewer, acts.comment(reviewer, answer.question, "Oops."))
    return tables.all_tables()


def test_tables_are_those_of_a_community_but_for_what_only_a_simulation_knows():
    assert set(tables.TABLES) == set(COLUMNS) - set(SIMULATED_ONLY)


def test_an_empty_store_has_all_tables_with_times(db):
    for name, frame in tables.all_tables().items():
        assert frame.empty and tuple(frame.columns) == tables.COLUMNS[name]
        assert all(str(frame[column].dtype) == "datetime64[us, UTC]" for column in frame if column.endswith("_at"))


def test_rows_tell_who_wrote_and_what_was_withdrawn(store, answer):
    reviews = store["reviews"]
    assert list(reviews["reviewer"]) == ["ada", "bob", "Judge"]
    assert list(reviews["withdrawn_at"].notna()) == [False, True, False]
    assert list(store["comments"]["text"]) == ["Is $x$ real?"]
    assert store["answers"].loc[0, ["answer_id", "question_id", "system", "submitted_by"]].tolist() == [
        answer.key, "math/1", "System A", "ada",
    ]  # fmt: skip
    assert store["verdicts"]["probability"].isna().all() and store["verdicts"]["dollars"].sum() == 0.5


def test_a_plain_conflict_counts_as_one_though_it_was_not_declared(store):
    assert list(store["reviews"]["conflict"]) == [True, True, True]
