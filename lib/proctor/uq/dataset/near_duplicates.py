"""Find questions that stand twice: on two sites, or elsewhere with an answer (a leak). They are flagged, not dropped.

Two questions are compared by the words of title and text: the share of runs of three words that both have, of all that
either has (Jaccard similarity). MinHash signatures (datasketch) find the candidates, exact similarity decides.
"""

import html
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from datasketch import MinHash, MinHashLSH

from proctor.data.tabular import DataError
from proctor.uq.dataset.rules import MEMORY, scan

RUN = 3  # words
PERMUTATIONS = 128
MARGIN = 0.7  # candidates are looked for from this share of the threshold on, so that few are missed
BLOCK = 2000
COLUMNS = ["site", "question_id", "other_site", "other_id", "similarity", "other_answers", "relation"]
_WORD = re.compile(r"\w+")
_MARKUP = re.compile(r"<[^>]*>")


def find_duplicates(questions: str | Path, pool: str | Path, threshold: float = 0.6) -> pd.DataFrame:
    """Pairs of a question and another of the pool whose similarity is at least `threshold`.

    questions: those to be checked, such as the filter's kept.parquet; their signatures are held in memory.
    pool: what they are held against, read in blocks; it may be the same. relation: "answered elsewhere" where the
    other question has an answer, else "asked twice"; a pair of which both are checked appears once, the answered
    one as the other. Sorted by similarity, the largest first.
    """
    if not 0 < threshold <= 1:
        raise DataError(f"threshold {threshold}: not a similarity above 0 and at most 1.")
    index = MinHashLSH(threshold=MARGIN * threshold, num_perm=PERMUTATIONS)
    checked: dict[tuple[str, int], tuple[np.ndarray, bool]] = {}
    for block in _read(questions):
        for name, runs, answers, signature in block:
            if name not in checked:
                checked[name] = runs, answers > 0
                index.insert(name, signature, check_duplication=False)
    rows = []
    for block in _read(pool):
        for other, runs, answers, signature in block:
            for name in index.query(signature):
                own, answered = checked[name]
                if name == other or (other in checked and (answers > 0, other) < (answered, name)):
                    continue  # the same question, or a pair that comes the other way round
                similarity = jaccard(own, runs)
                if similarity >= threshold:
                    relation = "answered elsewhere" if answers else "asked twice"
                    rows.append((*name, *other, similarity, answers, relation))
    table = pd.DataFrame(rows, columns=COLUMNS).sort_values(
        ["similarity", *COLUMNS[:4]], ascending=[False] + 4 * [True]
    )
    return table.reset_index(drop=True)


def word_runs(title: str, body: str) -> np.ndarray:
    """A question's runs of three words, hashed to 32 bits, sorted and each once. Markup and case do not count.

    >>> np.array_equal(word_runs("Why is it so", "<p>hot?</p>"), word_runs("why is it SO", "hot"))
    True
    """
    words = _WORD.findall(html.unescape(_MARKUP.sub(" ", f"{title} {body}")).lower())
    runs = zip(*(words[k:] for k in range(RUN))) if len(words) >= RUN else [words]
    return np.unique(np.array([zlib.crc32(" ".join(run).encode()) for run in runs], np.uint32))


def jaccard(a: np.ndarray, b: np.ndarray) -> float:
    """Shared elements over all elements of two sorted sets; 1 for equal ones."""
    both = len(np.intersect1d(a, b, assume_unique=True))
    return both / (len(a) + len(b) - both)


def _read(source: str | Path) -> Iterator[list[tuple]]:
    """Blocks of ((site, id), word runs, answers, signature)."""
    with duckdb.connect(config={"memory_limit": MEMORY}) as engine:
        try:
            found = engine.execute(f"SELECT site, question_id, title, body, answers FROM {scan(Path(source))}")
            while rows := found.fetchmany(BLOCK):
                runs = [word_runs(title, body) for _, _, title, body, _ in rows]
                signatures = MinHash.bulk([r.tolist() for r in runs], num_perm=PERMUTATIONS, hashfunc=int)
                names = [(site, number) for site, number, *_ in rows]
                yield list(zip(names, runs, [row[4] or 0 for row in rows], signatures))
        except duckdb.Error as error:
            raise DataError(f"{source}: {' '.join(str(error).split())[:200]}. Check its columns.") from None
