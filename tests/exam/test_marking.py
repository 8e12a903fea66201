"""exam.marking: kept replies under given keys; the marks of the files next to ours."""

import asyncio
import json

import pytest
from proctor.data.tabular import DataError
from proctor.exam import marking
from proctor.exam.marking import board_of, read_one
from proctor.models.session import Session
from proctor.stats.proportions import wilson
from scipy.stats import binomtest

KEYS = "id,answer\nq1,1/2\nq2,Paris\nq3,B\n"
REPLIES = """question_id,model,reply,correct
q1,one,Answer: \\frac{1}{2},no
q2,one,Answer: the city of light,yes
q3,one,Answer: B,yes
q3,two,nothing to say here,no
q9,two,Answer: 4,yes
"""


@pytest.fixture
def files(tmp_path):
    def write(keys=KEYS, replies=REPLIES, name="replies.csv"):
        (tmp_path / "keys.csv").write_text(keys)
        (tmp_path / name).write_text(replies)
        return tmp_path / "keys.csv", tmp_path / name

    return write


def marked(keys, replies, judge=""):
    async def marking_of():
        questions = marking.read_keys(keys)
        found = marking.matched(marking.read_replies(replies), questions, keys)
        async with Session("replay") as session:
            return await marking.mark(session, found, questions, judge)

    return asyncio.run(marking_of())


def test_a_table_with_the_questions_text_may_call_its_columns_by_other_names(files):
    keys, _ = files(keys="question_id,question,gold\nq1,What is half?,1/2\n")
    (question,) = marking.read_keys(keys)
    assert (question.id, question.question, question.answer) == ("q1", "What is half?", "1/2")


def test_comparison_decides_what_it_can_and_markings_are_counted_by_hand(files):
    found = marked(*files())
    assert found["decided_by"].tolist() == ["comparison", "nobody", "comparison", "nobody"]
    assert found["unreadable"].tolist() == [False, False, False, True]
    low, high = 100 * wilson(2, 3)[0], 100 * wilson(3, 3)[1]
    lines = marking.described(found).split("\n")
    assert lines[0] == f"one: 66.7% [{low:.1f}, {high:.1f}], 2 right, 1 undecided, of 3 questions"
    turned = f"1 turned right, 0 turned wrong, p = {binomtest(1, 1).pvalue:.2g} (McNemar's exact test)"
    assert lines[1] == f"  marked in the file too: 2; 50.0% there, 100.0% now; {turned}"
    assert lines[2].startswith(
        "two: 0.0% [0.0, 100.0], 0 right, 1 undecided (1 state no answer that can be read), of 1"
    )


def test_answers_that_the_file_has_read_and_judged_files_of_hle_are_marked_anew(files):
    rows = marked(*files(replies="question_id,answer\nq1,0.5\nq2,paris\n"))
    assert rows["right"].tolist() == [1, 1] and rows["model"].unique().tolist() == ["replies"]
    judged = {"q1": {"model": "m", "response": "Answer: 0.5", "judge_response": {"correct": "no", "confidence": 9}}}
    said = marking.described(marked(*files(replies=json.dumps(judged), name="judged.json")))
    assert "0.0% there, 100.0% now; 1 turned right" in said


@pytest.mark.parametrize(
    ("keys", "replies", "what"),
    [
        ("id,answer\nq1,\n", REPLIES, "row 2, column answer: empty"),
        ("id,answer\nq1,1\nq1,2\n", REPLIES, "'q1' is the id of row 2 too"),
        ("id,colour\nq1,1\n", REPLIES, "the columns are colour, id"),
        (KEYS, "item,model\nq1,one\n", "Give question_id, and reply, answer or score"),
        (KEYS, "item,reply,score\nq1,x,maybe\n", "row 2, column score: 'maybe' is no score"),
        (KEYS, "item,reply\nq1,x\nq1,y\n", "a second reply of replies to question q1 (sample 0)"),
        (KEYS, "item,score\nq1,1\n", "no replies in it. Give question_id and reply or answer"),
        (KEYS, "item,reply\nq8,x\n", "no key for any of the 1 replies"),
    ],
)
def test_what_is_wrong_names_the_file_the_row_and_the_fix(files, keys, replies, what):
    with pytest.raises(DataError, match=".csv.*" + what.replace("(", "\\(").replace(")", "\\)")):
        marked(*files(keys, replies))
    with pytest.raises(DataError, match="q1 has no text .and 2 more.: a judge must see the question"):
        marked(*files(), judge="openai/gpt-4o")


# results of single systems as one board


def test_files_of_several_kinds_are_one_board(tmp_path):
    judged = {
        item: dict(response="x", judge_response=dict(correct=said)) for item, said in dict(a="yes", b="no").items()
    }
    (tmp_path / "judged.json").write_text(json.dumps(judged))
    (tmp_path / "table.csv").write_text("item,correct\na,True\nb,no\nb,yes\n")
    (tmp_path / "words.csv").write_text("task_id,resolved\n1,pass\n2,Failed\n3,resolved\n")
    assert read_one(tmp_path / "judged.json").to_dict() == {"a": 1, "b": 0}
    assert read_one(tmp_path / "words.csv").tolist() == [1, 0, 1]
    text, names = board_of([tmp_path / "judged.json", tmp_path / "table.csv"])
    assert names == ["judged", "table"]
    assert text == "model,item,score\njudged,a,1\njudged,b,0\ntable,a,1\ntable,b,0.5\n"


def test_what_is_no_results_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text("item,points\na,1\n")
    (tmp_path / "y.json").write_text(json.dumps({"a": {"model": "m", "response": "1"}}))
    (tmp_path / "z.csv").write_text("item,score\na,good\n")
    (tmp_path / "gap.csv").write_text("item,score\na,1\nb,\n")
    (tmp_path / "percent.csv").write_text("item,score\na,0\nb,100\nc,inf\n")
    told = {
        "x.csv": "Give question_id, and reply, answer or score",
        "y.json": "nobody has judged",
        "z.csv": "'good' is no score",
        "percent.csv": "percent.csv: item b scores 100 .and 1 more .*divide percentages by 100",
        "gap.csv": "item b has no score .and 0 more.. Fill it in, or leave it out",
    }
    for name, wrong in told.items():
        with pytest.raises(DataError, match=wrong):
            read_one(tmp_path / name)
    (tmp_path / "both.csv").write_text("model,item,score\nm,a,1\nn,a,1\n")
    with pytest.raises(DataError, match="results of 2 models"):
        read_one(tmp_path / "both.csv")
    with pytest.raises(DataError, match="given twice"):
        board_of([tmp_path / "x.csv", tmp_path / "x.csv"])


def test_files_of_one_name_are_told_apart_by_their_model_or_else_by_their_path(tmp_path):
    files = [tmp_path / run / "hle/answers.csv" for run in ("first", "second")]
    for file, model in zip(files, ("gpt-4.1", "gpt-4o")):
        file.parent.mkdir(parents=True)
        file.write_text(f"model,item,score\n{model},a,1\n")
    text, names = board_of(files)
    assert names == ["gpt-4.1", "gpt-4o"] and "gpt-4o,a,1" in text
    for file in files:
        file.write_text("item,score\na,1\n")
    assert board_of(files)[1] == ["first/hle/answers.csv", "second/hle/answers.csv"]
