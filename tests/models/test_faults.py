"""The benchmark of faults, small: every fault at once for two processes with budgets, one of which is killed."""

import importlib
import multiprocessing

from proctor.paths import ROOT


def test_every_fault_at_once_keeps_the_budget_and_every_reply(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    faults = importlib.import_module("faults")
    monkeypatch.setattr(faults, "MANY", multiprocessing.get_context("fork"))  # of this process, which has imported all
    monkeypatch.setattr(faults.session, "LOOK", 0.02)
    found = faults.everything(30, seed=1, timeout=0.5)
    assert found["rounds"] > 1 and found["replies"] > 20
    assert not any(found[name] for name in ("rounds over budget", "lost", "repeated", "files not right"))
