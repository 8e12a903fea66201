"""Both mends of a judge, on made-up verdicts: a threshold is fitted on other families, reasons are paired by answer."""

import numpy as np
import pandas as pd
import pytest
from proctor.uq import verdict_effects
from proctor.uq.verdict_effects import FITTED, HALF, REASONED


@pytest.fixture
def rows():
    """Four families of two right and two wrong answers. Bare verdicts accept all, with a probability of .9 and .7;
    reasons reject half of the wrong ones."""
    table = []
    for check in ("C", "B"):
        for family in ("tank", "ages", "mean", "change"):
            for i in range(4):
                right, name = i < 2, f"{family}-{i}"
                know = dict(judge="m", check=check, question_id=name, category=family, answer_id=name, correct=right)
                table.append(know | dict(style="bare", outcome="accept", p_accept=0.9 if right else 0.7))
                told = "reject" if i == 3 else "accept"
                table.append(know | dict(style="reasoned", outcome=told, p_accept=0.5))
    return pd.DataFrame(table)


def test_rates_by_check_and_style(rows):
    found = verdict_effects.verdicts(rows, np.random.default_rng(1))
    table = verdict_effects.by_check(found, np.random.default_rng(1), 100).set_index(["check", "style"])
    rates = table.loc["C", ["right_accepted", "wrong_rejected", "balanced"]]
    assert rates.loc[HALF].tolist() == [1, 0, 0.5]
    assert rates.loc[FITTED].tolist() == [1, 1, 1]
    assert rates.loc[REASONED].tolist() == [1, 0.5, 0.75]
    assert table.loc[("C", HALF), "auc"] == 1 and np.isnan(table.loc[("C", REASONED), "auc"])


def test_no_family_chooses_its_own_threshold(rows):
    """One family has its probabilities the other way round: by its own threshold it would lose nothing."""
    turned = rows["category"].eq("tank") & rows["style"].eq("bare")
    rows.loc[turned, "p_accept"] = np.where(rows.loc[turned, "correct"], 0.2, 0.1)
    found = verdict_effects.verdicts(rows, np.random.default_rng(1))
    own = found[(found["category"] == "tank") & (found["style"] == FITTED)]
    assert not own["accepted"].any()


def test_effects_are_gains_in_balanced_accuracy(rows):
    found = verdict_effects.verdicts(rows, np.random.default_rng(1))
    main = verdict_effects.main_effects(found).set_index("effect")["difference"]
    assert main.tolist() == pytest.approx([0.5, 0.25, 0.5])
    by_check = verdict_effects.effects_by_check(found)
    assert len(by_check) == 4 and by_check["families"].eq(4).all()


def test_rows_of_two_judges_are_refused(rows):
    other = rows.assign(judge="other")
    with pytest.raises(ValueError, match="2 judges"):
        verdict_effects.verdicts(pd.concat([rows, other]), np.random.default_rng(1))


def test_a_judge_without_probabilities_has_no_fitted_threshold(rows):
    found = verdict_effects.verdicts(rows.assign(p_accept=None), np.random.default_rng(1))
    assert set(found["style"]) == {HALF, REASONED}
    main = verdict_effects.main_effects(found).set_index("effect")
    assert np.isnan(main.loc["fitted threshold less one half", "difference"])
    assert main.loc["reasoned less bare", "difference"] == pytest.approx(0.25)
    assert verdict_effects.by_check(found, np.random.default_rng(1), 100)["auc"].isna().all()
