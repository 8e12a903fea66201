"""Review queues: quotas, order, seeds; sheets and their mistakes; what is chosen."""

import json

import numpy as np
import pandas as pd
import pytest
from proctor.data.published import load_published
from proctor.data.tabular import DataError
from proctor.uq.dataset.review_queue import (
    ATTEMPTS,
    KEY,
    QUOTAS_FILE,
    READ,
    UNREAD,
    Quotas,
    build_queue,
    choose,
    draw,
    load_quotas,
    read_reviews,
    write_queue,
)
from proctor.uq.dataset.rules import RULES_FILE, load_rules

QUOTAS = load_quotas()


def questions(count: int, sites=("math", "history", "physics"), seed: int = 0) -> pd.DataFrame:
    rng, n = np.random.default_rng(seed), count * len(sites)
    table = pd.DataFrame(dict(site=np.repeat(sites, count), question_id=np.tile(np.arange(1, count + 1), len(sites))))
    drawn = dict(score=rng.integers(0, 100, n), views=rng.integers(100, 5000, n), tags=[["a"]] * n)
    return table.assign(title="What?", body="<p>This.</p>", comments=0, created=pd.Timestamp("2015-01-01"), **drawn)


def but(**settings) -> Quotas:
    return Quotas({**QUOTAS.default, **settings}, {})


def test_the_quotas_add_up_to_the_papers_500():
    """min_votes takes no fixed number: those that H.3 counts stand in its place."""
    counted = dict(mathematica=8, physics=6, stackoverflow=18, cs=12)
    own = {site: QUOTAS.of(site) for site in QUOTAS.sites}
    sizes = {site: s["top"] + s["reviewed"] + counted.get(site, 0) for site, s in own.items()}
    table = load_published("uq/table_S8")
    printed = table.loc[~table["site"].isin(["Subtotal", "-"]), "questions_value"].astype(int)
    assert sum(sizes.values()) == 500 and sorted(sizes.values()) == sorted(printed)
    by_category = pd.Series(sizes).groupby({site: s["category"] for site, s in own.items()}).sum()
    assert dict(by_category) == {
        "Science": 395, "Technology": 52, "Life & Arts": 35, "Culture & Recreation": 16, "Business": 2
    }  # fmt: skip


def test_a_queue_holds_the_top_by_votes_and_candidates_for_each_place():
    kept = questions(150)
    queue = build_queue(kept, QUOTAS, seed=1)
    ways = queue.groupby("site")["way"].value_counts().unstack(fill_value=0)
    assert ways.loc["math", UNREAD] == 90 and ways.loc["math", READ] == 18 * 3
    assert ways.loc["history", UNREAD] == 0 and ways.loc["history", READ] == 15
    assert ways.loc["physics", UNREAD] == (kept[kept["site"] == "physics"]["score"] >= 10).sum()
    for site, group in queue.groupby("site"):
        assert list(group["place"]) == list(range(1, len(group) + 1))
        assert group["score"].is_monotonic_decreasing
        left_out = kept[(kept["site"] == site) & ~kept["question_id"].isin(group["question_id"])]
        assert left_out["score"].max() <= group["score"].min() or left_out.empty
    by_site = queue["site"].map({"math": 75}).fillna(50)
    assert ((queue["diamond_candidate"] == "yes") == ((queue["score"] >= by_site) & (queue["views"] >= 2000))).all()


@pytest.mark.parametrize("order", ["votes", "random"])
def test_the_seed_alone_decides_and_rows_and_other_sites_do_not(order):
    kept, quotas = questions(60).assign(score=5), but(order=order)
    queue = build_queue(kept, quotas, seed=3)
    assert queue.equals(build_queue(kept.sample(frac=1, random_state=1), quotas, seed=3))
    alone = build_queue(kept[kept["site"] == "math"], quotas, seed=3)
    assert alone.equals(queue[queue["site"] == "math"].reset_index(drop=True))
    assert not queue[KEY].equals(build_queue(kept, quotas, seed=4)[KEY])


def test_a_tie_is_drawn_evenly():
    """Each of 10 tied questions is among the first 5 about equally often: chi-square over 400 seeds."""
    first = [sorted(range(1, 11), key=lambda number: draw(seed, "math", number))[:5] for seed in range(400)]
    counts = np.bincount(np.ravel(first), minlength=11)[1:]
    assert counts.sum() == 2000 and ((counts - 200) ** 2 / 200).sum() < 27.9  # p = 0.001 at 9 degrees of freedom


def test_only_what_the_llm_filter_keeps_goes_on_and_what_is_released_stays_out():
    kept = questions(9, ["history"])
    verdicts = kept[KEY].assign(outcome=["keep", "drop", "undecided"] * 3)
    assert set(build_queue(kept, QUOTAS, verdicts=verdicts)["question_id"]) == {1, 4, 7}
    assert set(build_queue(kept, QUOTAS, verdicts=verdicts, released=[("history", 4)])["question_id"]) == {1, 7}
    assert build_queue(kept, QUOTAS, released=zip(kept["site"], kept["question_id"])).empty
    with pytest.raises(DataError, match="question 1 of history is there twice"):
        build_queue(pd.concat([kept, kept]), QUOTAS)


def test_reviewers_see_text_near_duplicates_and_up_to_three_answers(tmp_path):
    kept = questions(2, ["history"]).assign(title="=HYPERLINK(A1)")
    near = pd.DataFrame(
        [("history", 1, "math", 9, similarity, 1, "answered elsewhere") for similarity in (0.6, 0.8)],
        columns=["site", "question_id", "other_site", "other_id", "similarity", "other_answers", "relation"],
    )
    queue = build_queue(kept, QUOTAS, duplicates=near)
    assert set(queue["near_duplicate"]) == {"", "math 9 (answered elsewhere, 0.80)"}
    answers = [dict(site="history", question_id="2", model=f"m{k}", answer="so") for k in range(5)]
    write_queue(tmp_path, queue, kept, answers)
    shown = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    assert {row["question_id"]: len(row["answers"]) for row in shown} == {1: 0, 2: ATTEMPTS}
    assert all(row["body"] == "This." and row["title"] == "=HYPERLINK(A1)" for row in shown)
    assert ",'=HYPERLINK(A1)," in (tmp_path / "review.csv").read_text()  # no formula in a spreadsheet


def filled(path, queue, **columns):
    queue.assign(reviewer="A", reason="easy", **columns).to_csv(path, index=False)
    return path


def test_several_reviewers_must_agree(tmp_path):
    queue, quotas = build_queue(questions(6, ["history"]), but(top=2, reviewed=2)), but(top=2, reviewed=2)
    first = filled(tmp_path / "a.csv", queue, decision=["", "reject", "accept", "accept", "", "reject"])
    second = filled(tmp_path / "b.csv", queue, decision=["", "", "accept", "reject", "", ""])
    found = read_reviews([first, second])
    assert list(found["outcome"]) == ["accept", "reject", "accept", "split", "open", "reject"]
    assert list(read_reviews([first])["outcome"]) == ["accept", "reject", "accept", "accept", "open", "reject"]
    chosen = choose(found, quotas)
    assert list(chosen["place"]) == [1, 3] and chosen["taken"].all()


def test_the_diamond_subset_needs_a_candidate_and_a_reviewer(tmp_path):
    queue = build_queue(questions(4, ["history"]).assign(score=[60, 60, 60, 5], views=3000), QUOTAS)
    queue["diamond"] = queue["question_id"].map({1: "yes", 2: "no"})
    path = filled(tmp_path / "a.csv", queue, decision="accept")
    found = read_reviews([path]).set_index("question_id")["diamond"]
    assert dict(found) == {1: True, 2: False, 3: False, 4: False}
    filled(path, queue.assign(diamond="yes"), decision="accept")
    with pytest.raises(DataError, match="row 5, column diamond: yes for a question below"):
        read_reviews([path])


@pytest.mark.parametrize(
    "column, value, told",
    [
        ("decision", "acept", "row 2, column decision: 'acept'"),
        ("reviewer", "", "row 2, column reviewer: a decision of no one"),
        ("reason", "", "row 2, column reason: a rejection without a reason"),
        ("question_id", "x", "row 2, column question_id: 'x' is no number"),
        ("question_id", 2, "row 3, column question_id: 'history 2' is the question of row 2 too"),
        ("way", "mine", "row 2, column way"),
        ("diamond", "maybe", "row 2, column diamond"),
        ("place", "-1", "row 2, column place"),
    ],
)
def test_a_mistake_in_a_sheet_is_told_with_its_row(tmp_path, column, value, told):
    queue = build_queue(questions(3, ["history"]), QUOTAS).sort_values("question_id")
    queue = queue.astype({"place": str, "question_id": str})
    queue[["decision", "reviewer", "reason"]] = ["reject", "A", "easy"]
    queue.iloc[0, queue.columns.get_loc(column)] = str(value)
    queue.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(DataError, match=told):
        read_reviews([tmp_path / "a.csv"])


def test_sheets_of_different_queues_and_other_files_are_refused(tmp_path):
    a, b = (filled(tmp_path / f"{n}.csv", build_queue(questions(n, ["history"]), QUOTAS), decision="") for n in (3, 4))
    with pytest.raises(DataError, match="not the same questions"):
        read_reviews([a, b])
    (tmp_path / "c.csv").write_text("site,question_id\nmath,1\n")
    with pytest.raises(DataError, match="column place: not there"):
        read_reviews([tmp_path / "c.csv"])


@pytest.mark.parametrize(
    "load, text, told",
    [
        (load_quotas, "default: [", "cannot be read as YAML"),
        (load_quotas, "sites: {}", "default: Field required"),
        (load_quotas, "- sites", "it should be names and their values, found"),
        (load_quotas, "order: views", "x, order: it should be 'votes' or 'random', found 'views'"),
        (load_quotas, "size: 3", "x, size: .* Use category, top"),
        (load_rules, "min_views: many", "x, min_views: it should be a valid number, found 'many'"),
        (load_rules, "min_views: .nan", "x, min_views: "),
        (load_rules, "top_percent: 0", "x, top_percent: it should be greater than 0, found 0"),
        (load_rules, "off_topic_tags: [Fun]", "x, off_topic_tags 1: .*, found 'Fun'"),
    ],
)
def test_bad_quotas_and_rules_are_refused(tmp_path, load, text, told):
    """As a whole file, or as settings of a site x in the file that there is."""
    path, whole = tmp_path / "settings.yaml", {load_quotas: QUOTAS_FILE, load_rules: RULES_FILE}[load].read_text()
    of_site = whole.replace("\nsites:\n", f"\nsites:\n  x: {{{text}}}\n")
    path.write_text(text if text.startswith(("default", "sites", "-")) else of_site)
    with pytest.raises(DataError, match=told):
        load(path)
