"""Compare systems on the same items, pair by pair: difference, interval, Holm's p, and items that would show it.

python examples/compare.py
"""

import numpy as np
import pandas as pd
from proctor.kina import leaderboard
from proctor.kina.leaderboard import describe, load_leaderboard
from proctor.stats.rank_sets import all_pairs, holm_pairwise, items_needed


def main() -> None:
    board = load_leaderboard("data/examples/leaderboard.csv")  # simulated
    print(describe(board))
    units = leaderboard.population_of(board)
    pairs = all_pairs(board.scores, units.clusters)
    holm, low, high = holm_pairwise(pairs)  # tables of models by models, row minus column
    i, j = np.triu_indices(len(holm), 1)
    names, needed = np.array(board.models), items_needed(pairs, i, j, decided=holm[i, j] < 0.05)
    table = pd.DataFrame(dict(a=names[i], b=names[j], points=100 * pairs.gap[i, j], low=100 * low[i, j]))
    table = table.assign(high=100 * high[i, j], holm=holm[i, j], items_needed=needed)
    print(table.head(5).round(3).to_string(index=False))
    print(f"{(holm[i, j] < 0.05).sum()} of {len(i)} pairs differ, all at once; {units.says}")


if __name__ == "__main__":
    main()
