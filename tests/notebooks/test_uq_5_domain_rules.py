"""notebooks/uq/5_domain_rules.ipynb at its defaults: verdicts and intervals counted again from its table of answers."""

import numpy as np
import pytest
from scipy.stats import t

NAME = "uq/5_domain_rules"


@pytest.fixture(scope="module")
def answers(read):
    return read("5_answers")


def test_precision_and_recall_are_shares_of_counted_answers(answers, read):
    for row in read("5_validators").itertuples():
        part = answers if row.kind == "all" else answers[answers["kind"] == row.kind]
        both = (part["right"] & part[row.validator]).sum()
        assert (row.answers, row.right, row.accepted) == (len(part), part["right"].sum(), part[row.validator].sum())
        assert row.precision == pytest.approx(100 * both / row.accepted)
        assert row.recall == pytest.approx(100 * both / row.right)


def test_the_gain_has_students_interval_from_leaving_one_template_out(answers, claims_made):
    def gain(part):
        return 100 * (part["right"][part["program"]].mean() - part["right"][part["judge"]].mean())

    without = np.array([gain(answers[answers["template"] != name]) for name in answers["template"].unique()])
    half = t.ppf(0.975, 23) * np.sqrt(23 / 24 * ((without - without.mean()) ** 2).sum())
    claim = claims_made["uq/claim_domain_rules_stronger.precision"]
    assert claim.estimate == pytest.approx(gain(answers)) and claim.n == 24
    assert [claim.low, claim.high] == pytest.approx([claim.estimate - half, claim.estimate + half])


def test_a_program_that_sees_all_of_an_equation_errs_less_than_one_that_sees_a_unit(answers):
    wrong = answers[~answers["right"]].groupby("kind")["program"].mean()
    assert wrong["equation"] < 0.1 < 0.9 < wrong["units"]
