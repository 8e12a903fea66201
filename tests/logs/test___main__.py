"""`python -m proctor.logs` is the command that the messages name."""

import runpy
import sys

import pytest


def test_an_unknown_source_ends_with_the_known_ones(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["proctor.logs", "nobody"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("proctor.logs", run_name="__main__")
    assert ended.value.code == 2 and "no source nobody; there are judge_scores, hle_runs" in capsys.readouterr().err
