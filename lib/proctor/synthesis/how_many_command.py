"""How many, from the command line.

    python -m proctor how-many items --rates 0.6 0.5 --correlation 0.4
    python -m proctor how-many checks --population 1143 --below 0.05

A command a question; all are explained in notebooks/synthesis/5_how_many.ipynb. Shares are 0.8, not 80.
"""

from collections.abc import Sequence
from typing import Annotated

import typer

from proctor import COMMAND_LINE, program
from proctor.synthesis import how_many, how_many_checks

app = typer.Typer(
    name="how-many",
    help="How many items, repeats, votes, rollouts, reviewers or checks an aim takes, and what a budget is best spent "
    "on. Shares and rates are numbers from 0 to 1: 0.8, not 80. Each answer says what it assumes.",
    no_args_is_help=True,
    **COMMAND_LINE,
)
Level = Annotated[float, typer.Option(help="confidence level of the interval or test")]
Test = Annotated[str, typer.Option(help="exact (McNemar's, as leaderboard and compare decide) or score (Tango's)")]
Utility = Annotated[float, typer.Option(help="expected share of rollouts that succeed; 0.5 needs the most")]
Kappa = Annotated[float, typer.Option(help="agreement beyond chance that is expected (kappa or alpha), 0 to below 1")]
Correlation = Annotated[float, typer.Option(help="of two votes on the same answer: 0 if its errors are independent")]


def main(arguments: Sequence[str] = ()) -> None:
    """Run the command line. Raises ValueError for what can't be planned; the message says what to mend."""
    app([*arguments], prog_name=f"{program()} how-many")


@app.command()
def items(
    rates: Annotated[tuple[float, float], typer.Option(help="expected accuracies of the two models, as 0.6 0.5")],
    correlation: Annotated[float, typer.Option(help="of their right answers over items (phi); 0 needs the most")] = 0.0,
    power: Annotated[float, typer.Option(help="chance to tell the two apart")] = 0.8,
    level: Level = 0.95,
    family: Annotated[int, typer.Option(help="items of a family (same template, text or author)")] = 1,
    icc: Annotated[float, typer.Option(help="correlation within a family of the difference of the two scores")] = 0.0,
    test: Test = "exact",
) -> None:
    """Items that tell two models apart, both answering all of them."""
    _show(how_many.items_for_difference(*rates, correlation, power, level, family, icc, test))


@app.command()
def difference(
    n: Annotated[int, typer.Option("-n", help="items that there are")],
    rate: Annotated[float, typer.Option(help="expected accuracy of the better model")],
    correlation: Annotated[float, typer.Option(help="of the two models' right answers over items (phi)")] = 0.0,
    power: Annotated[float, typer.Option(help="chance to tell the two apart")] = 0.8,
    level: Level = 0.95,
    test: Test = "exact",
) -> None:
    """The smallest difference of two models that so many items tell."""
    found = how_many.smallest_difference(n, rate, correlation, power, level, test=test)
    if found != found:
        raise ValueError(
            f"{n:,} items tell no difference that a correlation of {correlation:g} allows below {rate:g}: give more "
            "items, or a lower correlation"
        )
    print(
        f"{100 * found:.2f} points: {rate:g} and {rate - found:.4f} are distinguished with {power:.0%} power by "
        f"{how_many.TESTS[test]}"
    )


@app.command()
def repeats(
    within: Annotated[float, typer.Option(help="variance of a judge's scores of one item")],
    between: Annotated[float, typer.Option(help="variance of the items' mean scores")],
    share: Annotated[float, typer.Option(help="largest share of an item's mean score that is the judge's own")] = 0.1,
) -> None:
    """Repeats of a judge until its own variance is a small share."""
    _show(how_many.repeats_for_share(within, between, share))


@app.command()
def votes(
    miss: Annotated[float, typer.Option(help="chance that one vote rejects a right answer")],
    false_alarm: Annotated[float, typer.Option(help="chance that one vote accepts a wrong answer")],
    at_most: Annotated[float, typer.Option(help="largest chance of each error for the majority")] = 0.05,
    correlation: Correlation = 0.0,
) -> None:
    """Votes of a judge whose majority errs rarely."""
    _show(how_many.votes_for_error(miss, false_alarm, at_most, correlation))


@app.command()
def rollouts(
    utility: Utility = 0.5,
    error: Annotated[float, typer.Option(help="largest mean absolute error of the utility")] = 0.05,
    pool: Annotated[int | None, typer.Option(help="compare with the mean of so many rollouts, not the truth")] = None,
) -> None:
    """Rollouts of a candidate until its utility is known (CBU)."""
    _show(how_many.rollouts_for_error(utility, error, pool))


@app.command()
def order(
    utilities: Annotated[tuple[float, float], typer.Option(help="of the better and the worse candidate, as 0.6 0.4")],
    chance: Annotated[float, typer.Option(help="of the right order")] = 0.9,
) -> None:
    """Rollouts that rank two candidates rightly (CBU)."""
    _show(how_many.rollouts_for_order(*utilities, chance))


@app.command()
def agreement(
    half_width: Annotated[float, typer.Option(help="of the interval of the agreement")] = 0.1,
    kappa: Kappa = 0.6,
    prevalence: Annotated[float, typer.Option(help="expected share of labels that are yes")] = 0.5,
    reviewers: Annotated[
        int | None, typer.Option(help="who label every item; asks for items (2 if none given)")
    ] = None,
    items: Annotated[int | None, typer.Option(help="that there are; asks for reviewers")] = None,
    level: Level = 0.95,
) -> None:
    """Items for so many reviewers, or reviewers for so many items, for a known agreement."""
    if items is not None and reviewers is not None:
        raise ValueError("give --items or --reviewers, not both: the other one is the answer")
    if items is not None:
        _show(how_many_checks.reviewers_for_agreement(half_width, items, kappa, prevalence, level))
    else:
        _show(
            how_many_checks.items_for_agreement(
                half_width, 2 if reviewers is None else reviewers, kappa, prevalence, level
            )
        )


@app.command()
def checks(
    population: Annotated[int | None, typer.Option(help="items in all, such as all repaired ones; none: many")] = None,
    below: Annotated[float | None, typer.Option(help="show that the share of errors is below this")] = None,
    allowed: Annotated[int, typer.Option(help="with --below: errors that may be found")] = 0,
    within: Annotated[float | None, typer.Option(help="know the share of errors within this")] = None,
    expected: Annotated[float, typer.Option(help="with --within: the share of errors that is expected")] = 0.5,
    level: Level = 0.95,
) -> None:
    """Items that people must check, so that the error rate of repairs is known or low."""
    if (below is None) == (within is None):
        raise ValueError("give --below 0.05 (the share of errors is low) or --within 0.03 (it is known), one of them")
    if below is not None:
        _show(how_many_checks.checks_below(below, population, allowed, level))
    elif within is not None:
        _show(how_many_checks.checks_within(within, expected, population, level))


@app.command()
def split(
    budget: Annotated[float, typer.Option(help="in dollars or calls, as the costs are")],
    between: Annotated[float, typer.Option(help="variance of the items' means")],
    within: Annotated[float, typer.Option(help="variance of repeats of one item")],
    item_cost: Annotated[float, typer.Option(help="of an item, once; 0 if it is there")] = 0.0,
    call_cost: Annotated[float, typer.Option(help="of a repeat")] = 1.0,
    most_items: Annotated[int | None, typer.Option(help="items that there are at most")] = None,
) -> None:
    """A budget split into items and repeats of each."""
    found = how_many.split_budget(budget, between, within, item_cost, call_cost, most_items)
    print(f"{found.n:,} items with {found.k:,} repeats each")
    _lines(
        {
            "standard error": found.error,
            "standard error with one repeat": found.once,
            "repeats by the square-root rule": found.rule,
            "spent": found.spent,
        },
        found.assumes,
    )


def _show(plan: how_many.Plan) -> None:
    print(f"{plan.n:,} {plan.unit}\n  for: {plan.aim}")
    _lines(plan.told, plan.assumes)


def _lines(told: dict[str, float], assumes: Sequence[str]) -> None:
    for name, value in told.items():
        print(f"  {name}: {value:,.4g}" if value < 1e4 else f"  {name}: {value:,.0f}")
    for each in assumes:
        print(f"  assumed: {each}")
