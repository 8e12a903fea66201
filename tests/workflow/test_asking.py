"""Models that cost are asked with a budget alone, on each way to them, and the plan stands on the terminal before."""

import re
import shutil

import pytest
from faulty_server import Server
from proctor.models.spending import Budget
from proctor.paths import ROOT
from proctor.workflow.asking import refuse
from proctor.workflow.notebook import WorkflowError

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
import sys
from IPython.core.interactiveshell import InteractiveShell
for text in sys.argv[1:]:
    InteractiveShell.instance().run_cell(text)
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
    with Server(answer=lambda text: "It is so.") as running:
        project.write("params/my_models.yaml", f"mine: {{kind: openai, model: m, base_url: '{running.url}/v1'}}\n")
        project.write("params/prices.yaml", "mine: {input: 1.0, output: 2.0}\n")
        shutil.rmtree(project.root / ".cache", ignore_errors=True)
        yield running


RUN = ["run", "uq/asks", "-p", "mode", "auto"]
WAYS = {  # the words of a command, those that give it a budget, and whether a kernel is started
    "proctor.cli": (RUN, ["--budget", "1"], True),
    "proctor.workflow.reproduce": (["-p", "mode", "auto", "--notebook", "uq/asks"], ["--no-budget"], False),
}
NO_BUDGET = "nothing was asked: mine costs money, and there is no budget. Give --budget DOLLARS"
PLAN = "plan: 2 different calls: 0 recorded, 0 cached, 2 to ask"


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_sent_without_a_budget_and_the_plan_is_shown(way, project, server):
    words, more, kernels = WAYS[way]
    refused, done = project.each(way, words, [*words, *more], kernels=kernels)
    assert refused.returncode == 1 and NO_BUDGET in refused.stderr and PLAN in refused.stdout
    assert not done.returncode, done.stderr
    assert server.arrived == 2 and PLAN in done.stdout  # none was cached: the first command sent nothing


def test_nothing_is_sent_from_a_live_shell_without_a_budget(project, server):
    cells = PARAMETERS.format("asks").replace("'replay'", "'auto'"), ASK, "budget = 'none'", ASK
    done = project.python("-c", LIVE, *cells)
    assert NO_BUDGET in done.stdout and done.stdout.count(PLAN) == 2 and server.arrived == 2, done.stderr


def test_a_model_that_costs_nothing_needs_no_budget(project, server):
    project.write("params/prices.yaml", "mine: {input: 0, output: 0}\n")
    (done,) = project.each("proctor.cli", RUN, kernels=False)
    assert done.returncode == 0 and server.arrived == 2, done.stderr


def test_several_notebooks_show_one_bill_before_the_first_call(project, server):
    project.write("params/prices.yaml", "{}\n")
    words = ["-p", "mode", "auto", "--jobs", "2"]
    refused, done = project.each("proctor.workflow.reproduce", words, [*words, "--max-calls", "3"], kernels=False)
    assert refused.returncode == 2 and "nothing was asked: this costs money, and there is no budget" in refused.stderr
    for each in (refused, done):  # the first has asked nothing
        assert "plan: 3 different calls to ask over 2 notebooks, no price known" in each.stdout
    assert done.returncode == 0 and server.arrived == 3, done.stderr
    assert not list(project.root.glob("build/plans/**/*.ipynb"))


def test_a_sweep_shows_one_bill_of_all_combinations(project, server):
    words = ["sweep", "uq/asks", "-p", "n", "1", "2", "-p", "mode", "auto"]
    more = [], ["--budget", "0.0000001"], ["--plan"], ["--max-calls", "4"]
    refused, poor, plan, done = project.each("proctor.cli", *([*words, *each] for each in more), kernels=False)
    assert refused.returncode == 2 and "Give --budget DOLLARS" in refused.stderr
    assert "plan: 4 different calls to ask over 2 jobs, at most $" in refused.stdout
    assert "nothing was asked: --budget is $0.0000001" in poor.stderr and plan.returncode == 0
    assert done.returncode == 0 and server.arrived == 4, done.stderr  # the others have asked nothing


def test_a_bill_is_held_to_the_budget_of_all_together(monkeypatch):
    refuse(2, 1.25, Budget(calls=2, dollars=1.25))
    for budget, said in (
        (Budget(dollars=1), "--budget is $1.00"),
        (Budget(calls=1), "--max-calls is 1"),
        (None, "no budget"),
    ):
        with pytest.raises(WorkflowError, match=re.escape(said)):
            refuse(2, 1.25, budget)
    monkeypatch.setenv("PROCTOR_BUDGET", "1")
    with pytest.raises(WorkflowError, match="--budget is"):
        refuse(2, 1.25, Budget())
