"""What notebooks would ask models, planned over all of them before the first call.

Each notebook runs up to its plan and leaves it in a file (PROCTOR_PLAN, see models/studies.py). So a sweep, and a
`make reproduce` of several notebooks, show one bill, and ask nothing beyond a budget, or without one. What knows models
is imported where something is asked.
"""

import argparse
import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.paths import BUILD
from proctor.workflow import params
from proctor.workflow.jobs import PLAN, Job, job_in, run_jobs
from proctor.workflow.notebook import Notebook, WorkflowError
from proctor.workflow.receipts import texts

if TYPE_CHECKING:
    from proctor.models.spending import Budget

PLANS = BUILD / "plans"
ASKS = ("auto", "live")  # a notebook's mode in which models are asked


def add_budget_options(parser: argparse.ArgumentParser, of: str) -> None:
    """--budget, --max-calls, --total-budget and --no-budget, which `budget_of` reads. of: whose they are."""
    parser.add_argument("--budget", type=float, metavar="DOLLARS", help=f"that {of} may spend")
    parser.add_argument("--max-calls", type=int, metavar="N", help=f"calls that {of} may make")
    parser.add_argument("--total-budget", type=float, metavar="DOLLARS", help="that all runs may ever have spent")
    parser.add_argument("--no-budget", action="store_true", help="no limit to what is spent")


def budget_of(options: argparse.Namespace) -> "Budget | None":
    """Raises WorkflowError where one of these options excludes another."""
    bounds = options.budget, options.max_calls, options.total_budget
    if not options.no_budget and bounds == (None, None, None):
        return None
    from proctor.models.spending import Budget

    try:
        return Budget.of_options(*bounds, options.no_budget)
    except ValueError as error:
        raise WorkflowError(str(error)) from None


def asks(notebook: Notebook, given: Mapping[str, Any]) -> bool:
    """Whether the notebook asks models and plans before: it has a `mode` in which it does, and a `budget`."""
    values = params.all_values(notebook, given)
    return "budget" in values and values.get("mode") in ASKS


def may_cost(notebook: Notebook, given: Mapping[str, Any]) -> bool:
    """Whether it asks, has no budget of its own, and names a model that costs or has no price."""
    values = params.all_values(notebook, given)
    return asks(notebook, given) and values["budget"] is None and any(map(_costs, texts(values)))


def _costs(text: str) -> bool:
    from proctor.models.registry import ModelError, is_free

    try:
        return not is_free(text)
    except ModelError:
        return False  # no model's name


def show_bill(jobs: Iterable[Job], how: Mapping[str, Any], unit: str) -> tuple[int, float | None]:
    """Plan the jobs and print what all ask together; how many calls, and dollars at most, None without a price.

    A call that several share counts once, but for mode live. unit: what was planned. Raises WorkflowError for a job
    that can't be planned."""
    from proctor.models.spending import in_dollars

    shutil.rmtree(PLANS, ignore_errors=True)
    plans = []
    for number, job in enumerate(jobs):
        place = PLANS / str(number)
        plan = job_in(place, job.notebook, job.values, job.name)
        plans.append(plan._replace(environment={PLAN: str((place / "plan.json").absolute())}))
    found = run_jobs(plans, "plan", "job", **how)
    if problems := [each.problem for each in found if each.problem]:
        raise WorkflowError("\n\n".join(["nothing was asked:", *dict.fromkeys(problems)]))
    to_ask: dict[str, float | None] = {}
    expected: dict[str, float] = {}
    asking = 0
    for each in found:
        file = Path(each.environment[PLAN])
        plan = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"to_ask": {}, "expected": {}}
        own = f"{each.name} " if each.values.get("mode") == "live" else ""
        to_ask |= {own + key: cost for key, cost in plan["to_ask"].items()}
        expected |= {own + key: cost for key, cost in plan["expected"].items()}
        asking += bool(plan["to_ask"])
    shutil.rmtree(PLANS, ignore_errors=True)
    costs = [cost for cost in to_ask.values() if cost is not None]
    dollars = sum(costs) if len(costs) == len(to_ask) else None
    cost = "no price known" if dollars is None else f"at most {in_dollars(dollars)}"
    if dollars and len(expected) == len(to_ask):
        cost += f", expected about {in_dollars(sum(expected.values()))}"
    over = f"{asking:,} {unit}{'' if asking == 1 else 's'}"
    print(f"plan: {len(to_ask):,} different calls to ask over {over}, {cost}", flush=True)
    return len(to_ask), dollars


def refuse(calls: int, dollars: float | None, budget: "Budget | None" = None) -> None:
    """Raises WorkflowError where a bill passes the budget and that of the environment, or where money is spent without
    one."""
    from proctor.models.spending import Budget, in_dollars, narrower

    budget = narrower(budget, Budget.here())
    if calls and dollars != 0 and budget is None:
        raise WorkflowError(
            "nothing was asked: this costs money, and there is no budget. Give --budget DOLLARS or --max-calls N "
            "for all together, or say --no-budget"
        )
    if budget and budget.dollars is not None and dollars is not None and dollars > budget.dollars:
        raise WorkflowError(f"nothing was asked: --budget is {in_dollars(budget.dollars)}; raise it or ask less")
    if budget and budget.calls is not None and calls > budget.calls:
        raise WorkflowError(f"nothing was asked: --max-calls is {budget.calls:,}; raise it or ask less")
