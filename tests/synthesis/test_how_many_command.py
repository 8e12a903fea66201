"""`python -m proctor how-many`, in process."""

import pytest
from proctor import cli
from typer.testing import CliRunner


def run(*words: str):
    return CliRunner().invoke(cli.app, ["how-many", *words])


@pytest.mark.parametrize(
    "words, first",
    [
        ("items --rates 0.6 0.5 --correlation 0.4 --power 0.8", "252 items"),
        ("items --rates 0.6 0.5 --correlation 0.4 --test score", "237 items"),
        ("items --rates 0.6 0.5 --correlation 0.4 --family 5 --icc 0.3", "520 items"),
        ("difference -n 500 --rate 0.15", "5.97 points"),
        ("repeats --within 2 --between 1", "18 repeats of each item"),
        ("votes --miss 0.3 --false-alarm 0.2", "17 votes on each answer"),
        ("rollouts", "64 rollouts of each candidate"),
        ("order --utilities 0.6 0.4", "21 rollouts of each candidate"),
        ("agreement --prevalence 0.3 --reviewers 3", "174 items, each labelled by 3 reviewers"),
        ("agreement --prevalence 0.3 --items 100", "7 reviewers of the same 100 items"),
        ("checks --population 1143 --below 0.05", "57 items to check"),
        ("checks --within 0.03 --expected 0.1", "419 items to check"),
        ("split --budget 100 --between 1 --within 4 --item-cost 9", "7 items with 5 repeats each"),
    ],
)
def test_each_question_has_its_answer_and_what_it_assumes(words, first):
    found = run(*words.split())
    assert found.exit_code == 0 and found.stdout.startswith(first), found.output
    assert "assumed: " in found.stdout or words.startswith("difference")


@pytest.mark.parametrize(
    "words, mend",
    [
        ("items --rates 60 0.5", "60 percent is 0.6"),
        ("checks", "one of them"),
        ("agreement --items 9 --reviewers 3", "not both"),
        ("difference -n 70 --rate 0.76 --correlation 0.8", "give more items"),
        ("items", "--rates"),
    ],
)
def test_errors_say_what_to_mend_and_end_with_2(words, mend):
    found = run(*words.split())
    assert found.exit_code == 2 and mend in found.stderr
