"""The notebook that asks how many items stand behind printed accuracies, against searches of its own."""

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from proctor.data.published import load_published

NAME = "synthesis/1_numbers_of_items"
RULES = {"half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN, "truncate": ROUND_DOWN}


def test_no_number_of_items_gives_the_revised_subset(read):
    sizes = read("hle_verified_sizes").set_index(["accuracies", "rounding"])
    table = load_published("hle_verified/table_2")
    texts = [*table["subset_raw_accuracy"], *table["subset_verified_accuracy"]]

    def prints(n, rule):
        for text in texts:
            unit = Decimal(1).scaleb(Decimal(text).as_tuple().exponent)
            near = int(Decimal(text) * 5 * n / 100)
            if not any(
                (Decimal(100 * k) / (5 * n)).quantize(unit, RULES[rule]) == Decimal(text)
                for k in (near - 1, near, near + 1, near + 2)
            ):
                return False
        return True

    for rule in RULES:
        fit = [n for n in range(100, 1301) if prints(n, rule)]
        assert len(fit) == sizes.loc[("both", rule), "sizes"] and not [n for n in fit if n <= 1143]


def test_kina_is_not_one_answer_an_item(read):
    table = read("kina_samples", dtype=str).set_index("answers_an_item")
    assert table.loc["1", ["accuracy_second", "accuracy_third", "largest_tool_gain"]].tolist() == ["-"] * 3
    assert table.index[table["all_half_up"] == "True"].tolist() == ["4", "8"]


def test_one_share_by_decimal_arithmetic(claims_made):
    """The share that each model's gains imply, widened by the half digits of four figures, meets in five models."""
    table, ranges = load_published("hle_verified/table_2"), []
    for _, row in table.iterrows():
        ends = []
        for part in ("full", "subset"):
            after, before = (row[f"{part}_{when}_accuracy"] for when in ("verified", "raw"))
            half = sum(Decimal(5).scaleb(Decimal(text).as_tuple().exponent - 1) for text in (after, before))
            gain = Decimal(after) - Decimal(before)
            ends.append((gain - half, gain + half))
        (low, high), (least, most) = ends
        ranges.append((low / most, high / least))
    meeting = max(sum(low <= point <= high for low, high in ranges) for point, _ in ranges)
    assert meeting == 5 and "5 of 7 models" in claims_made["synthesis/1b_one_share"].title
