import json
from pathlib import Path

import pytest
from proctor.workflow import params
from proctor.workflow.notebook import Notebook, all_notebooks


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    return make(
        tmp_path / "exam.ipynb",
        "n_items: int = 40  # how many\nrate = 0.5\n"
        "mode: Literal['replay', 'live'] = 'replay'\nnames: list[str] | None = None",
    )


def make(path: Path, source: str) -> Notebook:
    cell = {"cell_type": "code", "source": source.splitlines(keepends=True), "metadata": {"tags": ["parameters"]}}
    path.write_text(json.dumps({"cells": [cell], "metadata": {}}))
    return Notebook(path)


def profile(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    return path


@pytest.fixture(autouse=True)
def no_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(params, "DEFAULT", tmp_path / "default.yaml")


def refused(notebook: Notebook, path: Path, overrides: dict | None = None) -> str:
    with pytest.raises(params.ParameterError) as caught:
        params.resolve([notebook], path, overrides)
    return str(caught.value)


def test_later_sources_win_over_earlier(notebook: Notebook, tmp_path: Path):
    params.DEFAULT.write_text("all: {n_items: 1, rate: 0.1}\nexam: {n_items: 2, names: [a]}")
    chosen = profile(tmp_path, "all: {n_items: 3}\nexam: {rate: 0.2}")
    assert params.resolve([notebook], params.DEFAULT) == {"exam": {"n_items": 2, "rate": 0.1, "names": ["a"]}}
    assert params.resolve([notebook], chosen) == {"exam": {"n_items": 3, "rate": 0.2, "names": ["a"]}}
    assert params.resolve([notebook], chosen, {"all": {"rate": 0.3}})["exam"]["rate"] == 0.3
    other = make(tmp_path / "other.ipynb", "depth: int = 1")  # `all` reaches those that declare the name
    values = params.resolve([notebook, other], params.DEFAULT, {"all": {"depth": 2}})
    assert values["other"] == {"depth": 2} and "depth" not in values["exam"]


@pytest.mark.parametrize(
    "text, parts",
    [
        ("all:\n  n_items: 3\n rate: [1\n", ("line 3", "fix")),
        ("exam: 3", ("section `exam` must hold",)),
        ("exams: {n_items: 3}", ("no notebook `exams`", "did you mean `exam`")),
        ("exam: {n_item: 3}", ("`n_item`", "did you mean `n_items`")),
        ("all: {n_item: 3}", ("`n_item`", "did you mean `n_items`")),
        ("exam: {n_items: many}", ("notebook exam", "expected int, found 'many' (str)")),
        ("exam: {n_items: true}", ("expected int, found True (bool)",)),
        ("exam: {n_items: 2.5}", ("expected int, found 2.5 (float)",)),
        ("exam: {rate: half}", ("expected float",)),
        ("exam: {rate: 1e-3}", ("write 1.0e-3",)),
        ("exam: {mode: lve}", ("expected Literal['replay', 'live']",)),
        ("exam: {names: [1, 2]}", ("expected list[str] | None",)),
    ],
)
def test_a_fault_of_a_profile_is_named_with_its_file_and_mend(notebook: Notebook, tmp_path: Path, text, parts):
    message = refused(notebook, profile(tmp_path, text))
    assert "mine.yaml" in message and all(part in message for part in parts), message


@pytest.mark.parametrize("line", ["n_items: 3", "rate: 1", "rate: 1.0e-3", "mode: live", "names: [a]", "names: null"])
def test_fitting_value_is_taken(notebook: Notebook, tmp_path: Path, line: str):
    assert len(params.resolve([notebook], profile(tmp_path, f"exam: {{{line}}}"))["exam"]) == 1


def test_all_faults_of_a_file_are_told_at_once(notebook: Notebook, tmp_path: Path, monkeypatch):
    message = refused(notebook, profile(tmp_path, "exam: {n_item: 3, rate: high}\nquiz: {}"))
    assert len(message.splitlines()) == 3
    message = refused(notebook, profile(tmp_path, ""), {"exam": {"ratio": 0.3}})
    assert message.startswith("-p") and "`ratio`" in message and "`rate`" in message
    monkeypatch.setattr(params, "PARAMS", tmp_path)
    message = refused(notebook, tmp_path / "quik.yaml")
    assert "quik.yaml: no such parameter file" in message and "mine.yaml" in message


def test_a_parameter_may_be_called_like_anything_and_has_its_line_s_type(tmp_path: Path):
    cell = "types: list[str] = ['a']\nfinal = None\nre: int\nseed = 7\nmode: Literal['a', 'b'] = 'a'"
    found = params.declared(make(tmp_path / "x.ipynb", cell))
    assert list(found) == ["types", "final", "re", "seed", "mode"]
    assert [found[name].type for name in ("types", "re", "seed")] == [list[str], int, int]


def test_a_parameters_cell_is_read_and_not_run(tmp_path: Path):
    cell = f"open({str(tmp_path / 'left')!r}, 'w')\nn: int = 2\nfolder = Path('x')"
    assert list(params.declared(make(tmp_path / "x.ipynb", cell))) == ["n", "folder"]
    assert not (tmp_path / "left").exists()


@pytest.mark.parametrize(
    "line, why", [("n: int = ", "invalid syntax"), ("n: lst[int] = []", "name 'lst' is not defin")]
)
def test_a_line_that_declares_no_parameter_is_refused_by_its_cell(tmp_path: Path, line, why):
    with pytest.raises(params.ParameterError, match=rf"x.ipynb, cell 1 \(tagged parameters\).*{why}.*; keep to lines"):
        params.declared(make(tmp_path / "x.ipynb", line))


@pytest.mark.parametrize(
    "text, value",
    [("689 / 2500", 0.2756), ("[2 * -3, 'a']", [-6, "a"]), ("{'a': (1, 2 - 1)}", {"a": (1, 1)}), ("round(1.5)", None),
     ("os.sep", None), ("1 / 0", None)],
)  # fmt: skip
def test_a_default_is_known_where_it_is_computed_from_literals(tmp_path: Path, text, value):
    assert params.declared(make(tmp_path / "x.ipynb", f"n: Any = {text}"))["n"].default == value


def test_overrides_are_read_as_yaml():
    pairs = [("a", "4"), ("b", "0.5"), ("c", "[x, y]"), ("d", "plain text"), ("e", "true")]
    assert params.read_overrides(pairs) == {"a": 4, "b": 0.5, "c": ["x", "y"], "d": "plain text", "e": True}
    with pytest.raises(params.ParameterError, match="-p a"):
        params.read_overrides([("a", "[1")])


@pytest.mark.parametrize("text", ["my table #2.csv", "&a b.csv", "two\nlines", ""])
def test_plain_text_is_taken_as_it_stands(text):
    assert params.read_overrides([("a", text), ("b", '"x #2"')]) == {"a": text, "b": "x #2"}


@pytest.mark.parametrize("profile, overrides, expected", [("default", {}, "figures"), ("quick", {}, "build/figures"),
                                                          ("default", {"n": 3}, "build/figures")])  # fmt: skip
def test_only_the_default_parameters_write_the_committed_figures(profile, overrides, expected, monkeypatch):
    monkeypatch.delenv("PROCTOR_FIGURES", raising=False)
    monkeypatch.setattr(params, "DEFAULT", params.PARAMS / "default.yaml")
    assert params.figures_folder(params.PARAMS / f"{profile}.yaml", overrides) == params.PARAMS.parent / expected


@pytest.mark.parametrize("name", ["default", "quick", "embedded", "live"])
def test_shipped_profiles_fit_the_notebooks(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(params, "DEFAULT", params.PARAMS / "default.yaml")
    notebooks = all_notebooks()
    assert params.resolve(notebooks, params.PARAMS / f"{name}.yaml").keys() == {notebook.name for notebook in notebooks}
