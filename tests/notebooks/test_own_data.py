"""The notebooks that take data of one's own, on data that are made up here and counted by hand."""

import gzip
import json
import random
import shutil

import numpy as np
import pandas as pd
import pytest
from proctor import log_files, paths
from proctor.stats.proportions import clopper_pearson, wilson
from scipy.stats import binomtest, nct
from scipy.stats import t as student


@pytest.fixture(scope="module")
def tables():
    """`tables(folder, paper)`: tables of a run, by name."""
    return lambda folder, paper: lambda name, **how: pd.read_csv(folder / f"figures/{paper}/{name}.csv", **how)


def test_an_exam_s_reviews_are_read_and_an_event_that_can_not_happen_is_named(quick_run, printed):
    events = [
        dict(question="mine", event="submit", by="ada"),
        dict(question="mine", event="check", by="desk", stumped=True),
        dict(question="mine", event="review", by="bo", score=3, feedback="Say more."),
    ]
    mine = {"mine.jsonl": "\n".join(map(json.dumps, events))}
    done = quick_run("hle/1_review", label="own", files=mine, reviews="{}/mine.jsonl")
    assert "question mine, event: 'approve' can't happen to a question that is first round" in printed(done)


def test_logs_of_sixty_runs_are_shown(quick_run, needs_logs, monkeypatch, tables):
    needs_logs("token_probability")
    draw = random.Random(1)
    lines = ["id,run,answered,stated_confidence,judge_correct,judge_confidence,exact_original_key,completion_tokens"]
    retested = [f"openai_{name}_{host}" for name in ("gpt-5", "gpt-5-mini", "o4-mini") for host in ("openai", "azure")]
    named = [*retested, "openai_gpt-5-nano_openai", "z-ai_glm-4.5_z-ai"]
    for run in [*named, *(f"vendor_model-{n}_host" for n in range(60 - len(named)))]:
        for item in range(120):
            right, sure = int(draw.random() < 0.2), draw.randint(40, 100)
            judge = str(right) if draw.random() < 0.6 or run.startswith("z-ai") else ""
            lines.append(f"q{item},{run},1,{sure},{judge},{sure if judge else ''},{right},{draw.randint(500, 9000)}")
    made = paths.BUILD / "tests/logs of sixty runs"
    shutil.rmtree(made, ignore_errors=True)
    (made / "hle_runs").mkdir(parents=True)
    (made / "hle_runs/tidy.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    kinds = [f"q{n},{'letter' if n % 2 else 'number'}" for n in range(120)]
    (made / "hle_runs/items.csv").write_text("\n".join(["id,key_kind", *kinds]) + "\n")
    (made / "token_probability").symlink_to(log_files.folder("token_probability"))
    monkeypatch.setenv("PROCTOR_LOGS", str(made))
    done = quick_run("hle/4_frontier_runs", label="of sixty")
    assert len(tables(done, "hle")("frontier_metrics")) == 60


def test_a_board_goes_through_the_notebook_of_the_example(quick_run, printed, tables):
    rng = np.random.default_rng(0)
    chance = {"good": 0.9, "fair": 0.5, "twin": 0.5, "poor": 0.1}
    table = pd.DataFrame(
        {"item": range(300), "discipline": [f"d{n % 40}" for n in range(300)]}
        | {model: rng.binomial(1, p, 300).astype(object) for model, p in chance.items()}
    )
    table.loc[7, "fair"] = ""
    files = {"mine.csv": table.to_csv(index=False)}
    folder = quick_run(
        "kina/your_leaderboard", label="own", files=files, results="{}/mine.csv", least=5, pair=["good", "twin"]
    )
    read = tables(folder, "kina")
    mine = read("own_leaderboard")
    assert mine["model"].iloc[[0, -1]].tolist() == ["good", "poor"] and mine["tier"].tolist() == [1, 2, 2, 3]
    about = json.loads((folder / "figures/kina/own_ranking.json").read_text())
    assert about["evidence"] == "measured" and about["inputs"][-1]["path"].endswith("mine.csv")
    assert "imulated" not in (folder / "figures/kina/own_ranking.svg").read_text()
    said = printed(folder)
    assert "4 models, 300 items, 40 disciplines" in said and "missing scores left out: 1" in said
    assert "1 of 1,200 scores (0.1%) are not there" in said and "the 40 disciplines are the units" in said
    pairs = read("own_pairs").set_index(["a", "b"])["holm"]
    alike = pairs[pairs > 0.05]
    assert len(pairs) == 6 and len(alike) == 1 and set(alike.index[0]) == {"fair", "twin"}
    gap = (table["good"] - table["twin"]).astype(float)
    sums = (gap - gap.mean()).groupby(table["discipline"]).sum()
    error = max(np.sqrt((sums**2).sum() * 40 / 39) / 300, gap.sem())
    power = read("own_power").set_index("true_gap")["power"]
    assert power[10] == pytest.approx(nct.sf(student.ppf(0.975, 39), 39, 0.1 / error)) and power[1] < 0.2
    categories = read("own_categories").set_index(["model", "category"])
    assert len(categories) == 4 * 40 and categories.loc[("fair", "d7"), "items"] == 7  # one is lacking
    first = table.loc[table["discipline"] == "d0", "good"].astype(int)
    low, high = wilson(first.sum(), len(first))
    assert categories.loc[("good", "d0")].tolist() == pytest.approx([8, 100 * first.mean(), 100 * low, 100 * high])


# A published table before the audit: diagnostic tests built from counts here, and one that lacks most.

HEALTHY, ILL = 480, 120
COUNTS = {"antigen": (84, 6), "antibody": (66, 31), "chest X-ray": (97, 118)}  # true and false positives
OPEN = {"open a": (6, 2, 9), "open b": (8, 5, 9), "open c": (5, 1, 9), "of others": (6, 2, 7)}  # and unstated positives


def shares(tp, fp, positives, n):
    """Accuracy, precision, recall and specificity, in percent."""
    parts = ((tp + n - positives - fp, n), (tp, tp + fp), (tp, positives), (n - positives - fp, n - positives))
    return ",".join(f"{100 * part / whole:.1f}" for part, whole in parts)


@pytest.fixture(scope="module")
def audit_run(quick_run):
    """The audit of three tests with their sensitivity and specificity, an impossible row, two accuracies alone; of other
    items a row that three tables fit and one of which most items are positive; an accuracy of five answers an item;
    four rows of 40 items that do not say how many are positive."""
    lines = ["name,accuracy,precision,recall,specificity,n,positives,samples"]
    lines += [f"{name},{shares(tp, fp, ILL, 600)},,{ILL}," for name, (tp, fp) in COUNTS.items()]
    # who finds 48 of 120 misses 72, and an accuracy of 95.0 % leaves 30 errors
    lines += [f"miracle,95.0,,40.0,99.5,,{ILL},", f"nurse,88.5,,,,,{ILL},", f"model,61.0,,,,,{ILL},"]
    lines += ["whole percent,85,64,78,,400,90,", "mostly ill,89.25,91.08,95.48,,400,310,"]
    lines += [f"five answers,70.00,,,,,{ILL},5"]
    lines += [f"{name},{shares(*counts, 40)},40,," for name, counts in OPEN.items()]
    values = dict(path="{}/tests.csv", n=600, files={"tests.csv": "\n".join(lines) + "\n"})
    return quick_run("synthesis/audit_your_table", label="tests", **values)


@pytest.fixture(scope="module")
def audited(audit_run, tables):
    return tables(audit_run, "synthesis")


def test_verdicts_of_an_audit_are_those_of_the_counts_that_the_table_was_built_from(audited):
    table = audited("audit_feasibility").set_index("name")
    for name, counts in COUNTS.items():
        assert table.loc[name, "verdict"] == "feasible, unique"
        assert table.loc[name, ["tp", "fp"]].astype(int).tolist() == [*counts]
    assert table.loc["miracle", ["verdict", "solutions"]].tolist() == ["infeasible", 0]
    assert table.loc[["nurse", "model"], "right"].astype(int).tolist() == [531, 366]
    claim = audited("claims_audit_your_table").set_index("id").loc["synthesis/audit_feasible"]
    assert claim["verdict"] == "does not hold" and claim["finding"] == "1 of 13 rows cannot be true as printed"


def test_only_feasible_rows_have_intervals_a_trivial_answer_and_comparisons(audited):
    measured, trivial = audited("audit_measures"), audited("audit_baselines")
    assert set(trivial["name"]) == {*COUNTS, "nurse", "model", "whole percent", "mostly ill", *OPEN}
    assert set(measured["name"]) == {*trivial["name"], "five answers"}
    assert set(measured[measured["name"] == "nurse"]["measure"]) == {"accuracy"}
    rows = trivial.set_index("name")
    assert (rows["trivial"] == "reject all").sum() == 10 and rows.loc["mostly ill", "trivial"] == "accept all"
    assert rows.loc["antigen", "trivial_accuracy"] == HEALTHY / 600 and rows.loc["chest X-ray", "gain"] < 0
    for name, only_row, only_trivial, items in (("antigen", 84, 6, 600), ("mostly ill", 61, 14, 400)):
        assert rows.loc[name, "gain"] == pytest.approx(100 * (only_row - only_trivial) / items)
        p = binomtest(only_row, only_row + only_trivial).pvalue
        assert rows.loc[name, "p_min"] == rows.loc[name, "p_max"] == pytest.approx(p)
    pairs = audited("audit_comparisons")  # each pair on the same items
    assert len(pairs) == 10 + 3 and "miracle" not in {*pairs["a"], *pairs["b"]}


def test_rows_that_state_no_positives_are_compared_in_which_number_of_them_fits(audit_run, printed):
    said = "9 positives among 40 items: 3 of 4 rows that state no positives fit so, not of others\n"
    assert said in printed(audit_run)


def test_an_interval_is_the_widest_over_the_tables_that_fit_and_counts_items_not_answers(audited):
    measured = audited("audit_measures").set_index(["name", "measure"])
    recall = measured.loc[("whole percent", "recall")]
    assert recall[["estimate", "estimate_max"]].tolist() == pytest.approx([70 / 90, 71 / 90])
    limits = clopper_pearson(70, 90)[0], clopper_pearson(71, 90)[1]
    assert recall[["exact_low", "exact_high"]].tolist() == pytest.approx(limits)
    assert measured.loc[("five answers", "accuracy"), ["low", "high"]].tolist() == pytest.approx(wilson(420, 600))


# name: figures (accuracy, precision, recall, f1, specificity, npv, kappa), n, positives and a part of the reading. Those of
# the counts tp 61, fp 14, fn 29, tn 296 are 89.25, 81.33, 67.78, 73.94, 95.48, 91.08 and 0.6724; "exchanged"
# and after are figures of the class that is not stated.
WRONG = {
    "nearest": ("84.77,,,,,,", "400,", "no count of 400 gives accuracy 84.77: the nearest, 339, gives 84.75"),
    "f1": ("89.25,81.33,67.78,70.01,,,", "400,90", "fits if only f1 is misprinted and should be 73.94"),
    "kappa": ("89.25,81.33,67.78,,,,0.6000", "400,90", "fits if only kappa is misprinted and should be 0.6724"),
    "accuracy": ("93.50,60.00,60.00,,,,", "200,45", "fits if only accuracy is misprinted and should be 82.00"),
    "two": ("89.25,50.00,67.78,,95.48,50.00,", "400,90",
            "fits if precision and npv are misprinted and should be 81.33 and 91.08"),
    "zeros": ("89.30,81.30,67.80,,,,", "400,90", "fits if zeros at the end were appended"),
    "exchanged": ("89.28,91.10,95.50,,67.78,,", "401,90", "fits if positives are the other class (311 of 401)"),
    "other a": ("89.51,91.34,95.62,,67.78,,", "410,90", "2 of 3 rows fit so, 0 as stated; this one does too"),
    "other b": ("85.37,93.33,87.50,,77.78,,", "410,90", "2 of 3 rows fit so, 0 as stated; this one does too"),
    "other c": ("86.83,50.00,97.19,,50.00,,", "410,90", "fits neither"),
}  # fmt: skip


def test_sections_of_an_audit_without_figures_say_so_in_a_line_and_go_on(quick_run, printed, tables):
    lines = [f"{name},{figures},{sizes}" for name, (figures, sizes, _) in WRONG.items()]
    head = ["name,accuracy,precision,recall,f1,specificity,npv,kappa,n,positives", "unknown,,60.00,,,,,,400,"]
    poor = {"poor.csv": "\n".join([*head, *lines]) + "\n"}
    done = quick_run("synthesis/audit_your_table", label="poor", files=poor, path="{}/poor.csv")
    for line in ("no counts to put intervals on", "the trivial answer is not known", "there is nothing to compare"):
        assert f"{line}.\n" in printed(done)
    assert (done / "figures/synthesis/audit_intervals.svg").is_file()
    assert tables(done, "synthesis")("audit_comparisons").empty
    found = tables(done, "synthesis")("audit_feasibility").set_index("name")["reading"]
    for name, (_, _, reading) in WRONG.items():
        assert reading in found[name], (name, found[name])


# Answers before a validator

AUTHORS = {  # whether a program accepts answer n of 20, two to a question; every second one is right
    "good": lambda n: n % 2,
    "blind": lambda n: True,
    "pairs": lambda n: n // 2 % 2,
    "mute": lambda n: None,
}
TEXTS = {None: "x = two", 0: "x = 1.5", 1: "x = 1.41421"}  # of which the program can't say, is wrong, is right


@pytest.fixture
def verdicts(quick_run, tables):
    """`verdicts(authors, truth)`: the tables of results and of claims on what a program says of their answers."""

    def made(authors, truth):
        answers = [
            dict(id=f"{author}{n}", author=author, question_id=f"{author}{n // 2}", text=TEXTS[AUTHORS[author](n)])
            | ({} if truth is None else dict(correct=bool(n % 2)))
            for author in authors
            for n in range(20)
        ]
        asked = [
            dict(id=name, question="x^2 = 2?", extra=dict(equation="x^2 = 2"))
            for name in dict.fromkeys(answer["question_id"] for answer in answers)
        ]
        files = {"a.jsonl": answers, "q.jsonl": asked}
        files = {name: "".join(json.dumps(row) + "\n" for row in rows) for name, rows in files.items()}
        values = dict(answer_file="{}/a.jsonl", question_file="{}/q.jsonl", validator="substitution", judges=[])
        read = tables(quick_run("uq/your_answers", label="-".join(authors), files=files, **values), "uq")
        return read("your_answers_results").set_index("author"), read("claims_your_answers").set_index("id")

    return made


def test_answers_are_scored_where_the_truth_is_known(verdicts):
    table, claims = verdicts(list(AUTHORS), True)
    assert table[["share", "of_right", "of_wrong"]].T.to_dict("list") == {
        "all": [50, 62.5, 37.5],
        "good": [50, 100, 0],
        "blind": [100, 100, 100],
        "pairs": [50, 50, 50],
        "mute": [0, 0, 0],
    }
    assert table["rejected_unreadable"].tolist() == table["unreadable"].tolist() == [20, 0, 0, 0, 20]
    low, high = (100 * limit for limit in wilson(10, 10))  # one right answer to each question
    assert table.loc["good", ["of_right_low", "of_right_high"]].tolist() == pytest.approx([low, high])
    low, high = (100 * limit for limit in wilson(10, 20))
    together = table.loc["pairs"]  # both answers to a question alike: as ten answers, not twenty
    assert together["share_high"] - together["share_low"] > 1.2 * (high - low)
    claim = claims.loc["uq/your_answers"]
    assert claim["estimate"] == 62.5 and claim["verdict"] == "holds" and claim["n"] == 40
    good = verdicts(["good"], True)[1].loc["uq/your_answers"]
    assert good["estimate"] == good["high"] == 100 and 50 < good["low"] < 100 and good["verdict"] == "holds"


def test_without_truth_it_is_said_what_is_accepted(verdicts):
    table, claims = verdicts(["pairs"], None)
    assert table.loc["pairs", "accepted"] == 10 and table["of_right"].isna().all()
    assert claims.loc["uq/your_answers", "estimate"] == 50 and "at most half" in claims["sentence"].item()


# Verdicts of judges on answers of which some are labelled


def test_your_judges_are_held_against_labels_as_counts_say(quick_run, printed, tables):
    """90 answers, one a question, 60 of them labelled; judge `two` sees two orders and wrote every third answer."""
    n = np.arange(90)
    votes = pd.DataFrame({"one": n % 4 < 3, "two": (n % 2 == 0) | (n % 3 == 0)}).astype(float)
    known, right, own = votes[:60], n[:60] % 2 == 1, n[:60] % 3 == 0
    words = votes.replace({1.0: "yes", 0.0: "no"})
    lines = [f"a{k},one,{words['one'][k]},two," for k in n]
    lines += [f"a{k},two,{words['two'][k]},{'else' if k % 3 else 'two'},BA" for k in n]
    lines += [f"a{k},two,{'yes' if k % 30 == 1 else words['two'][k]},{'else' if k % 3 else 'two'},AB" for k in n]
    labels = [f"a{k},{'yes' if right[k] else 'no'}" for k in range(60)]
    files = {"v.csv": ["id,judge,verdict,author,order", *lines], "l.csv": ["id,correct", *labels]}
    files = {name: "\n".join(text) for name, text in files.items()}
    values = dict(verdict_file="{}/v.csv", label_file="{}/l.csv", width=11.5)
    folder = quick_run("uq/your_judge", label="own", files=files, **values)
    read = tables(folder, "uq")

    rates, shares = read("your_judge_rates").set_index("judge"), read("your_judge_right").set_index("judge")
    for name, accept in known.items():
        k, of_accepted, of_rejected = int(accept[right].sum()), right[accept == 1].mean(), right[accept == 0].mean()
        sensitivity = ["sensitivity", "sensitivity_low", "sensitivity_high"]
        assert rates.loc[name, sensitivity].tolist() == pytest.approx([100 * p for p in (k / 30, *wilson(k, 30))])
        counts = 100 * np.array([1 - accept[~right].mean(), of_accepted, 0.5])
        assert rates.loc[name, ["specificity", "precision", "base_rate"]].tolist() == pytest.approx(counts)
        assert rates.loc[name, "kappa"] == pytest.approx(2 * (accept == right).mean() - 1)  # for half are right
        corrected = votes[name].mean() * of_accepted + (1 - votes[name].mean()) * of_rejected
        assert shares.loc[name, "right"] == pytest.approx(100 * corrected)
        assert shares.loc[name, ["bounds_low", "bounds_high"]].tolist() == pytest.approx([100 / 3, 200 / 3])
    assert rates.loc["two", "differ"] == pytest.approx(100 * 3 / 90) and np.isnan(rates.loc["one", "differ"])
    panels = read("your_judge_panels").set_index(["rule", "judges"])
    for rule, needed in (("all", 2), ("any", 1)):
        row, accept = panels.loc[(rule, "one + two")], known.sum(axis=1) >= needed
        found = 100 * accept[right].mean(), 100 - 100 * accept[~right].mean(), 3
        assert row[["sensitivity", "specificity", "calls"]].tolist() == pytest.approx(found)
    said = " ".join(printed(folder).split())
    gap = 100 * (known["two"][own & right].mean() - known["two"][~own & right].mean())
    assert " two right 10 20 " + f"{gap:.1f} " in said and " two 90 3.0 AB 3.0" in said

    # 68 answers accepted, 45 of them labelled, 15 right; of the 15 labelled ones that it rejects all are right
    rate, share, have = np.array([15.5 / 46, 15.5 / 16]), np.array([68, 22]) / 90, np.array([45, 15])
    spread = share * np.sqrt(rate * (1 - rate))
    room = (0.115 / 1.959964) ** 2 - (rate[0] - rate[1]) ** 2 * share.prod() / 90
    wanted = np.maximum(np.ceil(spread.sum() * spread / room) - have, 0)
    needed = read("your_judge_labels").set_index("judge").loc["one"]
    assert needed[["accepted", "rejected"]].tolist() == wanted.tolist() and needed["reached"], wanted
