"""UQ's dataset from the command line: from posts to a reviewed, versioned release.

    python -m proctor dataset generate --out dumps                             made-up dumps, to try the rest
    python -m proctor dataset ingest dumps/proofs/Posts.xml --site proofs --pool pool
    python -m proctor dataset crawl --site coffee --pool pool                  through the Stack Exchange API
    python -m proctor dataset funnel --pool pool                               what each rule drops
    python -m proctor dataset filter --pool pool --out kept                    the same, and the questions left
    python -m proctor dataset duplicates kept/kept.parquet --pool pool --out kept/duplicates.csv
    python -m proctor dataset filter-llm kept/kept.parquet --answering A --judge B --out verdicts.jsonl --plan
    python -m proctor dataset queue kept/kept.parquet --out review             review.csv, for people to fill in
    python -m proctor dataset release --kept kept/kept.parquet --review review/review.csv --version 1 --out releases
    python -m proctor dataset check-release releases                           is any question lost or doubled?
    python -m proctor dataset next-version releases --pool later --out proposal.csv

Exit codes: 0 all went well; 1 failed, or done, but rows were rejected, a crawl stopped early, duplicates were found,
the LLM filter left questions undecided, or releases have problems; 2 bad input, nothing was changed; 130 stopped. Run a
crawl or filter-llm again to go on where it stopped.
"""

import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from proctor import COMMAND_LINE, program
from proctor.asking_options import Asking, ask_models, named_columns, shared_options
from proctor.data.tabular import DataError, Once, Wrong, needs, read
from proctor.files import write_atomic
from proctor.models.settings import Settings
from proctor.uq.dataset import llm_filter
from proctor.uq.dataset import release as releases
from proctor.uq.dataset import review_queue as queues
from proctor.uq.dataset import rules as filters
from proctor.uq.dataset.generate_dump import SITES, write_dumps
from proctor.uq.dataset.pool import Ingested, ingest_dump
from proctor.uq.dataset.stack_api import API, CrawlError, crawl
from proctor.workflow import run as own_run

OUTCOMES = ("keep", "drop", "undecided")
_NEEDED = ("site", "question_id", "title", "body", "tags", "score", "views", "comments", "created")
_CREDITED = ("owner_id", "owner_name", "licence")

app = typer.Typer(
    name="dataset",
    help="UQ's dataset, from posts to a reviewed, versioned release: ingest or crawl, filter, queue, release.",
    no_args_is_help=True,
    **COMMAND_LINE,
)
Pool = Annotated[Path, typer.Option(help="its folder; questions are read from a .parquet file too")]
Site = Annotated[str, typer.Option(help="as the API names it, such as math")]
Rules = Annotated[Path | None, typer.Option(help=f"a file like {filters.RULES_FILE}")]
WHEN = "2025-12-31; default: the newest question's, or today"
Day = Annotated[date | None, typer.Option(parser=date.fromisoformat, metavar="DAY", help=WHEN)]
Kept = Annotated[Path, typer.Argument(help="the filter's kept.parquet")]
Quotas = Annotated[Path | None, typer.Option(help=f"a file like {queues.QUOTAS_FILE}")]
Versions = Annotated[Path, typer.Argument(help="folder of all versions")]


def main(arguments: Sequence[str] = ()) -> None:
    """Run the command line. `proctor.cli` tells what it raises."""
    app([*arguments], prog_name=f"{program()} dataset")


@app.command()
def generate(
    out: Annotated[Path, typer.Option(help="folder of the dumps")],
    questions: Annotated[int, typer.Option(help="of each site", min=1)] = 5000,
    copies: Annotated[float, typer.Option(help="share that repeats a question of the first site", min=0, max=1)] = 0.0,
    seed: Annotated[int, typer.Option(min=0)] = 0,
) -> None:
    """Write made-up dumps of four sites."""
    planted = write_dumps(out, questions, seed, copies=copies)
    for site in SITES:
        print(out / site.name / "Posts.xml")
    print(f"simulated questions, {len(planted)} of them copies of another site's")


@app.command()
def ingest(
    dump: Path,
    site: Site,
    pool: Pool,
    answers: Annotated[bool, typer.Option("--answers", help="the answers too")] = False,
) -> None:
    """Read a data dump's Posts.xml into a pool."""
    _show_ingested(ingest_dump(dump, site, pool, answers), pool)


@app.command("crawl")
def crawl_site(
    site: Site,
    pool: Pool,
    api: Annotated[str, typer.Option(help="another address of the API")] = API,
) -> None:
    """Read a site's unanswered questions through the API; run again to go on."""
    try:
        found = crawl(site, pool, api)
    except CrawlError as error:
        raise CrawlError(f"{site}: {error}") from None
    _show_ingested(found, pool)


def _show_ingested(got: Ingested, pool: Path) -> None:
    print(f"{got.site}: {got.questions:,} questions, {got.answers:,} answers, {got.other:,} other posts", end="")
    if not got.rejected:
        print(", no row rejected")
        return
    listed = pool / "rejected" / f"site={got.site}.csv"
    print(f", {got.rejected:,} rows REJECTED, listed with their reasons in {listed}")
    for row in pd.read_csv(listed, nrows=5, dtype=str, keep_default_na=False).itertuples():
        print(f"  row {row.row}, post {row.post_id or 'unknown'}: {row.reason}", file=sys.stderr)
    raise typer.Exit(1)


@app.command("funnel", help="What each rule drops, by rule and by site: `filter` without --out.")
@app.command("filter", help="What each rule drops, and the questions left, with every question's failed rules.")
def filter_pool(
    pool: Pool,
    rules: Rules = None,
    variant: Annotated[str | None, typer.Option(help="that the file names, such as public_code")] = None,
    as_of: Day = None,
    out: Annotated[Path | None, typer.Option(help="a folder for the questions left")] = None,
) -> None:
    with filters.Filter(pool, filters.load_rules(rules, variant), as_of) as found:
        if out:
            found.write(out)
        outcomes = found.outcomes()
    words, table = filters.describe(found.rules).set_index("rule")["keeps"], filters.by_rule(outcomes)
    total, left = outcomes["questions"].sum(), table["left"].iloc[-1]
    print(f"{total:,} questions, ages as of {found.as_of}")
    print(table.assign(keeps=table["rule"].map(words)).to_string(index=False))
    print(filters.by_site(outcomes)[["site", "questions", "kept", "share"]].round(2).to_string(index=False))
    print(f"kept: {left:,} ({left / total:.2%})")
    if drops_all := table.loc[table["failed"] == total, "rule"].tolist():
        mend = "; --as-of sets the day of the ages" if "age" in drops_all else ""
        print(f"nothing is kept, since every question fails {', '.join(drops_all)}. --rules takes your own rules{mend}")
    if out:
        write_atomic(out / "funnel_by_rule.csv", table.to_csv(index=False))
        write_atomic(out / "funnel_by_site.csv", filters.by_site(outcomes).to_csv(index=False))
        print(f"written: kept.parquet, decisions.parquet, funnel_by_rule.csv, funnel_by_site.csv in {out}")


@app.command()
def duplicates(
    questions: Annotated[Path, typer.Argument(help="those to check, such as kept.parquet")],
    pool: Pool,
    threshold: Annotated[float, typer.Option(help="least similarity")] = 0.6,
    out: Annotated[Path | None, typer.Option(help="a .csv for all pairs")] = None,
) -> None:
    """Questions that stand twice, or elsewhere with an answer."""
    found = filters.find_duplicates(questions, pool, threshold)
    if out:
        write_atomic(out, found.to_csv(index=False))
    print(found.head(20).round(3).to_string(index=False) if len(found) else "no question stands twice")
    counts = found["relation"].value_counts()
    print(f"{len(found)} pairs" + "".join(f", {n} {relation}" for relation, n in counts.items()))
    raise typer.Exit(1 if len(found) else 0)


@app.command("filter-llm")
@shared_options
def filter_llm(
    kept: Kept,
    answering: Annotated[str, typer.Option(help="the model that answers")],
    judge: Annotated[str, typer.Option(help="the model that judges")],
    out: Annotated[Path, typer.Option(help="a .jsonl for the verdicts")],
    repeats: Annotated[int, typer.Option(help="of each question to the judge")] = llm_filter.REPEATS,
    batch: Annotated[bool, typer.Option("--batch", help="through the providers' batch interfaces")] = False,
    *,
    asking: Asking,
) -> None:
    """One model answers, another judges five criteria, at --temperature (1); run again to go on."""
    questions = _read_questions(kept, columns=named_columns(asking.column))
    how = asking.settings()
    temperature = how.pop("temperature", llm_filter.TEMPERATURE)  # of the judge alone
    asked = dict(repeats=repeats, temperature=temperature, settings=Settings(**how))
    found = pd.DataFrame()

    async def study(session) -> None:
        nonlocal found
        found = await llm_filter.filter_questions(session, questions, answering, judge, **asked)

    run = asking.name or f"filter-llm-{kept.stem}"
    if not ask_models(run, "", f"{len(questions):,} questions", study, asking, batch=batch):
        return
    llm_filter.write_verdicts(out, found)
    own_run.mark(own_run.folder_of(run), "", own_run.DONE)
    counts = found["outcome"].value_counts()
    print(", ".join(f"{counts.get(outcome, 0):,} {outcome}" for outcome in OUTCOMES))
    print(f"{found['unreadable'].sum():,} replies unreadable, {found['failed_calls'].sum():,} calls failed")
    print(llm_filter.effects(found).round(1).to_string(index=False))
    print(f"written: {out}")
    raise typer.Exit(1 if counts.get("undecided", 0) else 0)


@app.command("queue")
def queue_for_review(
    kept: Kept,
    out: Annotated[Path, typer.Option(help="folder of review.csv and questions.jsonl")],
    verdicts: Annotated[Path | None, typer.Option(help="of the LLM filter: only what it keeps goes on")] = None,
    answers: Annotated[
        Path | None, typer.Option(help=f"rows of site, question_id, model, answer: {queues.ATTEMPTS} are shown")
    ] = None,
    duplicates: Annotated[Path | None, typer.Option(help="the duplicates.csv of `duplicates`, shown too")] = None,
    released: Annotated[Path, typer.Option(help="their questions are left out")] = Path("releases"),
    quotas: Quotas = None,
    seed: int = 0,
) -> None:
    """A sheet for the reviewers: the questions taken by votes and those to be read."""
    questions, places = _read_questions(kept), queues.load_quotas(quotas)
    once = ("question_id", lambda row: f"{row['site']} {row['question_id']}", "question", "Remove one of them")
    judged = _table(verdicts, "outcome", once=once) if verdicts else None
    attempts = _table(answers, "model", "answer").to_dict("records") if answers else []
    near = _table(duplicates, "other_site", "other_id", "similarity", "relation") if duplicates else None
    gone = [key for release in releases.read_releases(released) for key in release.keys]
    found = queues.build_queue(questions, places, seed, judged, gone, near)
    if found.empty:
        why = "Only those that --verdicts keeps and --released does not hold go on" if len(questions) else "It is empty"
        raise DataError(f"{kept}: of {len(questions):,} questions none is left for review. {why}.")
    queues.write_queue(out, found, questions, attempts)
    if judged is not None:
        counts, known = judged["outcome"].value_counts(), set(queues.keys(judged))
        told = ", ".join(f"{counts.get(outcome, 0):,} {outcome}" for outcome in OUTCOMES)
        print(f"LLM filter: {told}, {(~queues.is_among(questions, known)).sum():,} without a verdict (left out)")
    print(found.groupby(["site", "way"]).size().unstack(fill_value=0).to_string())
    to_read = (found["way"] == queues.READ).sum()
    print(f"written: review.csv with {len(found):,} questions, {to_read:,} of them to be read,")
    print(f"and questions.jsonl, their texts, in {out}")


@app.command()
def release(
    kept: Annotated[Path, typer.Option(help="the filter's kept.parquet")],
    review: Annotated[list[Path], typer.Option(help="a filled sheet; may be repeated")],
    version: Annotated[str, typer.Option(help="such as 1 or 1.2")],
    out: Annotated[Path, typer.Option(help="folder of all versions")],
    solved: Annotated[Path | None, typer.Option(help="the filled proposal of `next-version`: what is replaced")] = None,
    early: Annotated[bool, typer.Option("--early", help=f"if fewer than {releases.SHARE} % are solved, too")] = False,
    date: Day = None,
    pool: Annotated[Path | None, typer.Option(help="draw the dev set from this pool (with answers)")] = None,
    dev: Annotated[int, typer.Option(help="questions of the dev set", min=0)] = filters.DEV_SIZE,
    rules: Rules = None,
    as_of: Day = None,
    quotas: Quotas = None,
    seed: int = 0,
) -> None:
    """Write a version from reviewed questions. --rules and --as-of (the day of the ages) are the dev set's."""
    places, questions = queues.load_quotas(quotas), _read_questions(kept, (*_NEEDED, *_CREDITED))
    reviews, earlier = queues.read_reviews(review), releases.read_releases(out)
    releases.checked_version(version)
    if solved and not earlier:
        raise DataError(f"{out}: no earlier version whose questions could be solved. Leave --solved out.")
    if earlier and not solved:
        raise DataError(f"{out}: version {earlier[-1].version} is there. Say what it replaces: --solved.")
    if solved:
        replaced = releases.read_proposal(solved, set(earlier[-1].keys))
        changes = releases.next_changes(reviews, replaced, earlier, early)
    else:
        changes = releases.first_changes(reviews, places)
    held_out = None
    if pool:
        held_out = filters.development_set(pool, filters.load_rules(rules), as_of, dev, seed)
        print(f"dev set: {len(held_out)} questions with accepted answers" + _short(len(held_out), dev))
    written = releases.write_release(out, version, questions, reviews, changes, places, held_out, on=date)
    counts, outcomes = changes["change"].value_counts(), reviews["outcome"].value_counts()
    added, removed = counts.get("added", 0), counts.get("removed", 0)
    print(f"{added:,} questions added, {removed:,} removed" + (_short(added, removed) if removed else ""))
    print(", ".join(f"{outcomes.get(name, 0):,} {name}" for name in ("accept", "reject", "split", "open")))
    if left_out := queues.without_place(reviews, releases.read_release(written).keys):
        print(left_out)
    print(f"written: {written}")


def _short(there: int, wanted: int) -> str:
    return f" (SHORT by {wanted - there})" if there < wanted else ""


@app.command()
def check_release(folder: Versions) -> None:
    """Check all versions: files, rows, licences, no question lost."""
    problems = releases.check_releases(folder)
    for told in problems:
        print(told, file=sys.stderr)
    names = ", ".join(releases.versions(folder))
    print(f"versions {names}: " + (f"{len(problems)} PROBLEMS" if problems else "no question lost or doubled"))
    raise typer.Exit(1 if problems else 0)


@app.command()
def next_version(
    folder: Versions,
    pool: Annotated[Path, typer.Option(help="a later crawl")],
    out: Annotated[Path, typer.Option(help="a .csv for the proposal")],
) -> None:
    """What a later crawl shows of the newest version's questions."""
    if not (found := releases.read_releases(folder)):
        raise DataError(f"{folder}: no release there. Give the folder that holds the versions.")
    if out.exists():
        raise DataError(f"{out}: is there already, perhaps filled in. Give another name.")
    proposal = releases.propose(pd.DataFrame(found[-1].questions), pool)
    write_atomic(out, proposal.to_csv(index=False))
    counts = proposal.groupby(["status", "proposal"], sort=False).size().reset_index(name="questions")
    print(counts.to_string(index=False))
    print(f"written: {out}. An expert fills `solved` and `expert`; then `release --solved` replaces what is solved")


def _read_questions(path: Path, needed: Sequence[str] = _NEEDED, columns: Mapping[str, str] = {}) -> pd.DataFrame:
    """The filter's kept.parquet; columns: the file's names of some fields. Raises DataError where it is none."""
    try:
        found = pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: not a readable Parquet file ({' '.join(str(error).split())[:200]}).") from None
    if missing := [name for name in {**dict(zip(needed, needed)), **columns}.values() if name not in found]:
        raise DataError(f"{path}: no column {', '.join(missing)}. Give the kept.parquet that `filter` wrote.")
    return found.assign(**{name: found[theirs] for name, theirs in columns.items()})


def _table(path: Path, *more: str, once: Once | None = None) -> pd.DataFrame:
    """The columns site, question_id and `more` of a file. Raises DataError, with file and row."""
    columns = (*queues.KEY, *more)

    def record(row: dict) -> dict:
        needs(row, *columns, fix=f"Give {', '.join(columns)}")
        number = str(row["question_id"])
        if not (number.isascii() and number.isdigit()):
            raise Wrong("question_id", f"{number[:20]!r} is no number", "Give the post's number")
        if "outcome" in columns and row["outcome"] not in OUTCOMES:
            raise Wrong("outcome", f"{str(row['outcome'])[:20]!r}", f"Write one of: {', '.join(OUTCOMES)}")
        if "similarity" in columns:
            try:
                row["similarity"] = float(row["similarity"])
            except ValueError:
                what = f"{str(row['similarity'])[:20]!r} is no similarity"
                raise Wrong("similarity", what, "Give the file that `duplicates` wrote") from None
        return {**row, "question_id": int(number)}

    return pd.DataFrame(read(path, record, once=once), columns=list(columns))
