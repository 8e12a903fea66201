"""Where the CPU seconds of notebooks go: the meter of benchmarks/notebooks.py."""

import asyncio
import importlib.util
import sys
import types

import pytest
from proctor.paths import ROOT

spec = importlib.util.spec_from_file_location("benchmark", ROOT / "benchmarks" / "notebooks.py")
benchmark = importlib.util.module_from_spec(spec)
spec.loader.exec_module(benchmark)


def work(seconds):
    spent[0] += seconds


spent = [0.0]


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    monkeypatch.setattr(benchmark, "cpu", lambda: spent[0])


def test_a_call_within_another_counts_for_its_own_kind_alone():
    meter = benchmark.Meter()
    with meter.during("outer"):
        work(0.04)
        with meter.during("inner"):
            work(0.12)
    assert meter.spent["inner"] == pytest.approx(0.12)
    assert meter.spent["outer"] == pytest.approx(0.04)


def test_watched_functions_count_whether_they_are_awaited_or_not(monkeypatch):
    class Here:
        @staticmethod
        def now(seconds):
            work(seconds)

        @staticmethod
        async def later(seconds):
            work(seconds)
            return "replies"

    here = types.ModuleType("here")
    here.Here = Here
    monkeypatch.setitem(sys.modules, "here", here)
    meter = benchmark.Meter()
    meter.watch("figures", "here", "Here.now")
    meter.watch("replies", "here", "Here.later")
    Here.now(0.05)
    assert asyncio.run(Here.later(0.05)) == "replies"
    assert meter.spent["figures"] == pytest.approx(0.05) == meter.spent["replies"]


def test_what_is_watched_is_there():
    for calls in benchmark.KINDS.values():
        for module, name in calls:
            place = importlib.import_module(module)
            for part in name.split("."):
                place = getattr(place, part)
            assert callable(place)
