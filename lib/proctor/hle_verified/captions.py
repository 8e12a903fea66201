"""What stands beside tables and figures of HLE-Verified's notebooks: captions, formats, alt texts.

out.table(df, "hle_verified/stage_1", **TABLES["stage_1"])
out.figure(fig, "hle_verified/fig_2", claim=claim, alt=ALT["fig_2"])
"""

from typing import Any

TABLES: dict[str, dict[str, Any]] = {
    "taxonomy": dict(
        caption="HLE-Verified, section 3.5: nineteen kinds of defect, defined in our words",
    ),
    "fig_6_counts": dict(
        caption=("Figure 6: counts behind the percentages of section 4.2, if they are of all items of the public exam"),
        formats={"chance": ".2g"},
    ),
    "fig_6_limits": dict(
        caption="Figure 6: least and most items of each label that the text of 4.2 allows",
        show=False,
    ),
    "fig_5_counts": dict(
        caption=(
            "Figure 5: least and most items with each label that section 4.2 allows, of all items and without "
            "the gold ones"
        ),
    ),
    "table_1": dict(
        caption="HLE-Verified Table 1: most frequent defect of each component, and the counts its share allows",
        formats={"percent": ".1f", "low": ".0f", "high": ".0f", "invalid_parts": ".0f"},
        show=["subject", "component", "defect", "percent", "smallest", "possible", "invalid_parts", "if_one_each"],
    ),
    "table_2": dict(
        caption="HLE-Verified Table 2: gains recomputed with the span that rounding leaves, and those of the text",
        formats={"text_less_table": "+.2f", "before": ".2f", "after": ".2f", "printed": ".2f", "text": ".2f"},
        intervals={"recomputed": ("low", "high")},
        show=["set", "model", "before", "after", "printed", "text", "agrees"],
    ),
    "average_gains": dict(
        caption=(
            "Mean gain by set, models outside the claimed range, and what a missing eighth model would have to "
            "gain for the mean of eight to stay in it"
        ),
        show=["set", "mean", "mean_of_text", "outside", "eighth_least", "eighth_most"],
    ),
    "decomposition": dict(
        caption=(
            "The share of repaired items that each model's gains imply, and under the common share the rest's "
            "accuracy, its move, and the share of the gain that repaired items explain"
        ),
        formats={"share": ".4f", "rest_before": ".1f", "rest_after": ".1f", "rest_moved": ".2f", "explained": ".1%"},
        intervals={
            "share": ("share_low", "share_high"),
            "rest_before": ("rest_before_low", "rest_before_high"),
            "rest_after": ("rest_after_low", "rest_after_high"),
            "rest_moved": ("rest_moved_low", "rest_moved_high"),
            "explained": ("explained_low", "explained_high"),
        },
    ),
    "rank_change": dict(
        caption=(
            "Pairs of models before and after the repair: told apart whatever the pairing of items (Holm; both "
            "sets and times together 95 %), and pairs that change order"
        ),
        show=["set", "pairs", "proven_before", "proven_after", "turned", "turned_proven", "kept_proven"],
    ),
    "repaired_and_rest": dict(
        caption="Accuracy after repair: repaired items, the rest, and bounds for its sound items",
        formats={
            "repaired": ".1f",
            "rest": ".1f",
            "sound_least": ".1f",
            "sound_most": ".1f",
            "easier_than_rest": ".1f",
            "easier_least": ".1f",
            "easier_most": ".1f",
            "low": ".1f",
            "high": ".1f",
        },
        show=["model", "repaired", "rest", "sound_least", "sound_most", "easier_least", "easier_most"],
    ),
    "calibration": dict(
        caption=(
            "Fall of the calibration error after the repair, and the fall expected from the gain of accuracy if "
            "stated confidences did not move (points)"
        ),
        formats={"before": ".0f", "after": ".0f", "fall": ".0f", "expected": ".1f", "remainder": "+.1f"},
        intervals={"fall": ("fall_low", "fall_high")},
    ),
    "case_speculative_decoding": dict(
        caption="Case 1: tokens that a target keeps of a draft whose logits carry noise",
        formats={"noise": "g", "rate": ".5f", "simulated": ".5f"},
        intervals={"simulated": ("low", "high")},
    ),
    "cases": dict(
        caption="The six cases of sections 4.4 and A.3: defects, repaired answer and our own computation",
    ),
    "2d_components": dict(
        caption="One audit probability of damaged items and their sound twins by component; AUC, families resampled",
        formats=dict.fromkeys(["good", "bad", "auc"], ".2f")
        | dict.fromkeys(["above", "good_rejected", "bad_rejected"], ".0%"),
        intervals={"auc": ("low", "high")},
    ),
    "2d_rankings": dict(
        caption="Share of pairs with the sound twin above, against one half; Student's t over families, three together",
        intervals={"difference": ("low", "high")},
        formats={"needed": ".0f"},
    ),
    "2d_rejections": dict(
        caption="Rejected at a threshold of other families: damaged (first) and sound twins (second); three together",
        intervals={"difference": ("low", "high")},
        formats={"needed": ".0f"},
    ),
    "2d_kinds": dict(
        caption="By kind: pairs ranked rightly, damaged items and sound twins rejected; Tango's interval of each kind "
        "alone, items as if independent. found: the interval that takes all kinds together leaves 0 out",
        show=["kind", "title", "above", "rejected", "twin_rejected", "rejected_n", "difference", "found"],
        formats={"above": ".0%"},
        intervals={"difference": ("low", "high")},
    ),
    "2d_other_parts": dict(
        caption="What damage in one component does to the audit of another: mean probability less the sound twin's",
        formats={"difference": "+.3f"},
    ),
    "2d_repairs": dict(
        caption="Changed and untouched items: mean probability of each component, and items of which all three pass; "
        "exact 95 % intervals",
        formats=dict.fromkeys(["problem", "answer", "rationale"], ".2f") | {"passed_share": ".0%"},
        intervals={"passed_share": ("passed_low", "passed_high")},
    ),
    "2d_repair_effects": dict(
        caption="Right repairs against wrong ones of the same item; Student's t over families, three together",
        intervals={"difference": ("low", "high")},
        formats={"needed": ".0f"},
    ),
    "2d_samples": dict(
        caption="Share of pairs ranked rightly: by the probability, and expected of verdicts drawn from it",
        formats=dict.fromkeys(["probability", "1 sample", "8 samples"], ".1%"),
    ),
}

ALT = {
    "fig_4": (
        "Tree of defects: an item has problem, answer and rationale, these have 5, 4 and 10 kinds; beside "
        "six of the kinds the number of subjects of Table 1 in which they are the most frequent defect."
    ),
    "fig_6": (
        "Share of valid, invalid and uncertain labels by subject, a panel each for problem, answer and "
        "rationale; hatched what the text leaves open, which is most of Computer Science."
    ),
    "fig_5": (
        "Bars from the least to the most items of each label, by component; a line under each bar for the "
        "items that are not gold."
    ),
    "fig_S1": (
        "Share of the most frequent defect by subject, a panel each for problem, answer and rationale, with "
        "the smallest counts that print so; hatched what is not printed."
    ),
    "fig_table_2_deltas": (
        "Gains of seven models on both sets: those of Table 2 joined to those quoted in section 5.2; where "
        "they differ, the difference in points is written beside."
    ),
    "fig_7": "Full set: accuracy of seven models before and after the repair, with intervals, gains and ranks.",
    "fig_8": "Revised subset: accuracy of seven models before and after the repair, with intervals, gains, ranks.",
    "fig_repaired_and_rest": (
        "By model: repaired items less the other sound items; the bounds without the uncertain items include "
        "zero for six of seven models, with the error of sampling for all."
    ),
    "calibration_and_accuracy": (
        "Fall of calibration error against gain of accuracy for seven models on two sets; all lie near the diagonal."
    ),
    "case_speculative_decoding_figure": (
        "Share of rejected tokens against noise in the logits, both on log scales: it grows in proportion to the noise."
    ),
}
