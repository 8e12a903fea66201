"""UQ's nine rules over generated questions: DuckDB's plan beside a filter that reads row by row in Python.

    PYTHONPATH=lib python benchmarks/filter.py [--questions 1_000_000] [--large 10_000_000] [--posts 100_000]

Questions of four made-up sites are written once as Parquet, texts included. Both ways count, for each of the nine
rules, the questions that fail it, and those that fail none; the counts must be equal. The peer reads the same files by
pyarrow a batch at a time, the same columns, and tests every rule on every row.
Permissive: thresholds that nearly everything passes. Then the memory of the plan on --large questions (the same files
several times over, under other sites' names), in a process of its own; and the speed of reading dumps of --posts posts
in each tag encoding, whose funnels must be equal, beside expat alone, which reads every row's attributes and keeps
nothing. Times are this machine's, the ratios travel better.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import islice
from operator import itemgetter
from pathlib import Path
from xml.parsers import expat

import pyarrow.parquet as pq
from proctor.uq.dataset.generate_dump import SITES, make_posts, make_questions, write_dump
from proctor.uq.dataset.pool import ingest_dump, write_site
from proctor.uq.dataset.review_queue import SiteSettings
from proctor.uq.dataset.rules import RULES, Filter, load_rules

SITE_NAMES = [site.name for site in SITES]
PERMISSIVE = dict(
    min_age_years=0, min_views=1, min_votes=0, max_views_per_vote=10**8, top_percent=100, off_topic_tags=[]
)


def make_pool(folder: Path, questions: int) -> Path:
    pool = folder / f"pool-{questions}"
    if pool.is_dir():
        return pool

    def blocks(site):
        rows = enumerate(make_questions(questions // len(SITES), 18, site), 1)
        while block := list(islice(rows, 10_000)):
            for _, row in block:
                row.pop("AcceptedAnswerId", None)
            yield block

    beside = pool.with_name(f"{pool.name}.part")
    for site in SITES:
        write_site(beside, site.name, blocks(site))
    beside.rename(pool)
    return pool


def row_by_row(rows, rules: SiteSettings, as_of: datetime) -> Counter:
    """The reference: questions that fail each rule, and `kept`. `rows()` yields each question as a dict."""
    settings = {site: rules.of(site) for site in SITE_NAMES}
    off_topic = {site: frozenset(own["off_topic_tags"]) for site, own in settings.items()}
    limits = {
        site: as_of.replace(year=as_of.year - own["min_age_years"]) + timedelta(days=1, milliseconds=-1)
        for site, own in settings.items()
    }
    found: list[tuple[str, int, list[str]]] = []
    unanswered: dict[str, list[int]] = {site: [] for site in settings}
    for row in rows():
        site, score, views = row["site"], row["score"], row["views"]
        own, created, wrong = settings[site], row["created"], []
        if created > limits[site]:
            wrong.append("age")
        if views < own["min_views"]:
            wrong.append("views")
        if score < own["min_votes"]:
            wrong.append("votes")
        if score <= 0 or views > own["max_views_per_vote"] * score:
            wrong.append("views_per_vote")
        if row["answers"] != 0:
            wrong.append("no_answers")
        else:
            unanswered[site].append(score)
        if "why" in row["title"].lower().replace("?", " ").replace(".", " ").split():
            wrong.append("no_why")
        if row["images"]:
            wrong.append("no_images")
        if not off_topic[site].isdisjoint(row["tags"]):
            wrong.append("on_topic")
        found.append((site, score, wrong))
    least = {}
    for site, votes in unanswered.items():
        share = settings[site]["top_percent"]
        least[site] = sorted(votes, reverse=True)[-(-len(votes) * share // 100) - 1] if share < 100 else min(votes) - 99
    failed: Counter = Counter()
    for site, score, wrong in found:
        if score < least[site]:
            wrong.append("top_share")
        failed.update(wrong or ["kept"])
    return failed


def by_rule(outcomes) -> Counter:
    counts = {
        name: int(outcomes.loc[outcomes["failed"] & (1 << i) > 0, "questions"].sum()) for i, name in enumerate(RULES)
    }
    return Counter(counts | {"kept": int(outcomes.loc[outcomes["failed"] == 0, "questions"].sum())})


def parquet_rows(pool: Path):
    def rows():
        for site in SITES:
            file = pq.ParquetFile(pool / "questions" / f"site={site.name}" / "questions.parquet")
            for batch in file.iter_batches(
                10_000, columns=["title", "images", "tags", "score", "views", "answers", "created"]
            ):
                for row in batch.to_pylist():
                    row["site"] = site.name
                    yield row

    return rows


def timed(work: Callable, *given) -> tuple[float, float, Counter]:
    """Seconds on the clock, seconds of processor time, and what `work` returns."""
    began, used = time.perf_counter(), time.process_time()
    found = work(*given)
    return time.perf_counter() - began, time.process_time() - used, found


def filtered(source: Path, rules: SiteSettings, as_of: datetime) -> Counter:
    with Filter(source, rules, as_of=as_of) as found:
        return by_rule(found.outcomes())


def compare(folder: Path, questions: int) -> None:
    pool, as_of = make_pool(folder, questions), datetime(2024, 10, 13)
    for name, rules in {"UQ's thresholds": load_rules(), "permissive": load_rules(**PERMISSIVE)}.items():
        ours, ours_cpu, found = min((timed(filtered, pool, rules, as_of) for _ in range(3)), key=itemgetter(0))
        peer, peer_cpu, expected = timed(row_by_row, parquet_rows(pool), rules, as_of)
        same = "equal" if +found == +expected else f"DIFFER: {found} {expected}"
        print(
            f"{name}: ours {questions / ours / 1e6:.2f} M rows/s, by row {questions / peer / 1e6:.3f} M, "
            f"{peer / ours:.1f} x by the clock, {peer_cpu / ours_cpu:.1f} x in processor time; "
            f"counts {same}",
            flush=True,
        )
        assert same == "equal"


def memory(folder: Path, questions: int, large: int) -> None:
    pool = make_pool(folder, questions)
    many = Path(tempfile.mkdtemp(dir=folder)) / "many"
    for copy in range(large // questions):
        for site in SITES:
            place = many / "questions" / f"site={site.name}-{copy}"
            place.mkdir(parents=True)
            os.link(pool / "questions" / f"site={site.name}" / "questions.parquet", place / "questions.parquet")
    began = time.perf_counter()
    run = subprocess.run(
        [sys.executable, __file__, "--memory-of", str(many)], capture_output=True, text=True, check=True
    )
    print(f"memory: {run.stdout.strip()}, {time.perf_counter() - began:.0f} s in all")
    shutil.rmtree(many.parent)


def memory_of(pool: Path) -> None:
    with Filter(pool) as found:
        outcomes = found.outcomes()
        found.write(pool / "out")
    status = Path("/proc/self/status").read_text()  # getrusage would tell the parent's peak where that was higher
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
    print(f"{outcomes['questions'].sum():,} questions counted and written, peak {peak:.0f} MB")


def bare_expat(path: Path) -> int:
    """The rows of a dump, every attribute read by expat and none kept: what is left for ours is to check and write."""
    rows = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: rows.append(None)
    with open(path, "rb") as file:
        while block := file.read(1 << 16):
            parser.Parse(block, False)
        parser.Parse(b"", True)
    return len(rows) - 1


def fastest(work: Callable, *given, runs: int = 3) -> tuple[float, object]:
    """Least seconds of processor time of some runs, and what `work` returns."""
    return min((timed(work, *given)[1:] for _ in range(runs)), key=itemgetter(0))


def ingest(folder: Path, posts: int) -> None:
    funnels = []
    rows = []
    for row in make_posts(make_questions(posts, 18)):
        rows.append(row)
        if len(rows) == posts:
            break
    for tags in ("old", "new"):
        path = write_dump(folder / f"{tags}.xml", rows, tags=tags, bom=tags == "old")
        size = path.stat().st_size / 1e6
        bare, count = fastest(bare_expat, path)
        assert count == len(rows)
        print(f"{len(rows):,} posts, {tags} tags, {size:.0f} MB: expat alone {size / bare:.0f} MB/s a core")
        for answers in (False, True):
            took, told = fastest(ingest_dump, path, tags, folder / f"ingested-{tags}", answers)
            print(
                f"  answers {answers}: {size / took:.0f} MB/s a core, {bare / took:.2f} of expat alone; "
                f"{told.questions} questions, {told.rejected} rejected",
                flush=True,
            )
        with Filter(folder / f"ingested-{tags}") as found:
            funnels.append(by_rule(found.outcomes()))
    print(f"funnels of both encodings {'equal' if funnels[0] == funnels[1] else 'DIFFER'}: {funnels[0]}")
    assert funnels[0] == funnels[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=1_000_000)
    parser.add_argument("--large", type=int, default=10_000_000, help="questions of the memory run; 0 for none")
    parser.add_argument("--posts", type=int, default=100_000, help="posts of the dumps; 0 for none")
    parser.add_argument("--folder", type=Path, help="keeps what is generated, for another run")
    parser.add_argument("--memory-of", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        memory_of(options.memory_of)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if options.posts:
            ingest(folder, options.posts)
        compare(folder, options.questions)
        if options.large:
            memory(folder, options.questions, options.large)


if __name__ == "__main__":
    main()
