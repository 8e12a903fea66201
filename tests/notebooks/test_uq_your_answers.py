"""Your answers before a validator: on verdicts that are made up here, counted by hand."""

import pandas as pd
import pytest
from proctor.stats.proportions import wilson

NAME = "uq/your_answers"
SAYS = {  # of answer n of 20, two to a question, every second one right
    "good": lambda n: n % 2,
    "blind": lambda n: True,
    "pairs": lambda n: n // 2 % 2,
    "mute": lambda n: None,
}


def made(quick_run, judges, truth):
    rows = [f"{judge},C,q{n // 2},a{n},{truth(n)},{ {None: 'unreadable', 1: 'yes', 0: 'no'}[SAYS[judge](n)] }"
            for judge in judges for n in range(20)]  # fmt: skip
    text = "\n".join(["judge,check,question,answer_id,correct,outcome", *rows])
    options = ("-p", "verdict_file", "{}/mine.csv", "-p", "columns", "{{question_id: question}}")
    folder = quick_run(NAME, *options, label="-".join(judges), files={"mine.csv": text}) / "figures/uq"
    table = pd.read_csv(folder / "your_answers_results.csv").set_index("judge")
    return table, pd.read_csv(folder / "claims_your_answers.csv").set_index("id")


def test_judges_are_scored_where_the_truth_is_known(quick_run):
    table, claims = made(quick_run, list(SAYS), lambda n: n % 2)
    shares = table[["share", "of_right", "of_wrong"]].T.to_dict("list")
    assert shares == {
        "good, C": [50, 100, 0],
        "blind, C": [100, 100, 100],
        "pairs, C": [50, 50, 50],
        "mute, C": [0, 0, 0],
    }
    assert table["rejected_unreadable"].tolist() == table["unreadable"].tolist() == [0, 0, 0, 20]
    low, high = (100 * limit for limit in wilson(10, 10))  # one right answer to each question
    assert table.loc["good, C", ["of_right_low", "of_right_high"]].tolist() == pytest.approx([low, high])
    low, high = (100 * limit for limit in wilson(10, 20))
    together = table.loc["pairs, C"]  # both answers to a question alike: as ten answers, not twenty
    assert together["share_high"] - together["share_low"] > 1.2 * (high - low)
    good, blind = (claims.loc[f"uq/your_answers.{judge}_C"] for judge in ("good", "blind"))
    assert good["estimate"] == good["high"] == 100 and 50 < good["low"] < 100 and good["verdict"] == "holds"
    assert blind["estimate"] == 50 and 0 < blind["low"] < 50 < blind["high"] < 100
    assert set(claims["level"]) == {1 - 0.05 / 4}


def test_without_truth_it_is_said_what_is_accepted(quick_run):
    table, claims = made(quick_run, ["pairs"], lambda n: "")
    assert table.loc["pairs, C", "accepted"] == 10 and table["of_right"].isna().all()
    assert claims.loc["uq/your_answers", "estimate"] == 50 and "at most half" in claims["sentence"].item()
