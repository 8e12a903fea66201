"""Labels and defects of HLE-Verified's items (section 4, Table 1): the counts that printed percentages allow.

    limits = label_limits(load_published("hle_verified/fig_6"), facts, subject_items, slack=2.0)
    component_limits(limits, n_all, gold)

Section 4.2 quotes some shares of Figure 6 exactly, some as a range or a bound, others not at all. So a label's count in
a subject is known up to limits, and the three labels of a component add up to all items.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from proctor.hle_verified.planted_defects import COMPONENTS
from proctor.stats.proportions import clopper_pearson
from proctor.stats.reconstruct import accuracy_counts

LABELS = ("valid", "invalid", "uncertain")
FEW = ("Engineering", "Humanities/Social Science", "Other")  # subjects that section 4.2 describes together
SUBJECTS = {"Mathematics": "Math", "Computer Science": "Computer Science/AI"}  # Table 1's name: Figure 6's


def printed_shares(shares: pd.DataFrame) -> dict[tuple[str, str, str], str]:
    """{(subject, component, label): percentage as printed} of the shares that the text quotes exactly."""
    return {
        (row.subject, row.component, label): getattr(row, label)
        for row in shares.itertuples()
        for label in LABELS
        if getattr(row, label)
    }


def share_counts(shares: pd.DataFrame, subject_items: Mapping[str, int]) -> pd.DataFrame:
    """One row a subject: whether its exact percentages are counts of all its items.

    fitting: percentages, of `figures`, that some count of the subject's public items prints so. counts: those counts.
    smallest_n: fewest items over which all of them are such shares. chance: that so many would fit a wrong n of this
    size by luck, about n / 1000 each.
    """
    exact, rows = printed_shares(shares), []
    for subject in shares["subject"].unique():
        n, texts = subject_items[subject], {key[1:]: text for key, text in exact.items() if key[0] == subject}
        found = {key: [c.k for c in accuracy_counts(text, n, roundings=["half_up"])] for key, text in texts.items()}
        sizes = [{c.n for c in accuracy_counts(t, range(1, n + 1), roundings=["half_up"])} for t in texts.values()]
        counts = [f"{part} {label}: {'/'.join(map(str, k)) or 'none'}" for (part, label), k in found.items()]
        rows.append(
            dict(
                subject=subject,
                public_items=n,
                figures=len(texts),
                fitting=sum(map(bool, found.values())),
                counts="; ".join(counts),
                smallest_n=min(set.intersection(*sizes), default=None),
                chance=min(n / 1000, 1) ** len(texts),
            )
        )
    return pd.DataFrame(rows)


def label_limits(
    shares: pd.DataFrame, facts: pd.Series, subject_items: Mapping[str, int], slack: float
) -> pd.DataFrame:
    """One row a subject, component and label: least and most items, as far as the text of 4.2 says.

    facts: value by fact. slack: points by which a figure that the text calls rough may be off. Columns: subject,
    component, label, items (of the subject), least, most, printed (the exact percentage or "").
    """
    exact, limits = printed_shares(shares), {}
    for subject, n in subject_items.items():
        limits |= {(subject, part, label): (0, n) for part in COMPONENTS for label in LABELS}
    for subjects, part, label, (low, high) in _said(facts, slack):
        for subject in (subject for subject in subjects if subject in subject_items):
            n = subject_items[subject]
            limits[subject, part, label] = int(np.ceil(low * n / 100)), int(high * n / 100)
    for (subject, part, label), text in exact.items():
        k = [found.k for found in accuracy_counts(text, subject_items[subject], roundings=["half_up"])]
        limits[subject, part, label] = k[0], k[-1]
    for (subject, part, label), (low, high) in list(limits.items()):
        others, n = [limits[subject, part, other] for other in LABELS if other != label], subject_items[subject]
        limits[subject, part, label] = max(low, n - sum(o[1] for o in others)), min(high, n - sum(o[0] for o in others))
    return pd.DataFrame(
        [
            dict(
                subject=key[0],
                component=key[1],
                label=key[2],
                items=subject_items[key[0]],
                least=least,
                most=most,
                printed=exact.get(key, ""),
            )
            for key, (least, most) in limits.items()
        ]
    )


def _said(facts: pd.Series, slack: float) -> list[tuple[Sequence[str], str, str, tuple[float, float]]]:
    """What 4.2 says of several subjects: subjects, component, label, limits in percent."""

    def between(name: str) -> tuple[float, float]:
        return facts[f"{name}_low"] - slack, facts[f"{name}_high"] + slack

    def share(end: str) -> float:
        name = f"answer_uncertain_low_domains_{end}"
        return 100 * facts[f"{name}_numerator"] / facts[f"{name}_denominator"]

    physics_too = (*FEW, "Physics")
    return [
        (("Math", "Biology/Medicine"), "problem", "valid", (facts["problem_valid_math_and_biology"], 100)),
        (FEW, "problem", "valid", between("problem_valid_low_domains")),
        (physics_too, "problem", "uncertain", between("problem_uncertain_low_domains")),
        (physics_too, "answer", "valid", (0, facts["answer_valid_low_domains"])),
        (physics_too, "answer", "uncertain", (share("low") - slack, share("high") + slack)),
        (FEW, "rationale", "uncertain", between("rationale_uncertain_low_domains")),
    ]


def component_limits(limits: pd.DataFrame, n_all: int, gold: int) -> pd.DataFrame:
    """One row a component and label: least and most items over all subjects, and among the items that are not gold.

    limits: of `label_limits`. A gold item's problem and answer are valid; its rationale may be anything.
    """
    rows = []
    for component in COMPONENTS:
        for label in LABELS:
            own = limits[(limits["component"] == component) & (limits["label"] == label)]
            least, most = int(own["least"].sum()), int(own["most"].sum())
            fewer = more = gold * (label == "valid")  # gold items among them, at most and at least
            if component == "rationale":
                fewer, more = gold, 0
            rows.append(
                dict(
                    component=component,
                    label=label,
                    least=least,
                    most=most,
                    least_not_gold=max(least - fewer, 0),
                    most_not_gold=min(most - more, n_all - gold),
                )
            )
    return pd.DataFrame(rows)


def leading_label(limits: pd.DataFrame, component: str) -> dict[str, str]:
    """By subject, the label that more than half of its items have for certain; "" where the text does not say."""
    own = limits[limits["component"] == component]
    sure = own[2 * own["least"] > own["items"]].set_index("subject")["label"]
    return {subject: sure.get(subject, "") for subject in own["subject"].unique()}


def top_defects(table: pd.DataFrame, shares: pd.DataFrame, subject_items: Mapping[str, int], most: int) -> pd.DataFrame:
    """One row a subject and component of Table 1: its most frequent defect and what the printed share allows.

    smallest: fewest defects that print so, with the exact interval of the share (percent) were they a sample.
    possible: how many totals up to `most` print so. invalid_parts: invalid parts by Figure 6, where that is printed;
    if_one_each: counts that print so if each invalid part has one defect ("none": it can't be).
    """
    exact, rows = printed_shares(shares), []
    for _, row in table.iterrows():
        for component in COMPONENTS:
            text, subject = row[f"{component}_percent"], row["subject"]
            found = accuracy_counts(text, range(1, most + 1), roundings=["half_up"])
            where = SUBJECTS.get(subject, subject), component, "invalid"
            n = None
            if where in exact:
                n = accuracy_counts(exact[where], subject_items[where[0]], roundings=["half_up"])[0].k
            low, high = clopper_pearson(found[0].k, found[0].n)
            rows.append(
                dict(
                    subject=subject,
                    component=component,
                    defect=row[f"{component}_defect"],
                    percent=float(text),
                    smallest=f"{found[0].k} of {found[0].n}",
                    low=100 * low,
                    high=100 * high,
                    possible=len({c.n for c in found}),
                    invalid_parts=n,
                    if_one_each="; ".join(f"{c.k} of {c.n}" for c in found if c.n == n) or ("none" if n else ""),
                )
            )
    return pd.DataFrame(rows)
