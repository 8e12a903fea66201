"""Read a leaderboard, item by item, and rank its models: a folder of KINA results files, or one CSV, as models x items.

Four forms, recognised by what they are:

folder   one .json a model, named after it: a list of {id, score, extracted_predictions, gt}, as KINA's public code
         writes it; score is the mean over 1, 4 or 8 answers, 1 for each that is gt
wide     a CSV with a column `item`, if wanted `discipline`, and one column of scores a model
long     a CSV with the columns `model`, `item`, `score`, if wanted `discipline`
turned   a CSV with a column `model` and one column of scores an item

The columns may have one of the names of NAMES, and an item's may have none where it is the first, as spreadsheets and
pandas write it. Scores may be words (True, False, yes, no, pass, fail); empty cells are items that a model lacks.
Several rows of a CSV for the same model and item are samples (a column `sample` may number them): their mean counts.
`notes` of the result say what was taken for what.

Every file is checked whole before anything is returned; a DataError names file, row and fix (data/tabular.py).

A tier ends at the first model that the tier's leader is above. So a border between tiers says something of the leader,
and often nothing of the two models next to it: each row says whether it is distinguishable from the next.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proctor import paths
from proctor.data.answers import OUTCOMES
from proctor.data.questions import load_questions
from proctor.data.tabular import DataError, Wrong, collect, needs, problem, read_rows, summary
from proctor.stats import bootstrap
from proctor.stats.compare import cluster_t_interval
from proctor.stats.interval import Interval
from proctor.stats.rank_sets import all_pairs, items_needed, possible_winners, rank_sets, ranking

MISSING = ("error", "pairs", "common", "wrong")
MUCH = 0.05  # share of scores that may lack without a warning
NAMES = {
    "model": ("model", "system", "agent", "submission"),
    "item": ("item", "item_id", "task", "task_id", "instance_id", "question_id", "question", "problem"),
    "score": ("score", "correct", "right", "resolved", "solved", "passed"),
    "discipline": ("discipline", "category", "subject", "domain", "repo"),
    "sample": ("sample", "sample_id", "epoch", "run", "trial", "attempt", "repeat"),
}
EMPTY = ("", "nan", "na", "n/a", "none", "null", "-")
_SCORE = ("path", "row", "model", "item", "score", "discipline", "gt", "answers")  # one score, and where it stands


@dataclass(frozen=True)
class Leaderboard:
    """Scores (models, items) in [0, 1], NaN where a model lacks an item; in the order in which they were met.

    clusters: a label an item (its discipline), None where the file has none. samples: answers to each item, None where
    not known. unreadable: answers without a letter, scored wrong; None where not known. left_out: items dropped because
    a model lacks them. filled: scores set to 0 because a model lacks the item. lacking: scores that are not there.
    notes: what was done to read the file, in sentences.
    """

    models: tuple[str, ...]
    items: tuple[str, ...]
    scores: np.ndarray
    clusters: tuple[str, ...] | None
    samples: int | None
    unreadable: int | None
    left_out: int
    filled: int
    notes: tuple[str, ...] = ()
    lacking: int = 0


def load_leaderboard(path: str | Path, missing: str = "error", questions: str | Path = "") -> Leaderboard:
    """The leaderboard in a folder or a CSV file. Paths are relative to the checkout.

    missing: what to do about items that a model lacks: "error"; "pairs", leave these scores out, so that two models are
    compared on the items of both; "common", keep the items that all models have; "wrong", score them 0. All are counted
    in the result, and above 5 % of the scores a note warns. questions: a file of the questions that the results rest
    on, for their disciplines, which results files such as KINA's do not hold.
    Raises DataError for fewer than two models, an item given twice in a results file, a score outside 0 to 1 or at odds
    with its answers, right answers or disciplines that differ between files, and items that a model or `questions`
    lacks.
    """
    path = Path(paths.ROOT, path)
    clusters = {q.id: q.cluster for q in load_questions(Path(paths.ROOT, questions))} if questions else {}
    if missing not in MISSING:
        raise DataError(f"missing is {missing!r}. Choose one of: {', '.join(MISSING)}.")
    notes: list[str] = []
    found, problems = _folder(path) if path.is_dir() else _csv(path, notes)
    table = pd.DataFrame(found, columns=list(_SCORE))
    problems += _contradictions(table, path.is_dir())
    if problems:
        raise DataError(summary(problems))
    models, items = tuple(table["model"].unique()), tuple(table["item"].unique())
    if len(models) < 2:
        only = f"one model only ({models[0]})" if models else "no model in it"
        raise DataError(f"{path}: {only}, and a ranking needs two. Add the scores of another.")
    cells = table.groupby(["model", "item"], sort=False)["score"].agg(["mean", "size"])
    scores = cells["mean"].unstack().reindex(index=models, columns=items).to_numpy()
    gaps, least, most = np.isnan(scores), cells["size"].min(), cells["size"].max()
    if most > 1:
        some = f"{most}" if least == most else f"{least} to {most}"
        notes.append(f"{some} rows for the same model and item are samples: their mean is its score")
    if gaps.any() and missing == "error":
        raise DataError(summary(_gaps(path, models, items, gaps)))
    keep = ~gaps.any(axis=0) if missing == "common" else np.ones(len(items), bool)
    if not keep.any():
        raise DataError(f"{path}: no item is common to all {len(models)} models. Leave one out, or use 'wrong'.")
    kept, lacking = tuple(np.array(items, object)[keep]), int(gaps[:, keep].sum())
    known = table["answers"].notna().all()
    sizes = set(table["answers"].map(len)) if known else {int(most)} if least == most > 1 else set()
    return Leaderboard(
        models,
        kept,
        scores[:, keep] if missing == "pairs" else np.nan_to_num(scores[:, keep], nan=0.0),
        _labels(path, table, kept, clusters),
        sizes.pop() if len(sizes) == 1 else None,
        sum(not answer for answers in table["answers"] for answer in answers) if known else None,
        int((~keep).sum()),
        lacking if missing == "wrong" else 0,
        tuple(notes + _lacking(models, gaps)),
        lacking if missing == "pairs" else 0,
    )


def _lacking(models: tuple, gaps: np.ndarray) -> list[str]:
    """What is to be said of scores that are not there: nothing, their number, or a warning."""
    if not gaps.any():
        return []
    said, by_model = f"{int(gaps.sum()):,} of {gaps.size:,} scores ({gaps.mean():.1%}) are not there", gaps.mean(axis=1)
    worst = int(by_model.argmax())
    if gaps.mean() > MUCH or by_model[worst] > MUCH:
        said += (
            f". Warning: {models[worst]} lacks {by_model[worst]:.1%}. Where systems skip what they find hard, "
            "accuracies and pairs flatter them: score these wrong, or ask them again"
        )
    return [said]


def describe(board: Leaderboard) -> str:
    """What was read, in one line."""
    unreadable = "not known" if board.unreadable is None else board.unreadable
    done = "".join(f"\n{note}" for note in board.notes)
    return (
        f"{len(board.models)} models, {len(board.items)} items, {len(set(board.clusters or ()))} disciplines, "
        f"{board.samples or 'unknown'} answers to an item; unreadable answers: {unreadable}; "
        f"items left out: {board.left_out}; missing scores left out: {board.lacking}, "
        f"counted wrong: {board.filled}{done}"
    )


def _folder(path: Path) -> tuple[list[tuple], list[str]]:
    files = sorted(path.glob("*.json"))
    if not files:
        raise DataError(f"{path}: no .json files in this folder. Put one results file a model there, named after it.")
    entries, problems = [], []
    for file in files:
        rows, bad = read_rows(file)
        problems += bad + ([] if rows or bad else [problem(file, None, None, "no items in it", "Leave the file out")])
        entries += collect(file, rows, problems, partial(_result, file))
    return entries, problems


def _result(file: Path, number: int, row: dict) -> tuple:
    """One item of KINA's results file. Its score must be the share of its answers that are gt, where both are given."""
    needs(row, "id", "score", fix="Give each item its id and its score")
    score, answers, gt = _score(row["score"]), row.get("extracted_predictions"), str(row.get("gt") or "")
    if answers is not None:
        answers = tuple(answers) if isinstance(answers, list) else (answers,)
        right = sum(str(answer or "").strip() == gt for answer in answers)
        if gt and answers and abs(score - right / len(answers)) > 0.005:  # may be rounded
            raise Wrong(
                "score",
                f"{score:g}, but {right} of its {len(answers)} answers are {gt}",
                "Score the file again, or leave extracted_predictions out",
            )
    return file, number, file.stem, str(row["id"]), score, str(row.get("discipline") or ""), gt, answers or None


def _csv(path: Path, notes: list[str]) -> tuple[list[tuple], list[str]]:
    rows, problems = read_rows(path, "csv")
    if not rows:
        raise DataError(summary(problems or [f"{path}: no scores in it. Write a header and one row per item."]))
    role, scored = _form(path, list(rows[0][1]))
    long, turned = "score" in role, "item" not in role
    notes += [f"column {column!r} is taken for {name}" for name, column in role.items() if column != name]
    if turned:
        notes.append("a row is a model and a column an item: turned on its side")
    words = [row[column].strip() for _, row in rows for column in scored]
    if n_words := sum(word.casefold() in OUTCOMES for word in words if not word[:1].isdigit()):
        notes.append(f"{n_words:,} scores are words such as True and False, pass and fail: read as 1 and 0")
    empty = [column for column in scored if not long and all(_is_empty(row[column]) for _, row in rows)]
    problems += [problem(path, 1, column, "no score in this column", "Fill it in or remove it") for column in empty]

    def scores_of(number: int, row: dict) -> list[tuple]:
        """Of a row; an empty cell is an item that the model lacks."""
        named = {name: row[column].strip() for name, column in role.items()}
        for name in ("item", "model"):
            if name in named:
                needs(named, name, fix=f"Give every row its {name}")
        found = []
        for column in scored:
            if not _is_empty(row[column]):
                model, item = (named.get(name, column) for name in ("model", "item"))
                score = _score(row[column], "score" if long else column)
                found.append((path, number, model, item, score, named.get("discipline", ""), "", None))
        whose = "model" if turned else "item"
        if not (found or long or named.get("sample")):
            raise Wrong(whose, f"no score for {whose} {named[whose]!r}", "Fill in the row or remove it")
        return found

    own = {name: column for name, column in role.items() if column.strip()}  # problems name the file's own columns
    return [score for found in collect(path, rows, problems, scores_of, names=own) for score in found], problems


def _form(path: Path, columns: list[str]) -> tuple[dict[str, str], list[str]]:
    """The column of each role, and the columns of scores: one in a long table, which alone has the role "score"."""
    role = _roles(columns)
    if {"model", "item", "score"} <= role.keys():
        return role, [role["score"]]
    if ("model" in role) == ("item" in role):
        raise DataError(
            f"{path}, row 1: the columns are {', '.join(columns)}. Give model, item, score "
            "(one score a row), item and one column a model, or model and one column an item; discipline next to them "
            "if wanted."
        )
    others = ("item", "discipline", "sample") if "item" in role else ("model", "sample")
    role = {name: role[name] for name in others if name in role}
    scored = [column for column in columns if column not in role.values()]
    if "model" in role and not scored:
        raise DataError(f"{path}: no column but {role['model']!r}. Give each item a column, or each score a row.")
    return role, scored


def _roles(columns: list[str]) -> dict[str, str]:
    """The column of the model, the item, the score, the discipline and the sample: the first with a name of each."""
    found = {}
    for role, names in NAMES.items():
        column = next((c for name in names for c in columns if c.strip().casefold() == name), None)
        if column is None and role == "item" and not columns[0].strip():
            column = columns[0]
        if column is not None:
            found[role] = column
    return found


def _is_empty(cell: str) -> bool:
    return cell.strip().casefold() in EMPTY


def _score(value, column: str = "score") -> float:
    fix = "Give the share of right answers, from 0 to 1; divide percentages by 100"
    if isinstance(value, str) and (word := value.strip().casefold()) in OUTCOMES:
        value = float(OUTCOMES[word])
    try:
        score = float("nan" if isinstance(value, bool | list | dict) else value)
    except (ValueError, OverflowError):
        raise Wrong(column, f"{value!r} is not a number", fix) from None
    if not 0 <= score <= 1:  # NaN too
        raise Wrong(column, f"{value} is not a score from 0 to 1", fix)
    return score


def _contradictions(table: pd.DataFrame, once: bool) -> list[str]:
    """Items that a model has twice (wrong where `once`), and right answers or disciplines of one item that differ."""
    found = []
    if once:
        first = table.groupby(["model", "item"])["row"].transform("first")
        found += [
            problem(e.path, e.row, None, f"item {e.item!r} of {e.model} stands in row {e.first} too", "Keep one")
            for e in table.assign(first=first)[table.duplicated(["model", "item"])].itertuples()
        ]
    for field, fix in (("gt", "Score all models with the same key"), ("discipline", "Give an item one discipline")):
        given = table[table[field] != ""]
        first = given.groupby("item")[["path", "row", field]].transform("first")
        for at in given.index[given[field] != first[field]]:
            e, seen = given.loc[at], first.loc[at]
            what = f"{e[field]!r} for item {e['item']!r}, but {seen[field]!r} in {seen['path']}, row {seen['row']}"
            found.append(problem(e["path"], e["row"], field, what, fix))
    return found


def _gaps(path: Path, models: tuple, items: tuple, gaps: np.ndarray) -> list[str]:
    fix = (
        "Ask it these, or load with missing='common' (leave them out for all), 'pairs' (compare two on what both have) "
        "or 'wrong' (score them 0)"
    )
    lacks = {model: (row.sum(), items[int(row.argmax())]) for model, row in zip(models, gaps) if row.any()}
    return [
        problem(path, None, None, f"{model} lacks {n} of {len(items)} items, the first {first!r}", fix)
        for model, (n, first) in lacks.items()
    ]


def _labels(path: Path, table: pd.DataFrame, kept: tuple, clusters: dict[str, str]) -> tuple[str, ...] | None:
    given = table[table["discipline"] != ""]
    known = clusters or dict(zip(given["item"], given["discipline"]))
    without = [item for item in kept if not known.get(item)]
    if without and known:
        raise DataError(
            f"{path}: {len(without)} of {len(kept)} items have no discipline, the first {without[0]!r}. "
            "Give every item one, or none."
        )
    return tuple(known[item] for item in kept) if known else None


LEAST = 6  # labels from which on Student's interval over them was shown to hold its level
POPULATIONS = ("auto", "items", "disciplines")


@dataclass(frozen=True)
class Population:
    """What a board's results are to hold for. clusters: the labels that are the units, None where single items are.

    n, of: how many of what are the units. says: the population in a sentence."""

    clusters: tuple[str, ...] | None
    n: int
    of: str
    says: str


def population_of(board: Leaderboard, population: str = "auto") -> Population:
    """Items like these in these very disciplines ("items"), or also other disciplines like these ("disciplines").

    auto: disciplines where there are six or more, else items. Items of one discipline rise and fall together: taken one
    by one they say nothing of other disciplines, and fewer than six labels hardly say anything either."""
    if population not in POPULATIONS:
        raise ValueError(f"population is {population!r}: choose one of {', '.join(POPULATIONS)}")
    n = len(set(board.clusters or ()))
    if population == "disciplines" and n < 2:
        raise ValueError("population is disciplines, and there are none: give each item one, or choose items")
    if n >= LEAST and population == "auto" or population == "disciplines":
        says = f"other disciplines like these: the {n} disciplines are the units"
        return Population(board.clusters, n, "disciplines", says)
    these = ", of these very disciplines" if n > 1 else ""
    says = f"other items like these{these}: the {len(board.items):,} items are the units"
    return Population(None, len(board.items), "items", says)


# Ranks

NO_BORDER, SEPARATES, NOTHING = ("", "separates its neighbours", "separates nothing")


def rank_models(
    scores: ArrayLike,
    models: list[str] | tuple[str, ...],
    seed: int,
    resamples: int = 4_000,
    clusters: ArrayLike | None = None,
) -> pd.DataFrame:
    """The leaderboard of scores (models, items), one row a model, the best first.

    Items are resampled, or whole clusters of items (their disciplines, say). Columns: rank, model, accuracy with low
    and high (percent, each model by itself), p_first, set_low, set_high (the ranks that it can have, true of all
    models at once with 95 % confidence: `stats.rank_sets`), can_be_first (in the set of possible winners, which holds
    the best model with 95 % confidence), not_told_apart (the places of models from which it is not distinguishable),
    tier, border (what the border below it separates, if a tier ends here), gap, gap_low, gap_high (to the next, points,
    for all pairs at once), next_told_apart, items_needed (items that would tell it from the next with chance 80 % by
    the same test, corrected for all pairs, if the true gap is the observed one; inf above 10,000). The last row has no
    next: NaN.
    """
    one = ranking(scores, np.random.default_rng(seed), resamples, clusters)
    low, high = one["low"].to_numpy(), one["high"].to_numpy()
    if clusters is not None and len(set(clusters)) <= bootstrap.FEW:  # resampling few clusters makes limits too narrow
        rows, labels = np.asarray(scores, float), np.asarray(clusters)
        known = ~np.isnan(rows)
        found = [cluster_t_interval(row[own], labels[own], bounds=(0.0, 1.0)) for row, own in zip(rows, known)]
        low, high = np.array([one.low for one in found]), np.array([one.high for one in found])
    sets = rank_sets(scores, np.random.default_rng(seed), resamples, clusters)
    winners = possible_winners(scores, np.random.default_rng(seed), resamples, clusters)
    order = np.lexsort([np.arange(len(one)), one["rank"]])
    apart = sets.above[order[:-1], order[1:]]
    ends = np.diff(sets.tier[order]) > 0
    border = np.where(ends, np.where(apart, SEPARATES, NOTHING), NO_BORDER)
    table = pd.DataFrame(
        dict(
            rank=one["rank"],
            model=models,
            accuracy=100 * one["mean"],
            low=100 * low,
            high=100 * high,
            p_first=one["p_first"],
            set_low=sets.rank_low,
            set_high=sets.rank_high,
            can_be_first=winners,
            tier=sets.tier,
        )
    ).iloc[order]
    differ = (sets.above | sets.above.T)[np.ix_(order, order)]
    place = order[:-1], order[1:]
    steps = {"gap": sets.mean[place[0]] - sets.mean[place[1]], "gap_low": sets.low[place], "gap_high": sets.high[place]}
    return table.assign(
        not_told_apart=[
            _runs(np.flatnonzero(~row & (np.arange(len(row)) != place)) + 1) for place, row in enumerate(differ)
        ],
        border=[*border, NO_BORDER],
        next_told_apart=pd.array([*apart, pd.NA], dtype="boolean"),
        **{name: [*100 * values, np.nan] for name, values in steps.items()},
        items_needed=[*items_needed(all_pairs(scores, clusters), *place, apart), np.nan],
    ).reset_index(drop=True)


def widest_step(table: pd.DataFrame) -> Interval:
    """Of a table of `rank_models`, the gap to the next, in points, that is largest in half-widths of its interval.

    All limits hold at once, so if this interval reaches 0, no two neighbours are distinguishable.
    """
    steps = table.iloc[:-1]
    widest = table.loc[(steps["gap"] / (steps["gap_high"] - steps["gap"])).idxmax()]
    return Interval(*map(float, widest[["gap", "gap_low", "gap_high"]]), 0.95, "rank sets", unit="points")


def _runs(places: np.ndarray) -> str:
    """Places as text, runs shortened: [2, 3, 4, 7] is "2-4, 7"; none is "nobody"."""
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if len(places) else []
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs) or "nobody"
