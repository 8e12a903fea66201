import pandas as pd
from proctor.stats.interval import Interval, by_group

FRAME = pd.DataFrame({"judge": ["b", "b", "a", "a"], "check": ["C", "V", "C", "C"], "right": [1, 0, 1, 1]})


def share(rows):
    return Interval(rows["right"].mean(), 0.0, 1.0, 0.95, "none")


def test_an_interval_fills_three_columns_groups_keep_their_order_and_an_empty_table_its_columns():
    table = by_group(FRAME, ["judge"], n=len, share=share)
    assert table.to_dict("list") == {
        "judge": ["b", "a"], "n": [2, 2], "share": [0.5, 1.0], "share_low": [0.0, 0.0], "share_high": [1.0, 1.0]
    }  # fmt: skip
    found = by_group(pd.DataFrame({"model": [], "right": []}), ["model"], n=len)
    assert found.empty and list(found.columns) == ["model", "n"]
