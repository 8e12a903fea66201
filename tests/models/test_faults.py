"""The benchmark of faults, small: kills, two processes, every fault at once with budgets."""

import importlib.util

import pytest
from proctor.paths import ROOT


@pytest.fixture(scope="module")
def faults():
    path = ROOT / "benchmarks" / "faults.py"
    spec = importlib.util.spec_from_file_location("faults", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
