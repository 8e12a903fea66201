"""The loaders of questions: every format, every error with its place, and the fetched files."""

import csv
import io
import json

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.data import fetch
from proctor.data.questions import PAPERS, load_exam, load_open, load_questions
from proctor.data.schemas import LETTERS, Question
from proctor.data.tabular import DataError
from proctor.exam.run_exam import Setup
from pydantic import ValidationError

HLE = dict(id="h1", question="Which? A. one B. two", answer="B", answer_type="multipleChoice", category="Math")
HLE |= dict(image="", image_preview=None, rationale="because", rationale_image=None, canary="canary-text")
HLE |= dict(author_name="Ann", raw_subject="Logic")
UQ = dict(question_id=17, title="Is it?", body="Some *body*.", tags=["a", "b"], category="Science", site="physics")
UQ |= dict(link="l", comments=[], score=9, views=300)
VERIFIED = dict(id="v1", Verified_Classes="Gold subset", category="Math", raw_subject="Logic", problem_is_valid=1)
VERIFIED |= dict(answer_is_valid="uncertain", question="How many?", answer=3)
VERIFIED["json"] = json.dumps(dict(answer_type="exactMatch", image="data:x", canary="canary-text"))
KINA = dict(index=4, discipline="Botany", question="Which plant?", correct_answer="B")
KINA["options"] = [dict(key="B", answer="fern", explanation="spores"), dict(key="A", answer="moss")]


def write_jsonl(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_csv(path, rows):
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=rows[0])
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    return path


def write_parquet(path, *rows):
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), path)
    return path


def fails(path, *parts):
    """Loading fails, naming the file and every one of `parts`."""
    with pytest.raises(DataError) as caught:
        load_questions(path)
    assert [part for part in (str(path), *parts) if part not in str(caught.value)] == []


# Round trips

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(str.strip)


@st.composite
def own_questions(draw):
    options = draw(st.lists(words, max_size=len(LETTERS)))
    letters = st.sampled_from(LETTERS[: len(options)]) if options else words
    return Question(
        id=draw(words),
        question=draw(words),
        answer=draw(st.none() | letters),
        options=options,
        answer_type="multipleChoice" if options else "exactMatch",
        level=draw(st.none() | st.integers(0, 9)),
        category=draw(words),
        rationale=draw(words),
        extra=draw(st.dictionaries(words, words, max_size=2)),
    )


many = st.lists(own_questions(), min_size=1, max_size=4, unique_by=lambda question: question.id)


@given(many)
def test_own_files_round_trip(tmp_path_factory, questions):
    lines, array, table, parquet = (
        tmp_path_factory.getbasetemp() / f"own.{kind}" for kind in ("jsonl", "json", "csv", "parquet")
    )
    lines.write_text("".join(question.model_dump_json() + "\n" for question in questions), encoding="utf-8", newline="")
    array.write_text(json.dumps([question.model_dump() for question in questions]))
    rows = [
        question.model_dump() | {"options": json.dumps(question.options), "extra": json.dumps(question.extra)}
        for question in questions
    ]
    for path in (lines, array, write_csv(table, rows), write_parquet(parquet, *rows)):
        assert load_questions(path) == questions


def test_a_byte_order_mark_is_no_part_of_a_column_and_options_alone_make_a_question_multiple_choice(tmp_path):
    path = tmp_path / "own.csv"
    path.write_bytes("\ufeffid,question\r\n1,Why?\r\n".encode())
    assert load_questions(path) == [Question(id="1", question="Why?")]
    row = {"id": "q", "question": "Which?", "options": ["x", "y"], "answer": "B"}
    assert load_questions(write_jsonl(tmp_path / "own.jsonl", row))[0].answer_type == "multipleChoice"


# The papers' files


@pytest.mark.parametrize("write", [write_jsonl, write_parquet])
def test_hle_keeps_canary_and_image_and_leaves_options_in_the_text(tmp_path, write):
    path = tmp_path / ("hle.jsonl" if write is write_jsonl else "hle.parquet")
    picture = {"bytes": b"\x89PNG", "path": "a.png"} if write is write_parquet else None  # for a viewer
    (question,) = load_questions(write(path, HLE | {"image": "data:image/png;base64,AA", "image_preview": picture}))
    assert (question.canary, question.image) == ("canary-text", "data:image/png;base64,AA")
    assert (question.answer, question.answer_type, question.options) == ("B", "multipleChoice", ())
    assert question.extra == {"author_name": "Ann", "raw_subject": "Logic"}


def test_uq_joins_title_and_body_hle_verified_turns_numbers_into_text_and_kina_puts_options_in_letter_order(tmp_path):
    (question,) = load_questions(write_csv(tmp_path / "uq.csv", [UQ]))
    assert (question.id, question.question, question.answer) == ("17", "Is it?\n\nSome *body*.", None)
    assert (question.category, question.cluster, question.extra["title"]) == ("Science", "physics", "Is it?")
    (question,) = load_questions(write_jsonl(tmp_path / "v.jsonl", VERIFIED))
    assert (question.answer, question.image, question.canary) == ("3", "data:x", "canary-text")
    assert question.extra["Verified_Classes"] == "Gold subset" and question.extra["json"] == VERIFIED["json"]
    (question,) = load_questions(write_jsonl(tmp_path / "kina.jsonl", KINA))
    assert (question.id, question.options, question.answer) == ("4", ("moss", "fern"), "B")
    assert (question.cluster, question.rationale) == ("Botany", "spores")


@pytest.mark.parametrize("kind, key", [("exactMatch", False), ("multipleChoice", True)])
def test_hle_verified_as_on_github_keeps_canary_picture_and_type(tmp_path, kind, key):
    """There the fields of HLE are columns of their own, and a key may be the JSON value false."""
    own = dict(answer_type=kind, canary="\u2028 c", image="data:,", rationale="since")
    row = {name: value for name, value in VERIFIED.items() if name != "json"}
    (question,) = load_questions(write_jsonl(tmp_path / "v.jsonl", row | own | dict(answer=key, image_preview="bytes")))
    assert question.answer == str(key) and "image_preview" not in question.extra
    assert {name: getattr(question, name) for name in own} == own


# Errors

ONE, CHOICE = {"id": "1", "question": "a"}, {"answer_type": "multipleChoice", "options": ["x", "y"]}
TWICE = [ONE, {"id": "2", "question": "b"}, {"id": "1", "question": "c"}]
GOLD = "row 2, column Verified_Classes: 'gold' is no subset"
THREE = "\n\n{broken\n[1]\n" + '{"id": "2", "question": NaN}\n'
REFUSED = [  # a file, what it holds, what its refusal names
    ("none.jsonl", None, "cannot be read"),
    ("a.xlsx", None, ".jsonl, .csv"),
    (
        "a.jsonl",
        THREE,
        "3 problems:",
        "row 3: bad JSON",
        "row 4: bad JSON (not a JSON object)",
        "row 5: bad JSON (expected value at line 1 column 25)",
    ),
    ("a.csv", b"id,question\n1,caf\xe9\n", "row 2", "0xe9", "Save it as UTF-8"),
    ("a.csv", "id,question\n1,a\n".encode("utf-16"), "row 1", "Save it as UTF-8"),
    *(("kina.json", text, "JSON") for text in ("{", "{}", "[1]", "[{]")),
    *(("a.csv", text, "no questions") for text in ("id,question\n", "")),
    ("a.jsonl", "\n", "no questions"),
    ("a.json", "[]", "no questions"),
    ("a.parquet", "not parquet at all", "not a readable Parquet"),
    ("a.jsonl", '{"id": "1", "question": "\\ud800"}', "row 1: bad JSON (unexpected end of hex escape"),
    ("a.csv", "id,question\n1,a\n2,b,c\n", "row 3: 3 cells under 2 columns"),
    ("a.csv", 'id,question\n1,a\n2,"b\n', "row 3: bad CSV"),
    ("a.csv", "id,question,id\n1,a,2\n", "row 1, column id: named twice"),
    ("a.jsonl", [ONE, {"id": "2"}], "row 2, column question: empty"),
    *(("a.jsonl", [ONE | {c: blank}], f"row 1, column {c}: empty") for c in ONE for blank in ("", "  ", None)),
    ("a.jsonl", TWICE, "row 3, column id: '1' is the id of row 1 too. Give each"),
    ("a.csv", TWICE, "row 4, column id: '1' is the id of row 2 too"),
    ("uq.jsonl", [UQ, UQ], "row 2, column question_id: '17' is the id of row 1"),
    ("a.jsonl", [ONE | CHOICE | {"answer": "C"}], "row 1, column answer: answer 'C' is not one of the letters AB"),
    ("a.jsonl", [{"id": "1", "question": 42}], "row 1, column question", "42", "between quotes"),
    ("a.jsonl", [ONE | {"id": True}], "row 1, column id", "between quotes"),
    ("a.jsonl", [ONE, ONE | {"id": "2", "anwser": "b"}], "row 2, column anwser: unknown column. Did you mean answer?"),
    ("a.csv", [ONE | {"options": "x, y"}], "row 2, column options: bad JSON"),
    ("a.csv", [ONE | {"options": '["x", "\\ud800"]'}], "row 2, column options: bad JSON (unexpected end of hex escape"),
    (
        "h.jsonl",
        [HLE | {"answer": 4.5}],
        "row 1, column answer: it should be a valid string, found 4.5",
        "between quotes",
    ),
    ("h.jsonl", [HLE | {"answer_type": "essay"}], "row 1, column answer_type", "'exactMatch'"),
    ("v.jsonl", [VERIFIED, VERIFIED | {"id": "v2", "Verified_Classes": "gold"}], GOLD, "Gold subset, Revision subset"),
    ("v.jsonl", [VERIFIED | {"json": "{"}], "row 1, column json: bad JSON"),
    ("kina.json", [KINA | {"correct_answer": "C"}], "row 1, column correct_answer: answer 'C'"),
]
for bad in ("AA", "AC", "BC", "12"):
    options = [{"key": key, "answer": "x"} for key in bad]
    REFUSED.append(("kina.json", [KINA | {"options": options}], "row 1, column options: the keys are"))
for bad in ("moss", ["moss"], [{"key": "A"}], [{"key": 1, "answer": "x"}]):
    REFUSED.append(("kina.json", [KINA | {"options": bad}], "row 1, column options: not a list"))


@pytest.mark.parametrize("name, held, parts", [(name, held, parts) for name, held, *parts in REFUSED])
def test_a_file_that_is_not_as_it_should_be_is_refused_with_its_place(tmp_path, name, held, parts):
    path = tmp_path / name
    if isinstance(held, bytes | str):
        path.write_bytes(held if isinstance(held, bytes) else held.encode())
    elif held and name.endswith(".json"):
        path.write_text(json.dumps(held))
    elif held:
        write_csv(path, held) if name.endswith(".csv") else write_jsonl(path, *held)
    fails(path, *parts)


@pytest.mark.parametrize("full, kind", [*zip((VERIFIED, KINA, UQ, HLE), PAPERS)])
def test_missing_column_of_each_paper_s_file(tmp_path, full, kind):
    for column in {*kind.required} - {kind.mark}:
        path = write_jsonl(tmp_path / "a.jsonl", {key: value for key, value in full.items() if key != column})
        fails(path, f"column {column}: missing")


def test_a_missing_question_names_the_columns_found_and_the_option(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("nr,prompt,gold\n1,What is 1?,1\n")
    fails(path, "the columns are nr, prompt, gold", "--column question=prompt")
    asked = load_questions(path, columns={"question": "prompt"})
    with pytest.raises(ValueError, match=r"no key.*\(gold, nr\): --column answer=COLUMN"):
        Setup(asked, ["smollm2-135m"]).checked()


# The fetched files


def needs(name):
    return pytest.mark.skipif(not (fetch.FETCHED / name).is_file(), reason=f"{name} is not fetched: run make setup")


@pytest.fixture
def small_fetch(tmp_path, monkeypatch):
    """Four exam rows, the last a duplicate, and three open ones of which two are usable."""
    monkeypatch.setattr(fetch, "FETCHED", tmp_path)
    monkeypatch.setattr("proctor.data.questions.fetched", lambda name: tmp_path / name)  # whatever their bytes
    exam = [{"question": f"Q{i}", "options": "A. a\nB. b\nB again\nC. c\nD. d", "answer": "D. d"} for i in (0, 1, 2, 0)]
    judged = {"answer": ["x", "y"], "poss_correct_predictions": ["p"]}
    judged |= {"def_correct_predictions": ["x1", "x2"], "def_incorrect_predictions": ["w1", "w2", "w3"]}
    rows = [{"question": "o1"} | judged, {"question": "o2", "answer": ["x"]}, {"question": "o3"} | judged]
    for name, content in {"MMLU/test-tiny.jsonl": exam, "NQ-open/combined.jsonl": rows}.items():
        (tmp_path / name).parent.mkdir()
        write_jsonl(tmp_path / name, *content)
    return tmp_path


def test_exam_drops_exact_duplicates_and_reads_letters(small_fetch):
    questions = load_exam(None, 0, 99)
    assert sorted(question.question for question in questions) == ["Q0", "Q1", "Q2"]
    assert {(question.answer, question.options) for question in questions} == {("D", ("a", "b\nB again", "c", "d"))}


def test_open_questions_have_a_right_and_a_wrong_answer_whose_ids_hide_which_is_which(small_fetch):
    questions, answers = load_open(None, 0)
    assert {question.question for question in questions} == {"o1", "o3"}
    assert [(answer.correct, answer.label) for answer in answers] == [
        (True, "definitely correct"),
        (False, "definitely incorrect"),
    ] * 2
    assert all(answer.text[0] == ("x" if answer.correct else "w") for answer in answers)
    assert not any("correct" in answer.id for answer in answers)
    assert len({answer.id for answer in answers}) == 4


@pytest.mark.parametrize(("load", "most"), [(lambda n: load_exam(n, 0, 99), 3), (lambda n: load_open(n, 0), 2)])
@pytest.mark.parametrize("n", [0, 4])
def test_no_more_questions_are_asked_for_than_there_are(small_fetch, load, most, n):
    with pytest.raises(DataError, match=f"n={n}, but {most} questions fit. Choose n from 1 to {most}"):
        load(n)


@needs("MMLU/test-tiny.jsonl")
def test_real_exam():
    questions = load_exam(None, 0, 99_999)
    assert len(questions) == len({question.id for question in questions}) == 569
    assert load_exam(50, 0, 99_999) == load_exam(80, 0, 99_999)[:50] == questions[:50] != load_exam(50, 1, 99_999)
    assert load_exam(None, 0, 300) == [q for q in questions if len(q.question + "".join(q.options)) <= 300]


@needs("NQ-open/combined.jsonl")
def test_real_open_questions():
    questions, answers = load_open(None, 0)
    assert (len(questions), len(answers), len({answer.id for answer in answers})) == (439, 878, 878)
    for question, right, wrong in zip(questions, answers[::2], answers[1::2]):
        assert right.question_id == wrong.question_id == question.id and (right.correct, wrong.correct) == (True, False)
        assert question.answer == question.extra["references"][0]
    assert load_open(20, 0) == (questions[:20], answers[:40])


def test_columns_of_other_names_ids_that_are_made_and_columns_that_are_kept(tmp_path):
    rows = [{"prompt": "2+2?", "gold": 4, "topic": "sums"}, {"prompt": "Why?", "gold": None, "topic": "words"}]
    path = write_jsonl(tmp_path / "mine.jsonl", *rows)
    found = load_questions(path, columns={"question": "prompt", "answer": "gold"})
    assert [(q.question, q.answer, q.extra) for q in found] == [
        ("2+2?", "4", {"topic": "sums"}),
        ("Why?", None, {"topic": "words"}),
    ]
    again = load_questions(write_jsonl(tmp_path / "b.jsonl", *rows[::-1]), columns={"question": "prompt"})
    assert {q.id for q in again} == {q.id for q in found} and len({q.id for q in found}) == 2
    fails_with = "column prmpt: no such column. There are gold, prompt, topic"
    with pytest.raises(DataError, match=fails_with):
        load_questions(path, columns={"question": "prmpt"})
    with pytest.raises(DataError, match="no field 'prompt'"):
        load_questions(path, columns={"prompt": "prompt"})
    with pytest.raises(DataError, match="row 1, column topic: bad JSON"):
        load_questions(path, columns={"question": "prompt", "answer": "gold", "options": "topic"})


def test_whole_numbers_are_ids_and_a_field_under_another_name_leaves_the_column_of_its_own_name_in_extra(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", {"nr": 7, "q": "a"}, {"nr": 7.0, "q": "b"})
    with pytest.raises(DataError, match="row 2, column nr: '7' is the id of row 1 too"):
        load_questions(path, columns={"id": "nr", "question": "q"})
    path = write_jsonl(tmp_path / "a.jsonl", {"question": "old", "prompt": "new", "answer": "  "})
    found = load_questions(path, columns={"question": "prompt"})[0]
    assert (found.question, found.extra) == ("new", {"question_column": "old"})
    assert found.answer is None  # blanks are no key
    with pytest.raises(ValidationError, match="at most 10"):
        Question(id="1", question="?", answer_type="multipleChoice", options=tuple(map(str, range(11))))
