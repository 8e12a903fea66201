"""The scripts of examples/ run as they stand, on recordings, and say what they should."""

import runpy
import sys

import pytest
from proctor import paths
from proctor.models import providers, registry
from proctor.uq import checks, notation, programs

SAID = {
    "ask": "key: 35",
    "exam": "qwen2.5-coder-1.5b    27  8.0",
    "validate": "right among all: 36%",
    "compare": "61 of 91 pairs differ",
    "own_scorer": "Proctor's comparison",
    "own_check": "78 to ask",
    "own_provider": "4  calculator/sums          q4      8    1.0  comparison",
}


def test_every_example_is_tried():
    assert {path.stem for path in (paths.ROOT / "examples").glob("*.py")} == set(SAID)


@pytest.fixture
def tidy():
    """What an example registers is gone after it."""
    tables = (programs.PROGRAMS, notation.CHECKS, checks.ONE_CALL, providers.KINDS, registry.KEYS)
    before = [dict(table) for table in tables]
    yield
    for table, old in zip(tables, before):
        table.clear()
        table.update(old)


@pytest.mark.parametrize("name", SAID)
def test_it_runs(name, tidy, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [f"{name}.py"])
    runpy.run_path(str(paths.ROOT / f"examples/{name}.py"), run_name="__main__")
    assert SAID[name] in capsys.readouterr().out
