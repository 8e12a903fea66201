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

Exit codes: 0 all went well; 1 done, but rows were rejected, a crawl stopped early, duplicates were found, the LLM
filter left questions undecided or wrote requests, releases have problems, or no next version is due; 2 bad input,
nothing was changed; 130 stopped. Run a crawl or filter-llm again to go on where it stopped.
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pandas as pd

from proctor import program
from proctor.data.tabular import DataError
from proctor.files import write_atomic
from proctor.uq.dataset.commands import add_commands
from proctor.uq.dataset.dump import ingest_dump
from proctor.uq.dataset.generate_dump import SITES, write_dumps
from proctor.uq.dataset.pool import Ingested
from proctor.uq.dataset.rules import RULES_FILE, Filter, by_rule, by_site, describe, find_duplicates, kept, load_rules
from proctor.uq.dataset.stack_api import API, CrawlError, crawl


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    try:
        return options.run(options)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    except CrawlError as error:
        print(f"{options.site}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; what was being written is gone, what was whole before stays", file=sys.stderr)
        return 130


def generate(options) -> int:
    planted = write_dumps(options.out, options.questions, options.seed, copies=options.copies)
    for site in SITES:
        print(options.out / site.name / "Posts.xml")
    print(f"simulated questions, {len(planted)} of them copies of another site's")
    return 0


def ingest(options) -> int:
    return _told(ingest_dump(options.dump, options.site, options.pool, options.answers), options.pool)


def crawl_site(options) -> int:
    return _told(crawl(options.site, options.pool, options.api, options.path), options.pool)


def filter_pool(options) -> int:
    """`filter`; without `out` only what it would drop: `funnel`."""
    with Filter(options.pool, load_rules(options.rules, options.variant), options.as_of, options.site) as found:
        if options.out:
            found.write(options.out)
        outcomes = _show(found)
    if options.out:
        write_atomic(options.out / "funnel_by_rule.csv", by_rule(outcomes).to_csv(index=False))
        write_atomic(options.out / "funnel_by_site.csv", by_site(outcomes).to_csv(index=False))
        print(f"written: kept.parquet, decisions.parquet, funnel_by_rule.csv, funnel_by_site.csv in {options.out}")
    return 0


def duplicates(options) -> int:
    found = find_duplicates(options.questions, options.pool, options.threshold)
    if options.out:
        write_atomic(options.out, found.to_csv(index=False))
    print(found.head(20).round(3).to_string(index=False) if len(found) else "no question stands twice")
    counts = found["relation"].value_counts()
    print(f"{len(found)} pairs" + "".join(f", {n} {relation}" for relation, n in counts.items()))
    return 1 if len(found) else 0


def _told(got: Ingested, pool: Path) -> int:
    print(f"{got.site}: {got.questions:,} questions, {got.answers:,} answers, {got.other:,} other posts", end="")
    if not got.rejected:
        print(", no row rejected")
        return 0
    listed = pool / "rejected" / f"site={got.site}.csv"
    print(f", {got.rejected:,} rows REJECTED, listed with their reasons in {listed}")
    for row in pd.read_csv(listed, nrows=5, dtype=str, keep_default_na=False).itertuples():
        print(f"  row {row.row}, post {row.post_id or 'unknown'}: {row.reason}", file=sys.stderr)
    return 1


def _show(found: Filter) -> pd.DataFrame:
    outcomes = found.outcomes()
    words = describe(found.rules).set_index("rule")["keeps"]
    table = by_rule(outcomes)
    total = outcomes["questions"].sum()
    print(f"{total:,} questions, ages as of {found.as_of}")
    print(table.assign(keeps=table["rule"].map(words)).to_string(index=False))
    print(by_site(outcomes)[["site", "questions", "kept", "share"]].round(2).to_string(index=False))
    print(f"kept: {kept(outcomes):,} ({kept(outcomes) / total:.2%})")
    if drops_all := table.loc[table["failed"] == total, "rule"].tolist():
        mend = "; --as-of sets the day of the ages" if "age" in drops_all else ""
        print(f"nothing is kept, since every question fails {', '.join(drops_all)}. --rules takes your own rules{mend}")
    return outcomes


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"{program()} dataset", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run, says: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=says, description=says)
        added.set_defaults(run=run)
        return added

    added = command("generate", generate, "write made-up dumps of four sites")
    added.add_argument("--out", type=Path, required=True, help="folder of the dumps")
    added.add_argument("--questions", type=int, default=5000, help="of each site")
    added.add_argument("--copies", type=float, default=0.0, help="share that repeats a question of the first site")
    added.add_argument("--seed", type=int, default=0)
    added = command("ingest", ingest, "read a data dump's Posts.xml into a pool")
    added.add_argument("dump", type=Path)
    added.add_argument("--site", required=True, help="as the API names it, such as math")
    added.add_argument("--pool", type=Path, required=True)
    added.add_argument("--answers", action="store_true", help="the answers too")
    added = command("crawl", crawl_site, "read a site's unanswered questions through the API; run again to go on")
    added.add_argument("--site", required=True)
    added.add_argument("--pool", type=Path, required=True)
    added.add_argument("--path", default="questions/unanswered", help="questions/no-answers or questions")
    added.add_argument("--api", default=API, help="another address of the API")
    for name, says in (
        ("funnel", "what each rule drops, by rule and by site"),
        ("filter", "the same, and the questions left, with every question's failed rules"),
    ):
        added = command(name, filter_pool, says)
        added.set_defaults(out=None)
        added.add_argument("--pool", type=Path, required=True, help="a pool, or a .parquet or .jsonl file of questions")
        added.add_argument("--rules", type=Path, help=f"a file like {RULES_FILE}")
        added.add_argument("--variant", help="a variant that the file names, such as public_code")
        added.add_argument(
            "--as-of", type=date.fromisoformat, help="the day of the ages; default: the newest question's"
        )
        added.add_argument("--site", action="append", default=[], help="only this one (repeat for several)")
        if name == "filter":
            added.add_argument("--out", type=Path, required=True)
    added = command("duplicates", duplicates, "questions that stand twice, or elsewhere with an answer")
    added.add_argument("questions", type=Path, help="those to check, such as kept.parquet")
    added.add_argument("--pool", type=Path, required=True, help="what they are held against")
    added.add_argument("--threshold", type=float, default=0.6, help="least similarity")
    added.add_argument("--out", type=Path, help="a .csv for all pairs")
    add_commands(command)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
