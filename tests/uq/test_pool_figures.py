"""UQ's pipeline as flow diagrams: every published count is written in."""

import pytest
from matplotlib import pyplot as plt
from proctor.data.published import load_published
from proctor.report import frame
from proctor.report.figures import style
from proctor.uq import pool_figures, question_pool


@pytest.fixture(autouse=True)
def house():
    style()
    yield
    plt.close("all")


def faults(fig) -> list[str]:
    fig.draw_without_rendering()
    return frame.faults(fig)


@pytest.mark.parametrize("draw", [pool_figures.dataset_pipeline, pool_figures.dataset_rules])
def test_counts_kept_and_dropped_are_written_in(draw):
    facts = load_published("uq/facts").set_index("fact")["value_value"]
    fig = draw(question_pool.pool_by_stage(), facts)
    written = " ".join(text.get_text() for text in fig.axes[0].texts)
    for count in ("3,000,000", "33,916", "7,685", "500", "2,966,084", "26,231", "7,185", "25"):
        assert count in written
    assert frame.faults(fig) == []


def test_figure_s1_names_the_thresholds_of_the_facts():
    facts = load_published("uq/facts").set_index("fact")["value_value"]
    facts = facts.mask(facts.index == "max_answer_correctness", 41)
    fig = pool_figures.dataset_rules(question_pool.pool_by_stage(), facts)
    assert "right at most 41 %" in " ".join(" ".join(text.get_text().split()) for text in fig.axes[0].texts)


def test_the_funnel_writes_every_count_and_leaves_out_what_was_not_run():
    fig = pool_figures.funnel(
        ["raw", "rules", "models"], [3_000_000, 33_916, 7_685], [12_000, 252, float("nan")], "dump"
    )
    written = [text.get_text() for text in fig.axes[0].texts]
    assert sorted(written) == sorted(["3,000,000", "33,916", "7,685", "12,000", "252"])
    assert faults(fig) == []


def test_figure_s2_shows_the_facts_and_says_what_is_missing():
    facts = load_published("uq/facts").set_index("fact")["value_value"]
    fig = pool_figures.llm_filter_effect(facts)
    drawn = {float(x) for line in fig.axes[0].lines for x in line.get_xdata() if x == x}
    assert {77.8, 32.2, 51.2, 14.1, 100.0, 40.0, 70.0} <= drawn
    assert sum("not in the text" in text.get_text() for text in fig.axes[0].texts) == 3
    assert faults(fig) == []


def test_figure_s3_shows_every_domain_and_every_site():
    categories = question_pool.pool_by_category()
    fig = pool_figures.domains(categories, dict(zip(categories["stage"].unique(), ["rules", "models", "people"])))
    assert sum(len(line.get_xdata()) for line in fig.axes[0].lines) == 15 and faults(fig) == []
    fig = pool_figures.sites(question_pool.composition("uq/table_S8"))
    written = [int(text.get_text()) for ax in fig.axes for text in ax.texts]
    assert len(written) == 35 and sum(written) == 500 and faults(fig) == []
