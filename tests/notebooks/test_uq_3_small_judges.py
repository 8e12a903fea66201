"""The notebook on three small models as validators, run once with params/quick.yaml; what it leaves in figures/."""

import asyncio
import json

import pandas as pd
import pytest
import yaml
from proctor import paths
from proctor.data.judgebench import load_pairs
from proctor.exam import recorded as exam_recorded
from proctor.models.session import Session
from proctor.report.claims import read_claims
from proctor.uq import run_validator

NAME = "uq/3_small_judges"
OWN, PAIRS = "V |M", 27  # the validator on answers of one's own, by all judges, and how many pairs of these there are


@pytest.fixture(scope="module")
def run(run_notebook, tmp_path_factory):
    """The finished command, and the folder of the figures.

    The answers of one's own are worked solutions, so that their replies are recorded.
    """
    folder = tmp_path_factory.mktemp("notebook")
    lines = [
        dict(
            pair_id=f"p{i}",
            question=q.question,
            response_A=q.extra["right" if i % 2 else "wrong"],
            response_B=q.extra["wrong" if i % 2 else "right"],
            label="A>B" if i % 2 else "B>A",
        )
        for i, q in enumerate(exam_recorded.families(1)[:PAIRS])
    ]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    params = yaml.safe_load((paths.PARAMS / "quick.yaml").read_text())
    params[NAME] |= dict(pairs=str(folder / "pairs.jsonl"), validator=OWN, judges=exam_recorded.MODELS)
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    return run_notebook(NAME, folder, "--params", str(folder / "params.yaml")), folder / "figures/uq"


@pytest.fixture(scope="module")
def measured(run):
    return pd.read_csv(run[1] / "measured_checks_table.csv")


@pytest.fixture(scope="module")
def claims(run):
    return {claim.id: claim for claim in read_claims(run[1].parent)}


def test_notebook_runs_to_its_end(run):
    assert run[0].returncode == 0, run[0].stderr


def test_the_public_codes_two_checks_are_among_the_seven(measured):
    assert list(measured["check"].unique()) == ["V", "C", "FLC", "CC", "B", "R", "FA"]


def test_every_judge_and_check_has_one_row(run, measured):
    setting = record(run, "measured_checks_table")["parameters"]
    found = list(zip(measured["judge"], measured["check"]))
    assert found == [
        (judge, check) for judge in setting["models"] for check in setting["checks"] + setting["other_checks"]
    ]


def test_measured_counts_add_up_and_give_the_printed_ratios(measured):
    assert (measured["tp"] + measured["fn"] == measured["questions"]).all()  # one right answer a question
    assert (measured["fp"] + measured["tn"] == measured["questions"]).all()  # and one wrong
    accepted = measured["tp"] + measured["fp"]
    assert (measured["precision"].isna() == (accepted == 0)).all()
    some = measured[accepted > 0]
    assert some["precision"].to_numpy() == pytest.approx((some["tp"] / (some["tp"] + some["fp"])).to_numpy())
    assert measured["recall"].to_numpy() == pytest.approx((measured["tp"] / measured["questions"]).to_numpy())


def test_measured_estimates_lie_in_their_limits_and_between_zero_and_one(measured):
    for figure in ("balanced_accuracy", "precision", "recall", "specificity", "auc"):
        rows = measured[measured[figure].notna()]
        assert (rows[f"{figure}_low"] <= rows[figure]).all() and (rows[figure] <= rows[f"{figure}_high"]).all()
        assert rows[[f"{figure}_low", f"{figure}_high"]].stack().between(0, 1).all()
        assert (rows[f"{figure}_low"] < rows[f"{figure}_high"]).all()


def test_findings_are_stated_on_the_counts_and_on_labelled_answers(run):
    table = pd.read_csv(run[1] / "findings_table.csv")
    assert table["finding"].value_counts().to_dict() == {"1": 6, "2": 2, "I.4": 1}
    assert table.notna().all(axis=None)
    assert set(table["verdict"]) <= {"holds", "does not hold", "cannot tell"}


def test_labelled_answers_hold_fifteen_right_ones_for_every_validator(run):
    table = pd.read_csv(run[1] / "labelled_answers_table.csv")
    assert ((table["tp"] + table["fn"] == 15) & (table["fp"] + table["tn"] == 66)).all()
    panels = table[table["judges"] == "all"].set_index("validator")["accepted"]
    assert panels["C |U"] <= panels["C |M"]


def test_a_panel_and_all_pairs_of_judges_are_decided_by_intervals(claims):
    panel, strength = claims["uq/measured_panel"], claims["uq/measured_strength"]
    assert panel.says == "< 0" and panel.family == 3 and panel.verdict == "cannot tell"
    assert strength.family == 3 and strength.estimate < 0 and strength.verdict == "does not hold"


def test_most_small_judges_accept_both_alike(run, claims):
    table = pd.read_csv(run[1] / "accepted_table.csv")
    gap = 100 * (table["tp"] / (table["tp"] + table["fn"]) - table["fp"] / (table["fp"] + table["tn"]))
    assert table["gap"].to_numpy() == pytest.approx(gap.to_numpy()) and len(table) == 15
    assert claims["uq/3_small_judges"].estimate == pytest.approx(gap.median())
    assert (gap.abs() < 10).sum() == 11


def test_a_validator_on_answers_of_ones_own_gives_what_the_engine_gives(run):
    row = pd.read_csv(run[1] / "own_answers_table.csv").iloc[0]
    questions, answers = load_pairs(run[1].parents[1] / "pairs.jsonl")
    found = asyncio.run(
        run_validator.validate(Session("replay", progress=False), OWN, exam_recorded.MODELS, questions, answers)
    )
    accepted, right = found["outcome"] == "accept", found["correct"].astype(bool)
    assert (row["n"], row["tp"], row["fp"]) == (2 * PAIRS, (accepted & right).sum(), (accepted & ~right).sum())
    assert row["tp"] + row["fn"] == PAIRS and row["calls"] == found["calls"].sum() and row["tp"] > 0
    assert row["accuracy"] == pytest.approx((accepted == right).mean())
    printed = "".join("".join(output.get("text", "")) for cell in executed(run) for output in cell.get("outputs", ()))
    assert f"0 of {2 * PAIRS} answers" in printed  # what is unreadable


def test_own_answers_are_left_out_unless_named():
    notebook = json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())
    parameters = next(cell for cell in notebook["cells"] if cell["metadata"].get("tags") == ["parameters"])
    assert any(line.startswith('pairs: str = ""') for line in parameters["source"])


@pytest.mark.parametrize(
    "artifact, evidence",
    [
        ("measured_checks", "measured"),
        ("measured_checks_table", "measured"),
        ("findings_table", "published + measured"),
        ("labelled_answers_table", "measured"),
        ("accepted_table", "measured"),
        ("lead_small_judges", "measured"),
        ("own_answers_table", "measured"),
    ],
)
def test_artifact_says_what_it_rests_on(run, artifact, evidence):
    found = record(run, artifact)
    assert (found["artifact"], found["evidence"]) == (f"uq/{artifact}", evidence)
    assert found["code"]["notebook"] == NAME and found["seed"] is not None and found["inputs"]


def test_results_box_states_what_the_claims_print(box_numbers):
    said, printed = box_numbers
    assert said and said <= printed


def record(run, artifact: str) -> dict:
    return json.loads((run[1] / f"{artifact}.json").read_text())


def executed(run) -> list[dict]:
    return json.loads((run[1].parents[1] / "out.ipynb").read_text())["cells"]
