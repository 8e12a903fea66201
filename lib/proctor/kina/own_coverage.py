"""How similar the items of a field are, as a file of one's own says (kina/your_coverage)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from proctor.data.tabular import DataError, problem, read_rows, summary


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
