"""Which keys of an exam are wrong, by the answers that systems gave. No model is called.

votes = read_votes(["results.csv"], "items.csv")    # who answered what: logs, long tables or a wide one
ranked = suspects(votes)                            # one row per item, the most suspicious first
expected_found(ranked, [0.05], rng)                 # share of the wrong keys that a review of 5 % of the items finds
read_decisions("decisions.csv", votes)              # of the review; what they change: hle_verified/your_exam

Systems that agree on another answer point to a wrong key; systems that disagree point to a hard item (HLE-Verified,
sections 3.2 and 5; measured on MMLU-Redux in `hle_verified/5_real_repairs`).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit

from proctor.data.schemas import LETTERS, Question
from proctor.data.tabular import DataError, Wrong, made, needs, read_rows, summary
from proctor.exam.answer_match import classes, plain_text, same
from proctor.exam.formats import ANSWERS, ITEMS, REPLIES, column_of, is_table, long_table
from proctor.exam.marking import NO_TEXT, joined, matched, read_keys, read_replies
from proctor.exam.run_exam import extract_answer
from proctor.models.messages import Reply
from proctor.models.read_answer import stated

CHANCES = {  # that a key is wrong: logistic of 1, the weighted shares of the best other answer and of the key
    "MMLU-Redux, wrong keys as experts found them": (-3.58, 2.64, -3.00),
    "MMLU-Pro, any other letter planted": (-2.17, 1.85, -10.28),
    "MMLU-Pro, a wrong reply's letter planted": (-4.23, 3.81, -1.47),
}  # fitted by benchmarks/wrong_keys.py, which also shows each on the exams that it was not fitted on
KEY_WEIGHT = 2.0  # of the votes for the key, those for the best other answer being 1; the exams' own: 1.1, 5.6, 0.4
OWN_KEYS = ("key", "correct_answer", "target", "gold", "original_key")  # in the table of the answers itself
DECISIONS = {"sound": "sound", "gold": "sound", "repaired": "repaired", "revised": "repaired", "revision": "repaired",
             "excluded": "excluded", "uncertain": "excluded"}  # fmt: skip
NO_SYSTEM = ("question", "problem", "rationale", "category", "subject", "answer_type", "options", "canary", "level")


class Votes(NamedTuple):
    """keys: item -> its question, with the key. given: one row per answer, with item, system, answer (None: none),
    part (1 over the samples of this system on this item), group (0: the key's answer; 1, 2 ...: others; -1: none) and
    confidence (as the reply states it, 0 to 1; NaN: not)."""

    keys: dict[str, Question]
    given: pd.DataFrame

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(self.given["system"]))


def read_votes(
    files: Sequence[str | Path],
    answers: str | Path = "",
    columns: Mapping[str, str] | None = None,
    leave_out: Collection[str] = (),
    scores: Collection[str] = (),
    filters: Collection[str] = (),
) -> Votes:
    """Who answered what. files: those that `formats.read_results` reads, long tables (item, model, answer or reply), or
    one wide table with a row per item and a column per system. answers: the file of keys; none: a column
    `key` or `target` of the table. columns: field -> column. leave_out: columns of a wide table that are no systems.
    scores, filters: of `read_results`.

    Raises DataError for items without a key, and fewer than two systems."""
    files, own = [Path(file) for file in files], {}
    if len(files) == 1 and is_table(files[0]):
        given, own = _read_table(files[0], dict(columns or {}), set(leave_out), needed=not answers)
    else:
        given = read_replies(*files, scores=scores, filters=filters)
    keys = {one.id: one for one in read_keys(answers)} if answers else own
    if not keys:
        raise DataError(f"{files[0]}: no keys in it. Give them by --answers, a file of id and answer.")
    known = matched(given, list(keys.values()), answers or files[0])
    if (systems := known["model"].nunique()) < 2:
        raise DataError(
            f"{files[0]}: answers of {systems} system. Votes need two or more: give more files, a table with a column "
            "`model`, or one with a column per system."
        )
    return votes_of(known, keys)


def votes_of(replies: pd.DataFrame, keys: Mapping[str, Question]) -> Votes:
    """The votes of replies as `read_replies` gives them. Answers to one item that mean the same are one group."""
    texts, confidences, read = [], [], {}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    columns = [replies[name].to_numpy(object) for name in ("question_id", "reply", "cut_off", "given")]
    for item, text, cut_off, given in zip(*columns):
        if text and (item, text, cut_off) not in read:
            reply = Reply(text, "length" if cut_off else "stop")
            read[item, text, cut_off] = extract_answer(keys[item], reply), stated(reply).confidence
        answer, confidence = read.get((item, text, cut_off), (None, None))
        answer = (given.strip() or None) if isinstance(given, str) else answer
        if answer is not None:
            counts[item][answer] += 1
        texts.append(answer)
        confidences.append(confidence)
    given = pd.DataFrame(dict(item=replies["question_id"].to_numpy(), system=replies["model"].to_numpy(), answer=texts))
    given["confidence"] = np.array(confidences, float)
    given["part"] = 1 / given.groupby(["item", "system"])["item"].transform("size")
    groups = {item: _groups(keys[item], [text for text, _ in said.most_common()]) for item, said in counts.items()}
    given["group"] = [-1 if text is None else groups[item][text] for item, text in zip(columns[0], texts)]
    return Votes(dict(keys), given)


def _groups(question: Question, texts: Sequence[str]) -> dict[str, int]:
    """Answer -> its group: 0 for the key's, the others numbered in the order of the texts."""
    said = [str(question.answer), *texts]
    if question.answer_type == "multipleChoice" or all(len(text) == 1 and text in LETTERS for text in said):
        return {text: number for number, text in enumerate(dict.fromkeys(said))}
    return {text: number for number, group in enumerate(classes(said, partial(alike, question))) for text in group}


def alike(question: Question, one: str, other: str) -> bool:
    """Whether two answers to a question mean the same."""
    if question.answer_type == "multipleChoice" or one == other:
        return one == other
    return plain_text(one) == plain_text(other) or same(one, other) is True


def suspects(votes: Votes) -> pd.DataFrame:
    """One row per answered item, the most suspicious key first: item, key, systems (that gave an answer), for_key and
    for_other (percent of these), other (the best other answer), key_share, other_share (weighted), suspicion.

    A system's vote weighs as much as its accuracy on the other items. suspicion: the weighted share of the best other
    answer less KEY_WEIGHT times that of the key, from -2 (all give the key) to 1 (all agree on another answer)."""
    given = votes.given[votes.given["group"] >= 0]
    right = given["part"] * (given["group"] == 0)
    here = right.groupby([given["system"], given["item"]]).transform("sum")
    rest = votes.given.groupby("system")["item"].nunique().reindex(given["system"]).to_numpy() - 1
    accuracy = (right.groupby(given["system"]).transform("sum") - here) / np.maximum(rest, 1)
    given = given.assign(weight=given["part"] * accuracy.clip(1e-9))
    by = given.groupby(["item", "group"], sort=False)
    groups = by.agg(part=("part", "sum"), weight=("weight", "sum"), other=("answer", "first")).reset_index()
    of = groups.groupby("item", sort=False)[["part", "weight"]].transform("sum")
    groups[["votes", "share"]] = groups[["part", "weight"]] / of.to_numpy()
    items = pd.Index(given["item"].unique(), name="item")
    key = groups[groups["group"] == 0].set_index("item").reindex(items)
    best = groups[groups["group"] > 0].sort_values("share", ascending=False, kind="stable")
    best = best.drop_duplicates("item").set_index("item").reindex(items)
    found = pd.DataFrame(
        dict(
            key=[votes.keys[item].answer for item in items],
            systems=given.groupby("item")["system"].nunique().reindex(items),
            for_key=100 * key["votes"],
            for_other=100 * best["votes"],
            other=best["other"].fillna(""),
            key_share=key["share"],
            other_share=best["share"],
        )
    ).fillna(0.0)
    found["suspicion"] = (found["other_share"] - KEY_WEIGHT * found["key_share"]).round(9)
    return found.sort_values("suspicion", ascending=False, kind="stable").reset_index()


def budget_of(text: str, items: int) -> float:
    """The share of the items that "5%" or "40" (items) names. Raises DataError for what is none, or more than all."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else items)
    except ValueError:
        raise DataError(f"--review {text}: no number. Write 5%, or a number of items.") from None
    if not 0 < share <= 1:
        raise DataError(f"--review {text}: {items} items can be reviewed. Write 5%, or a number of items.")
    return share


def expected_found(ranked: pd.DataFrame, budgets: Sequence[float], rng: np.random.Generator) -> pd.DataFrame:
    """Which share of the wrong keys a review of the most suspicious items finds, one row per budget (a share of the
    items): reviewed (percent), items, found (percent), low and high.

    Each labelled exam of CHANCES gives each item a chance that its key is wrong. `found` is the mean of what they
    expect; the limits reach from the lowest 2.5 % to the highest 97.5 % of keys drawn by these chances, since nobody
    knows which labelled exam yours is like. ranked: of `suspects`."""
    suspicion, sizes = ranked["suspicion"].to_numpy(), [round(budget * len(ranked)) for budget in budgets]
    signals = np.column_stack([np.ones(len(ranked)), ranked["other_share"], ranked["key_share"]])
    reached = np.array([reviewed(suspicion, budget) for budget in budgets])
    expected, limits = [], []
    for weights in CHANCES.values():
        chance = expit(signals @ np.array(weights))
        expected.append(reached @ chance / chance.sum())
        wrong = (rng.random((1_000, len(chance))) < chance).astype(float)
        wrong = wrong[wrong.any(axis=1)]
        drawn = wrong @ reached.T / wrong.sum(axis=1, keepdims=True) if len(wrong) else [expected[-1]]
        limits.append(np.quantile(drawn, [0.025, 0.975], axis=0))
    found = dict(found=np.mean(expected, axis=0), low=np.min(limits, axis=0)[0], high=np.max(limits, axis=0)[1])
    table = pd.DataFrame({name: 100 * values for name, values in found.items()})
    table.insert(0, "reviewed", 100 * np.asarray(budgets, float))
    table.insert(1, "items", sizes)
    return table


def reviewed(suspicion: np.ndarray, budget: float) -> np.ndarray:
    """How far a review of the `budget` (a share) of the items that are most suspicious reaches each: 1, 0, and between
    them where equal suspicion lies at the edge, as if the edge were drawn among them.

    >>> reviewed(np.array([3, 2, 2, 1]), 0.5)
    array([1. , 0.5, 0.5, 0. ])
    """
    size = round(budget * len(suspicion))
    if not size:
        return np.zeros(len(suspicion))
    edge = np.partition(suspicion, len(suspicion) - size)[len(suspicion) - size]
    above, at = suspicion > edge, suspicion == edge
    return above + at * (size - above.sum()) / at.sum()


def share_found(suspicion: np.ndarray, wrong: np.ndarray, budget: float) -> float:
    """Share of the `wrong` items (1 or 0; or chances) that such a review finds.

    >>> share_found(np.array([3, 2, 2, 1]), np.array([1, 1, 0, 0]), 0.5)
    0.75
    """
    return float(reviewed(suspicion, budget) @ wrong / wrong.sum())


# Decisions of a review


def read_decisions(path: str | Path, votes: Votes) -> pd.DataFrame:
    """Decisions of a review by item: decision (sound, repaired, excluded) and answer, the key that holds then.

    A table of id, decision and answer; the desk's words gold, revision and uncertain are read too, and items that are
    not decided yet are left out. Without a column `decision`, an answer is a repair and an empty one excludes. Raises
    DataError for unknown items or words, a repair without its key, and two decisions on one item."""
    path = Path(path)
    rows, problems = read_rows(path)
    columns = dict.fromkeys(column for _, row in rows for column in row)
    item = column_of(columns, ITEMS)
    if not item or not {"decision", "answer"} & columns.keys():
        raise DataError(f"{path}: the columns are {', '.join(columns) or 'none'}. Give id, decision and answer.")

    def decision_of(_: int, row: dict) -> dict | None:
        name, answer = (str(row.get(column) or "").strip() for column in (item, "answer"))
        if name not in votes.keys:
            raise Wrong(item, f"{name!r} is no item of the exam", "Give the ids of the exam's items")
        word = str(row.get("decision") or ("repaired" if answer else "excluded")).strip().casefold()
        if "decision" in row and word in ("screening", "repair", "adjudication", "audit"):
            return None
        if word not in DECISIONS:
            raise Wrong("decision", f"{word!r} is none", "Write sound, repaired or excluded")
        if (decision := DECISIONS[word]) == "repaired" and not answer:
            raise Wrong("answer", "empty", "Give the repaired key, or exclude the item")
        return dict(item=name, decision=decision, answer=answer)

    found = [one for one in made(path, rows, problems, decision_of) if one]
    table = pd.DataFrame(found, columns=["item", "decision", "answer"])
    if twice := next(iter(table.loc[table["item"].duplicated(), "item"]), None):
        raise DataError(f"{path}: item {twice} has two decisions. Keep one.")
    return table


# Tables of answers


def _read_table(
    path: Path, columns: dict[str, str], leave_out: set[str], needed: bool = True
) -> tuple[pd.DataFrame, dict[str, Question]]:
    """Replies of a long or a wide table, as `read_replies` gives them, and the keys in it (none: {}). needed: each row
    of a wide table with a column of keys must have one."""
    rows, problems = read_rows(path)
    if problems:
        raise DataError(summary(problems))
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    item = columns.get("id") or column_of(names, ITEMS)
    key = columns.get("answer") or column_of(names, OWN_KEYS)
    if lacking := [name for name in (item, key, *leave_out) if name and name not in names]:
        raise DataError(f"{path}: no column {', '.join(lacking)}; there are {', '.join(names)}.")
    if not item:
        raise DataError(f"{path}: the columns are {', '.join(names)}. Name that of the items by --column id=....")
    table = pd.DataFrame([row for _, row in rows], columns=names, dtype=object).fillna("").astype(str).astype(object)
    wide = not ("model" in names and {*REPLIES, *ANSWERS} & set(names))
    systems = [name for name in names if wide and name not in {item, key, *NO_SYSTEM, *leave_out}]
    own = set(table[key].str.strip()) - {""} if wide and key and needed else set()
    letters = bool(own) and own <= {*LETTERS}
    keys, first = {}, {}

    def item_of(number: int, row: dict) -> str:
        id, right = needs(row, item, fix="Name the item of every row")[item], row[key].strip() if key else ""
        if wide and key and needed and not right:
            raise Wrong(key, "empty", "Give the item its key, or delete the row")
        if right and keys.setdefault(id, _question(row, id, right)).answer != right and not wide:
            what = f"{id!r} has the key {keys[id].answer!r} in row {first[id]}, here {right!r}"
            raise Wrong(key, what, "Give it one")
        if odd := next((name for name in systems if letters and row[name].strip().isdecimal()), ""):
            what = f"{row[odd]!r} is a number, the keys are letters"
            raise Wrong(odd, what, "Give the letter that was answered, or leave the cell empty")
        first.setdefault(id, number)
        return id

    once = (item, str, "item", "Give each item one row, with one column per system") if wide else None
    made(path, zip((number for number, _ in rows), table.to_dict("records")), problems, item_of, once)
    if not wide:
        return joined((path, long_table(path, rows, problems))), keys
    given = table.melt(item, systems, "model", "given").rename(columns={item: "question_id"})
    return given.assign(file=str(path), sample=0, reply="", cut_off=False), keys


def _question(row: dict, id: str, key: str) -> Question:
    texts = {name: row[name] for name in ("rationale", "category") if row.get(name)}
    return Question(id=id, question=row.get("question") or row.get("problem") or NO_TEXT, answer=key, **texts)
