import numpy as np
import pandas as pd
import pytest
from proctor.kina import ranked_models, real_board_figures, real_boards
from proctor.report.figures import style
from proctor.report.frame import faults
from proctor.stats.simulate import item_responses


@pytest.fixture(scope="module")
def board():
    style()
    scores = item_responses(np.linspace(0.2, 0.8, 30), 80, np.random.default_rng(3)).scores
    return pd.DataFrame(scores.T, columns=[f"20240101_agent_{n}" for n in range(30)])


def texts(fig):
    return " ".join(text.get_text() for ax in fig.axes for text in [*ax.texts, *ax.get_yticklabels()])


def test_the_top_is_named_and_the_rest_is_counted(board):
    table = ranked_models.rank_models(real_boards.scores_of(board), list(board), 0, 200)
    fig = real_board_figures.draw_top(table, 24)
    fig.draw_without_rendering()
    assert "6 more" in texts(fig) and "agent 29" in texts(fig) and "2024" not in texts(fig) and not faults(fig)


def test_a_short_board_is_drawn_whole(board):
    few = board.iloc[:, -5:]
    table = ranked_models.rank_models(real_boards.scores_of(few), list(few), 0, 200)
    assert "more" not in texts(real_board_figures.draw_top(table))


def test_each_board_says_how_many_may_be_first(board):
    overview = real_boards.overview({"gso": board}, 0, 100)
    fig = real_board_figures.draw_not_told(overview)
    assert f"{overview.loc[0, 'not_told'] + 1} of 30 may be first" in texts(fig)


def test_rules_of_choice_are_lines_over_the_band_of_random_items(board):
    dates = board.set_axis([f"2024{n:04d}_agent" for n in range(101, 131)], axis=1)
    chosen = real_boards.choose_on_earlier(dates, [5, 40], np.random.default_rng(0), 20)
    ax = real_board_figures.draw_chosen(chosen, 0.95).axes[0]
    assert "random items, 95 % of draws" in ax.get_legend_handles_labels()[1]
    assert np.allclose(ax.lines[1].get_ydata(), chosen["best_quarter"])
    assert np.allclose(ax.lines[2].get_ydata(), chosen["information"])
