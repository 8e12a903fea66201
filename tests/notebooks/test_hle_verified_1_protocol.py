"""The notebook on HLE-Verified's protocol, run once with params/quick.yaml; what it leaves in figures/."""

import json
import math
from itertools import product

import pandas as pd
import pytest
from proctor.hle_verified.planted_defects import damaged_exam
from proctor.stats.proportions import clopper_pearson

NAME = "hle_verified/1_protocol"


@pytest.fixture(scope="module")
def read(done):
    return lambda name: pd.read_csv(done / f"figures/hle_verified/{name}.csv", keep_default_na=False)


def records(done, name):
    return [json.loads(line) for line in (done / f"figures/hle_verified/{name}.jsonl").read_text().splitlines()]


def test_every_item_ends_once_and_its_trail_leads_there(done, read):
    items, _ = damaged_exam()
    released, trail = records(done, "released_exam"), records(done, "audit_trail")
    assert [record["id"] for record in released] == [item.id for item in items]
    routed = {line["item"]: line["status"] for line in trail if line["step"] == "routing"}
    assert routed == {record["id"]: record["status"] for record in released}
    outcomes = read("outcomes")
    assert set(outcomes.drop(columns=["experts", "component"]).sum(axis=1).groupby(outcomes["experts"]).sum()) == {50}


def test_a_record_says_what_changed_and_nothing_else_did(done):
    items = {item.id: item for item in damaged_exam()[0]}
    fields = dict(problem="question", answer="answer", rationale="rationale")
    for record in records(done, "released_exam"):
        item = items[record["id"]]
        for part, field in fields.items():
            assert record["before"].get(part, record[part]) == getattr(item, field)
        assert (
            bool(record["uncertainty_source"])
            == bool(record["required_expertise"])
            == (record["status"] == "uncertain")
        )


def test_damaged_items_in_gold_are_counted_with_their_exact_intervals(done, read):
    table, truths = read("gold_damage").set_index("experts"), damaged_exam()[1]
    gold = [record["id"] for record in records(done, "released_exam") if record["status"] == "gold"]
    bad = sum(False in (truths[item].holds["problem"], truths[item].holds["answer"]) for item in gold)
    row = table.loc["panel, most must accept"]
    assert (row["gold"], row["damaged"]) == (len(gold), bad)
    limits = float(row["damaged_low"]), float(row["damaged_high"])
    assert limits == pytest.approx(clopper_pearson(bad, len(gold)))
    assert (table[["gold", "revised", "uncertain"]].sum(axis=1) == 50).all()


def test_inclusion_rules_are_those_of_every_reviewer_counted_out(read):
    """All 2^5 verdicts on an item of each class, summed by hand."""
    rules = read("inclusion_rules").set_index(["case", "quorum"]).astype(float)
    share, accept = {"easy": 0.35, "hard": 0.35, "flawed": 0.3}, {"easy": 0.95, "hard": 0.75, "flawed": 0.3}
    inside = dict.fromkeys(share, 0.0)
    for said in product((0, 1), repeat=5):
        if sum(said) >= 4:
            for kind, p in accept.items():
                inside[kind] += share[kind] * math.prod(p if yes else 1 - p for yes in said)
    row = rules.loc[("hard items doubted more", 4)]
    assert row["size"] == pytest.approx(sum(inside.values()))
    assert row["coverage"] == pytest.approx((inside["easy"] + inside["hard"]) / 0.7)
    assert row["accuracy"] == pytest.approx((0.9 * inside["easy"] + 0.3 * inside["hard"]) / sum(inside.values()))


def test_what_became_of_the_items_is_recounted_from_the_released_exam(done, read):
    counts = read("outcomes").set_index(["experts", "component"]).loc["panel, most must accept"]
    truths, ended = damaged_exam()[1], {}
    for record in records(done, "released_exam"):
        defect = truths[record["id"]].defect
        ended.setdefault(defect.component if defect else "none", []).append(record["status"])
    for component, statuses in ended.items():
        row, which = counts.loc[component].astype(int), "sound" if component == "none" else "damaged"
        taken = row["sound, kept" if which == "sound" else "damaged, taken for gold"]
        assert (taken, row[f"{which}, left open"]) == (statuses.count("gold"), statuses.count("uncertain"))
        assert row.sum() == len(statuses)
