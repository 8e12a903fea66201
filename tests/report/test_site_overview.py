import pytest
from proctor.report.catalog import PAPERS as CATALOGUED
from proctor.report.site_check import SiteError
from proctor.report.site_overview import PAPERS, evidence_legend, said_by_the_paper, short_title

LEGEND = "| `published` | a `b` |\n| `reconstructed` | c |\n| `measured` | d |\n| `logged` | f |\n| `simulated` | e |\n"


def test_every_paper_of_the_catalog_has_its_words_in_the_same_order_of_reading():
    assert list(PAPERS) == list(CATALOGUED)


def test_short_title():
    titles = {"uq/4_bias_and_ranking": "4 Bias and ranking", "synthesis/audit_your_table": "Audit your table",
              "kina/1b_population": "1b Population", "hle/2_x": "2 X"}  # fmt: skip
    assert {page: short_title(page) for page in titles} == titles


def test_the_legend_is_readme_s_and_has_every_kind():
    assert evidence_legend(LEGEND)["published"] == "a <code>b</code>"
    with pytest.raises(SiteError, match="simulated"):
        evidence_legend(LEGEND.replace("simulated", "guessed"))


def test_a_sentence_of_the_paper_is_told_from_ours(row):
    assert said_by_the_paper(row("uq/claim_2")) and said_by_the_paper(row("uq/3_x", compared_with="UQ Table 1"))
    assert not said_by_the_paper(row("uq/3_x"))
