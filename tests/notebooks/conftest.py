"""Run a notebook as a job of `make reproduce` runs, with its figures in a folder of the test's own."""

import base64
import gzip
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from proctor import log_files, paths
from proctor.report import catalog
from proctor.report.claims import FAILS, HOLDS, read_claims
from proctor.workflow import receipts
from proctor.workflow import run as runner
from proctor.workflow.notebook import Notebook

_spec = importlib.util.spec_from_file_location("many_shapes", Path(__file__).with_name("many_shapes.py"))
sys.modules["many_shapes"] = importlib.util.module_from_spec(_spec)  # tests are no package (importlib mode)
_spec.loader.exec_module(sys.modules["many_shapes"])


@pytest.fixture(scope="session")
def run_notebook(kernels):
    """run(name, folder, *options): figures go to folder/figures, the executed copy to folder/out.ipynb.

    The command runs in this process, its notebook in a kernel of its own. `root`: another checkout, where both run; the
    command is then a process of its own."""

    def run(name, folder, *options, root=paths.ROOT) -> subprocess.CompletedProcess:
        given = [f"notebooks/{name}.ipynb", str(folder / "out.ipynb"), "--figures", str(folder / "figures"), *options]
        ours = {
            "PROCTOR_ROOT": str(root),
            "PROCTOR_KERNELS": str(kernels.folder),
            "PYTHONPATH": str(paths.ROOT / "lib"),
        }
        command = [sys.executable, "-m", "proctor.workflow.run", *given]
        if root != paths.ROOT:
            return subprocess.run(command, cwd=root, env=os.environ | ours, capture_output=True, text=True)
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(root)
            for variable, value in ours.items():
                patch.setenv(variable, value)
            code = runner.main(given)
        return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())

    return checked(run)


@pytest.fixture(scope="session")
def quick_run(run_notebook):
    """quick_run(name, *options): where a run with the quick parameters left figures/ and out.ipynb.

    It runs only if its receipt of an earlier session no longer holds; what it left is looked at each time. A run on
    data of a test's own has a `label`, and its `files`, {name: text}, lie in its folder, which "{}" in an option names.
    """

    def run(name, *options, label="", files=None, profile=QUICK) -> Path:
        folder = paths.BUILD / "tests" / f"{name} {label}".rstrip()
        given = (*profile, *(option.format(folder) for option in options))
        for file, text in (files or {}).items():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
        receipt = folder / "receipt.json"
        notebook = Notebook(paths.ROOT / f"notebooks/{name}.ipynb")
        if receipts.is_true(notebook, values_of(notebook, given), [], receipt):
            assert not (faults := run_faults(name, folder, given)), f"{name}: " + "; ".join(faults)
            return folder
        shutil.rmtree(folder / "figures", ignore_errors=True)
        result = run_notebook(name, folder, *given, "--receipt", str(receipt))
        assert result.returncode == 0, result.stderr
        return folder

    return run


def values_of(notebook, options) -> dict:
    """The parameters' values with these options of the command."""
    given = runner._options([str(notebook.path), *options])
    return runner._values_and_files(notebook, given)[0]


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
def done(request, quick_run, needs_logs):
    """Where the quick run of the notebook that the test module NAMEs left figures/ and out.ipynb."""
    needs_logs(*Notebook(paths.ROOT / f"notebooks/{request.module.NAME}.ipynb").logs)
    return quick_run(request.module.NAME)


@pytest.fixture(scope="module")
def read(request, done):
    """`read("table_S9")`: a table of that run, of the notebook's paper."""
    folder = done / "figures" / (request.module.NAME.rpartition("/")[0] or "start")
    return lambda name, **how: pd.read_csv(folder / f"{name}.csv", **how)


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


@pytest.fixture(scope="module")
def printed_text(done, printed):
    """What the cells of the module's quick run printed."""
    return printed(done)


@pytest.fixture(scope="module")
def claims_made(request, done):
    """The claims of that run, by id."""
    return {claim.id: claim for claim in read_claims(done / "figures") if claim.notebook == request.module.NAME}


QUICK = ("--params", "params/quick.yaml")


def checked(run):
    """`run`, and then a look at what it left."""

    def run_and_look(name, folder, *options, **more):
        result = run(name, folder, *options, **more)
        if result.returncode == 0:
            assert not (faults := run_faults(name, folder, options)), f"{name}: " + "; ".join(faults)
        return result

    return run_and_look


def run_faults(name, folder, options) -> list[str]:
    """The page must show each saved figure once, as saved, and nothing half made; what the quick parameters alone leave
    is also compared with what is committed."""
    page, saved = json.loads((folder / "out.ipynb").read_text()), figures_of(name, folder / "figures")
    faults = page_faults(page, saved, live=any("auto" in option for option in options))
    given = options[:-2] if "--receipt" in options else options
    return faults + (differences(name, folder / "figures", paths.COMMITTED) if given == QUICK else [])


def differences(name, figures, committed) -> list[str]:
    """What a quick run of the notebook leaves otherwise than the committed run, where no sample is behind it.

    The same: which artifacts, with which evidence, seed, inputs and claims; of each claim what it is about, and its
    level; all of a claim that is exact and not simulated; tables with the same parameters, and but for their limits
    those that rest on no sample or on no other parameter than the number of resamples. No claim holds in one run and
    does not hold in the other.
    """
    ours, theirs = (records_of(name, folder) for folder in (figures, committed))
    faults = [f"{one} is left by one run alone" for one in sorted(set(ours) ^ set(theirs))]
    for one in sorted(set(ours) & set(theirs)):
        for key in ("evidence", "seed", "claim_ids"):
            if ours[one].get(key) != theirs[one].get(key):
                faults.append(f"{one}: {key} is {ours[one].get(key)}, committed {theirs[one].get(key)}")
        if [each["path"] for each in ours[one]["inputs"]] != [each["path"] for each in theirs[one]["inputs"]]:
            faults.append(f"{one}: other inputs")
        if (figures / f"{one}.csv").exists() and "/claims_" not in one:
            tables = [pd.read_csv(folder / f"{one}.csv", dtype=str) for folder in (figures, committed)]
            values = theirs[one]["parameters"]
            moved = {key for key, value in ours[one]["parameters"].items() if value != values.get(key)}
            faults += [f"{one} {fault}" for fault in table_faults(*tables, moved, ours[one]["evidence"])]
    made, kept = ({claim.id: claim for claim in read_claims(folder)} for folder in (figures, committed))
    own = [claim for claim in kept.values() if claim.notebook == name]
    fewer = name in FEWER_COMPARISONS
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
    rows = [row for row in catalog.read() if row.notebook == name and row.state in catalog.RUN]
    return faults + catalog.check(rows, figures)


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


def records_of(name, figures) -> dict[str, dict]:
    """{"uq/fig_1": its record} of what the notebook saved."""
    found = {path: json.loads(path.read_text()) for path in figures.glob("*/*.json")}
    return {
        path.relative_to(figures).with_suffix("").as_posix(): record
        for path, record in found.items()
        if record["code"]["notebook"] == name
    }


def figures_of(name, figures) -> dict[bytes, str]:
    """{PNG: name} of the figures that the notebook saved."""
    pictures = {one: figures / f"{one}.png" for one in records_of(name, figures)}
    return {file.read_bytes(): file.stem for file in pictures.values() if file.exists()}


def page_faults(page, saved, live=False) -> list[str]:
    """What is wrong with the outputs of an executed copy; saved: {PNG: name}. live: it asked models."""
    faults, shown = [], []
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
