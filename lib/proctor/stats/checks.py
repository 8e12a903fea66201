"""Input checks shared by the statistics: refuse bad numbers before any work, and say where they are."""

from collections.abc import Sized

import numpy as np
from numpy.typing import ArrayLike


def finite(values: ArrayLike, name: str, ndim: int) -> np.ndarray:
    """`values` as a non-empty float64 array with `ndim` axes. ValueError names the first entry that is not finite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != ndim:
        raise ValueError(f"{name} has {array.ndim} axes, needs {ndim} (shape {array.shape})")
    if array.size == 0:
        raise ValueError(f"{name} is empty (shape {array.shape}): give at least one value on every axis")
    if not np.isfinite(array).all():
        bad = np.argwhere(~np.isfinite(array))
        first = tuple(int(i) for i in bad[0])
        where = first[0] if ndim == 1 else first
        raise ValueError(
            f"{name}[{where}] is {array[first]} ({len(bad)} such entries): drop the item for every model, or score it"
        )
    return array


def binary(values: ArrayLike, name: str) -> np.ndarray:
    """`values` as a one-dimensional float64 array of zeros and ones. ValueError names the first other value."""
    array = finite(values, name, 1)
    wrong = (array != 0) & (array != 1)
    if wrong.any():
        bad = np.flatnonzero(wrong)
        raise ValueError(f"{name}[{bad[0]}] is {array[bad[0]]:g}: every entry must be 0 or 1")
    return array


def probability(values: ArrayLike, name: str) -> np.ndarray:
    """`values` as a one-dimensional float64 array in [0, 1]. ValueError names the first value outside."""
    array = finite(values, name, 1)
    bad = np.flatnonzero((array < 0) | (array > 1))
    if len(bad):
        raise ValueError(f"{name}[{bad[0]}] is {array[bad[0]]:g}: must lie in [0, 1]; divide percentages by 100")
    return array


def same_length(**arrays: Sized) -> int:
    """The common length of one-dimensional arrays. ValueError names those that differ."""
    sizes = {name: len(array) for name, array in arrays.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"lengths differ: {sizes}; the arrays must be of the same items in the same order")
    return next(iter(sizes.values()))


def cluster_index(clusters: ArrayLike, n_items: int) -> tuple[np.ndarray, int]:
    """Cluster labels (n_items,) as codes 0..C-1 in order of first label by sort, and C.

    A missing label (None or NaN) would become a cluster of its own without notice, so it is an error.
    """
    labels = np.asarray(clusters)
    if labels.shape != (n_items,):
        raise ValueError(f"clusters has shape {labels.shape}, needs one label for each of the {n_items} items")
    missing = np.flatnonzero([label is None or label != label for label in labels.tolist()])
    if len(missing):
        raise ValueError(f"clusters[{missing[0]}] is missing: give every item a cluster label")
    names, codes = np.unique(labels, return_inverse=True)
    return codes, len(names)


def share(value: float, name: str) -> float:
    """A level strictly between 0 and 1, such as .95."""
    if not 0 < value < 1:
        raise ValueError(f"{name} is {value}: must lie strictly between 0 and 1 (0.95, not 95)")
    return value


def at_least_one(value: int, name: str) -> int:
    """A count of resamples, trials or items that must be a whole number of at least one."""
    if int(value) != value or value < 1:
        raise ValueError(f"{name} is {value}: must be a whole number of at least 1")
    return int(value)
