"""Run a notebook as a job of `make reproduce` runs, with its figures in a folder of the test's own."""

import base64
import contextlib
import fcntl
import gzip
import importlib.util
import json
import re
import sys
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from proctor import log_files, logs, paths
from proctor.report import catalog
from proctor.report.claims import FAILS, HOLDS, read_claims
from proctor.workflow import params, receipts
from proctor.workflow.jobs import Job, run_job
from proctor.workflow.notebook import all_notebooks

_spec = importlib.util.spec_from_file_location("many_shapes", Path(__file__).with_name("many_shapes.py"))
sys.modules["many_shapes"] = importlib.util.module_from_spec(_spec)  # tests are no package (importlib mode)
_spec.loader.exec_module(sys.modules["many_shapes"])

NOTEBOOKS = {notebook.name: notebook for notebook in all_notebooks()}


@pytest.fixture(scope="session")
def run_in(kernels):
    """run_in(folder, notebook, values): a run leaves figures/ and out.ipynb there, whose page is looked at (`page`).

    It runs only if its receipt of an earlier session no longer holds; receipt: "" for a run that leaves none.
    environment: variables that it gets."""

    def run(folder, notebook, values, receipt="receipt.json", page=True, **environment) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another worker may need the same run
            places = folder / "out.ipynb", folder / "figures", folder / receipt if receipt else None
            ours = {"PYTHONPATH": str(paths.ROOT / "lib")} | environment
            job = Job(notebook, values, *places, environment=ours).looked_at()
            done = job if job.reused else run_job(job, kernels)
        faults = [done.problem] if done.problem else page_faults(notebook.name, folder) if page else []
        assert not faults, f"{notebook.name}: " + "; ".join(faults)

    return run


@cache
def quick_values() -> dict[str, dict]:
    return params.resolve(NOTEBOOKS.values(), paths.PARAMS / "quick.yaml")


@cache
def default_values() -> dict[str, dict]:
    return params.resolve(NOTEBOOKS.values(), paths.PARAMS / "default.yaml")


@pytest.fixture(scope="session")
def quick_run(run_in):
    """quick_run(name, **values): where a run with the quick parameters, and these, left figures/ and out.ipynb.

    A run on data of a test's own has a `label`, and its `files`, {name: text}, lie in its folder, which "{}" in a value
    names.
    """

    def run(name, label="", files=None, **given) -> Path:
        folder, notebook = paths.BUILD / "tests" / f"{name} {label}".rstrip(), NOTEBOOKS[name]
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in (files or {}).items():
            (folder / file).write_text(text)
        given = {key: value.format(folder) if isinstance(value, str) else value for key, value in given.items()}
        assert set(given) <= set(params.declared(notebook))
        run_in(folder, notebook, quick_values()[name] | given)
        faults = [] if label else differences(name, folder / "figures")
        assert not faults, f"{name}: " + "; ".join(faults)
        return folder

    return run


SHARED = [each for up in paths.ROOT.parents[:2] if (each := up / "shared/data/logs").is_dir()]


@pytest.fixture(scope="module")
def needs_logs():
    """`needs_logs("llmbar", ...)`: these are read from ../shared where they are there alone; skips without them."""
    with pytest.MonkeyPatch.context() as patch:

        def look(*names):
            if SHARED and not all(map(log_files.available, names)):
                patch.setenv("PROCTOR_LOGS", str(SHARED[0]))
            if not all(map(log_files.available, names)):
                pytest.skip(f"needs the logs {', '.join(names)}")

        yield look


@pytest.fixture(scope="module")
def judge_scores(needs_logs):
    """The scores of strong judges as rows: judge, item, candidate, repeat, score, truth."""
    needs_logs("judge_scores")
    rows = logs.judge_scores().stack([0, 1], future_stack=True).rename("score").reset_index()
    return rows.assign(truth=(rows["candidate"] == "chosen").astype(int))


@pytest.fixture(scope="module")
def done(quick_run, needs_logs):
    """`done("uq/6_agreement")`: where figures/ and out.ipynb of its run lie: that of `make reproduce` if its receipt
    holds, else a quick one."""

    @cache
    def run(name) -> Path:
        needs_logs(*NOTEBOOKS[name].logs)
        return reproduced(NOTEBOOKS[name]) or quick_run(name)

    return run


def reproduced(notebook) -> Path | None:
    """A folder with the results of `make reproduce`, looked at as those of a quick run are; None if they do not hold."""
    values, folder = default_values()[notebook.name], paths.BUILD / "tests/reproduced" / notebook.name
    places = notebook.executed(paths.COMMITTED), paths.COMMITTED, receipts.path_of(notebook.name)
    if not Job(notebook, values, *places).looked_at().reused:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    for name, place in (("out.ipynb", places[0]), ("figures", paths.COMMITTED)):
        with contextlib.suppress(FileExistsError):
            (folder / name).symlink_to(place.absolute())
    assert not (faults := page_faults(notebook.name, folder)), f"{notebook.name}: " + "; ".join(faults)
    return folder


@pytest.fixture(scope="module")
def given(done):
    """`given("hle/2_measured_models")["levels"]`: a parameter of the run that `done` gives."""
    return cache(lambda name: next(iter(records_of(name, done(name) / "figures").values()))["parameters"])


@pytest.fixture(scope="module")
def read(done):
    """`read("uq/table_S9")`: that table of the quick run of its notebook, which the committed record names."""

    def table(name, **how) -> pd.DataFrame:
        return pd.read_csv(done(committed_records()[name]["code"]["notebook"]) / f"figures/{name}.csv", **how)

    return table


@pytest.fixture(scope="module")
def claim(done):
    """`claim("uq/claim_finding_2.precision")`: as the quick run of its notebook judges it."""
    notebooks = {one.id: one.notebook for one in all_claims()}
    made = cache(lambda name: {one.id: one for one in claims_in(done(name) / "figures")})
    return lambda name: made(notebooks[name])[name]


@pytest.fixture(scope="session")
def recorded_replies():
    """`recorded_replies(model)`: {key: reply} of a recording, read without the library."""

    @cache
    def replies(model) -> dict:
        with gzip.open(paths.RECORDED / f"{model}.jsonl.gz", "rb") as file:
            next(file)
            return {key.decode(): json.loads(reply) for key, _, reply in (line.partition(b" ") for line in file)}

    return replies


@pytest.fixture(scope="session")
def exam_rows(recorded_replies):
    """`exam_rows(questions)`: one row per model and question, read off the recording and compared with the key (or
    what `key` gives for a question) without the library's own readers."""
    from proctor.exam import recorded, run_exam

    def read(questions, key=lambda question: question.answer) -> pd.DataFrame:
        rows = []
        for model in recorded.MODELS:
            for question in questions:
                text = recorded_replies(model)[run_exam.exam_request(model, question).key]["text"]
                given = re.findall(r"^(?:Exact )?Answer: (.*)$", text, re.MULTILINE)
                said = re.search(r"^Confidence: (\d+)%", text, re.MULTILINE)
                rows.append(
                    dict(
                        model=model,
                        question=question.id,
                        category=question.category,
                        level=question.level,
                        kind=question.answer_type,
                        right=says(given[-1].strip() if given else "", key(question)),
                        confidence=int(said[1]) / 100 if said else np.nan,
                    )
                )
        return pd.DataFrame(rows)

    return read


def says(answer: str, key: str) -> bool:
    """Whether an answer line is the key: the same number, or the same text."""
    number = re.fullmatch(r"([-\d,.]*\d)\s*[a-z°%]*\.?", answer.lower())
    if number and re.fullmatch(r"-?[\d.]+", key):
        return Decimal(number[1].replace(",", "")) == Decimal(key)
    return answer.lower().strip(" .'\"") == key.lower()


@pytest.fixture(scope="session")
def printed():
    """`printed(folder)`: all that the cells of a run printed, which left its executed copy there."""

    def read(folder) -> str:
        cells = json.loads((folder / "out.ipynb").read_text())["cells"]
        return "".join("".join(output.get("text", "")) for cell in cells for output in cell.get("outputs", ()))

    return read


def differences(name, figures) -> list[str]:
    """What a quick run of the notebook leaves otherwise than the committed run, where no sample is behind it.

    The same: which artifacts, with which evidence, seed, inputs and claims; of each claim what it is about, and its
    level; all of a claim that is exact and not simulated; tables with the same parameters, and but for their limits
    those that rest on no sample or on no other parameter than the number of resamples. No claim holds in one run and
    does not hold in the other.
    """
    ours, theirs = records_of(name, figures), records_of(name)
    faults = [f"{one} is left by one run alone" for one in sorted(set(ours) ^ set(theirs))]
    for one in sorted(set(ours) & set(theirs)):
        for key in ("evidence", "seed", "claim_ids"):
            if ours[one].get(key) != theirs[one].get(key):
                faults.append(f"{one}: {key} is {ours[one].get(key)}, committed {theirs[one].get(key)}")
        if [each["path"] for each in ours[one]["inputs"]] != [each["path"] for each in theirs[one]["inputs"]]:
            faults.append(f"{one}: other inputs")
        if (figures / f"{one}.csv").exists() and "/claims_" not in one:
            tables = [pd.read_csv(folder / f"{one}.csv", dtype=str) for folder in (figures, paths.COMMITTED)]
            values = theirs[one]["parameters"]
            moved = {key for key, value in ours[one]["parameters"].items() if value != values.get(key)}
            faults += [f"{one} {fault}" for fault in table_faults(*tables, moved, ours[one]["evidence"])]
    made = {claim.id: claim for claim in read_claims(figures)}
    own, fewer = committed_claims(name), name in FEWER_COMPARISONS
    faults += [f"{claim.id} is not judged" for claim in own if claim.id not in made and not fewer]
    for claim in (claim for claim in own if claim.id in made):
        keys = ["evidence", "of", "says", *([] if fewer else ["family", "level"])]
        if claim.exact and not SAMPLED & set(claim.evidence.split(" + ")):
            keys += ["estimate", "exact", "verdict", "finding"]
        keys += ["verdict"] if not claim.exact and {made[claim.id].verdict, claim.verdict} == {HOLDS, FAILS} else []
        faults += [
            f"{claim.id}: {key} is {getattr(made[claim.id], key)}, committed {getattr(claim, key)}"
            for key in keys
            if getattr(made[claim.id], key) != getattr(claim, key)
        ]
    rows = [row for row in catalog_rows() if row.notebook == name and row.state in catalog.RUN]
    return faults + catalog.check(rows, figures)


catalog_rows, committed_records, all_claims = cache(catalog.read), cache(receipts.records), cache(read_claims)


def is_committed(figures) -> bool:
    """Whether a folder is figures/, or leads there, as that of a run by `make reproduce`: all tests read it once."""
    return figures.resolve() == paths.COMMITTED.resolve()


def claims_in(figures) -> list:
    return all_claims() if is_committed(figures) else read_claims(figures)


def committed_claims(name) -> list:
    return [claim for claim in all_claims() if claim.notebook == name]


SAMPLED = {"simulated", "measured", "logged"}
FEWER_COMPARISONS = {"synthesis/3_one_bench", "synthesis/3_strong_judges"}  # with the quick parameters


def table_faults(made, kept, moved: set[str], evidence: str) -> list[str]:
    """Where two tables differ that should not; moved: the parameters that are other ones."""
    if list(made) != list(kept):
        return [f"has the columns {list(made)}, committed {list(kept)}"]
    drawn = SAMPLED if moved - {"resamples", "ask_mode"} else {"simulated"}
    if moved and drawn & set(evidence.split(" + ")):
        return []
    fixed = [column for column in made if not moved or not has_limits(column, kept[column])]
    return [f"has other {column} than committed" for column in fixed if not made[column].equals(kept[column])]


def has_limits(column: str, values) -> bool:
    """Whether a column holds limits of intervals, as numbers or in its texts."""
    return bool(re.search("low|high|boot", column)) or values.str.contains(r"\[[-+\d]", na=False).any()


def records_of(name, figures=paths.COMMITTED) -> dict[str, dict]:
    """{"uq/fig_1": its record} of what the notebook saved."""
    found = committed_records() if is_committed(figures) else receipts.records(figures)
    return {one: record for one, record in found.items() if record["code"]["notebook"] == name}


def page_faults(name, folder) -> list[str]:
    """What is wrong with the outputs of the executed copy, which must show each saved figure once, as saved, and nothing
    half made."""
    page, figures = json.loads((folder / "out.ipynb").read_text()), folder / "figures"
    pictures = [file for one in records_of(name, figures) if (file := figures / f"{one}.png").exists()]
    saved, faults, shown = {file.read_bytes(): file.stem for file in pictures}, [], []
    live = any('mode = "auto"' in "".join(cell["source"]) for cell in page["cells"])  # it asked models
    for number, cell in enumerate(page["cells"], 1):
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            text = "".join(output.get("text", "")) + "".join(data.get("text/plain", ""))
            if "image/png" in data:
                shown.append(base64.b64decode("".join(data["image/png"])))
                if shown[-1] not in saved:
                    faults.append(f"cell {number} shows a picture that is not saved")
            if re.search(r"<[^<>]* at 0x[0-9a-f]+>", text):
                faults.append(f"cell {number} shows an object: {text[:80]}")
            asking = re.search(r"^\s*$|%\|.*\|", text)  # the bar of a run that asked models, and its line's end
            if output.get("name") == "stderr" and not (live and asking):  # progress bars, warnings
                faults.append(f"cell {number} leaves on stderr: {text[:80]}")
    return faults + [
        f"{name} is shown {shown.count(png)} times" for png, name in saved.items() if shown.count(png) != 1
    ]
