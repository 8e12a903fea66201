"""The figures of findings draw each count, verdict and n once, within the house's rules."""

import pandas as pd
import pytest
from proctor.report.claims import FAILS, HOLDS, UNSETTLED
from proctor.report.figures import style
from proctor.report.frame import faults
from proctor.synthesis import findings_figures as figures
from proctor.synthesis.findings import MIXED, OUTCOMES, SOURCES, UNTESTED

TABLE = pd.DataFrame(
    dict(finding=["uq/claim_some_thing", "hle/claim_b"], paper=["uq", "hle"], label=["", "a label"])
    | dict(printed=[HOLDS, MIXED], simulated=UNTESTED, measured=[FAILS, UNSETTLED], logged=[HOLDS, UNTESTED])
)


@pytest.fixture(autouse=True)
def house():
    style()


def texts(fig):
    return [text.get_text() for ax in fig.axes for text in ax.texts]


def test_every_count_above_zero_is_written_into_its_bar():
    blank = dict.fromkeys(OUTCOMES, 0)
    counts = pd.DataFrame(
        [dict(paper=paper, source="all") | blank | {HOLDS: 7, UNTESTED: 2} for paper in ("uq", "hle")]
        + [dict(paper="uq", source=source) | blank | {FAILS: 3} for source in SOURCES]
    )
    fig, alt = figures.outcomes(counts)
    fig.draw_without_rendering()
    assert not faults(fig) and texts(fig) == ["7", "7", "2", "2", *["3"] * 4]
    assert "UQ: 7 holds, 2 not tested" in alt and "our small models (measured): 3 does not hold" in alt


def test_a_cell_shows_the_verdict_of_its_source():
    fig, alt = figures.several_sources(TABLE)
    fig.draw_without_rendering()
    assert not faults(fig) and texts(fig) == ["✓", "", "✗", "✓", "~", "", "?", ""]
    assert "UQ: some thing: printed holds, measured does not hold, logged holds" in alt


def test_only_findings_with_an_n_are_drawn_by_what_they_lean_to():
    rows = TABLE.assign(n=[10, 20], needed=[40.0, float("nan")], times=[4.0, None], leaning=[FAILS, HOLDS], of="items")
    fig, alt = figures.needed(rows)
    fig.draw_without_rendering()
    assert not faults(fig) and [label.get_text() for label in fig.axes[0].get_yticklabels()] == ["UQ: some thing"]
    assert alt.endswith("UQ: some thing: 10 to 40 items, leaning to does not hold.")
