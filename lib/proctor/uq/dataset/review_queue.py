"""Human review (UQ, A.1 stage 3 and H.3): a queue for each site, what the reviewers say, and the questions taken.

A site's first questions by votes may be taken unread; the others stand in the queue, more than there are places, and
reviewers accept or reject them in `review.csv`. Ties and random orders are drawn by a question's own number and the
seed, so that a queue does not depend on the order of rows or on other sites.
"""

import hashlib
import json
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, Field

from proctor.data.tabular import DataError, Wrong, problem, read, record
from proctor.files import harmless, write_atomic
from proctor.uq.dataset.posts import link, to_markdown

KEY = ["site", "question_id"]
UNREAD, READ = "by votes", "to review"
COLUMNS = ("site", "place", "question_id", "way", "decision", "reason", "reviewer", "diamond_candidate", "diamond")
SHOWN = ("title", "link", "score", "views", "comments", "created", "near_duplicate")  # what a reviewer sees beside it
DECISIONS = ("accept", "reject")
QUOTAS_FILE = Path(__file__).with_name("quotas.yaml")
ATTEMPTS = 3  # answers of models that a reviewer is shown


class SiteSettings(NamedTuple):
    """default: a value of each setting. sites: site -> the settings that differ there."""

    default: Mapping
    sites: Mapping[str, Mapping]

    def of(self, site: str) -> dict:
        return {**self.default, **self.sites.get(site, {})}


class SettingsFile(BaseModel):
    """The parts of a YAML file. variants: name -> the settings that it changes at every site."""

    model_config = ConfigDict(extra="forbid")
    default: dict
    sites: dict[str, dict] | None = None
    variants: dict[str, dict] | None = None


def read_settings(path: Path, model: type[BaseModel], variant: str | None = None, **everywhere) -> SiteSettings:
    """The settings of a YAML file, each site's as `model` wants them; variant and everywhere: what differs at every
    site. Raises DataError naming file, site and setting."""
    site, fixes = "", {"missing": "Add it", "extra_forbidden": f"Use {', '.join(model.model_fields)}"}
    try:
        file = record(SettingsFile, yaml.safe_load(path.read_text(encoding="utf-8")), {})
        sites, variants = file.sites or {}, {None: {}} | (file.variants or {})
        if variant not in variants:
            raise Wrong("variants", f"no variant {variant!r}", f"Choose one of: {', '.join([*variants][1:]) or 'none'}")
        own = variants[variant] | everywhere
        found = SiteSettings(file.default | own, {site: rest | own for site, rest in sites.items()})
        for site in ("default", *found.sites):
            record(model, found.of(site), fixes)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(f"{path}: cannot be read as YAML ({' '.join(str(error).split())[:200]}). Mend it.") from None
    except Wrong as wrong:
        name, what, mend = wrong.args
        raise DataError(f"{', '.join(filter(None, (str(path), site, name)))}: {what}. {mend}.") from None
    return found


Whole = Annotated[int, Field(ge=0, lt=10**9)]


class Quota(BaseModel):
    """What a file of quotas sets for a site."""

    model_config = ConfigDict(extra="forbid", strict=True)
    category: str
    top: Whole
    min_votes: Whole | None
    reviewed: Whole
    order: Literal["votes", "random"]
    spare: Whole
    diamond_votes: Whole
    diamond_views: Whole


Quotas = SiteSettings  # each site's is a Quota


def load_quotas(path: str | Path | None = None) -> Quotas:
    """The quotas of a YAML file, by default UQ's. Raises DataError."""
    return read_settings(Path(path or QUOTAS_FILE), Quota)


def draw(seed: int, site: str, question_id: int) -> int:
    """A question's place in a random order: a number that hangs on nothing else."""
    return int.from_bytes(hashlib.sha256(f"{seed} {site} {question_id}".encode()).digest()[:8])


def keys(rows: pd.DataFrame | Sequence[Mapping]) -> list[tuple[str, int]]:
    """The (site, number) of each row of a table."""
    if isinstance(rows, pd.DataFrame):
        return list(zip(rows["site"], rows["question_id"]))
    return [(row["site"], row["question_id"]) for row in rows]


def is_among(table: pd.DataFrame, questions: Container[tuple[str, int]]) -> pd.Series:
    """Which rows are of these questions, pairs of site and number."""
    return pd.Series([key in questions for key in keys(table)], table.index, dtype=bool)


def build_queue(
    kept: pd.DataFrame,
    quotas: Quotas,
    seed: int = 0,
    verdicts: pd.DataFrame | None = None,
    released: Iterable[tuple[str, int]] = (),
    duplicates: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """The review sheet: a row a question that is taken unread or to be read, by site and place; COLUMNS and SHOWN.

    kept: questions of a pool that pass the rules. verdicts: of the LLM filter; only those it keeps go on. released:
    questions of earlier releases, left out. duplicates: of `find_duplicates`, shown to the reviewers.
    """
    if twice := kept[kept.duplicated(KEY)][KEY].values.tolist():
        raise DataError(f"question {twice[0][1]} of {twice[0][0]} is there twice. Give each question once.")
    if verdicts is not None:
        kept = kept.merge(verdicts.loc[verdicts["outcome"] == "keep", KEY], on=KEY)
    kept = kept[~is_among(kept, set(released))]
    sheets = [_site_queue(site, group, quotas.of(site), seed) for site, group in kept.groupby("site")]
    found = pd.concat(sheets, ignore_index=True) if sheets else kept.assign(place=0, way="", diamond_candidate="")
    near = _near(duplicates) if duplicates is not None else {}
    return found.assign(
        link=[link(*key) for key in keys(found)],
        near_duplicate=[near.get(key, "") for key in keys(found)],
        **dict.fromkeys(("decision", "reason", "reviewer", "diamond"), ""),
    )[[*COLUMNS, *SHOWN]]


def _site_queue(site: str, group: pd.DataFrame, own: dict, seed: int) -> pd.DataFrame:
    group = group.assign(draw=[draw(seed, site, number) for number in group["question_id"]])
    group = group.sort_values(["score", "draw"], ascending=[False, True])
    enough = group["score"] >= own["min_votes"] if own["min_votes"] is not None else False
    unread = (pd.Series(range(len(group)), index=group.index) < own["top"]) | enough
    rest = group[~unread] if own["order"] == "votes" else group[~unread].sort_values("draw")
    found = pd.concat([group[unread].assign(way=UNREAD), rest.head(own["reviewed"] * own["spare"]).assign(way=READ)])
    diamond = (found["score"] >= own["diamond_votes"]) & (found["views"] >= own["diamond_views"])
    return found.assign(place=range(1, len(found) + 1), diamond_candidate=diamond.map({True: "yes", False: ""}))


def _near(duplicates: pd.DataFrame) -> dict:
    """By question: the most similar other one, as `find_duplicates` found it."""
    best = duplicates.sort_values("similarity").groupby(KEY).last().reset_index()
    return {
        (row.site, row.question_id): f"{row.other_site} {row.other_id} ({row.relation}, {row.similarity:.2f})"
        for row in best.itertuples()
    }


def write_queue(folder: str | Path, queue: pd.DataFrame, kept: pd.DataFrame, answers: Sequence[Mapping] = ()) -> None:
    """review.csv, to be filled in; questions.jsonl: each question's text with up to three answers by models.

    answers: rows with site, question_id, model and answer.
    """
    folder, attempts = Path(folder), {}
    if (folder / "review.csv").exists():
        raise DataError(f"{folder / 'review.csv'}: is there already, perhaps filled in. Give another folder.")
    for row in answers:
        shown = attempts.setdefault((row["site"], int(row["question_id"])), [])
        if len(shown) < ATTEMPTS:
            shown.append({"model": row["model"], "answer": row["answer"]})
    texts = {(row.site, row.question_id): row for row in kept.itertuples()}
    lines = []
    for key in keys(queue):
        row = texts[key]
        shown = dict(site=key[0], question_id=key[1], title=row.title, tags=list(row.tags), body=to_markdown(row.body))
        lines.append(json.dumps({**shown, "answers": attempts.get(key, [])}, ensure_ascii=False) + "\n")
    write_atomic(folder / "questions.jsonl", "".join(lines))
    write_atomic(folder / "review.csv", queue.map(harmless).to_csv(index=False))


def read_reviews(paths: Sequence[str | Path]) -> pd.DataFrame:
    """The sheets of one queue, a file a reviewer: columns site, place, question_id, way, diamond, outcome, reason.

    outcome: accept or reject where all decisions agree, "split" where they do not, "open" where there is none; a
    question that is taken by votes counts as accepted until someone rejects it. diamond: a candidate that at least one
    reviewer confirms and none denies. Raises DataError, with file and row.
    """
    sheets = [_sheet(Path(path)) for path in paths]
    for path, sheet in zip(paths, sheets):
        if set(sheet) != set(sheets[0]):
            raise DataError(f"{path}: not the same questions as in {paths[0]}. Give sheets of one queue.")
    return combine_sheets(sheets)


def combine_sheets(sheets: Sequence[Mapping[tuple[str, int], Mapping]]) -> pd.DataFrame:
    """What `read_reviews` gives, from the sheets' rows by (site, question_id): one mapping a reviewer, of one queue."""
    rows = [(*key, *_joint([sheet[key] for sheet in sheets])) for key in sheets[0]]
    return pd.DataFrame(rows, columns=[*KEY, "place", "way", "outcome", "reason", "diamond"])


def _sheet(path: Path) -> dict[tuple[str, int], dict]:
    def made(row: dict) -> tuple[tuple[str, int], dict]:
        if missing := [name for name in COLUMNS if name not in row]:
            raise DataError(problem(path, 1, missing[0], "not there", "Give a review.csv that `queue` wrote"))
        row = {name: " ".join(str(row[name]).split()) for name in COLUMNS}
        if told := row_fault(row):
            raise Wrong(*told)
        return (row["site"], int(row["question_id"])), row

    once = ("question_id", lambda one: " ".join(map(str, one[0])), "question", "Remove one of them")
    return dict(read(path, made, once=once))


def row_fault(row: Mapping) -> tuple[str, str, str] | None:
    """What is wrong with a row of a sheet: column, problem, mend."""
    for name in ("question_id", "place"):
        if not (row[name].isascii() and row[name].isdigit()):
            return name, f"{row[name][:20]!r} is no number", "Leave it as `queue` wrote it"
    if row["way"] not in (UNREAD, READ):
        return "way", f"{row['way'][:20]!r}", "Leave it as `queue` wrote it"
    if row["decision"] not in ("", *DECISIONS):
        return "decision", f"{row['decision'][:20]!r}", f"Write {' or '.join(DECISIONS)}, or leave it empty"
    if row["decision"] and not row["reviewer"]:
        return "reviewer", "a decision of no one", "Name the reviewer"
    if row["decision"] == "reject" and not row["reason"]:
        return "reason", "a rejection without a reason", "Say why in a word or two"
    if row["diamond"] not in ("", "yes", "no"):
        return "diamond", f"{row['diamond'][:20]!r}", "Write yes or no, or leave it empty"
    if row["diamond"] == "yes" and row["diamond_candidate"] != "yes":
        return "diamond", "yes for a question below the site's diamond thresholds", "Leave it empty"
    return None


def _joint(sheets: list[Mapping]) -> tuple[int, str, str, str, bool]:
    """place, way, outcome, reason and diamond of a question, from every reviewer's row."""
    first, said = sheets[0], {row["decision"] for row in sheets if row["decision"]}
    if len(said) == 1:
        [outcome] = said
    else:
        outcome = "split" if said else ("accept" if first["way"] == UNREAD else "open")
    reasons = "; ".join(dict.fromkeys(row["reason"] for row in sheets if row["reason"]))
    diamond = {row["diamond"] for row in sheets if row["diamond"]} == {"yes"}
    return int(first["place"]), first["way"], outcome, reasons, diamond


def without_place(reviews: pd.DataFrame, released: Iterable[tuple[str, int]]) -> str:
    """A sentence on the accepted questions that are not among those released, by site; "" where there are none."""
    accepted = reviews[reviews["outcome"] == "accept"]
    left = accepted[~is_among(accepted, set(released))]["site"].value_counts().sort_index()
    if left.empty:
        return ""
    by_site = ", ".join(f"{site} {n}" for site, n in left.items())
    return (
        f"Accepted without a place: {left.sum()} ({by_site}). The number of places is `reviewed` of the site, or of "
        f"`default`, in the file of quotas ({QUOTAS_FILE.name}; --quotas names another)."
    )


def choose(reviews: pd.DataFrame, quotas: Quotas) -> pd.DataFrame:
    """The accepted questions by site and place, with `taken`: whether there is a place for it."""
    accepted = reviews[reviews["outcome"] == "accept"].sort_values(["site", "place"]).reset_index(drop=True)
    read = accepted["way"] == READ
    nth = read.astype(int).groupby(accepted["site"]).cumsum()
    places = pd.Series([quotas.of(site)["reviewed"] for site in accepted["site"]], accepted.index, dtype=int)
    return accepted.assign(taken=~read | (nth <= places))
