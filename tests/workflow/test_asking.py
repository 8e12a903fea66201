"""Models that cost are asked with a budget alone, on each way to them, and the plan stands on the terminal before."""

import re
import shutil

import pytest
from proctor.models.spending import Budget
from proctor.paths import ROOT
from proctor.workflow.asking import Bill
from proctor.workflow.notebook import WorkflowError

from ..chat_server import Server

ASK = """
from proctor.models.messages import Request
from proctor.models.studies import ask_all
async def ask(session):
    texts = [f"{n}", f"{n} and {name}"]
    return await session.ask_many([Request(model, ({"role": "user", "content": text},)) for text in texts])
await ask_all(ask, mode=mode, budget=budget)
"""
PARAMETERS = (
    "n: int = 3\nname: str = '{0}'\nmodel: str = 'mine'\nmode: str = 'replay'\nbudget: float | str | None = None"
)
LIVE = """
import nbformat, sys
from nbclient import NotebookClient
cells = [nbformat.v4.new_code_cell(text) for text in sys.argv[1:]]
NotebookClient(nbformat.v4.new_notebook(cells=cells), kernel_name="python3").execute()
print(*(output.get("text", "") for cell in cells for output in cell.outputs))
"""


@pytest.fixture(scope="module")
def project(shared_project):
    """Notebooks uq/asks and uq/more, whose two calls each, one of them the same, go to the model `mine`."""
    for name in ("asks", "more"):
        shared_project.notebook(f"uq/{name}", ASK, parameters=PARAMETERS.format(name))
    shutil.copy(ROOT / "params/models.yaml", shared_project.root / "params")
    return shared_project


@pytest.fixture
def server(project):
    with Server(lambda text: "It is so.") as running:
        project.write("params/my_models.yaml", f"mine: {{kind: openai, model: m, base_url: '{running.url}'}}\n")
        project.write("params/prices.yaml", "mine: {input: 1.0, output: 2.0}\n")
        shutil.rmtree(project.root / ".cache", ignore_errors=True)
        yield running


LIVE_CELLS = "\n".join(PARAMETERS.format("asks").replace("'replay'", "'auto'").splitlines())
RUN = ("-m", "proctor.workflow.run", "notebooks/uq/asks.ipynb", "-p", "mode", "auto")
REPRODUCE = ("-m", "proctor.workflow.reproduce", "-p", "mode", "auto")
WAYS = {  # the words of a command, and those that give it a budget
    "run": (RUN, ("--budget", "1")),
    "proctor run": (("-m", "proctor", "run", "uq/asks", "-p", "mode", "auto"), ("-p", "budget", "2 calls")),
    "reproduce": ((*REPRODUCE, "--notebook", "uq/asks"), ("--no-budget",)),
    "live kernel": (("-c", LIVE, LIVE_CELLS, ASK), ("budget = 'none'", ASK)),
}


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_sent_without_a_budget_and_the_plan_is_shown(way, project, server):
    words, more = WAYS[way]
    refused = project.python(*words)
    assert refused.returncode == 1 and not server.asked
    assert "nothing was asked: mine costs money, and there is no budget. Give --budget DOLLARS" in refused.stderr
    if way != "live kernel":
        assert "plan: 2 different calls: 0 recorded, 0 cached, 2 to ask" in refused.stdout
    if way == "live kernel":
        words = words[:3]
        more = (f"{LIVE_CELLS}\n{more[0]}", more[1])
    done = project.python(*words, *more)
    assert done.returncode == 0, done.stderr
    assert server.asked == 2 and "plan: 2 different calls: 0 recorded, 0 cached, 2 to ask" in done.stdout


def test_a_model_that_costs_nothing_needs_no_budget(project, server):
    project.write("params/prices.yaml", "mine: {input: 0, output: 0}\n")
    done = project.python(*RUN)
    assert done.returncode == 0 and server.asked == 2, done.stderr


def test_several_notebooks_show_one_bill_before_the_first_call(project, server):
    project.write("params/prices.yaml", "{}\n")
    refused = project.python(*REPRODUCE, "--jobs", "2")
    assert refused.returncode == 2 and not server.asked
    assert "plan: 3 different calls to ask over 2 notebooks, no price known" in refused.stdout
    assert "nothing was asked: this costs money, and there is no budget" in refused.stderr
    done = project.python(*REPRODUCE, "--max-calls", "3", "--jobs", "2")
    assert done.returncode == 0 and server.asked == 3, done.stderr
    assert not list(project.root.glob("build/plans/**/*.ipynb"))


def test_a_bill_is_held_to_the_budget_of_all_together(monkeypatch):
    bill = Bill({"one": 0.5, "two": 0.75}, {}, 2, ())
    bill.refuse(Budget(calls=2, dollars=1.25))
    for budget, said in (
        (Budget(dollars=1), "--budget is $1.00"),
        (Budget(calls=1), "--max-calls is 1"),
        (None, "no budget"),
    ):
        with pytest.raises(WorkflowError, match=re.escape(said)):
            bill.refuse(budget)
    monkeypatch.setenv("PROCTOR_BUDGET", "1")
    with pytest.raises(WorkflowError, match="--budget is"):
        bill.refuse(Budget())
