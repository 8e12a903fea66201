import pytest
from proctor.data.tabular import DataError
from proctor.uq import own_answers


def table_of(tmp_path, text):
    (tmp_path / "verdicts.csv").write_text(text)
    return tmp_path / "verdicts.csv"


def test_verdicts_of_own_judges_are_read(tmp_path):
    rows = ["judge,check,question,answer_id,correct,outcome"]
    rows += [f"{judge},C,q{n // 2},a{n},{n % 2},{('no', 'yes')[n % 2 if judge == 'good' else 1]}"
             for judge in ("good", "blind") for n in range(20)]  # fmt: skip
    found = own_answers.read_verdicts(table_of(tmp_path, "\n".join(rows)), {"question_id": "question"})
    assert len(found) == 40 and set(found["outcome"]) == {"accept", "reject"} and found["correct"].sum() == 20


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("answer_id,outcome\na,accept\n", "column question_id: no such column. There are answer_id, outcome"),
        ("answer_id,question_id,outcome\na,q,perhaps\n", "row 2, column outcome: 'perhaps'. Write accept, reject or"),
        ("answer_id,question_id,outcome,correct\na,q,yes,maybe\n", "row 2, column correct: 'maybe'"),
        ("answer_id,question_id,outcome\na,q,yes\na,q,no\n", "row 3, column answer_id.*of row 2 too"),
        ("judge,answer_id,question_id,outcome,correct\nj,a,q,yes,1\nk,a,q,no,0\n", "answer a is right in one row"),
        ("answer_id,question_id,outcome\n,q,yes\n", "row 2, column answer_id: empty"),
    ],
)
def test_a_table_of_verdicts_that_cannot_be_read_says_where_and_what_to_do(tmp_path, text, words):
    with pytest.raises(DataError, match=words):
        own_answers.read_verdicts(table_of(tmp_path, text))
