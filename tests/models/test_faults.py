"""The benchmark of faults, small: kills, and every fault at once for two processes with budgets."""

import importlib.util
import sys

import pytest
from proctor.paths import ROOT


@pytest.fixture(scope="module")
def faults():
    spec = importlib.util.spec_from_file_location("faults", ROOT / "benchmarks" / "faults.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["faults"], before = module, list(sys.path)  # its processes import it by this name
    sys.path.append(str(ROOT / "benchmarks"))
    spec.loader.exec_module(module)
    yield module
    sys.path[:] = before
    del sys.modules["faults"]


def test_kills_lose_nothing_and_repeat_nothing(faults):
    found = faults.kills(6, 1, seed=1, timeout=0.5)
    assert found["kills"] == 1 and found["lost"] == found["repeated"] == 0


def test_every_fault_at_once_keeps_the_budget_and_every_reply(faults):
    found = faults.everything(50, seed=1, timeout=0.5)
    assert found["rounds"] > 1 and found["replies"] > 20
    assert not any(found[name] for name in ("rounds over budget", "lost", "repeated", "files not right"))
