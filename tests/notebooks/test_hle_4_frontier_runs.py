"""notebooks/hle/4_frontier_runs.ipynb with the quick parameters, where the logs are on this machine."""

import pandas as pd
import pytest
from proctor import logs
from proctor.report import catalog

NAME = "hle/4_frontier_runs"
pytestmark = pytest.mark.skipif(
    not (logs.available("hle_runs") and logs.available("token_probability")), reason="the logs are not on this machine"
)


@pytest.fixture(scope="module")
def runs():
    table = logs.table("hle_runs")
    return table[table["exact_original_key"].notna()]


def table(done, name) -> pd.DataFrame:
    return pd.read_csv(done / f"figures/hle/{name}.csv")


def test_leaves_what_the_catalog_promises_as_logged_evidence(done):
    rows = [row for row in catalog.read() if row.notebook == NAME and row.state in catalog.RUN]
    assert len(rows) == 19 and catalog.check(rows, done / "figures") == []


def test_accuracies_are_those_of_the_program_and_of_the_judge_for_glm(done, runs):
    found = table(done, "frontier_metrics").set_index("model")["accuracy"]
    grok = runs[runs["run"] == "x-ai_grok-4_x-ai"]["exact_original_key"]
    glm = runs[runs["run"] == "z-ai_glm-4.5_z-ai"]["judge_correct"]
    assert len(found) == 12 and found["Grok-4"] == pytest.approx(100 * grok.mean())
    assert found["GLM-4.5"] == pytest.approx(100 * glm.sum() / len(glm))


def test_the_partial_pass_of_the_judge_is_left_out(done, runs):
    assert runs.loc[runs["run"] == "openai_gpt-5_azure", "judge_correct"].isna().all()
    judged = runs.dropna(subset=["judge_correct"])
    marked = judged[~judged["run"].str.startswith("z-ai")]
    assert table(done, "frontier_marking")["answers"].sum() == len(marked)


def test_agreement_of_two_runs_is_that_of_the_readme(done, runs):
    found = table(done, "frontier_retests").set_index("model")
    wide = runs.pivot(index="id", columns="run", values="exact_original_key")
    for model, name in (("GPT-5", "gpt-5"), ("o4-mini", "o4-mini")):
        pair = wide[[f"openai_{name}_openai", f"openai_{name}_azure"]].dropna()
        assert found.loc[model, "points"] == pytest.approx(100 * pair.nunique(axis=1).eq(1).mean())
    assert found["points"].between(86, 91).all()


def test_claims_are_logged_with_their_n_and_show_no_question(done, runs, claims_made):
    assert len(claims_made) == 12
    assert all(claim.evidence == "logged" and claim.n for claim in claims_made.values())
    written = "".join(path.read_text() for path in (done / "figures/hle").glob("frontier_*.*") if path.suffix != ".png")
    assert not any(item in written for item in runs["id"].unique())
