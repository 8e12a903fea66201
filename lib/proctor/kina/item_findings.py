"""What rules, guessing, refinement and filters do to ten-option items: the tables and numbers of KINA's items.

guess_table(groups, rng)              # right by guessing from the options alone, with intervals
planted_loop(items)                   # one planted defect an item, mended by rules and spare parts
audit_table(audits)                   # the same loop with models as auditors and refiners
vote_filter(votes, models); difficulty_filter(solved, fresh)
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from proctor.generated.generate import generate, ten_options
from proctor.kina import item_rules
from proctor.kina.claim_numbers import mean_of
from proctor.kina.item_refinement import audit_rules, mend, planted_defects, refine_all
from proctor.kina.items import Item, Option
from proctor.stats.bootstrap import interval
from proctor.stats.proportions import wilson

WAYS = ("longest", "shortest", "most alike", "contains no other")


def first_plain_items(per_level: int) -> list[Item]:
    """Our first ten-option items: all slips start from the right number, which is the middle of the others."""
    return [
        Item(
            index=q.id,
            discipline=q.category,
            question=q.question,
            correct_answer=q.answer,
            question_source=q.source,
            options=tuple(
                Option(key=key, answer=text, explanation=q.rationale) for key, text in zip("ABCDEFGHIJ", q.options)
            ),
        )
        for q in map(ten_options, generate(per_level=per_level))
    ]


def guess_table(groups: Mapping[str, Sequence[Item]], rng: np.random.Generator, resamples: int) -> pd.DataFrame:
    """One row a group and way of guessing: columns kind, items, rules_broken (items), letters, way, right, low, high.

    right: percent right without the question. The interval is a bootstrap over items, as wide as all rows need.
    """
    chances = {name: item_rules.blind_guess_accuracy(items) for name, items in groups.items()}
    family = sum(table["way"].nunique() for table in chances.values())
    rows = []
    for name, table in chances.items():
        items = groups[name]
        form = dict(
            kind=name,
            items=len(items),
            rules_broken=int((item_rules.report(items)["broken"] != "").sum()),
            letters=len(item_rules.set_problems(items)),
        )
        for way, chance in table.groupby("way", sort=False)["chance"]:
            found = interval(chance, rng, resamples, level=1 - 0.05 / family)
            rows.append(form | dict(way=way, right=100 * found.estimate, low=100 * found.low, high=100 * found.high))
    return pd.DataFrame(rows)


def guess_numbers(table: pd.DataFrame, kind: str, way: str) -> dict[str, Any]:
    """A row of `guess_table` as `claim` takes it."""
    row = table[(table["kind"] == kind) & (table["way"] == way)].squeeze()
    span = dict(estimate=row["right"], interval=(row["low"], row["high"]), unit="% right")
    return span | dict(n=int(row["items"]), of="generated items", level=1 - 0.05 / len(table), family=len(table))


def guess_difference(
    first: Sequence[Item], second: Sequence[Item], way: str, rng: np.random.Generator, resamples: int
) -> dict[str, Any]:
    """By how many points one way of guessing is right more often on `first` than on `second`, paired by place."""
    chances = []
    for items in (first, second):
        table = item_rules.blind_guess_accuracy(items)
        chances.append(table.loc[table["way"] == way, "chance"].to_numpy())
    away = 100 * (chances[0] - chances[1])
    return mean_of(away, rng, "generated questions", unit="points", bounds=(-100.0, 100.0), resamples=resamples)


async def planted_loop(items: Sequence[Item], rounds: int = 3) -> pd.DataFrame:
    """One planted defect an item and kind, audited by the rules and mended from spare parts.

    One row a case: index, defect, named (its rule names the defect), alone (and no other), mended, same_key, rounds.
    """
    cases = [(name, rule, item, bad) for item in items for name, (rule, bad) in planted_defects(item).items()]
    loop = await refine_all([bad for *_, bad in cases], audit_rules, mend, rounds)
    return pd.DataFrame(
        [
            dict(
                index=item.index,
                defect=name,
                named=rule in row.before.split(", "),
                alone=set(row.before.split(", ")) == {rule},
                mended=row.ended == "clean",
                same_key=row.item.right.answer == item.right.answer,
                rounds=row.rounds,
            )
            for (name, rule, item, _), row in zip(cases, loop.itertuples())
        ]
    )


def by_defect(loop: pd.DataFrame) -> pd.DataFrame:
    """Counts of `planted_loop` by defect; rounds is the most."""
    counts = dict(items="size", named="sum", alone="sum", mended="sum", same_key="sum", rounds="max")
    return loop.groupby("defect", sort=False).agg(
        **{name: ("index" if how == "size" else name, how) for name, how in counts.items()}
    )


def audit_table(audits: pd.DataFrame) -> pd.DataFrame:
    """Counts by model and defect of `recorded.refinements`: one row each.

    issue: items in which the first audit names one; stem: and that is the stem; unreadable, ended_clean: how the loop
    ended; changes, refused: by the refiner; rules_broken_before, rules_broken_after: items that break a rule of form.
    """
    first = audits["issues"].str.split(", ").str[0]
    return pd.DataFrame(
        [
            dict(
                model=model,
                defect=defect,
                items=len(part),
                issue=(first[part.index] != "").sum(),
                stem=(first[part.index] == "stem").sum(),
                unreadable=(part["ended"] == "unreadable").sum(),
                changes=part["outcomes"].str.count("mended").sum(),
                refused=part["outcomes"].str.count("refused").sum(),
                ended_clean=(part["ended"] == "clean").sum(),
                rules_broken_before=(part["before"] != "").sum(),
                rules_broken_after=(part["after"] != "").sum(),
            )
            for (model, defect), part in audits.groupby(["model", "defect"], sort=False)
        ]
    )


def leaning_shares(audits: pd.DataFrame, rng: np.random.Generator, family: int = 2) -> dict[str, dict[str, Any]]:
    """Of items with a leaning stem, in percent, as `claim` takes it: named (first) and still_broken (after the loop).

    Each item is audited by every model; items are resampled, with all their audits.
    """
    leaning = audits[audits["defect"] == "leaning stem"]
    values = {
        "named": leaning["issues"].str.split(", ").str[0] == "stem",
        "still_broken": leaning["after"] != "",
    }
    return {
        name: mean_of(100.0 * value.to_numpy(), rng, "items", family=family, clusters=leaning["index"])
        for name, value in values.items()
    }


# The two filters


def vote_filter(votes: pd.DataFrame, models: Sequence[str], quorum: int = item_rules.YES) -> pd.DataFrame:
    """Votes of the judges on worked solutions, counted: one row an answer, columns question_id, key, yes, no,
    unreadable, kept. key: right or wrong, from the answer's id.

    votes: columns answer_id, judge, outcome ("accept", "reject" or "unreadable"). Fewer judges than the quorum must all
    agree.
    """
    quorum = min(quorum, len(models))
    meaning = {"accept": True, "reject": False, "unreadable": None}
    ballots = votes.assign(vote=votes["outcome"].map(meaning).astype(object))
    table = ballots.pivot(index="answer_id", columns="judge", values="vote")[list(models)]
    cells = [[None if pd.isna(vote) else bool(vote) for vote in row] for row in table.to_numpy()]
    question, key = zip(*(answer.rsplit("-", 1) for answer in table.index))
    return item_rules.count_votes(cells, quorum).set_index(table.index).assign(question_id=question, key=key)


def filter_table(kept: pd.DataFrame, solved: pd.DataFrame, fresh: pd.DataFrame) -> pd.DataFrame:
    """What both filters keep: one row a filter and group, columns filter, items, all, kept, share, low, high (percent,
    Wilson), accuracy_filtering and accuracy_fresh (percent, of the same models on what is kept).

    kept: of `vote_filter`. solved, fresh: (questions, models), right in the run that filters, and the share right in
    fresh answers.
    """
    judges = int(kept[["yes", "no", "unreadable"]].iloc[0].sum())
    name = "two of three judges" if judges == 3 else f"{min(item_rules.YES, judges)} of {judges} judges"
    rows = [_kept(name, f"{key} keys", part["kept"]) for key, part in kept.groupby("key")]
    for most in range(solved.shape[1]):
        stays = item_rules.difficulty(solved, most)["kept"].to_numpy()
        row = _kept(f"at most {most} of {solved.shape[1]} models", "generated", stays)
        accuracy = {
            name: 100 * table[stays].to_numpy(float).mean() for name, table in (("filtering", solved), ("fresh", fresh))
        }
        rows.append(row | {f"accuracy_{name}": value for name, value in accuracy.items()})
    return pd.DataFrame(rows)


def fresh_accuracy(solved: pd.DataFrame, fresh: pd.DataFrame, most: int, rng: np.random.Generator) -> dict[str, Any]:
    """Percent right in fresh answers to the questions that at most `most` models solved, over the questions."""
    stays = item_rules.difficulty(solved, most)["kept"].to_numpy()
    return mean_of(100 * fresh[stays].mean(axis=1), rng, "questions")


def _kept(name: str, group: str, kept: Any) -> dict[str, Any]:
    k, n = int(np.sum(kept)), len(kept)
    low, high = wilson(k, n)
    return {
        "filter": name,
        "items": group,
        "all": n,
        "kept": k,
        "share": 100 * k / n,
        "low": 100 * low,
        "high": 100 * high,
    }
