"""Figures are drawn from estimates, pass the rules of the house, and say in their alt text what they were given."""

import pandas as pd
import pytest
from proctor.hle import figures
from proctor.report import figures as house

MODELS = ["smollm2-135m", "qwen2.5-coder-0.5b"]


def claimed():
    rows = [dict(model=model, n=40) for model in MODELS]
    for row, shift in zip(rows, (0.0, 0.1)):
        for name, value in (("stated", 0.85), ("token", 0.6), ("right", 0.2)):
            row |= {name: value + shift, f"{name}_low": value + shift - 0.05, f"{name}_high": value + shift + 0.05}
    return pd.DataFrame(rows)


def accuracies():
    groups = ["all families", "level 1", "sums", "exam"]
    rows = [(group, model, 0.5, 0.4, 0.6) for group in groups for model in MODELS]
    return pd.DataFrame(rows, columns=["questions", "model", "accuracy", "low", "high"])


def curves():
    rows = [(signal, model, 0.9, 0.2, 0.1, 0.3, n) for signal in "ab" for model, n in zip(MODELS, (40, 2))]
    return pd.DataFrame(rows, columns=["signal", "model", "claimed", "right", "low", "high", "n"])


DRAWN = {
    "lead": (lambda: figures.confidence_and_truth(claimed(), [0.96, 0.71]), "135M from 85 over 60 to 20 %"),
    "accuracies": (lambda: figures.accuracy_groups(accuracies(), "exam", 0.25), "50 %"),
    "curves": (lambda: figures.calibration_curves(curves(), dict(a="stated", b="token")), "4 of 4 points lie below"),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_keeps_the_rules_of_the_house_and_tells_what_it_shows(name, tmp_path):
    house.style()
    draw, words = DRAWN[name]
    fig, alt = draw()
    assert words in alt
    house.save(fig, f"hle/{name}", evidence="measured", claim="A claim", alt=alt, out=tmp_path)
    assert (tmp_path / f"hle/{name}.png").stat().st_size > 1000


def test_models_are_listed_by_size():
    sizes = sorted(["qwen2.5-coder-1.5b", "smollm2-135m", "another", "qwen2.5-coder-0.5b"], key=figures._size)
    assert sizes == ["smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b", "another"]
