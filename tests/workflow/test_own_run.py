import pytest
from proctor.workflow import run
from proctor.workflow.notebook import WorkflowError


def test_states_of_runs_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "RUNS", tmp_path)
    run.mark(run.folder_of("a"), "hle/your_exam", run.INCOMPLETE)
    run.mark(run.folder_of("b"), "uq/your_answers", run.DONE)
    (tmp_path / "b/run.json").rename(tmp_path / "b/run.json.old")
    (tmp_path / "c").mkdir()
    (tmp_path / "c/run.json").write_text("{")
    assert [(each["name"], each["state"]) for each in run.states()] == [("a", "incomplete"), ("c", "unreadable")]


@pytest.mark.parametrize("name", ["", "..", "a/b", ".x"])
def test_a_run_stays_in_its_folder(name):
    with pytest.raises(WorkflowError, match="name of a run"):
        run.folder_of(name)


def test_a_table_is_shown_by_columns(tmp_path, capsys):
    lines = ["A caption, 10 %", "", "| model | n | more\\_than |", "|---|---:|---|"]
    lines += [f"| m\\_{n} &amp; co | {n} | x |" for n in range(30)]
    (tmp_path / "t.md").write_text("\n".join([*lines, "", "*measured*"]))
    run.show(tmp_path / "t.md", ["model", "more_than", "absent"])
    said = capsys.readouterr().out.splitlines()
    assert said[1] == "A caption, 10 %" and said[2].split() == ["model", "more_than"]
    assert said[3].strip() == "m_0 & co   x" and said[-1].startswith("  ... all rows: ") and len(said) == 24
    run.show(tmp_path / "t.md", ["model"], also=["m_27 & co"])
    assert [line.strip() for line in capsys.readouterr().out.splitlines()][-2] == "m_27 & co"
    run.show(tmp_path / "nowhere.md", ["model"])
    assert capsys.readouterr().out == ""
