"""A grid of combinations as jobs: what runs, what is left alone, what failed, and the table of all claims."""

import csv

import pandas as pd
import pytest
from proctor.workflow import sweep
from proctor.workflow.notebook import WorkflowError

CLAIM = """
import csv, os, pathlib
from proctor.report import claims
with open("ran.txt", "a") as told:
    told.write(f"{n}/{seed} ")
1 / n
how = dict(says="> 0", n=10, notebook="uq/gain", evidence="simulated", unit="points")
made = claims.judge("uq/gain", "It gains", estimate=n + seed / 10, interval=(n - 2.0, n + 2.0), **how)
folder = pathlib.Path(os.environ["PROCTOR_FIGURES"], "uq")
folder.mkdir(parents=True)
with open(folder / "claims_gain.csv", "w") as file:
    writer = csv.DictWriter(file, claims.as_row(made))
    writer.writeheader()
    writer.writerow(claims.as_row(made))
"""
PARAMETERS = "n: int = 3\nseed: int = 9\nlevels: list[int] = [1]"


class Runs:
    """A project with a notebook `uq/gain`; `runs(*words)` is the finished command, `ran` the combinations that ran."""

    def __init__(self, project):
        self.project = project
        project.notebook("uq/gain", CLAIM, parameters=PARAMETERS)
        project.notebook("uq/other", "1", parameters="n: int = 3\nmodel: str = 'a'")
        project.notebook("uq/logged", "1", logs=("judges",))
        project.judges_logs()

    def __call__(self, *words: str):
        told = self.project.root / "ran.txt"
        told.unlink(missing_ok=True)
        (done,) = self.project.each("proctor.cli", ["sweep", *words], kernels=False)
        assert "Traceback" not in done.stderr, done.stderr
        self.ran = sorted(told.read_text().split()) if told.exists() else []
        return done

    def rows(self, name: str) -> list[dict[str, str]]:
        return list(csv.DictReader((self.project.root / f"build/sweeps/{name}/results.csv").open()))


@pytest.fixture(scope="module")
def runs(shared_project):
    return Runs(shared_project)


@pytest.fixture(scope="module")
def story(runs):
    """{step: (the finished command, which combinations ran, the rows)}: a grid where n = 0 fails, again, wider."""
    steps = {}
    for step, words in {
        "first": ("--seed", "1", "2", "-p", "n", "0", "1", "5"),
        "again": ("--seed", "1", "2", "-p", "n", "0", "1", "5"),
        "wider": ("--seed", "1", "2", "3", "-p", "n", "1", "5", "--plan"),
        "smaller": ("-p", "n", "5", "--seed", "1"),
    }.items():
        done = runs("uq/gain", *words, "--jobs", "2")
        steps[step] = done, runs.ran, runs.rows("uq-gain")
    return steps


def test_each_combination_is_a_row_for_each_claim_and_a_failed_one_keeps_the_others(story, runs):
    done, ran, rows = story["first"]
    assert done.returncode == 1 and ran == ["0/1", "0/2", "1/1", "1/2", "5/1", "5/2"]
    assert done.stdout.startswith("6 jobs: 6 to run, 0 ran before")
    by_point = {(row["seed"], row["n (parameter)"]): row for row in rows}
    assert len(rows) == len(by_point) == 6
    good = by_point["2", "5"]
    assert [good[name] for name in ("claim", "sentence", "evidence", "verdict")] == [
        "uq/gain", "It gains", "simulated", "holds",
    ]  # fmt: skip
    assert [float(good[name]) for name in ("estimate", "low", "high", "n")] == [5.2, 3, 7, 10]
    assert good["folder"] == "uq/gain/n=5,seed=2" and good["problem"] == ""
    assert by_point["1", "1"]["verdict"] == "cannot tell"
    failed = by_point["1", "0"]
    assert failed["claim"] == "" and "notebooks/uq/gain.ipynb failed in cell 2" in failed["problem"]
    assert "ZeroDivisionError" in done.stderr and "uq/gain seed=1 n=0" in done.stderr


def test_the_summary_names_claims_that_change_their_verdict_and_the_parameter(story):
    said = story["first"][0].stdout
    assert "6 combinations, 2 failed. 1 claim, 1 with more than one verdict over the grid." in said
    assert "  changes with n in 2 of 2 comparisons: 1: cannot tell 2; 5: holds 2\n" in said and "with seed" not in said
    assert "uq/gain  1.1 to 5.2 points" in said


def test_what_ran_with_the_same_inputs_is_not_run_again(story):
    done, ran, rows = story["again"]
    assert ran == ["0/1", "0/2"] and "6 jobs: 2 to run, 4 ran before" in done.stdout and len(rows) == 6
    done, ran, _ = story["wider"]
    assert done.returncode == 0 and ran == [] and done.stdout == "6 jobs: 2 to run, 4 ran before with the same inputs\n"
    done, ran, rows = story["smaller"]
    assert done.returncode == 0 and ran == [] and [row["verdict"] for row in rows] == ["holds"]


def test_without_a_name_all_that_have_the_parameters_and_can_run_are_swept(runs):
    assert runs("--seed", "1", "2", "--plan").stdout.startswith("2 jobs: 2 to run")  # uq/gain alone has a seed
    assert runs("-p", "n", "4", "--plan").stdout.startswith("2 jobs: 2 to run")  # uq/logged has no logs


REFUSED = [  # the words of the command, and what the refusal says
    (("uq/gian", "--seed", "1"), "there is no notebook 'uq/gian'; did you mean uq/gain?"),
    (("uq/gain", "-p", "m", "1"), "uq/gain has no parameter `m`"),
    (("uq/gain", "-p", "n", "1", "one", "two"), "expected int, found 'one' (str)\n-p: `n` of notebook uq/gain"),
    (("uq/gain", "-p", "levels", "1"), "expected list[int], found 1"),
    (("uq/gain", "uq/other", "--seed", "1"), "notebook uq/other has no parameter `seed`"),
    (("uq/gain",), "nothing varies in uq/gain"),
    (("uq/gain", "-p", "n"), "-p n has no values"),
    ((), "which notebooks?"),
    (("uq/logged", "-p", "n", "1"), "uq/logged can't run: the logs judges are not here"),
    (("uq/gain", "--seed", "1", "--budget", "5"), "nothing is: add -p mode auto"),
]


def test_bad_input_is_told_before_anything_runs(runs):
    told = runs.project.each("proctor.cli", *(["sweep", *words] for words, _ in REFUSED))
    assert not (runs.project.root / "ran.txt").exists()
    for (words, said), done in zip(REFUSED, told):
        assert done.returncode == 2 and said in done.stderr, words


def test_equal_values_are_one_and_what_yaml_tells_apart_is_not():
    varied = [("n", "4", "5", "4"), ("levels", "[1]", "[2]"), ("word", "1", "'1'", "1.0", "true")]
    assert sweep.grid_of(varied, [1, 1]) == {
        "seed": [1], "n": [4, 5], "levels": [[1], [2]], "word": [1, "1", 1.0, True],
    }  # fmt: skip
    with pytest.raises(WorkflowError, match="-p n is given twice"):
        sweep.grid_of([("n", "1"), ("n", "2")])


def test_the_parameter_behind_another_verdict_is_the_one_that_alone_differs():
    grid = pd.DataFrame([(a, b) for a in "12" for b in "123"], columns=["a", "b"])
    own = grid.assign(verdict=["holds" if (a, b) == ("2", "1") else "cannot tell" for a, b in grid.to_numpy()])
    assert sweep.changes_by(own, ["a", "b"]) == {"a": (1, 3), "b": (1, 2)}
    two = own.iloc[[0, 4]]  # two parameters differ at once: neither is known to be the one
    assert sweep.changes_by(two, ["a", "b"]) == {"a": (0, 0), "b": (0, 0)}
    assert sweep.changes_by(own.iloc[[0, 3]], ["a"]) == {"a": (1, 1)}


def test_folders_have_plain_names_and_each_combination_its_own():
    assert sweep._slug({"seed": 1, "share": -0.5, "word": "V"}) == "seed=1,share=-0.5,word=V"
    points = [{"m": "a/b"}, {"m": "a-b"}, {"m": ["a"]}, {"m": "{x}"}, {"m": "1"}, {"m": 1}, {"m": "x" * 200}]
    slugs = [sweep._slug(point) for point in points]
    assert len(set(slugs)) == len(points) and all(not set(slug) & set("/{}\"'[] ") for slug in slugs)
