"""What the rules do to a pool: a funnel by rule and by site, and what a threshold or another reading changes."""

from collections.abc import Iterable
from pathlib import Path

import duckdb
import pandas as pd

from proctor.uq.dataset.rules import BIT, RULES, Filter, Rules, scan


def by_rule(outcomes: pd.DataFrame) -> pd.DataFrame:
    """A row a rule, in the order of RULES.

    outcomes: `Filter.outcomes`. failed: questions that fail it. alone: those that fail no other rule, so that they
    would be kept without it. left: questions that pass it and every rule before it.
    """
    failed, n = outcomes["failed"], outcomes["questions"]
    rows, before = [], 0
    for name, bit in BIT.items():
        before |= bit
        rows.append((name, n[failed & bit > 0].sum(), n[failed == bit].sum(), n[failed & before == 0].sum()))
    return pd.DataFrame(rows, columns=["rule", "failed", "alone", "left"])


def by_site(outcomes: pd.DataFrame) -> pd.DataFrame:
    """A row a site: questions, questions kept, share kept in percent, and how many fail each rule."""
    failed = {
        name: outcomes["questions"].where(outcomes["failed"] & bit > 0, 0).rename(name) for name, bit in BIT.items()
    }
    kept = outcomes["questions"].where(outcomes["failed"] == 0, 0).rename("kept")
    table = pd.concat([outcomes[["site", "questions"]], kept, *failed.values()], axis=1).groupby("site").sum()
    table.insert(2, "share", 100 * table["kept"] / table["questions"])
    return table.reset_index()


def kept(outcomes: pd.DataFrame) -> int:
    """Questions that fail no rule."""
    return int(outcomes.loc[outcomes["failed"] == 0, "questions"].sum())


def sensitivity(source: str | Path, rules: Rules, values: dict[str, Iterable[float]], as_of=None) -> pd.DataFrame:
    """Questions kept as one threshold takes each of its values, on every site, the others as they are.

    values: setting of `rules.NUMBERS` -> its values. Columns: setting, value, kept.
    """
    rows = []
    for setting, tried in values.items():
        for value in tried:
            with Filter(source, rules.but(**{setting: value}), as_of) as found:
                rows.append((setting, value, kept(found.outcomes())))
    return pd.DataFrame(rows, columns=["setting", "value", "kept"])


def substring_cost(source: str | Path, rules: Rules, as_of=None) -> pd.DataFrame:
    """Tags that hold an off-topic tag without being one: what matching by substring drops beyond matching whole tags.

    Columns: tag, holds (the off-topic tags in it), questions with the tag, lost: those that pass every rule when
    whole tags are matched, and so are dropped by the substring alone.
    """
    keywords = rules.default["off_topic_tags"]
    with Filter(source, rules.but(tag_match="whole"), as_of) as found:
        conditions = found.every_condition()
        passes = " AND ".join(f"({sql})" for sql in conditions.values())
        query = f"SELECT unnest(tags) AS tag, ({passes}) AS kept FROM questions JOIN given USING (site)"
        table = found.ask(
            f"SELECT tag, count(*) AS questions, count(*) FILTER (kept) AS lost FROM ({query}) GROUP BY tag"
        ).df()
    table["holds"] = [
        ", ".join(word for word in keywords if word in tag and tag not in keywords) for tag in table["tag"]
    ]
    table = table[table["holds"] != ""].sort_values(["lost", "questions", "tag"], ascending=[False, False, True])
    return table[["tag", "holds", "questions", "lost"]].reset_index(drop=True)


def describe(rules: Rules) -> pd.DataFrame:
    """The rules in words, with the thresholds of most sites."""
    return pd.DataFrame(
        [(name, says.format(**rules.default)) for name, (says, _) in RULES.items()], columns=["rule", "keeps"]
    )


def question_count(source: str | Path) -> int:
    """Questions of a source."""
    return duckdb.execute(f"SELECT count(*) FROM {scan(Path(source))}").fetchone()[0]
