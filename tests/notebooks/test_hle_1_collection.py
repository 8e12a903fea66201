"""notebooks/hle/1_collection.ipynb, run with params/quick.yaml; its numbers are counted again."""

import csv
import gzip
import json
import math
import re
from decimal import Decimal

import pandas as pd
import pytest
from proctor import paths
from proctor.exam import recorded as exam_recorded
from proctor.exam import run_exam
from proctor.models.cache import recording_path
from proctor.report import catalog
from proctor.report.claims import read_claims

NAME = "hle/1_collection"
pytestmark = pytest.mark.skipif(
    not (paths.CACHE / "fetched/MMLU/test-tiny.jsonl").is_file(),
    reason="the exam's questions are not fetched: run `make setup`",
)


@pytest.fixture(scope="module")
def table(done):
    return lambda name: pd.read_csv(done / "figures/hle" / f"{name}.csv")


@pytest.fixture(scope="module")
def given() -> dict:
    """(model, question id) -> answer line of the recorded greedy reply, read without the library."""
    found = {}
    for model in exam_recorded.MODELS:
        with gzip.open(recording_path(paths.RECORDED, model), "rb") as file:
            next(file)
            replies = {key.decode(): reply for key, _, reply in (line.partition(b" ") for line in file)}
        for question in exam_recorded.families(2):
            text = json.loads(replies[run_exam.exam_request(model, question).key])["text"]
            lines = re.findall(r"^(?:Exact )?Answer: (.*)$", text, re.MULTILINE)
            found[model, question.id] = lines[-1].strip() if lines else ""
    return found


def same(answer, key) -> bool:
    number = re.fullmatch(r"([-\d,.]*\d)\s*[a-z°%]*\.?", answer.lower())
    if number and re.fullmatch(r"-?[\d.]+", key):
        return Decimal(number[1].replace(",", "")) == Decimal(key)
    return answer.lower().strip(" .'\"") == key.lower()


def test_leaves_what_the_catalog_promises_with_the_evidence_that_it_names(done):
    rows = [row for row in catalog.read() if row.notebook == NAME]
    assert catalog.check([row for row in rows if row.state in catalog.RUN], done / "figures") == []
    for name in ("fig_3", "fig_4", "difficulty_rules", "fig_second_sitting", "fig_wrong_keys"):
        assert all((done / f"figures/hle/{name}.{kind}").stat().st_size > 1000 for kind in ("svg", "png"))


def test_verdicts_are_those_that_the_intervals_support(done):
    verdicts = {claim.id: claim.verdict for claim in read_claims(done / "figures")}
    assert verdicts.pop("hle/claim_public_release") == verdicts.pop("hle/claim_size") == "does not hold"
    assert set(verdicts.values()) == {"holds"} and len(verdicts) == 10


def test_figure_3_orders_groups_by_questions(done):
    with open(paths.PUBLISHED / "hle/fig_3.csv") as file:
        shares = {row["group"]: int(row["share_of_questions"]) for row in csv.DictReader(file)}
    assert sum(shares.values()) == 100 and max(shares, key=shares.get) == "Math" and shares["Math"] == 41
    record = json.loads((done / "figures/hle/fig_3.json").read_text())
    assert "Math has 41 %" in record["claim"] and record["alt"].index("Math 41") < record["alt"].index("Physics")


def test_the_funnel_of_our_questions_equals_a_recount_of_the_recording(table, given):
    questions = exam_recorded.families(2)
    stumped = [q.id for q in questions if not any(same(given[model, q.id], q.answer) for model in exam_recorded.MODELS)]
    rows = table("funnel").set_index("step")["n"]
    assert (rows["generated: sent in"], rows["stump all models"]) == (len(questions), len(stumped)) == (54, 33)
    assert set(table("sample_questions")["question"]) <= {q.question for q in questions if q.id in stumped}


def test_the_published_funnel_bounds_both_shares(table):
    rows = table("funnel_published").set_index("step")
    assert rows.loc["to review", "of_previous_least"] == pytest.approx(12_500 / 79_999)
    assert rows.loc["to review", "of_previous_most"] == pytest.approx(13_499 / 70_001)
    assert rows.loc["accepted", "of_previous_least"] == pytest.approx(3_000 / 13_499)


def test_wrong_keys_are_graded_as_a_recount_grades_them(table, given):
    questions, rows = exam_recorded.families(2), table("wrong_keys_pass").set_index("key")["stumped"]
    for name, key in {
        "misconception": lambda q: q.extra["wrong_answer"],
        "unrelated": lambda q: q.extra["neighbours"][0]["answer"],
    }.items():
        met = [q for q in questions if any(same(given[model, q.id], key(q)) for model in exam_recorded.MODELS)]
        assert rows[name] == len(questions) - len(met)


def test_the_implied_accuracies_solve_the_equation(table):
    rows = table("accuracy_before")
    assert set(rows["models"]) == {4, 6} and len(rows) == 20
    for row in rows.itertuples():  # b + M and a + b follow from before and retest_accuracy
        whole = row.models * row.retest_accuracy / (row.before - row.retest_accuracy)
        a, b = row.before * whole, (1 - row.before) * whole
        assert math.prod((b + i) / (a + b + i) for i in range(row.models)) == pytest.approx(row.passes, rel=1e-6)


def test_the_retest_asks_only_what_stumped_all(table):
    rows = table("second_sitting")
    for _, part in rows.groupby("way"):
        part = part.set_index("model")
        assert part["answers"]["all"] == part["answers"][exam_recorded.MODELS].sum()
        assert part["right"]["all"] == part["right"][exam_recorded.MODELS].sum() > 0
        assert (part["answers"] % part["stumped"] == 0).all() and part["retest_accuracy"]["all"] < 0.1


def test_the_two_rules_agree_for_six_models_and_five_options_only(table):
    most = table("difficulty_check_rules").pivot(index=["kind", "options"], columns="rule", values="most_right")
    alike = most["all but one"] == most["below chance"]
    assert list(most.index[alike]) == [("text only", 5)] and (most["below chance"][~alike] == 0).all()


def test_rules_and_guesses_stand_in_their_table(table):
    rules = table("difficulty_check_rules").set_index(["kind", "options", "rule"])
    assert rules.loc[("with image", 5, "all but one"), "passes"] == pytest.approx(0.8**4 + 4 * 0.2 * 0.8**3)
    assert rules.loc[("text only", 6, "below chance"), "most_right"] == 0


def test_everything_simulated_names_its_seed(done):
    for name in ("difficulty_check_rules", "fig_second_sitting"):
        record = json.loads((done / f"figures/hle/{name}.json").read_text())
        assert "simulated" in record["evidence"] and record["seed"] == 20260101
