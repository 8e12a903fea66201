import pandas as pd
import pytest
from proctor.hle.own_exam_figures import accuracies
from proctor.report.figures import style
from proctor.report.frame import faults


@pytest.mark.parametrize(("models", "categories"), [(1, 1), (3, 9), (40, 30)])
def test_any_number_of_models_and_categories_keeps_the_rules(models, categories):
    style()
    names = [f"openai/a-model-with-a-very-long-name-{n}@http://server:8000/v1" for n in range(models)]
    results = pd.DataFrame(dict(model=names, accuracy=0.5, low=0.4, high=0.6))
    rows = [(name, f"category number {k}", 10, 0.5) for name in names for k in range(categories)]
    fig, alt = accuracies(results, pd.DataFrame(rows, columns=["model", "category", "n", "accuracy"]), "measured")
    fig.draw_without_rendering()
    assert faults(fig) == [] and "50 %" in alt
