"""What `make lab` starts: JupyterLab at a notebook, with kernels that see edits of the library."""

import sys

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from proctor import paths
from proctor.workflow import lab


@pytest.mark.parametrize(("user", "root"), [(0, ["--allow-root"]), (1000, [])])
def test_it_opens_the_notebook_that_is_named_or_the_first_one(user, root, tmp_path, monkeypatch):
    monkeypatch.setattr(lab, "ROOT", tmp_path)
    monkeypatch.setattr(lab.os, "geteuid", lambda: user)
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch/my copy.ipynb").touch()
    for name, opened in {
        "uq/6_agreement": "notebooks/uq/6_agreement.ipynb",
        "notebooks/uq/6_agreement.ipynb": "notebooks/uq/6_agreement.ipynb",
        "": "notebooks/00_start_here.ipynb",
        "scratch/my copy.ipynb": "scratch/my%20copy.ipynb",
    }.items():
        command = lab.lab_command(name, ["--port", "9"])
        assert command[3:] == [f"--LabApp.default_url=/lab/tree/{opened}", *root, "--port", "9"]


def test_a_name_that_is_wrong_gets_the_close_ones(capsys):
    assert lab.main(["uq/6_agree"]) == 1
    assert "no notebook 'uq/6_agree'; did you mean uq/6_agreement" in capsys.readouterr().err


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
