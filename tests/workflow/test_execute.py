"""One notebook in a kernel of its own; the command around it is in test_run.py."""

import json
import os
import py_compile
import subprocess
import sys
from pathlib import Path

import nbformat
import psutil
import pytest
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from proctor import paths
from proctor.workflow.execute import NotebookFailed, execute
from proctor.workflow.notebook import Notebook


@pytest.fixture
def server(kernels):
    return kernels


def notebook(tmp_path, *cells):
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    content.cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(content, tmp_path / "x.ipynb")
    return Notebook(tmp_path / "x.ipynb")


def test_a_forked_kernel_leaves_the_bytes_of_papermills_own_command(tmp_path, server):
    name = "hle/2_published_tables"
    path = paths.ROOT / f"notebooks/{name}.ipynb"
    ours = {"PROCTOR_ROOT": str(paths.ROOT), "PROCTOR_FIGURES": str(tmp_path / "forked")}
    execute(Notebook(path), tmp_path / "forked.ipynb", {}, server, ours)
    plain = os.environ | ours | {"PROCTOR_FIGURES": str(tmp_path / "plain"), "PROCTOR_NOTEBOOK": name}
    command = [sys.executable, "-m", "papermill", "--no-progress-bar", str(path), str(tmp_path / "plain.ipynb")]
    subprocess.run(command, cwd=paths.ROOT, env=plain, check=True, capture_output=True)

    left = {file.relative_to(tmp_path / "plain"): file.read_bytes() for file in (tmp_path / "plain").rglob("*.*")}
    assert {file.suffix for file in left} >= {".svg", ".png", ".csv", ".json"}
    for file, content in left.items():
        assert (tmp_path / "forked" / file).read_bytes() == content, file
    assert len(left) == len(list((tmp_path / "forked").rglob("*.*")))
    forked, plain = (nbformat.read(tmp_path / f"{name}.ipynb", 4) for name in ("forked", "plain"))
    for copy in (forked, plain):  # a stream comes in pieces, as many as the clock has it
        CoalesceStreamsPreprocessor().preprocess(copy, {})
    assert [cell.get("outputs") for cell in forked.cells] == [cell.get("outputs") for cell in plain.cells]


def shown(copy):
    """All outputs of an executed copy."""
    return [cell.get("outputs") for cell in json.loads(copy.read_text())["cells"]]


def test_old_bytecode_of_a_module_of_the_same_size_and_second_is_not_run(tmp_path, server):
    """Nor what the module was when the kernel before ran."""
    module = tmp_path / "rate.py"
    module.write_text("rate = 0.05")
    written = module.stat().st_mtime
    py_compile.compile(str(module))
    look = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport rate\nprint(rate.rate)"
    for now in ("0.95", "0.955"):
        module.write_text(f"rate = {now}")
        os.utime(module, (written, written))
        execute(notebook(tmp_path, "n: int = 1", look), tmp_path / "out.ipynb", {}, server)
        assert shown(tmp_path / "out.ipynb")[1][0]["text"] == [f"{now}\n"]


def test_a_cell_that_takes_too_long_is_named_and_what_it_started_is_gone(tmp_path, server):
    work = "import subprocess, time\nprint(subprocess.Popen(['sleep', '300']).pid, flush=True)\ntime.sleep(300)"
    with pytest.raises(NotebookFailed) as error:
        execute(notebook(tmp_path, "n: int = 1", work), tmp_path / "out.ipynb", {"n": 2}, server, cell_timeout=2)
    assert "x.ipynb failed in cell 2: import subprocess, time\n  it took longer than 2 seconds" in str(error.value)
    pid = int(shown(tmp_path / "out.failed.ipynb")[2][0]["text"][0])
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_temporary_files_of_a_notebook_go_with_its_kernel(tmp_path, server):
    execute(
        notebook(tmp_path, "n: int = 1", "import tempfile\nprint(tempfile.mkdtemp())"),
        tmp_path / "out.ipynb",
        {},
        server,
    )
    folder = Path(shown(tmp_path / "out.ipynb")[1][0]["text"][0].strip())
    assert folder.is_relative_to(server.folder) and not folder.exists()
