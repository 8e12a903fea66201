"""Which k items of one's own represent their field: similarity of texts or given, quotas, a proved bound."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

from proctor.data.schemas import Question
from proctor.data.tabular import DataError, problem, read_rows, summary
from proctor.kina.max_coverage import Proxy, Selection, at_most, curve, facility_location, greedy, per_group

DRAWS = 200  # random choices to compare with


@dataclass(frozen=True)
class Choice:
    """The chosen items of a field. value, bound: f of the choice, and what no choice within the budget exceeds, as
    shares of f of all items. random: f of as many random items, shape (draws,)."""

    selection: Selection
    proxy: Proxy
    value: float
    bound: float
    curve: np.ndarray
    random: np.ndarray


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
    if lacking := [name for name in ids if name not in found or any(other not in found[name] for other in ids)]:
        problems.append(problem(Path(path), None, None, f"no row or column of item {lacking[0]!r}", "Give each both"))
        raise DataError(summary(problems))
    try:
        return np.array([[float(found[name][other]) for other in ids] for name in ids])
    except ValueError as error:
        raise DataError(f"{path}: {error}. Give every similarity as a number of at least 0.") from None


def choose(
    items: Sequence[Question], k: int, rng: np.random.Generator, quota: int = 0, similarity: str | Path = ""
) -> Choice:
    """`k` items, or with a quota so many of each category, chosen greedily; and random choices of the same size.

    Raises ValueError for more than there are, DataError for a bad file of similarities."""
    ids = [item.id for item in items]
    near = read_similarity(similarity, ids) if similarity else text_similarity([item.question for item in items])
    proxy = facility_location(near)
    groups = [item.category or "none" for item in items]
    budget = per_group(groups, quota) if quota else at_most(len(items), k)
    found, whole = greedy(proxy, budget), curve(proxy, np.arange(len(items)))[-1]
    drawn = [curve(proxy, rng.permutation(len(items))[: budget.size])[-1] / whole for _ in range(DRAWS)]
    return Choice(
        found, proxy, found.value / whole, found.bound / whole, curve(proxy, found.chosen) / whole, np.array(drawn)
    )


def table(items: Sequence[Question], choice: Choice) -> pd.DataFrame:
    """The chosen items in order: place, item, category, what each added and what is reached so far (shares)."""
    chosen = [items[n] for n in choice.selection.chosen]
    return pd.DataFrame(
        dict(
            place=range(1, len(chosen) + 1),
            item=[item.id for item in chosen],
            category=[item.category for item in chosen],
            adds=np.diff(choice.curve),
            reached=choice.curve[1:],
        )
    )
