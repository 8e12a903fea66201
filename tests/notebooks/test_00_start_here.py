"""notebooks/00_start_here.ipynb, on the recording and once live with the embedded model."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from proctor import paths
from proctor.data.fetch import FetchError, fetched
from proctor.exam import run_exam
from proctor.generated.generate import generate
from proctor.models.registry import spec
from proctor.report import catalog

NAME, MODEL = "00_start_here", "smollm2-135m"


def test_the_table_equals_a_recount_of_the_recording_and_its_claims_one_of_the_table(
    done, read, claim, recorded_replies
):
    replies, questions = recorded_replies(MODEL), generate(per_level=1, levels=[1])[:12]
    rows = read("start/twelve_answers_table", dtype={"key": str, "answer": str})
    assert list(rows["question"]) == [question.question for question in questions]
    for row, question in zip(rows.itertuples(), questions):
        reply = replies[run_exam.exam_request(MODEL, question).key]
        answer = re.search(r"^Exact Answer: (.*)$", reply["text"], re.MULTILINE)
        said = re.search(r"^Confidence: (\d+)%", reply["text"], re.MULTILINE)
        expected = "unreadable" if not answer else "right" if answer[1] == question.answer else "wrong"
        assert row.outcome == expected and row.key == question.answer
        assert pd.isna(row.confidence) if not said else row.confidence == pytest.approx(int(said[1]) / 100)
        assert row.completion_tokens == reply["completion_tokens"]
    stated, made = rows.dropna(subset="confidence"), claim("start/0_overconfident")
    gap = 100 * (stated["confidence"] - (stated["outcome"] == "right"))
    assert made.estimate == pytest.approx(gap.mean()) and made.n == len(stated)
    assert claim("start/0_repeats").n == rows["probability"].notna().sum()
    svg = (done(NAME) / "figures/start/twelve_answers.svg").read_text()
    assert "The model is surer than" in svg and f"{(rows['outcome'] == 'right').sum()} of 12 answers" in svg


def test_every_notebook_of_the_catalog_is_linked_and_the_plan_stands_before_the_first_reply(done, printed):
    cells = json.loads((done(NAME) / "out.ipynb").read_text())["cells"]
    text = json.dumps([cell.get("outputs", []) for cell in cells])
    for name in {row.notebook for row in catalog.read() if row.notebook and row.state in catalog.RUN}:
        assert f"[{name}]({name}.ipynb)" in text and (paths.ROOT / f"notebooks/{name}.ipynb").is_file()
    said = printed(done(NAME))
    assert said.index("12 different calls") < said.index("12 replies")


def weights_are_here() -> bool:
    try:
        return fetched(spec(MODEL).file).is_file()
    except FetchError:
        return False


@pytest.mark.skipif(not weights_are_here(), reason="the embedded model is not fetched: run `make setup`")
def test_asks_the_embedded_model_live_about_questions_that_nobody_has_recorded(kernels, printed, python, tmp_path):
    # A checkout of its own around the same files, so that no other notebook's server has to be waited for.
    root = tmp_path / "checkout"
    for name in ("lib", "data", "params"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).symlink_to(paths.ROOT / name)
    shutil.copytree(paths.ROOT / "notebooks", root / "notebooks")  # links would be followed out of it
    (root / ".cache").mkdir()
    (root / ".cache/fetched").symlink_to(Path(fetched(spec(MODEL).file)).parent)
    command = [python, "-m", "proctor", "run", NAME, "-p", "seed", "7", "-p", "n", "1"]
    ours = {"PROCTOR_ROOT": str(root), "PROCTOR_KERNELS": str(kernels.folder), "PYTHONPATH": str(paths.ROOT / "lib")}
    result = subprocess.run(command, cwd=root, env=os.environ | ours, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    folder = root / f"build/runs/{NAME}"
    rows = pd.read_csv(folder / "start/twelve_answers_table.csv")
    assert list(rows["question"]) == [question.question for question in generate(seed=7, per_level=1, levels=[1])[:1]]
    assert set(rows["outcome"]) <= {"right", "wrong", "unreadable"} and (rows["completion_tokens"] > 0).all()
    (folder / "notebook.ipynb").rename(folder / "out.ipynb")
    assert "1 replies (live)" in printed(folder) and "These questions are not recorded" in printed(folder)
