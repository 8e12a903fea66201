"""Unsolved questions: statsmodels' survival curve against a product limit by hand, reviews counted by pandas."""

import numpy as np
import pandas as pd
import pytest
from proctor import log_files, paths

TABLES = paths.FIGURES / "uq"


@pytest.fixture
def folder(needs_logs):
    needs_logs("erdos", "erdos_attempts")
    return log_files.folder


def test_the_share_settled_is_a_product_limit_by_hand(folder):
    rows = pd.read_csv(folder("erdos") / "tidy.csv.gz", dtype=str, keep_default_na=False)
    closed = ["proved", "disproved", "solved", "independent", "unknown", ""]
    at_start = rows[rows["date"] <= "2025-09-15"].drop_duplicates("number", keep="last")
    numbers = at_start.loc[~at_start["state"].isin(closed), "number"]
    later = rows[(rows["date"] > "2025-09-15") & rows["number"].isin(numbers)]
    ends = later[(later["settled"] == "1") | (later["changed"] == "removed")].drop_duplicates("number")
    days = (pd.to_datetime(ends["date"]) - pd.Timestamp("2025-09-15")).dt.days
    share = 1.0
    for day in np.unique(days[(ends["settled"] == "1") & (days <= 10 * 365.25 / 12)]):
        share *= 1 - ((days == day) & (ends["settled"] == "1")).sum() / (len(numbers) - (days < day).sum())
    month = pd.read_csv(TABLES / "10_by_month.csv").set_index("month").loc[10]
    assert (len(numbers), month["share"]) == (674, pytest.approx(100 * (1 - share)))


def test_reviews_of_claims_are_what_pandas_counts(folder):
    place = folder("erdos_attempts")
    attempts = pd.read_csv(place / "tidy.csv.gz", dtype=str, keep_default_na=False)
    claims = attempts[(attempts["set"] == "erdos") & attempts["claim"].str.startswith("claims")]
    reviews = claims.drop_duplicates("problem")["review"].value_counts()
    board = pd.read_csv(TABLES / "10_board.csv").set_index("model").loc["gpt_pro_5.2"]
    assert reviews.sum() == board["claims"] == 17 and reviews["accepted"] == board["accepted"]
