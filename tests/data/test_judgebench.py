"""Files of answer pairs: as labelled answers, or a clear error."""

import json

import pytest
from proctor.data.answers import load_pairs
from proctor.data.tabular import DataError
from proctor.paths import ROOT

PAIR = dict(
    pair_id="p1",
    source="logic",
    question="Is it?",
    response_model="m",
    response_A="Yes.",
    response_B="No.",
    label="B>A",
)
SHARED = ROOT.parent / "shared/data/judgebench"


def written(folder, *pairs, name="pairs.jsonl"):
    path = folder / name
    path.write_text("\n".join(json.dumps(pair) for pair in pairs) + "\n", encoding="utf-8")
    return path


def test_a_pair_is_a_question_and_two_labelled_answers(tmp_path):
    (question,), answers = load_pairs(written(tmp_path, PAIR))
    assert (question.id, question.question, question.source) == ("p1", "Is it?", "logic")
    assert [(a.id, a.text, a.author, a.correct) for a in answers] == [
        ("p1-A", "Yes.", "m", False),
        ("p1-B", "No.", "m", True),
    ]


def test_every_file_of_a_folder_is_read(tmp_path):
    written(tmp_path, PAIR)
    written(tmp_path, PAIR | dict(pair_id="p2", label="A>B"), name="more.jsonl")
    questions, answers = load_pairs(tmp_path)
    assert {question.id for question in questions} == {"p1", "p2"} and sum(answer.correct for answer in answers) == 2


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(label="A=B"), "row 2, column label: 'A=B'. Use one of A>B, B>A"),
        (dict(response_B=" "), "row 2, column response_B: empty or missing"),
        (dict(pair_id="p1"), "row 2, column pair_id: p1 stands in pairs.jsonl, row 1 too. Keep one"),
    ],
)
def test_a_faulty_pair_is_named(tmp_path, change, message):
    with pytest.raises(DataError) as error:
        load_pairs(written(tmp_path, PAIR, PAIR | dict(pair_id="p2") | change))
    assert message in str(error.value)


def test_an_empty_folder_is_told(tmp_path):
    with pytest.raises(DataError, match="no .jsonl file in it"):
        load_pairs(tmp_path)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real pairs are not at hand")
def test_the_real_pairs_load_as_labelled_answers():
    questions, answers = load_pairs(SHARED)
    assert len(questions) == 620 and len(answers) == 1240 and sum(answer.correct for answer in answers) == 620
    assert len({answer.id for answer in answers}) == 1240
