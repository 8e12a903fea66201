"""Claims under another seed and the committed ones. The runs are pretended, no kernel is started."""

import csv

import pytest

from . import helpers
from .helpers import claims_csv


def claim(id: str, estimate: float, interval=(1.0, 9.0), notebook: str = "uq/draws"):
    return helpers.claim(f"uq/{id}", estimate, interval, notebook=notebook, evidence="simulated")


@pytest.fixture(scope="module")
def story(shared_project):
    """{step: (the finished command, its report)}: the same claims, then flipped, moved and lost ones."""
    project, steps = shared_project, {}
    project.notebook("uq/draws", "1", parameters="seed: int = 20260101")
    project.notebook("uq/counts", "1")
    project.write("figures/uq/claims_counts.csv", claims_csv(claim("other", 5.0, notebook="uq/counts")))
    project.write("figures/uq/claims_draws.csv", claims_csv(claim("a", 5.0), claim("b", 5.0), claim("c", 5.0)))

    def run(*options: str):
        done = project.python("-m", "proctor.workflow.verify", *options)
        assert "Traceback" not in done.stderr, done.stderr
        report = project.root / "build/seeds/7/report.csv"
        return done, list(csv.DictReader(report.open())) if report.exists() else []

    for step, made in {
        "near": (claim("a", 5.0), claim("b", 5.4), claim("c", 5.0)),
        "far": (claim("a", 5.0, (-1.0, 9.0)), claim("b", 14.0, (10.0, 18.0))),
    }.items():
        project.write("build/seeds/7/uq/draws/figures/uq/claims_draws.csv", claims_csv(*made))
        project.pretend("build/seeds/7", seed=7)
        steps[step] = run("--seed", "7")
    steps["wide"] = run("--seed", "7", "--tolerance", "2")
    steps["default"] = run("--seed", "20260101")
    return steps


def test_the_same_verdicts_and_small_moves_pass(story):
    done, rows = story["near"]
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Seed 7: 1 run, 0 failed; 3 claims.\nThe same verdict: 3 of 3 (100.0 %)." in done.stdout
    assert "1 of 3 moved" in done.stdout and "largest by 0.05" in done.stdout
    assert "no seed   uq/counts" in done.stdout
    assert [(row["claim"], row["kind"], float(row["shift"])) for row in rows] == [
        ("uq/a", "same", 0), ("uq/b", "numbers", pytest.approx(0.05)), ("uq/c", "same", 0),
    ]  # fmt: skip


def test_a_flip_a_far_move_and_a_lost_claim_are_listed(story):
    done, _ = story["far"]
    assert done.returncode == 1
    flips, _, rest = done.stdout.partition("Moved by more than 1 widths:")
    assert "uq/a  holds, +5.0 [+1.0, +9.0], n = 10 -> cannot tell, +5 [-1, +9], n = 10" in flips
    far, _, lost = rest.partition("Made by one of both runs alone:")
    assert "uq/b" in far and "uq/c" in lost and "-> (none)" in lost
    assert "The same verdict: 1 of 2 (50.0 %)." in done.stdout


def test_the_tolerance_is_the_caller_s_and_the_default_seed_is_no_other_seed(story):
    assert "Moved by more" not in story["wide"][0].stdout and story["wide"][0].returncode == 1  # the flip stays
    done, _ = story["default"]
    assert done.returncode == 2 and "--seed 20260101: that is the default of uq/draws" in done.stderr
