"""How similar the items of a field are: by their texts, or as a file of one's own says (kina/your_coverage)."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from proctor.data.tabular import DataError, problem, read_rows, summary


def text_similarity(texts: Sequence[str]) -> sparse.csr_array:
    """Cosine of the texts' words and pairs of words, weighted by rarity (TF-IDF): (items, items), 1 on the diagonal.

    >>> text_similarity(["red apples", "green apples", "a theorem"]).toarray().round(2).tolist()
    [[1.0, 0.22, 0.0], [0.22, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    counted = []
    for text in texts:
        words = re.findall(r"\w+", text.casefold()) or [text]
        counted.append(Counter(words) + Counter(zip(words, words[1:])))
    place = {term: n for n, term in enumerate(dict.fromkeys(term for terms in counted for term in terms))}
    rows = np.repeat(np.arange(len(counted)), [len(terms) for terms in counted])
    columns = [place[term] for terms in counted for term in terms]
    counts = np.array([count for terms in counted for count in terms.values()], float)
    table = sparse.csr_array((counts, (rows, columns)), shape=(len(counted), len(place)))
    seen = np.bincount(table.indices, minlength=len(place))
    table = table * (1 + np.log((1 + len(counted)) / (1 + seen)))[None, :]
    length = np.sqrt((table * table).sum(axis=1))
    table = sparse.csr_array(table / length[:, None])
    return sparse.csr_array(table @ table.T)


def read_similarity(path: str | Path, ids: Sequence[str]) -> np.ndarray:
    """A CSV of similarities: a column `item`, and one column an item, named by its id. Raises DataError."""
    rows, problems = read_rows(Path(path), "csv")
    found = {str(row.get("item")): row for _, row in rows}
    if lacking := [name for name in ids if name not in found or any(name not in row for row in found.values())]:
        problems.append(problem(Path(path), None, None, f"no row or column of item {lacking[0]!r}", "Give each both"))
        raise DataError(summary(problems))
    try:
        return np.array([[float(found[name][other]) for other in ids] for name in ids])
    except ValueError as error:
        raise DataError(f"{path}: {error}. Give every similarity as a number of at least 0.") from None
