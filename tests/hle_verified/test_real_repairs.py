"""A repaired exam on small synthetic logs, against pandas, scikit-learn's definition of the AUC by pairs, and loops."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.hle_verified import real_repairs
from scipy.stats import kendalltau

LETTERS = list("ABCD")


@pytest.fixture(scope="module")
def table():
    """300 items, four models of 85 to 55 %; 30 wrong keys, 6 keys that grow a letter, 20 other flaws."""
    rng = np.random.default_rng(4)
    n = 300
    truth = rng.choice(LETTERS, n)
    kind = np.array(["wrong_groundtruth"] * 30 + ["multiple_correct_answers"] * 6 + ["expert"] * 20 + ["ok"] * 244)
    other = np.array([LETTERS[(LETTERS.index(letter) + 1) % 4] for letter in truth])
    frame = pd.DataFrame(
        dict(
            item=[f"subject/{i:03d}" for i in range(n)],
            subject="subject",
            error_type=kind,
            original_key=np.where(kind == "wrong_groundtruth", other, truth),
            repaired_keys=np.select(
                [kind == "wrong_groundtruth", kind == "multiple_correct_answers"],
                [truth, np.char.add(truth, other)],
                "",
            ),
        )
    )
    frame.loc[299, "repaired_keys"] = "A" if truth[299] != "A" else "B"  # noted on a sound item: not used
    for name, chance in zip(("one", "two", "three", "four"), (0.85, 0.75, 0.65, 0.55)):
        frame[name] = np.where(rng.random(n) < chance, truth, rng.choice(LETTERS, n))
    frame.loc[298, "four"] = ""
    return frame


@pytest.fixture(scope="module")
def exam(table):
    return real_repairs.read(table)


def rng():
    return np.random.default_rng(1)


def test_both_keys_mark_as_pandas_does(table, exam):
    for row, model in enumerate(exam.models):
        assert exam.before[row].mean() == (table[model] == table["original_key"]).mean()
        kept = table["repaired_keys"].where(table["error_type"] != "ok", "").replace("", np.nan)
        keys = kept.fillna(table["original_key"])
        assert exam.after[row].mean() == np.mean([a != "" and a in k for a, k in zip(table[model], keys)])
    assert exam.items[["flawed", "wrong_key", "changed"]].sum().tolist() == [56, 30, 36]


def test_a_table_of_another_form_is_refused(table):
    with pytest.raises(DataError, match="columns must be item, subject"):
        real_repairs.read(table.drop(columns="subject"))


def test_gains_and_ranks(exam):
    found = real_repairs.gains(exam, rng(), 300).set_index("model")
    changed = exam.items["changed"].to_numpy()
    gain = exam.after - exam.before
    assert found.loc["one", "gain"] == pytest.approx(100 * gain[0].mean())
    assert found.loc["one", "changed_gain"] == pytest.approx(100 * gain[0, changed].mean())
    assert found["rank_after"].to_dict() == {"one": 1, "two": 2, "three": 3, "four": 4}
    assert ((found["gain_low"] <= found["gain"]) & (found["gain"] <= found["gain_high"])).all()
    weakest = real_repairs.weakest(found, "gain", 0.9875)
    assert weakest.low == found["gain_low"].min()
    mean = real_repairs.mean_changed_gain(exam, rng(), 300)
    assert mean.estimate == pytest.approx(100 * gain[:, changed].mean()) and mean.low < mean.estimate < mean.high


def test_gaps_and_order(exam):
    gain = 100 * (exam.after - exam.before).mean(axis=1)
    gap = real_repairs.largest_gap_change(exam, rng(), 300)
    assert any(gap.estimate == pytest.approx(gain[i] - gain[j]) for i, j in combinations(range(4), 2))
    tau = real_repairs.order_kept(exam, rng(), 300)
    assert tau.estimate == pytest.approx(kendalltau(exam.before.mean(axis=1), exam.after.mean(axis=1)).statistic)


def test_the_formula_is_right_where_wrong_keys_fall_at_random():
    draw = np.random.default_rng(0)
    n, letters = 60_000, np.array(LETTERS)
    truth = draw.integers(4, size=n)
    wrong = draw.random(n) < 0.1
    key = np.where(wrong, (truth + draw.integers(1, 4, n)) % 4, truth)
    answers = np.where(draw.random((2, n)) < [[0.8], [0.5]], truth, (truth + draw.integers(1, 4, (2, n))) % 4)
    exam = real_repairs.read(
        pd.DataFrame(
            dict(
                item=np.arange(n).astype(str),
                subject="",
                error_type=np.where(wrong, "wrong_groundtruth", "ok"),
                original_key=letters[key],
                repaired_keys=np.where(wrong, letters[truth], ""),
                a=letters[answers[0]],
                b=letters[answers[1]],
            )
        )
    )
    found = real_repairs.formula_errors(exam, rng(), 100)
    assert found["error"].abs().max() < 0.4 and found["gain"].iloc[0] > 5
    assert found["error"].iloc[-1] == pytest.approx(found["error"].iloc[:-1].mean())
    assert abs(real_repairs.harder(exam, rng(), 50).estimate) < 1.5
    assert real_repairs.match_rate(exam, rng(), 50).estimate == pytest.approx(100 / 3, abs=2)


def test_match_rate_and_hardness_are_what_pandas_counts(table, exam):
    part = table[table["error_type"] == "wrong_groundtruth"]
    missed = [answer for m in exam.models for answer, keys in zip(part[m], part["repaired_keys"]) if answer != keys]
    met = sum((part[m] == part["original_key"]).sum() for m in exam.models)
    assert real_repairs.match_rate(exam, rng(), 50).estimate == pytest.approx(100 * met / len(missed))
    right = pd.Series(exam.after.mean(axis=0), exam.items.index)
    expected = right[exam.items["wrong_key"]].mean() - right[~exam.items["flawed"]].mean()
    assert real_repairs.harder(exam, rng(), 50).estimate == pytest.approx(100 * expected)


def test_predictions_from_labelled_parts(exam):
    found = real_repairs.predict(exam, [0.2, 0.6], 80, rng())
    off = found.table().set_index(["share", "method"])
    gain = 100 * (exam.after - exam.before).mean(axis=1)
    assert off.loc[(20, "printed"), "off"] == pytest.approx(np.abs(gain).mean())
    assert off.loc[(60, "difference"), "off"] < off.loc[(20, "difference"), "off"] < off.loc[(20, "printed"), "off"]
    assert abs(found.error[0, 2].mean()) < 0.5  # unbiased
    held = found.coverage(0.6, rng(), 200)
    assert held.estimate == pytest.approx(off.loc[(60, "difference"), "held"]) and held.estimate > 85
    with pytest.raises(ValueError, match="labels 0 of 300 items"):
        real_repairs.predict(exam, [0.001], 2, rng())


def test_signals_are_shares_of_votes(table, exam):
    row = table.iloc[0]
    votes = row[exam.models].value_counts() / 4
    found = real_repairs.signals(exam).iloc[0]
    assert found["against_key"] == pytest.approx(1 - votes.get(row["original_key"], 0))
    others = votes.drop(row["original_key"], errors="ignore").max()
    assert found["other_letter"] == pytest.approx(others - votes.get(row["original_key"], 0))
    assert found["disagreement"] == pytest.approx(1 - votes.max())
    assert found["strongest"] == (row["one"] != row["original_key"])


def test_detection_counts_pairs_and_reviewed_items(exam):
    found = real_repairs.detection(exam, 0.1, rng(), 100).set_index(["signal", "target"])
    score = real_repairs.signals(exam)["against_key"]
    bad, good = score[exam.items["wrong_key"]], score[~exam.items["wrong_key"]]
    wins = np.mean([(b > g) + 0.5 * (b == g) for b in bad for g in good])
    assert found.loc[("against_key", "wrong_key"), "auc"] == pytest.approx(wins)
    draws = [  # ties at the edge of the budget are broken at random
        exam.items["wrong_key"][score.sample(frac=1, random_state=i).sort_values(ascending=False, kind="stable").index]
        .iloc[:30]
        .sum()
        for i in range(300)
    ]
    row = found.loc[("against_key", "wrong_key")]
    assert row["precision"] * 30 == pytest.approx(row["found"] * 30)  # 30 reviewed, 30 wrong keys
    assert row["precision"] / 100 * 30 == pytest.approx(np.mean(draws), abs=0.4)
    curve = real_repairs.found_curve(exam, [0.1]).set_index("signal")
    assert curve.loc["against_key", "found"] == pytest.approx(row["found"])


def test_impossible_items(exam):
    none = pd.Series(exam.before.sum(axis=0) == 0, exam.items.index)
    flawed = exam.items["flawed"]
    found = real_repairs.impossible(exam.before, flawed, rng(), 200)
    assert (found.items, found.flawed) == (none.sum(), (none & flawed).sum())
    assert found.share.estimate == pytest.approx(100 * flawed[none].mean())
    assert found.times.estimate == pytest.approx(flawed[none].mean() / flawed[~none].mean())
    table = real_repairs.by_error(exam).set_index("error_type")
    assert table["impossible"].sum() == none.sum() and table.loc["ok", "items"] == 244
    assert table.loc["wrong_groundtruth", "after"] <= table.loc["wrong_groundtruth", "impossible"]
    with pytest.raises(ValueError, match="nothing is impossible"):
        real_repairs.impossible(np.ones((2, 5)), np.zeros(5), rng(), 10)


def test_hle_is_counted_by_the_classes_of_a_given_file(tmp_path, monkeypatch):
    rows = [(f"q{i}", run, np.nan, int(i % 4 == 0 and run != "z")) for i in range(40) for run in "xyz"]
    runs = pd.DataFrame(rows, columns=["id", "run", "stated_confidence", "exact_original_key"])  # none states one
    monkeypatch.setattr(real_repairs.logs, "table", lambda name: runs.assign(judge_correct=np.nan))
    kinds = ["Gold subset" if i % 3 else "Revision subset" for i in range(40)]
    file = tmp_path / "labels.jsonl"
    lines = [json.dumps({"id": f"q{i}", "Verified_Classes": kind}) for i, kind in enumerate(kinds)]
    file.write_text("\n".join(lines))
    classes, none = real_repairs.hle_classes(real_repairs.load_classes(file), rng(), 100)
    assert classes["items"].tolist() == [kinds.count("Gold subset"), kinds.count("Revision subset")]
    assert none.items == 30 and classes["impossible"].sum() == 30
    assert none.flawed == sum(kinds[i] != "Gold subset" for i in range(40) if i % 4)
    table = tmp_path / "labels.csv"
    pd.DataFrame({"id": ["other"], "Verified_Classes": ["Gold subset"]}).to_csv(table, index=False)
    with pytest.raises(DataError, match="None of the ids"):
        real_repairs.hle_classes(real_repairs.load_classes(table), rng())
    table.write_text("id,class\nq1,x\n")
    with pytest.raises(DataError, match="column Verified_Classes: missing"):
        real_repairs.load_classes(table)
    with pytest.raises(DataError, match="cannot be read"):
        real_repairs.load_classes(tmp_path / "absent.csv")


def test_keys_that_are_no_letters_are_refused_by_item(table):
    with pytest.raises(DataError, match="item subject/000: keys '15' and .* are not letters"):
        real_repairs.read(table.assign(original_key=["15", *table["original_key"][1:]]))
