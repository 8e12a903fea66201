import math
from itertools import combinations_with_replacement, product

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proctor.report.claims import ID, VERDICTS, as_row, judge, of_catalog, parse, parse_claims, verdict
from proctor.stats.interval import Interval

NUMBERS = st.floats(-100, 100, allow_nan=False).map(lambda x: float(f"{x:.12g}") if abs(x) >= 1e-12 else 0.0)
SAYS = {">": lambda x, a: x > a, ">=": lambda x, a: x >= a, "<": lambda x, a: x < a, "<=": lambda x, a: x <= a}


GIVEN = dict(id="uq/finding_1", sentence="Judges beat chance", notebook="uq/3_validators", evidence="measured",
             estimate=0.6, interval=(0.5, 0.7), says="> 0.5", n=10, of="items")  # fmt: skip


def made(**how):
    return judge(**GIVEN | how)


@pytest.mark.parametrize("sign", [*SAYS, "within"])
def test_a_claim_holds_when_every_value_satisfies_it_and_fails_when_none_does(sign):
    pairs = list(combinations_with_replacement(range(-2, 3), 2))
    for (low, high), (a, b) in product(pairs, pairs):
        values = [low + step / 2 for step in range(2 * (high - low) + 1)]
        satisfied = [a <= value <= b if sign == "within" else SAYS[sign](value, a) for value in values]
        expected = "holds" if all(satisfied) else "cannot tell" if any(satisfied) else "does not hold"
        assert verdict(low, high, f"within {a}..{b}" if sign == "within" else f"{sign} {a}") == expected
    assert verdict(0.1, math.inf, "> 0") == "holds"
    assert made(estimate=0.1, interval=(1e-17, 0.2), says="> 0").verdict == "cannot tell", "rounding decides nothing"


def test_what_a_claim_says_is_parsed():
    assert parse(">= 0.5") == (">=", (0.5,)) and parse("<-1e-3") == ("<", (-0.001,))
    for says in ("", "0", "== 1", "> x", "within 5..-5", "within 1 to 2", "> 0 and < 1", "> nan"):
        with pytest.raises(ValueError, match="says="):
            parse(says)
    assert parse("within -5..5") == ("within", (-5.0, 5.0)) and parse("within .1..0.25") == ("within", (0.1, 0.25))


@pytest.mark.parametrize(
    "wrong, message",
    [
        (dict(id="finding_1"), "write the id"),
        (dict(id="uq/finding_1."), "write the id"),
        (dict(evidence="guessed"), "guessed"),
        (dict(interval=None), "an interval, or in exact"),
        (dict(exact="enumerated"), "an interval, or in exact"),
        (dict(interval=(None, 0.7)), "two numbers"),
        (dict(interval=(math.nan, 0.7)), "two numbers"),
        (dict(interval=(0.7, 0.5)), "outside"),
        (dict(estimate=0.8), "outside"),
        (dict(estimate=None), "estimate"),
        (dict(estimate=math.nan), "NaN"),
        (dict(says=""), "says="),
        (dict(n=None), "give n"),
        (dict(n=2.5), "a count"),
        (dict(holds=True), "the interval decides"),
        (dict(family=2), "wider interval"),
        (dict(level=0.9), "wider interval"),
        (dict(interval=None, estimate=None, says="", exact="all"), "holds="),
        (dict(interval=None, says="", exact="all"), "holds="),
        (dict(interval=None, exact="all", holds=True), "not both"),
    ],
)
def test_what_does_not_fit_together_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        made(**wrong)


def test_an_exact_share_of_nothing_tells_nothing():
    how = dict(estimate=math.nan, says="> 0", exact="counted", notebook="uq/x", evidence="measured")
    claim = judge("uq/a", "Some are", n=0, of="items", **how)
    assert claim.verdict == "cannot tell" and "n = 0 items" in claim.numbers
    with pytest.raises(ValueError, match="finite estimate"):
        judge("uq/a", "Some are", n=3, of="items", **how)


def test_what_is_not_in_the_table_is_undecided_and_says_so():
    gone = made(interval=None, estimate=None, says="", holds=math.nan, exact="all rows")
    undefined = Interval(math.nan, -math.inf, math.inf, 0.95, "not in the table")
    for claim in (gone, made(estimate=None, interval=undefined, says="> 0", unsettled="too few")):
        assert claim.verdict == "cannot tell"
        assert claim.finding == f"Cannot tell, not in the table: {claim.sentence}"


@pytest.mark.parametrize("limits", [(math.nan, math.nan), (-math.inf, math.inf)])
def test_an_undefined_estimate_tells_nothing_and_a_model_may_be_part_of_an_id(limits):
    claim = made(id="uq/a.openai/gpt-5@http://x:1/v1", estimate=math.nan, interval=limits)
    assert claim.verdict == "cannot tell" and (claim.estimate, claim.low, claim.high) == (None, -math.inf, math.inf)
    assert claim.numbers == "undefined [-∞, ∞], n = 10 items" and claim.id == "uq/a.openai_gpt-5_http_x_1_v1"


def test_each_verdict_has_its_sentence():
    holding, failing, open_ = (dict(interval=(0.51, 0.7)), dict(interval=(0.4, 0.5), estimate=0.45), {})
    own = dict(refuted="Judges guess", unsettled="Judges may guess")
    for how, title, own_title in (
        (holding, "Judges beat chance", "Judges beat chance"),
        (failing, "Does not hold: Judges beat chance", "Judges guess"),
        (open_, "Cannot tell: Judges beat chance", "Judges may guess"),
    ):
        assert (made(**how).finding, made(**how, **own).finding) == (title, own_title)
    assert made(**failing, **own).line() == (
        "✗ does not hold: Judges beat chance → Judges guess (0.45 [0.40, 0.50], n = 10 items; measured; uq/finding_1)"
    )


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.sampled_from(sorted(SAYS)))
def test_a_written_claim_is_read_back_and_judged_alike(one, two, three, bound, sign):
    low, estimate, high = sorted((one, two, three))
    claim = made(estimate=estimate, interval=(low, high), says=f"{sign} {bound}", evidence="published + measured")
    table = pd.DataFrame([as_row(claim)]).to_csv(index=False)
    assert parse_claims(table.encode(), "claims.csv") == [claim] and claim.verdict in VERDICTS
    with pytest.raises(ValueError, match="claims_x.csv, row 2"):
        parse_claims(b"id,sentence\na,b\n", "claims_x.csv")


def test_parts_of_a_row_belong_to_it_and_others_do_not():
    assert of_catalog("uq/a", "uq/a") and of_catalog("uq/a.0.5B", "uq/a") and not of_catalog("uq/ab", "uq/a")
    assert ID.fullmatch("hle_verified/3_gain.qwen2.5-coder-0.5b") and not ID.fullmatch("uq/a b")
