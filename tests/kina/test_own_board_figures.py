import numpy as np
import pytest
from proctor.kina import own_board_figures, ranked_models
from proctor.report.figures import style
from proctor.report.frame import faults, visible_texts


def table(n: int, items: int = 60):
    rng = np.random.default_rng(n)
    scores = (rng.random((n, items)) < np.linspace(0.9, 0.1, n)[:, None]).astype(float)
    return ranked_models.rank_models(
        scores, [f"20250101_agent_{k}_of-a-team-with-a-long-name-{k}" for k in range(n)], 0, 60
    )


@pytest.mark.parametrize("n", [2, 3, 30, 134])
def test_a_board_of_any_size_keeps_the_rules_of_figures(n):
    style()
    ranks = table(n)
    own = ranks["model"].iloc[n * 2 // 3]
    fig = own_board_figures.draw(ranks, [own])
    fig.draw_without_rendering()
    assert faults(fig) == [] and fig.get_size_inches()[1] < 8
    texts = [text.get_text() for text in visible_texts(fig)]
    assert ("… 69 more" in texts) == (n == 134) and all(len(text) <= 45 for text in texts)


def test_what_is_folded_is_counted_and_one_s_own_are_kept():
    ranks = table(50)
    own = [ranks["model"].iloc[k] for k in (3, 40, 49)]
    shown = own_board_figures.fold(ranks, own)
    assert shown["own"].sum() == 3 and shown["label"].is_unique
    left = shown.loc[shown["model"].isna(), "label"].tolist()
    assert left == ["… 20 more", "… 8 more"] and len(shown) == 20 + 2 + 2
