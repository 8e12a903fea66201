"""What the rules do to a pool: a funnel by rule and by site."""

import pandas as pd

from proctor.uq.dataset.rules import BIT, RULES, Rules


def by_rule(outcomes: pd.DataFrame) -> pd.DataFrame:
    """A row a rule, in the order of RULES.

    outcomes: `Filter.outcomes`. failed: questions that fail it. alone: those that fail no other rule, so that they
    would be kept without it. left: questions that pass it and every rule before it.
    """
    failed, n = outcomes["failed"], outcomes["questions"]
    rows, before = [], 0
    for name, bit in BIT.items():
        before |= bit
        rows.append((name, n[failed & bit > 0].sum(), n[failed == bit].sum(), n[failed & before == 0].sum()))
    return pd.DataFrame(rows, columns=["rule", "failed", "alone", "left"])


def by_site(outcomes: pd.DataFrame) -> pd.DataFrame:
    """A row a site: questions, questions kept, share kept in percent, and how many fail each rule."""
    failed = {
        name: outcomes["questions"].where(outcomes["failed"] & bit > 0, 0).rename(name) for name, bit in BIT.items()
    }
    kept = outcomes["questions"].where(outcomes["failed"] == 0, 0).rename("kept")
    table = pd.concat([outcomes[["site", "questions"]], kept, *failed.values()], axis=1).groupby("site").sum()
    table.insert(2, "share", 100 * table["kept"] / table["questions"])
    return table.reset_index()


def kept(outcomes: pd.DataFrame) -> int:
    """Questions that fail no rule."""
    return int(outcomes.loc[outcomes["failed"] == 0, "questions"].sum())


def describe(rules: Rules) -> pd.DataFrame:
    """The rules in words, with the thresholds of most sites."""
    return pd.DataFrame(
        [(name, says.format(**rules.default)) for name, (says, _) in RULES.items()], columns=["rule", "keeps"]
    )
