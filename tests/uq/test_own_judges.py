"""Judges of one's own beside human labels: what is read, the corrected share, and the licence."""

import numpy as np
import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.exam import judge_licence
from proctor.exam.judge_licence import applies, issue, probe, said
from proctor.paths import ROOT
from proctor.uq import own_judges
from proctor.uq.own_judges import corrected, judged, prompt_of, read_labels, read_verdicts

LABELS = "answer_id,correct\na1,yes\na2,no\na3,1\na4,\n"
VERDICTS = "item,judge,verdict\na1,j,accept\na2,j,reject\na3,j,yes\na4,j,\na1,k,no\na1,k,no\na1,k,yes\na2,k,abstain\n"


def made(accept, correct, questions=None, judge="j", author=""):
    """A table as `judged` gives it."""
    n = len(accept)
    ids = [f"a{i}" for i in range(n)]
    table = dict(judge=judge, answer_id=ids, question_id=ids if questions is None else questions, author=author)
    return pd.DataFrame(table | dict(accept=accept, correct=correct, verdicts=1, differ=False, calls=1))


def drawn(rng, n=400, base=0.4, sensitivity=0.9, specificity=0.8):
    correct = (rng.random(n) < base).astype(float)
    return made((rng.random(n) < np.where(correct, sensitivity, 1 - specificity)).astype(float), correct)


def test_most_of_the_repeats_decide_and_what_is_unreadable_is_no_verdict(file):
    table = judged(read_verdicts(file(VERDICTS)), read_labels(file(LABELS, "labels.csv")))
    table = table.set_index(["judge", "answer_id"])
    assert table.loc[("k", "a1"), ["accept", "verdicts", "differ"]].tolist() == [0, 3, True]
    assert np.isnan(table.loc[("k", "a2"), "accept"]) and np.isnan(table.loc[("j", "a4"), "correct"])
    assert table.loc["j", "accept"].tolist()[:3] == [1, 0, 1]


def test_labels_may_stand_beside_the_verdicts_of_several_judges(file):
    path = file("judge,item,outcome,correct\nj,a1,yes,1\nk,a1,no,right\nk,a2,unreadable,\n")
    assert read_labels(path).to_dict() == {"a1": 1.0}
    assert judged(read_verdicts(path), read_labels(path))["accept"].tolist()[:2] == [1, 0]


def test_scores_accept_from_the_least_one_that_is_named_and_none_is_unreadable(file, tmp_path):
    text = "id,score\na1,7\na2,3\na3,\na4,NaN\n"
    assert read_verdicts(file(text), 7)["accept"].fillna(-1).tolist() == [1, 0, -1, -1]
    pd.DataFrame(dict(id=["a1", "a2"], score=[7, None], correct=[1, None])).to_parquet(tmp_path / "v.parquet")
    assert read_verdicts(tmp_path / "v.parquet", 7)["accept"].fillna(-1).tolist() == [1, -1]
    assert read_labels(tmp_path / "v.parquet").to_dict() == {"a1": 1.0}
    with pytest.raises(DataError, match="table.csv: column score holds scores. Give --accept-from"):
        read_verdicts(file(text))


@pytest.mark.parametrize(
    "reader, text, message",
    [
        (read_verdicts, "item,verdict\na1,perhaps\n", "row 2, column verdict: 'perhaps' is no verdict"),
        (read_verdicts, "item,verdict\n,yes\n", "row 2, column item"),
        (read_verdicts, "name,verdict\na1,yes\n", "One must be answer_id or item or id"),
        (read_verdicts, "item,said\na1,yes\n", "One must be verdict or outcome or accept or score"),
        (read_labels, "id,correct\na1,maybe\n", "is no label"),
        (read_labels, "id,correct\na1,\n", "no label in column correct"),
        (read_labels, "id,correct\na1,yes\na1,no\n", "one label"),
        (read_labels, "id,correct\n,yes\n", "row 2, column id: empty"),
    ],
)
def test_bad_verdicts_and_labels_are_refused_by_row_and_column(file, reader, text, message):
    with pytest.raises(DataError, match=message):
        reader(file(text))


@pytest.fixture
def few_draws(monkeypatch):
    """Limits from fewer draws: over hundreds of simulated tables their noise is no matter."""
    monkeypatch.setattr(own_judges, "DRAWS", 1000)


def test_the_corrected_share_is_the_label_s_where_all_are_labelled_else_unbiased_with_limits_that_hold(few_draws):
    rng = np.random.default_rng(3)
    whole = drawn(rng)
    assert corrected(whole).estimate == pytest.approx(whole["correct"].mean())
    off, held = [], 0
    for _ in range(300):
        table = drawn(rng, base=0.4)
        truth = table["correct"].mean()
        table.loc[rng.random(len(table)) > 0.25, "correct"] = np.nan
        found = corrected(table)
        off.append(found.estimate - truth)
        held += found.low <= 0.4 <= found.high
    assert abs(np.mean(off)) < 3 * np.std(off) / np.sqrt(len(off))
    assert 0.92 <= held / 300 <= 0.985


def test_answers_copied_within_their_question_give_no_narrower_limits():
    table = drawn(np.random.default_rng(4), n=60)
    copied = pd.concat([table, table, table], ignore_index=True)
    one, three = corrected(table), corrected(copied)
    assert three.estimate == pytest.approx(one.estimate) and three.high - three.low >= one.high - one.low


@pytest.fixture
def licence(file):
    table = drawn(np.random.default_rng(6), n=300)
    return issue(table, "j", "p", file("x", "labels.csv"), "2026-11-25")


def test_a_licence_is_read_back_as_written_and_another_file_refused_by_name(licence, file, tmp_path):
    judge_licence.write(licence, tmp_path / "licence.json")
    assert judge_licence.read(tmp_path / "licence.json") == licence
    for text in ("", "{}", "[1]", '{"kind": "other"}'):
        with pytest.raises(DataError, match="licence.json: no licence"):
            judge_licence.read(file(text, "licence.json"))


def test_a_judge_without_skill_gets_no_licence(file):
    with pytest.raises(DataError, match="no better than chance"):
        issue(made([1, 1, 1, 1], [1, 0, 1, 0]), "j", "p", file("x"), "")
    with pytest.raises(DataError, match="0 wrong answers"):
        issue(made([1, 1], [1, 1]), "j", "p", file("x"), "")


def test_a_licence_is_refused_with_its_reason(licence):
    refused = {("k", "p", 0.4): "the judge is k", ("j", "q", 0.4): "the prompt is q", ("j", "p", 0.9): "90% of these"}
    for case, reason in refused.items():
        [told] = applies(licence, *case)
        assert reason in told
    assert applies(licence, "j", "p", 0.4) == []


def test_a_probe_refuses_a_shift_and_seldom_the_same_judge(file):
    rng, refused, labels = np.random.default_rng(7), {0.65: 0, 0.9: 0}, file("x")
    for specificity in refused:
        for _ in range(50):
            held = issue(drawn(rng, n=200, base=0.5, specificity=0.9), "j", "p", labels, "")
            fresh = drawn(rng, n=100, base=0.5, specificity=specificity)
            refused[specificity] += bool(probe(held, fresh["accept"], fresh["correct"]))
    assert refused[0.65] >= 40 and refused[0.9] <= 4
    with pytest.raises(DataError, match="at least 30"):
        probe(held, [1] * 29, [1] * 29)


def test_a_licence_names_other_prompts_where_a_prompt_of_one_s_own_changes(tmp_path):
    (tmp_path / "uq").mkdir()
    (tmp_path / "uq/correctness.md").write_text("Is it right?")
    before = prompt_of("C", dict(prompts_dir=str(tmp_path)))
    (tmp_path / "uq/correctness.md").write_text("Is it wrong?")
    assert before.startswith("validate C ") and prompt_of("C", dict(prompts_dir=str(tmp_path))) != before


def test_what_a_licence_says_of_other_answers_holds_their_truth(licence):
    other = drawn(np.random.default_rng(8), n=2000, base=0.5)
    line = said(licence, "j", "p", other["accept"], np.full(2000, np.nan), np.random.default_rng(0))
    low, high = map(float, line.partition("[")[2].partition("]")[0].split(", "))
    assert low <= 100 * other["correct"].mean() <= high and "not probed" in line
    assert "does not hold" in said(licence, "k", "p", other["accept"], other["correct"], np.random.default_rng(0))


def test_the_example_s_labels_are_those_of_its_answers():
    answers = pd.read_json(ROOT / "data/examples/answers.jsonl", lines=True).set_index("id")["correct"]
    labels = read_labels(ROOT / "data/examples/judge_labels.csv")
    verdicts = read_verdicts(ROOT / "data/examples/judge_verdicts.csv")
    assert (labels == answers[labels.index].astype(float)).all() and set(verdicts["answer_id"]) == set(answers.index)


def two_systems(rng, n=300, gap=0.15, sensitivity=0.9, specificity=0.8):
    """Marks of a judge on two systems that share their hard items; the first is right `gap` more often."""
    hard = rng.random(n)
    marks = []
    for name, right in (("one", hard < 0.45 + gap), ("other", hard < 0.45)):
        marks.append(pd.Series(rng.random(n) < np.where(right, sensitivity, 1 - specificity), name=name).astype(float))
    return marks


def test_a_corrected_difference_holds_the_true_one_in_19_of_20_draws(licence):
    rng, held = np.random.default_rng(3), 0
    for _ in range(400):
        right = rng.binomial(300, 0.5)
        hits, refused = rng.binomial(right, 0.9), rng.binomial(300 - right, 0.8)
        rates = dict(sensitivity=(hits / right, 0, 1), specificity=(refused / (300 - right), 0, 1))
        rates |= dict(right_accepted=hits, right_rejected=right - hits)
        rates |= dict(wrong_accepted=300 - right - refused, wrong_rejected=refused)
        other = licence.model_copy(update=rates)
        found = judge_licence.corrected_difference(other, *two_systems(rng), rng, draws=1000)
        held += found.low <= 0.15 <= found.high
    assert 366 <= held <= 393  # 95 % of 400, and what chance allows


def test_a_licence_compares_two_systems_or_says_why_not(file):
    rng = np.random.default_rng(4)
    licence = issue(drawn(rng, 2000, 0.5), "j", "p", file("x"), "")
    one, other = two_systems(rng, gap=0.08)
    assert "difference by the licence" in judge_licence.compared(licence, "j", "p", one, other, rng)
    refused = judge_licence.compared(licence, "k", "p", one, other, rng)
    assert refused.count("the judge is k") == 2 and "difference" not in refused
    with pytest.raises(DataError, match="marks of yes and no"):
        judge_licence.compared(licence, "j", "p", one / 2, other, rng)
