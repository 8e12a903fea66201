"""Random validators: the verdict early is the verdict of all votes, and no calls pass the bill (the benchmark, small)."""

import importlib.util

from proctor.paths import ROOT


def test_random_validators_keep_their_verdicts_and_their_bill():
    spec = importlib.util.spec_from_file_location("random_validators", ROOT / "benchmarks" / "random_validators.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.cases(40, 1)
    assert found["answers"] == 80 and 8 < found["accepted"] < 60 and found["calls early"] > 80
    wrong = ("verdicts that differ", "calls that early exit alone asks", "above the cost's calls")
    assert not any(found[name] for name in (*wrong, "above the bill's calls", "above the bill's dollars"))
