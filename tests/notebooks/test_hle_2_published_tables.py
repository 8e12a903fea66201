"""notebooks/hle/2_published_tables.ipynb, run with params/quick.yaml; every number is counted again here."""

import math
from decimal import ROUND_HALF_UP, Decimal
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest

NAME = "hle/2_published_tables"


def half_up(k, n) -> str:
    return str((Decimal(100 * k) / n).quantize(Decimal("0.1"), ROUND_HALF_UP))


def prints(accuracy, n) -> list[int]:
    """All counts of n that print as the accuracy, rounded half up."""
    return [k for k in range(n) if half_up(k, n) == f"{accuracy:.1f}"]


def test_table_1_has_the_official_half_width_and_wilsons_interval(read):
    for row in read("table_1").itertuples():
        a, n = row.accuracy, row.n
        assert n == (2700 if row.model == "DeepSeek-R1" else 3000)
        assert row.half_width == pytest.approx(1.96 * math.sqrt(a * (100 - a) / n), abs=0.005)
        fits = prints(a, n)
        assert row.right == f"{fits[0]} to {fits[-1]}"
        for k, sign, found in ((fits[0], -1, row.low), (fits[-1], 1, row.high)):
            p, z = k / n, 1.959964
            limit = (p + z * z / 2 / n + sign * z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)) / (1 + z * z / n)
            assert found == pytest.approx(100 * limit, abs=1e-3)


def test_no_accuracy_rules_out_a_size_from_1000_questions_on(read):
    one, two = read("table_1"), read("table_2")
    later = zip(one["accuracy"], np.where(one["questions"] == "all", 2500, 2158), one["right_later"])
    later = [*later, *zip(two["accuracy_text"], [2158] * len(two), two["right_later_text"])]
    assert all(found == f"{prints(a, n)[0]} to {prints(a, n)[-1]}" for a, n, found in later)
    accuracies = {f"{a:.1f}" for a in [*one["accuracy"], *two["accuracy_text"]]}
    for n in (1000, 1001, 1234, 2999):
        assert accuracies <= {half_up(k, n) for k in range(n // 5)}


def test_p_values_of_every_pair_bound_all_that_the_printed_totals_allow(read):
    one, two = (read(f"table_{i}").set_index("model") for i in (1, 2))
    rows = read("table_1_comparisons")
    assert set(zip(rows["model"], rows["better"])) == set(combinations(one.index, 2))
    for row in rows.itertuples():
        alone = row.better == "DeepSeek-R1"
        accuracy, n = (two["accuracy_text"], 2700) if alone else (one["accuracy"], 3000)
        a, b = prints(accuracy[row.model], n), prints(accuracy[row.better], n)
        step = max(1, a[0] // 4)
        p = [binomtest(x - shared, x + y - 2 * shared).pvalue for x in a for y in b for shared in range(0, x + 1, step)]
        p += [binomtest(0, y - x).pvalue for x in a for y in b]
        assert row.p_min == pytest.approx(min(p), rel=1e-9, abs=0)
        assert row.p_max == pytest.approx(max(p), rel=1e-9, abs=0)


def test_the_bounds_are_those_of_their_formulas(read):
    rows = read("table_1")
    assert np.allclose(rows["confidence_at_least"], rows["calibration_error"] ** 2 / 100 - rows["accuracy"])
    assert np.allclose(rows["error_at_most"], 100 * np.sqrt(1 - rows["accuracy"] / 100))


def test_the_text_only_sizes_that_fit_both_tables_equal_a_recount(read):
    rows = read("table_2").dropna(subset=["n_text_fit"])
    assert len(rows) == 6
    for row in rows.itertuples():
        a, a_text = row.accuracy_full / 100, row.accuracy_text / 100
        low, high = row.calibration_error_full / 100 - 0.0005, row.calibration_error_text / 100 + 0.0005
        assert row.error_images_least == pytest.approx(100 * math.sqrt(10 * (low**2 - 0.9 * high**2)))
        s = row.text_share_most / 100  # here even images with an error of 1 only just fit
        assert s * high**2 + 1 - s == pytest.approx(low**2)
        fits, no_worse = [], []  # no_worse: images as badly calibrated as the text will do
        for n in range(2685, 2716):
            s, bins = n / 3000, n // 100  # the code sums all bins but the last, whose answers are n - 100 (bins - 1)
            whole = low**2 + 100 / 3000 * (1 - a - 0.0005) ** 2
            part = high**2 + (n - 100 * (bins - 1)) / n * (1 - a_text + 0.0005) ** 2
            if whole <= s * part + 1 - s:
                fits.append(n)
            if whole <= part:
                no_worse.append(n)
        assert (2685 in no_worse) == (row.model not in ("GPT-4o", "Gemini 1.5 Pro"))
        assert set(range(2694, 2700)) <= set(no_worse)
        assert row.n_text_fit == f"{fits[0]} to {fits[-1]}" and fits == list(range(fits[0], fits[-1] + 1))
    assert set(rows["n_text_fit"][rows["model"] != "Grok 2"]) == {"2685 to 2699"}


def test_the_image_questions_are_what_the_counts_of_both_tables_leave(read):
    for row in read("table_2").dropna(subset=["images"]).itertuples():
        full, text = (
            [k for k in range(n) if half_up(k, n) == f"{a:.1f}"]
            for n, a in ((3000, row.accuracy_full), (2700, row.accuracy_text))
        )
        left = {k - j for k in full for j in text}
        assert row.images == f"{min(left)} to {max(left)} of 300"
