"""KINA's manual for authors and its selection prompt, in our words, from the pieces that a review has."""

from collections.abc import Mapping

import pandas as pd


def writing_rules(facts: Mapping[str, str]) -> pd.DataFrame:
    """What the manual asks of authors (E.2): columns kind, rule, in_objective (does coverage know it; our judgement).

    facts: the printed counts by name (data/published/kina/facts.csv).
    """
    low, high = facts["items_per_discipline_low"], facts["items_per_discipline_high"]
    return pd.DataFrame(
        [
            ("asked", f"{facts['item_components']} parts, among them options, answer, explanation and sources", "no"),
            ("sought", f"an item fit to be among {low} to {high} that test a discipline", "yes: a large gain"),
            ("sought", "knowledge applied in a closed, complete argument", "no"),
            ("sought", "breadth, where a discipline rests on memory", "yes: similarity with many anchors"),
            ("rejected", "bare facts and obscure corners", "in part: no anchor lies there"),
            ("rejected", "trick questions, unsettled opinion, failures that are not the discipline's", "no"),
        ],
        columns=["kind", "rule", "in_objective"],
    )


def selection_rules() -> pd.DataFrame:
    """What the selection prompt asks of a model that chooses items: columns as in `writing_rules`."""
    return pd.DataFrame(
        [
            ("required", "no two items on the same point", "yes: the second gains little or nothing"),
            ("required", "spread over topics", "yes: what is covered counts once"),
            ("preferred", "items that separate models", "no"),
            ("preferred", "cases before application, concepts and recall", "no"),
            ("preferred", "clear, consistent patterns of error", "no"),
        ],
        columns=["kind", "rule", "in_objective"],
    )
