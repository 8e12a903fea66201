"""The benchmark of faults, small: kills, two processes, every fault at once with budgets."""

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


def test_two_processes_pay_once_and_write_the_same(faults):
    found = faults.two_processes(10, seed=1)
    assert found["paid twice"] == 0 and found["files alike"] == 1 and found["calls"] > 20


def test_kills_lose_nothing_and_repeat_nothing(faults):
    found = faults.kills(8, 3, seed=1, timeout=0.5)
    assert found["kills"] == 3 and found["lost"] == found["repeated"] == 0


def test_every_fault_at_once_keeps_the_budget_and_every_reply(faults):
    found = faults.everything(60, seed=1, timeout=0.5)
    assert found["rounds"] > 1 and found["replies"] > 30
    assert not any(found[name] for name in ("rounds over budget", "lost", "repeated", "files that are not right"))
