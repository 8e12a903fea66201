"""Compare systems on the same items, pair by pair: difference, interval, Holm's p, and what the items can show.

python examples/compare.py
"""

from proctor.kina import leaderboard
from proctor.kina.leaderboard import describe, load_given
from proctor.stats.rank_sets import pair_power, pair_table


def main() -> None:
    board = load_given("data/examples/leaderboard.csv")  # simulated
    print(describe(board))
    units = leaderboard.population_of(board)
    pairs = pair_table(board.scores, board.models, units.clusters)
    print(pairs.head(5).round(3).to_string(index=False))
    print(f"{(pairs['holm'] < 0.05).sum()} of {len(pairs)} pairs differ, all at once; {units.says}")
    print(pair_power(board.scores, board.models, board.models[1:3], units.clusters).round(2).to_string(index=False))


if __name__ == "__main__":
    main()
