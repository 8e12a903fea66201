"""Assignments have no solutions and nbgrader's metadata; what students return is marked row by row, and nothing told."""

import json
from contextlib import nullcontext

import nbformat
import pytest
from proctor.workflow import grade

ANSWERS = ["answer = 2 * 16.5", "answer = majority", "answer = None", "answer = 27.2"]  # to UQ's four exercises


@pytest.fixture(scope="module")
def handed_out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("assignments")
    return {path.parent.name: json.loads(path.read_text()) for path in grade.hand_out(folder)}


def texts(content):
    return ["".join(cell["source"]) for cell in content["cells"]]


@pytest.mark.parametrize(("paper", "count"), [("uq", 4), ("hle", 4), ("hle_verified", 4), ("kina", 3), ("cbu", 3)])
def test_an_assignment_has_answers_to_fill_in_and_points_and_no_solution(paper, count, handed_out):
    content = handed_out[paper]
    nbformat.validate(nbformat.from_dict(content))
    assert not [text for text in texts(content) if "show_solutions" in text or "check.solution" in text]
    assert not [text for text in texts(content) if "](" in text and "http" not in text]
    marked = [cell["metadata"]["nbgrader"] for cell in content["cells"] if "nbgrader" in cell["metadata"]]
    assert {each["schema_version"] for each in marked} == {3}
    names = ("grade_id", "solution", "grade", "locked", "points")
    for n, pair in enumerate(zip(marked[::2], marked[1::2], strict=True), 1):
        answer, test = ([each.get(name) for name in names] for each in pair)
        assert answer == [f"{paper}-{n}", True, False, False, None]
        assert test == [f"{paper}-{n}-test", False, True, True, 1]
    assert len(marked) == 2 * count


def one_cell(source):
    """A notebook that answers the second exercise alone."""
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "execution_count": None}
    return {"cells": [cell | {"source": f'{source}\ncheck("uq/2", answer)'}], "metadata": {}}


@pytest.fixture(scope="module")
def returned(tmp_path_factory, handed_out):
    """One student in a folder of the name, one who sent something else, and as a file one who asks for a key."""
    folder = tmp_path_factory.mktemp("returned")
    content = json.loads(json.dumps(handed_out["uq"]))
    for cell in content["cells"]:
        if name := grade.exercise_in(cell):
            cell["source"] = f'{ANSWERS[int(name[-1]) - 1]}\ncheck("{name}", answer)'
    (folder / "ada").mkdir()
    (folder / "ada/uq.ipynb").write_text(json.dumps(content))
    (folder / "cy.ipynb").write_text('{"cells": [], "metadata": {}}')
    (folder / "eve.ipynb").write_text(json.dumps(one_cell('import os\nanswer = os.environ["OPENAI_API_KEY"]')))
    return folder


@pytest.fixture
def server(kernels, monkeypatch):
    monkeypatch.setattr(grade, "KernelServer", lambda: nullcontext(kernels))


def test_each_student_and_exercise_has_a_row_and_no_row_tells_the_answer(returned, server, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert grade.main([str(returned)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "student,exercise,result,note",
        "ada,uq/1,right,",
        "ada,uq/2,error,NameError: name 'majority' is not defined",
        "ada,uq/3,empty,",
        "ada,uq/4,wrong,",
        "cy,cy.ipynb,error,no exercise notebook: it has no answer cell of one paper's exercises",
        "eve,uq/1,error,its answer cell is gone",
        "eve,uq/2,error,KeyError: 'OPENAI_API_KEY'",
        "eve,uq/3,error,its answer cell is gone",
        "eve,uq/4,error,its answer cell is gone",
    ]


def test_a_cell_without_end_is_stopped_and_a_deleted_answer_said(tmp_path, server):
    (tmp_path / "dee.ipynb").write_text(json.dumps(one_cell("while True: pass")))
    gone, endless, *_ = grade.marks(tmp_path, limit=1)
    assert gone == ("dee", "uq/1", "error", "its answer cell is gone")
    assert endless == ("dee", "uq/2", "error", "a cell took longer than 1 seconds")


@pytest.mark.parametrize("path", sorted(grade.NOTEBOOKS.glob("*/exercises.ipynb")), ids=lambda path: path.parent.name)
def test_the_grader_knows_each_value_and_no_other_is_right(path, capsys):
    tasks = grade._tasks(json.loads(path.read_text())["cells"])
    for name, exercise in grade._exercises(tasks).items():
        right = exercise.expected
        assert name in tasks and exercise.mark(grade.plain(right)) == "right"
        for answer in (True, [right], f"{right}x" if isinstance(right, str) else str(right)):
            assert exercise.mark(grade.plain(answer)) != "right"


def test_a_folder_without_notebooks_is_refused(tmp_path, capsys):
    assert grade.main([str(tmp_path)]) == 2
    assert "no notebooks" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):  # what was handed out is nobody's answer
        grade.main([])
    assert "which folder" in capsys.readouterr().err
