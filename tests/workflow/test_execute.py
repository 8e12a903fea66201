"""One notebook in a kernel of its own; the command around it is in test_run.py."""

import nbformat
import pytest
from proctor.workflow.execute import NotebookFailed, execute
from proctor.workflow.kernels import KernelServer
from proctor.workflow.notebook import Notebook


@pytest.fixture(scope="module")
def server():
    with KernelServer() as running:
        yield running


def notebook(tmp_path, *cells):
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    content.cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(content, tmp_path / "x.ipynb")
    return Notebook(tmp_path / "x.ipynb")


def test_the_copy_is_there_when_the_run_has_ended(tmp_path, server):
    execute(notebook(tmp_path, "n: int = 1", "print(n + 1)"), tmp_path / "out.ipynb", {"n": 41}, server)
    assert "42" in (tmp_path / "out.ipynb").read_text() and not list(tmp_path.glob("*.running.ipynb"))


def test_a_failing_cell_is_named_as_a_reader_counts(tmp_path, server):
    failing = notebook(tmp_path, "n: int = 1", "raise ValueError('no good')")
    with pytest.raises(NotebookFailed, match="cell 2") as error:
        execute(failing, tmp_path / "out.ipynb", {"n": 2}, server)
    assert "no good" in str(error.value) and (tmp_path / "out.failed.ipynb").exists()
    assert not (tmp_path / "out.ipynb").exists()
