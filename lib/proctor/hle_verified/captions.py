"""What stands beside tables and figures of HLE-Verified's notebooks: captions, formats, alt texts.

out.table(df, "hle_verified/stage_1", **TABLES["stage_1"])
out.figure(fig, "hle_verified/fig_2", claim=claim, alt=ALT["fig_2"])
"""

from typing import Any

TABLES: dict[str, dict[str, Any]] = {
    "validity_definitions": dict(
        caption="HLE-Verified, section 3.2: when a component is sound, in our words",
    ),
    "planted_defects": dict(
        caption="One planted defect of each kind: the component before and after",
        show=["kind", "name", "damaged"],
    ),
    "stage_1": dict(
        caption="What Stage I keeps out of gold, by the evidence used; exact 95 % intervals",
        formats={"damaged_share": ".0%", "sound_share": ".0%"},
        intervals={"damaged_share": ("damaged_low", "damaged_high"), "sound_share": ("sound_low", "sound_high")},
    ),
    "outcomes": dict(
        caption="What became of the items, by who judges and by the component of their defect",
        show=[
            "experts",
            "component",
            "damaged, left open",
            "damaged, rationale rewritten",
            "damaged, restored",
            "damaged, taken for gold",
            "damaged, wrongly changed",
            "sound, kept",
        ],
    ),
    "gold_damage": dict(
        caption="Items by status, and gold items with a damaged problem or key; exact 95 % intervals",
        formats={"damaged_share": ".0%"},
        intervals={"damaged_share": ("damaged_low", "damaged_high")},
    ),
    "prompts": dict(
        caption="The prompts of HLE-Verified A.1 and what stands for them here",
    ),
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
    "noise_accuracy_table": dict(
        caption="Observed accuracy by share of wrong keys",
        show=False,
    ),
    "implied_wrong_keys": dict(
        caption=(
            "Share of wrong keys that Table 2 implies if they are spread at random: right answers after the "
            "repair that were scored wrong before"
        ),
        formats={"accuracy": ".1f", "share": ".1%"},
    ),
    "noise_ranking_table": dict(
        caption="Chance that a model of 43 % comes out ahead of one of 40 %, wrong keys spread at random",
        formats={"wrong_keys": ".0%", "gap": ".3f", "formula": ".3f", "simulated": ".3f", "more_items": ".2f"},
        intervals={"simulated": ("low", "high")},
    ),
    "pass_at_k": dict(
        caption="pass@k of a model of 40 % with a fifth of wrong keys",
        formats={"true": ".1%", "formula": ".1%", "simulated": ".1%", "lost": ".1%"},
    ),
    "rollouts": dict(
        caption="Standard deviation of the accuracy over exams, with one and five rollouts an item",
        formats={"mean": ".2%", "sd_of_exam": ".2%", "sd_of_answers": ".2%"},
    ),
    "noise_calibration_table": dict(
        caption="Calibration error by share of wrong keys",
        show=False,
    ),
    "replication": dict(
        caption="Items whose key a solver gives in at least one of four attempts, by damaged component",
        formats={"reproduced_share": ".0%"},
        intervals={"reproduced_share": ("reproduced_low", "reproduced_high")},
    ),
    "agreement": dict(
        caption="Items whose key a solver gives in most attempts, and those of them that are damaged",
        formats={"damaged_share": ".0%"},
        intervals={"damaged_share": ("damaged_low", "damaged_high")},
    ),
    "false_corrections": dict(
        caption="Sound items spoiled and damaged items mended, by source of repairs; exact 95 % intervals",
        formats={"spoiled_share": ".0%", "mended_share": ".0%"},
        intervals={"spoiled_share": ("spoiled_low", "spoiled_high"), "mended_share": ("mended_low", "mended_high")},
        show=["source", "spoiled_share", "mended_share", "reworded"],
    ),
    "repairs_by_change": dict(
        caption="Settled repairs that change problem or answer and those that do not; right ones of them",
    ),
    "audit_samples": dict(
        caption="Share of `sound` in each of eight judgements, and distinct probabilities behind the eight",
        formats={
            "judgement_1": ".0%",
            "judgement_2": ".0%",
            "judgement_3": ".0%",
            "judgement_4": ".0%",
            "judgement_5": ".0%",
            "judgement_6": ".0%",
            "judgement_7": ".0%",
            "judgement_8": ".0%",
        },
        show=[
            "auditor",
            "probabilities",
            "judgement_1",
            "judgement_2",
            "judgement_3",
            "judgement_4",
            "judgement_5",
            "judgement_6",
        ],
    ),
    "cross_audit": dict(
        caption="Settled repairs that pass the cross-audit, right and wrong ones; exact 95 % intervals",
        formats={"right_share": ".0%", "wrong_share": ".0%"},
        intervals={"right_share": ("right_low", "right_high"), "wrong_share": ("wrong_low", "wrong_high")},
    ),
    "audit_auc": dict(
        caption=(
            "AUC of the auditor's probability that the answer is sound; intervals for six comparisons together, "
            "and alone"
        ),
        formats={"auc": ".2f", "alone_low": ".2f", "alone_high": ".2f"},
        intervals={"auc": ("low", "high")},
    ),
    "inclusion_rules": dict(
        caption="What a rule of inclusion keeps, and the error of a model's accuracy on it (computed)",
        formats={"size": ".1%", "coverage": ".1%", "purity": ".1%", "accuracy": ".1%", "error": ".1%"},
    ),
    "found_by_component": dict(
        caption="Damaged components detected and sound ones rejected; exact 95 % intervals",
        formats={"detected_share": ".0%", "false_positives_share": ".0%"},
        intervals={
            "detected_share": ("detected_low", "detected_high"),
            "false_positives_share": ("false_positives_low", "false_positives_high"),
        },
        show=["judge", "component", "detected_n", "detected_share", "false_positives_n", "false_positives_share"],
    ),
    "defects_seen": dict(
        caption="AUC of the probability of `sound`, damaged against sound (intervals together 95 %)",
        intervals={"auc": ("low", "high")},
    ),
    "kinds_seen": dict(
        caption="By kind: items whose damaged component is rejected, and the AUC of its probability (models only)",
        formats={"detected_share": ".0%", "auc": ".2f"},
        intervals={"detected_share": ("detected_low", "detected_high")},
        show=False,
    ),
    "case_speculative_decoding": dict(
        caption="Case 1: tokens that a target keeps of a draft whose logits carry noise",
        formats={"noise": "g", "rate": ".5f", "simulated": ".5f"},
        intervals={"simulated": ("low", "high")},
    ),
    "cases": dict(
        caption="The six cases of sections 4.4 and A.3: defects, repaired answer and our own computation",
    ),
    "measured_gains": dict(
        caption="Our damaged exam: accuracy before and after the repair (intervals together 95 % over models)",
        formats={"before": ".1%", "after": ".1%", "gain": ".1%", "p": ".3f"},
        intervals={"gain": ("low", "high")},
        show=["model", "part", "items", "before", "after", "gain", "p"],
    ),
    "confidence_shift": dict(
        caption="Mean shift of confidence by the repair in points (intervals together 95 % over nine comparisons)",
        formats={"shift": ".1f"},
        intervals={"shift": ("low", "high")},
    ),
    "confidence_power_table": dict(
        caption="Chance that a rank test shows a shift of confidence",
        formats={"power": ".0%"},
        show=False,
    ),
    "confidence_diagnosis": dict(
        caption="Does confidence find items with a damaged problem? AUCs, 24 intervals together 95 %",
        formats={"shift": "+.1f", "spread": ".1f", "needed": ".0f"},
        intervals={"by_drop": ("by_drop_low", "by_drop_high"), "by_low": ("by_low_low", "by_low_high")},
        show=["who", "confidence", "shift", "spread", "needed", "by_drop", "by_low"],
    ),
    "measured_calibration": dict(
        caption="Our damaged exam: calibration error before and after the repair, HLE's and without bias",
        formats={"confidence": ".1%", "accuracy": ".1%", "official": ".1%", "debiased": ".1%"},
    ),
    "corrections": dict(
        caption="One simulated exam: accuracy as a judge or a noisy key shows it, and corrected",
        formats={"observed": ".1%", "estimate": ".1%", "truth": ".1%"},
        intervals={"estimate": ("low", "high")},
    ),
    "correction_worst": dict(
        caption=("The worst cell of each method: least share of intervals that hold the truth, simultaneous interval"),
        formats={"held": ".1%"},
        intervals={"held": ("low", "high")},
    ),
    "correction_coverage_table": dict(
        caption="Coverage by method and cell",
        show=False,
    ),
    "correction_failures": dict(
        caption="Share of 95 % intervals that hold a true accuracy of 50 % where an assumption is broken",
        formats={"value": ".2f", "rogan_gladen": ".1%", "ppi": ".1%", "width": ".1%"},
        intervals={"rogan_gladen": ("rogan_gladen_low", "rogan_gladen_high"), "ppi": ("ppi_low", "ppi_high")},
    ),
    "damaged_corrections": dict(
        caption="Items with a sound problem: accuracy with sound and damaged keys, and corrections",
        formats={
            "sound_keys": ".1%",
            "damaged_keys": ".1%",
            "predicted": ".1%",
            "off": ".1%",
            "corrected": ".1%",
            "ppi": ".1%",
            "verified": ".1%",
        },
        intervals={
            "off": ("off_low", "off_high"),
            "corrected": ("corrected_low", "corrected_high"),
            "ppi": ("ppi_low", "ppi_high"),
            "verified": ("verified_low", "verified_high"),
        },
        show=["model", "sound_keys", "damaged_keys", "predicted", "off", "corrected", "ppi", "verified"],
    ),
    "2d_power": dict(
        caption="Power to show the expected effects, by the number of pairs (computed; one of three comparisons)",
        formats=dict.fromkeys(["n = 10", "n = 40", "n = 50", "n = 54", "n = 100", "width"], ".2f"),
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
    "fig_2": (
        "Flow of Stage I: the exam goes to experts and solvers, their evidence to a decision, which sends "
        "items to gold, to repair or to uncertain, with our counts and the paper's."
    ),
    "fig_3": (
        "Flow of Stage II: sent to repair, repair settled, doubted part changed, audit passed and so "
        "revised; at each step the rest goes to uncertain. Our counts, and the paper's."
    ),
    "fig_1": (
        "Stacked bars of gold, revised and uncertain items: the paper, its first public file, our exam by "
        "who judges, and what a judge without error would do with it."
    ),
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
    "noise_accuracy": (
        "Observed accuracy against the share of wrong keys for models of 20, 50 and 80 %, free answers and "
        "letters: lines of the formula, dots of simulated exams."
    ),
    "noise_ranking": (
        "Left: exams that show the right order against the share of wrong keys spread at random. Right: the "
        "lead of a model falls below zero as more of the wrong keys sit on hard items."
    ),
    "noise_calibration": (
        "Observed calibration error against the share of wrong keys for an overconfident, a calibrated and a "
        "modest model; the last one first looks better."
    ),
    "agreement_no_proof": (
        "Left: the share of sound items among those with a reproduced key falls as solvers fall for wrong "
        "keys. Right: damaged items among those whose key two models reproduce, with intervals."
    ),
    "false_corrections_figure": (
        "Left: sound items spoiled against wrong proposals, for one proposer and two of three. Right: items "
        "mended and spoiled by each model, two of three, adjudicator and audit."
    ),
    "cross_audit_figure": (
        "Left: share of right and of wrong repairs that each auditor and panel passes. Right: AUC of each "
        "auditor's probability, over all repairs and over those that change neither part."
    ),
    "decision_principles": (
        "Left: purity against coverage as the quorum rises, for independent reviewers, a shared blind spot, "
        "hard items doubted more. Right: error of accuracy on the kept items by quorum."
    ),
    "found_by_component_figure": (
        "Three panels, one a component: share of damaged and of sound components that each model and panel "
        "rejects, with exact intervals. The smallest model rejects all, the larger ones hardly any."
    ),
    "kinds_seen_figure": (
        "AUC by kind of defect and model, hollow where two items give no interval, and for all kinds of a "
        "component together with intervals. Only the largest model's interval for answers lies above 0.5."
    ),
    "case_speculative_decoding_figure": (
        "Share of rejected tokens against noise in the logits, both on log scales: it grows in proportion to the noise."
    ),
    "measured_gains_figure": (
        "Gain of accuracy of three models by part of the exam, with intervals: about 40 points on repaired "
        "items for the two larger models, none for the smallest."
    ),
    "fig_9": (
        "Gain by family of questions, a dot an item; the intervals of families span nearly everything, that "
        "of all items lies above zero."
    ),
    "fig_10": (
        "Shift of confidence by model for all items and for damaged problems, in three measures, with "
        "intervals; shaded between the paper's ends of +1.83 and +11.08 points."
    ),
    "confidence_power": (
        "Chance to show a shift of confidence against the number of damaged items, for three shifts: the "
        "smallest printed one needs more than 400, the largest about 100."
    ),
    "confidence_diagnosis_figure": (
        "AUC of three measures of confidence for finding damaged problems, by model and for all, by the rise "
        "after repair and by low confidence before; the largest model's token probability lies highest."
    ),
    "correction_coverage": (
        "Six heatmaps of the share of intervals that hold the truth, by true accuracy and known answers: "
        "jeffreys and smoothed PPI stay high, the others fall where little is known."
    ),
    "2d_audits": (
        "Left: share of pairs in which two auditors give the sound item the higher probability, by component and for "
        "repairs, with intervals and a line at one half. Right: damaged items and sound twins of each of nineteen "
        "kinds that the larger auditor rejects."
    ),
}
