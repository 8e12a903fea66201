"""What UQ says of its validators against itself: Tables S1, S9 and S10, and the findings that rest on them."""

from proctor.audit.consistency_check import Sheet, column, largest, smallest
from proctor.data.published import load_published
from proctor.stats.interval_arithmetic import Span, exact, rounded
from proctor.stats.reconstruct import agreement_counts, confusion_counts

PIPELINE = "(CC x3|U) => (FLC x3|U) => (C x3|U)"
NO_COUNTS = {  # rows of Table S10 that no counts over at most 500 answers print, and our reading
    "Claude Sonnet 3.7 / C u3 |M": ("slip", "Recall 84.62 (55 of 65) would fit: two figures exchanged or mistyped."),
    "Claude Sonnet 3.7 / C u3 |U": (
        "slip",
        "16.00 and 68.00 are whole percents: 44 of 65 right answers kept, 231 wrong ones.",
    ),
    "Claude Sonnet 3.7 / C x5 |U": ("slip", "Recall 81.54 (53 of 65) would fit: one digit."),
    f"Claude Sonnet 3.7 / {PIPELINE}": (
        "claim",
        "No single figure mends it without a jump of 19 points; see its share of right answers, above.",
    ),
    "o3 / C": ("slip", "22.00 and 50.00 are whole percents, perhaps rounded from a few answers less than 500."),
    "o3 / C u3 |U": ("slip", "Accuracy 76.80 would fit (33 right and 84 wrong accepted): one digit."),
    "o3 / CC => FLC => C": ("slip", "24.00 and 42.00 are whole percents: 27 right and 85 wrong accepted."),
    "o3 / (CC x5|U) => (FLC x5|U) => (C x5|U)": (
        "slip",
        "Accuracy rounded to one decimal and padded with a zero: 16 right and 45 wrong accepted of 496 to 498.",
    ),
}


def check_validators(s: Sheet) -> None:
    s.fact(
        "table_S1_pairs", s["table_S1_answer_models"] * s["table_S1_answers_per_model"], "answer models x answers each"
    )
    s.fact("question_answer_pairs", s["answer_models"] * s["hle_sample"], "answer models x questions")
    table = load_published("uq/table_S10").set_index(["judges", "strategy"])
    counts = {
        key: confusion_counts(row["accuracy"], row["precision"], row["recall"], range(1, 501))
        for key, row in table.iterrows()
    }
    sizes = [tables[0].n for tables in counts.values() if len(tables) == 1]
    s.add(
        "B.3",
        "pairs behind Table S1",
        s.text("question_answer_pairs"),
        s["question_answer_pairs"],
        Span(min(sizes), max(sizes)),
        "n of the rows that have one solution",
        "figure",
        "The caption of Table S1 says 500, and the counts agree; the 2,500 pairs belong to Figures S4 and S6 to S8.",
    )
    for key, (fact, name) in {
        ("Claude Sonnet 3.7", "V"): ("claude_baseline_accuracy_text", "accuracy"),
        ("Claude Sonnet 3.7", PIPELINE): ("claude_best_accuracy_text", "accuracy"),
        ("Claude Sonnet 3.7", "C"): ("claude_correctness_accuracy_text", "accuracy"),
        ("o3", "C"): ("o3_correctness_accuracy_text", "accuracy"),
        ("o3", PIPELINE): ("o3_pipeline_recall_text", "recall"),
        ("Gemini 2.5 Pro; o3", f"({PIPELINE}) |U"): ("ensemble_pipeline_accuracy_text", "accuracy"),
    }.items():
        s.fact(fact, rounded(table.loc[key, name]), f"Table S10, {key[0]}: {key[1]}")
    s.fact("o3_pipeline_accuracy_text", rounded(table.loc[("o3", PIPELINE), "accuracy"]), f"Table S10, o3: {PIPELINE}")
    s.fact(
        "best_precision_text", largest(column("uq/table_S10", "precision", "percent")), "largest precision of Table S10"
    )
    row = table.loc[("Claude Sonnet 3.7", PIPELINE)]
    accuracy, precision, recall = (rounded(row[name]) / 100 for name in ("accuracy", "precision", "recall"))
    s.add(
        "Table S10",
        "share of right answers, Claude's pipeline (%)",
        "65 of 500",
        100 * exact("65") / 500,
        100 * (1 - accuracy) / (1 - recall + recall * (1 / precision - 1)),
        "from its accuracy, precision and recall",
        "claim",
        "Another, smaller sample, or a mistyped recall (73.20 and 20.00 with 65 right of 500 force a recall of "
        "35.38). The headline improvement, 21.6 to 73.2 %, rests on this row.",
    )
    smallest_run = min(found.n for found in counts["Claude Sonnet 3.7", "C u5 |U"])
    s.add(
        "Table S10",
        "answers behind Claude's C u5 |U",
        s.text("s10_pairs"),
        s["s10_pairs"],
        smallest_run,
        "smallest n that prints so",
        "claim",
        "A partial run of 81 answers (or a multiple), 16 of them right. Its precision can't be compared with rows "
        "where 13 % are right, as is done for 'benefits from reflection'.",
    )
    (pair,) = [row for row in load_published("uq/table_S9").itertuples() if row.cohens_kappa != "-"]
    found = agreement_counts(pair.passed_validator, pair.passed_human, pair.agreement, n=25)
    s.fact("gemini_kappa_text", found[0].kappa, f"{found[0].kappa}: the only table of 25 answers")
    s.fact("gemini_correct_answers", found[0].both + found[0].only_b, "the same table")
    s.fact(
        "agreement_questions", s["agreement_math_questions"] + s["agreement_other_questions"], "math + other questions"
    )


def check_counts(s: Sheet) -> None:
    readings, smaller = dict(NO_COUNTS), []
    for row in load_published("uq/table_S10").itertuples():
        found = confusion_counts(row.accuracy, row.precision, row.recall, range(1, 501))
        few = [table for table in found if table.n < 500]
        if found and len(few) == len(found) and max(table.n for table in few) > 490:
            smaller.append(max(table.n for table in few))
        s.says(
            "Table S10",
            f"counts behind {row.judges}: {row.strategy}",
            f"{row.accuracy}, {row.precision}, {row.recall}",
            f"{len(found)} tables of at most 500 answers",
            bool(found),
            "exhaustion over all counts",
            *readings.pop(f"{row.judges} / {row.strategy}", ("", "")),
        )
    if readings:
        raise ValueError(f"Table S10 has counts for {', '.join(readings)}: drop the reading")
    s.add(
        "Table S10",
        "answers behind each row that has counts",
        s.text("s10_pairs"),
        s["s10_pairs"],
        Span(min(smaller), max(smaller)),
        f"the {len(smaller)} rows that fit only a few answers less",
        "slip",
        "One to four unreadable verdicts left out of a row, rather than counted.",
    )


def check_findings(s: Sheet) -> None:
    table = load_published("uq/table_S10")
    best = largest(column("uq/table_S10", "accuracy", "percent"))
    s.add(
        "B.3, finding 1",
        "accuracy of the best validator (%)",
        str(best.middle),
        best,
        Span(435 / exact("5").low, 100),
        "at least that of rejecting everything: 435 of 500",
        "claim",
        "At 13 % right answers accuracy rewards rejecting; precision, recall and balanced accuracy carry what can "
        "be said.",
    )
    gains = {}
    by_name = {(row.judges, row.strategy): row for row in table.itertuples()}
    for (judges, strategy), loose in by_name.items():
        strict = by_name.get((judges, strategy.replace("|M", "|U")))
        if strategy.endswith("|M") and strict is not None:
            gains[judges, strategy] = (
                rounded(strict.precision) - rounded(loose.precision),
                rounded(loose.recall) - rounded(strict.recall),
            )
    precision, recall = [gain[0] for gain in gains.values()], [gain[1] for gain in gains.values()]
    reading = (
        "claim",
        "The sentence fits o3 (0.60 to 5.44 points of precision, 9 to 43 of recall) and is put for all models.",
    )
    s.fact(
        "unanimity_precision_gain_low", smallest(precision), f"smallest of {len(gains)} pairs of Table S10", *reading
    )
    s.fact("unanimity_precision_gain_high", largest(precision), f"largest of {len(gains)} pairs of Table S10", *reading)
    s.fact("unanimity_recall_fall_low", smallest(recall), f"smallest of {len(gains)} pairs of Table S10", *reading)
    s.fact("unanimity_recall_fall_high", largest(recall), f"largest of {len(gains)} pairs of Table S10", *reading)
    o3 = {row.strategy: row for row in table[table["judges"] == "o3"].itertuples()}
    s.says(
        "I.5",
        "deepest pipeline of o3 against repeated sampling, accuracy (%)",
        "deeper pipelines are the most accurate",
        f"C x5 |U {o3['C x5 |U'].accuracy}, 3-Iter {o3[PIPELINE].accuracy}",
        float(o3[PIPELINE].accuracy) > float(o3["C x5 |U"].accuracy),
        "Table S10",
        "claim",
        "True of the two-model pipeline; B.3 itself says that the trend is not consistent.",
    )
    votes = column("uq/table_S10", "recall", "percent", model="Multi-model", strategy="C |M")
    s.fact("ensemble_majority_recall_low", smallest(votes), "smallest recall of the ensembles' majorities")
    s.fact("ensemble_majority_recall_high", largest(votes), "largest recall of the ensembles' majorities")
