"""notebooks/kina/7_your_leaderboard.ipynb, run by papermill on the recording with the quick parameters."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from proctor import paths
from proctor.data.published import load_published
from proctor.exam import recorded as exam_recorded
from proctor.exam import run_exam
from proctor.exam.words import same_answer
from proctor.kina.leaderboard import load_leaderboard
from proctor.models.cache import recording_path
from proctor.models.messages import Reply
from proctor.models.read_answer import stated
from proctor.report import catalog
from proctor.report.claims import read_claims

NAME = "kina/7_your_leaderboard"


@pytest.fixture(scope="module")
def measured(done):
    return pd.read_csv(done / "figures/kina/measured_ranking_table.csv").set_index(["board", "row"])


@pytest.fixture(scope="module")
def example(done):
    return pd.read_csv(done / "figures/kina/own_leaderboard.csv")


def record(done, name) -> dict:
    return json.loads((done / f"figures/kina/{name}.json").read_text())


def test_leaves_what_the_catalog_promises_with_the_evidence_that_it_names(done):
    rows = [row for row in catalog.read() if row.notebook == NAME and row.state in catalog.RUN]
    assert len(rows) == 7 and catalog.check(rows, done / "figures") == []


def test_measured_outputs_name_the_recordings_that_they_rest_on(done):
    for name in ("measured_ranking", "measured_ranking_table"):
        found = record(done, name)
        assert found["evidence"] == "measured"
        assert {entry["path"] for entry in found["inputs"]} >= {
            f"data/recorded/{model}.jsonl.gz" for model in exam_recorded.MODELS
        }


def test_measured_accuracies_equal_a_recount_of_the_recording(measured):
    questions = exam_recorded.families(2)
    for model in exam_recorded.MODELS:
        with gzip.open(recording_path(paths.RECORDED, model), "rb") as file:
            next(file)
            replies = {key.decode(): reply for key, _, reply in (line.rstrip().partition(b" ") for line in file)}
        right = {
            q.id: same_answer(
                stated(Reply.from_json(replies[run_exam.exam_request(model, q).key], "recording")).answer, q.answer
            )
            for q in questions
        }
        assert measured.loc[("models", model), "accuracy"] == pytest.approx(100 * np.mean(list(right.values())))
        for level in (1, 2, 3):
            own = [hit for key, hit in right.items() if key.split("-")[1] == str(level)]
            accuracy = measured.loc[("models by level", f"{model}, level {level}"), "accuracy"]
            assert len(own) == 18 and accuracy == pytest.approx(100 * np.mean(own))


def test_measured_rank_sets_over_families_are_no_smaller_than_over_their_questions_on_average(measured):
    width = {unit: (measured[f"{unit}_high"] - measured[f"{unit}_low"]).mean() for unit in ("family", "question")}
    assert width["family"] > width["question"]
    for _, part in measured.groupby("board"):
        assert part["rank"].between(1, len(part)).all() and part["p_first"].sum() == pytest.approx(1)


def test_ranks_are_titled_by_family_and_shown_by_both_units(done, measured):
    claims = {claim.id: claim for claim in read_claims(done / "figures")}
    models = measured.loc["models"]
    certain = {unit: (models[f"{unit}_low"] == models[f"{unit}_high"]).sum() for unit in ("family", "question")}
    assert certain == {"family": 0, "question": 3}
    by_family = claims["kina/7_measured_ranks.families"]
    assert by_family.verdict == "cannot tell" and by_family.n == 9 and "0 of 3 models by family" in by_family.title
    assert claims["kina/7_measured_ranks.questions"].verdict == "holds"
    drawn = record(done, "measured_ranking")
    assert drawn["claim"] == by_family.title and drawn["claim_ids"] == [by_family.id]


def test_results_box_has_the_numbers_of_the_committed_claims():
    content = json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())
    box = " ".join("".join(content["cells"][0]["source"]).replace("\n>", " ").split())
    committed = {claim.id: claim for claim in read_claims() if claim.notebook == NAME}
    for name in ("7_measured_ranks.families", "7_measured_ranks.questions", "7_measured_ends"):
        assert committed[f"kina/{name}"].numbers.partition(", n =")[0] in box
    assert "2 of 5 tier borders separate nothing" in committed["kina/7_own_steps"].title
    assert "two of five borders between tiers separate nothing" in box


def test_example_is_14_of_the_simulated_models_and_is_read_back_as_it_was_written(done, example):
    wanted = [53.17, 49.92, 48.55, *np.linspace(45, 38, 25), *np.linspace(20, 11, 14)][::3]
    called = example["model"].str.extract(r"^a model at ([\d.]+) %$")[0].astype(float)
    assert np.sort(called)[::-1] == pytest.approx(wanted, abs=0.051)
    assert example["accuracy"].to_numpy() == pytest.approx(called.to_numpy(), abs=3)
    own = load_leaderboard(paths.BUILD / "kina_example")
    assert own.scores.shape == (14, 899) and own.samples == 4 and sum(own.unreadable) == 0
    accuracy = dict(zip(own.models, 100 * own.scores.mean(axis=1)))
    assert example["accuracy"].to_numpy() == pytest.approx(example["model"].map(accuracy).to_numpy())
    assert (example["set_low"] <= example["rank"]).all() and (example["rank"] <= example["set_high"]).all()
    for name in ("own_leaderboard", "own_ranking"):
        found = record(done, name)
        assert found["evidence"] == "simulated" and found["seed"] == 20260101 and "others are assumed" in found["note"]
    svg = (done / "figures/kina/own_ranking.svg").read_text()
    real = load_published("kina/leaderboard")["model"].iloc[:3]
    assert "Simulated example" in svg and not any(model in svg for model in real)


def test_borders_that_separate_nothing_are_marked(done, example):
    ends = np.flatnonzero(np.diff(example["tier"]) > 0)
    told_apart = example["gap_low"].to_numpy()[ends] > 0
    marked = example["border"].to_numpy()[ends]
    assert marked.tolist() == np.where(told_apart, "separates its neighbours", "separates nothing").tolist()
    assert (~told_apart).any() and told_apart.any()
    after = ends[~told_apart][0]  # the row above the first border that separates nothing
    low, high = (int(place) for place in example["not_told_apart"][after].split(", ")[-1].split("-"))
    assert low <= after + 2 <= high  # places count from 1


def test_one_s_own_csv_goes_through_the_same_notebook(run_notebook, tmp_path):
    rng = np.random.default_rng(0)
    chance = {"good": 0.9, "fair": 0.5, "twin": 0.5, "poor": 0.1}
    table = pd.DataFrame(
        {"item": range(300), "discipline": [f"d{n % 40}" for n in range(300)]}
        | {model: rng.binomial(1, p, 300).astype(object) for model, p in chance.items()}
    )
    table.loc[7, "fair"] = ""
    table.to_csv(tmp_path / "mine.csv", index=False)
    options = ("--params", "params/quick.yaml", "-p", "results", str(tmp_path / "mine.csv"))
    refused = run_notebook(NAME, tmp_path, *options)
    assert refused.returncode == 1 and "fair lacks 1 of 300 items, the first '7'" in refused.stderr
    done = run_notebook(NAME, tmp_path, *options, "-p", "missing", "common")
    assert done.returncode == 0, done.stderr
    mine = pd.read_csv(tmp_path / "figures/kina/own_leaderboard.csv")
    assert mine["model"].tolist()[0] == "good" and mine["model"].tolist()[-1] == "poor"
    assert mine["tier"].tolist() == [1, 2, 2, 3]
    about = json.loads((tmp_path / "figures/kina/own_ranking.json").read_text())
    assert about["evidence"] == "measured" and "mine.csv" in [entry["path"] for entry in about["inputs"]]
    assert about["claim"].startswith("Your leaderboard: ") and "mine.csv" in about["note"]
    assert "imulated" not in (tmp_path / "figures/kina/own_ranking.svg").read_text()
    printed = json.loads((tmp_path / "out.ipynb").read_text())["cells"]
    said = "".join("".join(out.get("text", "")) for cell in printed for out in cell.get("outputs", ()))
    assert "4 models, 299 items, 40 disciplines" in said and "items left out: 1" in said


def test_notebook_is_stored_without_outputs():
    content = json.loads((paths.ROOT / f"notebooks/{NAME}.ipynb").read_text())
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert all(len(cell["source"]) <= 12 for cell in code) and len(code) <= 20
    assert "sqlite" not in json.dumps(content)
