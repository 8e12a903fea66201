"""The server of one `make reproduce`; whole runs are in test_reproduce.py."""

import json
import socket

from proctor.workflow import execute as workers
from proctor.workflow.execute import NotebookFailed, Workers


def ask(address, **job):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        connection.sendall(
            json.dumps({**job, "environment": {"PROCTOR_X": "y"}, "cell_timeout": None}).encode() + b"\n"
        )
        return json.loads(connection.makefile().readline())


def test_a_job_is_run_and_answered_by_what_went_wrong(monkeypatch, tmp_path):
    def execute(notebook, output, values, kernels, environment, cancel, cell_timeout, say):
        assert environment == {"PROCTOR_X": "y"}
        say("plan: 3 calls")
        if values["fails"]:
            raise NotebookFailed("cell 3 failed")

    monkeypatch.setattr(workers, "execute", execute)
    said = []
    with Workers(said.append) as server:
        path = str(tmp_path / "x.ipynb")
        assert ask(server.address, notebook=path, output=path, values={"fails": False}) is None
        assert ask(server.address, notebook=path, output=path, values={"fails": True}) == "cell 3 failed"
        assert server.finished == {"x": "cell 3 failed"}
    assert any("FAILED" in line for line in said) and said.count("  x  plan: 3 calls") == 2


def test_a_fault_of_ours_is_told_and_the_server_goes_on(monkeypatch, tmp_path):
    def execute(*_):
        raise RuntimeError("a bug")

    monkeypatch.setattr(workers, "execute", execute)
    with Workers(lambda line: None) as server:
        path = str(tmp_path / "x.ipynb")
        for _ in range(2):
            assert "RuntimeError: a bug" in ask(server.address, notebook=path, output=path, values={})
