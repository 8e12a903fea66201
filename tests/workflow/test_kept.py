"""A notebook whose public logs are not here: its committed results stay, nothing is run, nothing fails."""

import base64
import json
import re
import shutil
from functools import partial

import pytest
from proctor.files import write_atomic
from proctor.workflow import receipts
from proctor.workflow.receipts import excerpt

NAME = "uq/frontier"
ROW = "uq/fig,uq,notebook-output,A figure,uq/frontier,uq/fig.svg;uq/judges.csv,logged,,,done,"
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
READ = """
import base64, json, os, pathlib
log = pathlib.Path('.cache/logs/judges/a.csv').read_text()
folder = pathlib.Path(os.environ['PROCTOR_FIGURES'], 'uq')
folder.mkdir(parents=True, exist_ok=True)
record = json.dumps({'alt': 'Judges compared', 'code': {'notebook': 'uq/frontier'}})
for name in ('fig.json', 'judges.json', 'claims_frontier.json'):
    (folder / name).write_text(record)
"""
DRAW = f"""
# out.figure(fig, 'uq/fig')
(folder / 'fig.png').write_bytes(base64.b64decode({base64.b64encode(DOT).decode()!r}))
(folder / 'fig.svg').write_text('<svg/>')
"""
TABLE = """
# out.table(judges, "uq/judges")
for name in ('judges.md', 'judges.tex', 'judges.csv', 'claims_frontier.md'):
    (folder / name).write_text('A caption\\n\\n| ' + name + ' |\\n|---|\\n' + log * 40)
"""


@pytest.fixture(scope="module")
def story(shared_project):
    """One project, with its log and then without: {step: result}."""
    project, results = shared_project, {}
    reproduce = partial(project.reproduce, kernels=False)
    project.notebook(NAME, READ, DRAW, TABLE, logs=("judges",))
    catalog = project.root / "data/catalog.csv"
    catalog.write_text(catalog.read_text() + ROW + "\n")
    project.judges_logs()
    log = project.write(".cache/logs/judges/a.csv", "| 1 |\n")
    results["with"] = reproduce()
    made = {path: path.read_bytes() for path in (project.root / "figures").rglob("*.*")}

    shutil.move(log, project.root / "a.csv")
    results["without"] = reproduce()
    results["page"] = json.loads(project.executed(NAME).read_text())
    results["same"] = made == {path: path.read_bytes() for path in (project.root / "figures").rglob("*.*")}
    results["again"] = reproduce()
    results["alone"] = project.run(f"notebooks/{NAME}.ipynb")
    project.write("params/quick.yaml", f"{NAME}: {{n: 2}}")
    (project.root / "figures/uq/fig.svg").unlink()
    results["lost"] = reproduce("--params", "params/quick.yaml")
    project.notebook("uq/plain", "1")
    results["other"] = reproduce("--notebook", "uq/plain")
    return results


def outputs(page):
    return [(number, output["data"]) for number, cell in enumerate(page["cells"]) for output in cell.get("outputs", ())]


def test_with_its_logs_it_runs(story):
    assert story["with"].returncode == 0, story["with"].stderr
    assert "1 run, 0 failed, in" in story["with"].stdout and "kept" not in story["with"].stdout


def test_without_them_it_is_kept_and_how_to_get_them_is_said(story):
    result = story["without"]
    assert result.returncode == 0, result.stderr
    assert re.search(r"^  kept +uq/frontier +the logs judges are not here: `make logs` ", result.stdout, re.MULTILINE)
    assert not re.search("[0-9] run|finished", result.stdout) and story["same"]


def test_a_second_call_says_so_again_and_does_nothing(story):
    assert story["again"].returncode == 0
    assert re.match(r"Nothing to do.*\n  kept +uq/frontier ", story["again"].stdout)


def test_the_page_shows_the_committed_results_where_the_notebook_makes_them(story):
    cells = story["page"]["cells"]
    assert cells[1]["cell_type"] == "markdown" and "the logs judges are not here" in cells[1]["source"]
    (figure, picture), (table, judges), (rest, claims) = outputs(story["page"])
    assert "'uq/fig'" in "".join(cells[figure]["source"]) and '"uq/judges"' in "".join(cells[table]["source"])
    assert base64.b64decode(picture["image/png"]) == DOT and "Judges compared" in picture["text/plain"]
    assert cells[figure]["outputs"][0]["metadata"]["image/png"]["alt"] == "Judges compared"
    assert "| judges.md |" in judges["text/markdown"] and "10 more rows" in judges["text/markdown"]
    assert rest == table == len(cells) - 1 and "| claims_frontier.md |" in claims["text/markdown"]


def test_a_run_of_it_alone_says_how_to_get_its_logs(story):
    assert story["alone"].returncode == 2
    assert story["alone"].stderr.startswith("uq/frontier can't run: the logs judges are not here: `make logs`")


def test_its_committed_files_must_be_there_under_any_profile(story):
    assert story["lost"].returncode == 1
    assert "uq/frontier.ipynb is kept, as its logs are not here; take back from git" in story["lost"].stderr
    assert "figures/uq/fig.svg" in story["lost"].stderr and "fig.png" not in story["lost"].stderr


def test_a_run_of_another_notebook_says_nothing_of_it(story):
    assert story["other"].returncode == 0, story["other"].stderr
    assert "finished  uq/plain" in story["other"].stdout and "kept" not in story["other"].stdout


def test_its_logs_are_inputs_by_content(shared_project, story):
    def stale(**environment):
        code = (
            "from proctor.workflow import receipts, params, notebook; from proctor.paths import COMMITTED;"
            "every = notebook.all_notebooks();"
            "print(receipts.inputs(every[0], params.resolve(every)['uq/frontier']))"
        )
        return shared_project.python("-c", code).stdout

    assert "a.csv" not in stale()
    shared_project.write(".cache/logs/judges/b.csv", "| 2 |\n")
    assert "b.csv" not in stale()  # another file is not the log
    shared_project.write(".cache/logs/judges/a.csv", "| 1 |\n")
    assert ".cache/logs/judges/b.csv" in stale()


def test_a_dollar_in_a_saved_table_begins_no_formula():
    for text in ("Costs in $ a call\n\n| $x |\n|---|\n| 5 $ |\n", "No table of $5\n"):
        shown = excerpt(text, "uq/costs")
        assert "$" not in shown and shown.count("<span>&#36;</span>") == text.count("$")


def test_what_a_run_no_longer_makes_is_removed(tmp_path):
    for name, notebook in (("old", "mine"), ("new", "mine"), ("other", "others")):
        (tmp_path / "uq").mkdir(exist_ok=True)
        (tmp_path / f"uq/{name}.csv").write_text("x\n")
        write_atomic(tmp_path / f"uq/{name}.json", json.dumps({"code": {"notebook": notebook}}))
    before = receipts.states("mine", tmp_path)
    write_atomic(tmp_path / "uq/new.json", (tmp_path / "uq/new.json").read_bytes())  # the same bytes, made anew
    assert receipts.drop_old("mine", tmp_path, before) == ["uq/old"]
    assert sorted(path.name for path in (tmp_path / "uq").iterdir()) == [
        "new.csv",
        "new.json",
        "other.csv",
        "other.json",
    ]
