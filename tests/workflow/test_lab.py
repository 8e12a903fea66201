"""What `make lab` starts: JupyterLab at a notebook, with kernels that see edits of the library."""

import sys

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from proctor import paths
from proctor.workflow import lab
from proctor.workflow.notebook import WorkflowError


def test_it_opens_the_notebook_that_is_named_or_the_first_one(monkeypatch):
    monkeypatch.setattr(lab.os, "geteuid", lambda: 1000)
    for name in ("uq/6_agreement", "notebooks/uq/6_agreement.ipynb"):
        command = lab.lab_command(name, ["--port", "9"])
        assert command[3:] == ["--LabApp.default_url=/lab/tree/notebooks/uq/6_agreement.ipynb", "--port", "9"]
    assert lab.lab_command("")[-1].endswith("/notebooks/00_start_here.ipynb")


def test_a_copy_of_ones_own_may_lie_anywhere_in_the_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(lab, "ROOT", tmp_path)
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch/my copy.ipynb").touch()
    assert "/lab/tree/scratch/my%20copy.ipynb" in lab.lab_command("scratch/my copy.ipynb")[3]


def test_a_name_that_is_wrong_gets_the_close_ones(capsys):
    with pytest.raises(WorkflowError, match="no notebook 'uq/6_agree'; did you mean uq/6_agreement"):
        lab.lab_command("uq/6_agree")
    assert lab.main(["uq/nonsense"]) == 1 and "there is no notebook 'uq/nonsense'" in capsys.readouterr().err


def test_root_is_allowed_and_nobody_else_asks_for_it(monkeypatch):
    for user, allowed in ((0, True), (1000, False)):
        monkeypatch.setattr(lab.os, "geteuid", lambda user=user: user)
        assert ("--allow-root" in lab.lab_command("")) is allowed


def test_an_edit_of_a_module_is_seen_by_the_next_cell_also_through_from_imports(tmp_path, monkeypatch):
    monkeypatch.setattr(lab, "JUPYTER", tmp_path / "jupyter")
    monkeypatch.setenv("JUPYTER_PATH", lab.write_kernel())
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    module = tmp_path / "drawing.py"
    module.write_text("def title():\n    return 'old'\n")
    manager = KernelManager(
        kernel_name="python3", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(tmp_path / "jupyter/kernels")])
    )
    assert manager.format_kernel_cmd()[0] == sys.executable
    manager.start_kernel(cwd=str(paths.ROOT))
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        printed = []
        for text in ("old", "another"):
            module.write_text(f"def title():\n    return {text!r}\n")
            client.execute_interactive(
                "print(title())" if printed else "from drawing import title\nprint(title())",
                output_hook=lambda message: printed.append(message["content"].get("text")),
                timeout=60,
            )
        assert [text for text in printed if text] == ["old\n", "another\n"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
