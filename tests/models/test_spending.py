from collections import Counter

import pytest
from proctor.models.spending import Budget, Spent, narrower


@pytest.mark.parametrize(
    ("given", "budget"),
    [
        (None, None),
        (5, Budget(dollars=5)),
        ("0.5", Budget(dollars=0.5)),
        ("500 calls", Budget(calls=500)),
        ("None", Budget()),
    ],
)
def test_a_budget_is_dollars_calls_or_no_limit_in_words(given, budget):
    assert Budget.of(given) == budget


@pytest.mark.parametrize("given", ["", "much", -1, "-3 calls", "2.5 calls", "5 euros", float("nan"), True])
def test_what_is_no_budget_is_refused_with_the_forms_that_are(given):
    with pytest.raises(ValueError, match="give dollars .*calls.*none"):
        Budget.of(given)


def test_of_two_budgets_the_lower_bounds_hold():
    assert narrower(None, None) is None and narrower(None, Budget()) == Budget()
    assert narrower(Budget(5, None), Budget(9, 2.0)) == Budget(5, 2.0)
    Budget(9, 2.0).keep()
    Budget(5).keep()  # what is kept before is not widened
    Budget(total=7.0).keep()
    assert Budget.here() == Budget(5, 2.0, 7.0)


@pytest.mark.parametrize(
    ("spent", "said"),
    [
        (Spent(2, 10, 10, 0.02), "$0.02"),
        (Spent(2, 10, 10, 0.0, Counter(mine=2)), "no price, 1 model without a price"),
        (Spent(4, 10, 10, 0.02, Counter(mine=2, ours=1)), "$0.02 and 2 models without a price"),
    ],
)
def test_calls_to_models_without_a_price_do_not_count_as_free(spent, said):
    assert spent.cost == said and str(spent).endswith(f" new calls, 20 tokens, {said}")
