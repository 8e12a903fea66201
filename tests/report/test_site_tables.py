from proctor.report.site_check import Addresses
from proctor.report.site_evidence import Behind
from proctor.report.site_notebook import boxed, claim_table


def test_a_long_table_shows_eight_rows_and_folds_the_rest():
    rows = "".join(f"<tr><td>{number}</td></tr>" for number in range(12))
    html = boxed(f"<table><thead><tr><th>half_width</th></tr></thead><tbody>{rows}</tbody></table>")
    first, rest = html.split("<details")
    assert first.count("<tr><td>") == 8 and rest.count("<tr><td>") == 12 and "All 12 rows" in rest
    assert "<th>half width</th>" in first and "<details" not in boxed(f"<table><tbody>{rows[:88]}</tbody></table>")


def test_only_long_text_in_a_table_is_wrapped():
    html = boxed(f"<table><tr><td>{'word ' * 9}</td><td>0.123</td></tr></table>")
    assert html.count('<td class="prose">word') == 1 and "<td>0.123" in html


def test_a_claim_that_nothing_tests_says_what_it_lacks(row, tmp_path):
    behind = Behind(Addresses(tmp_path, tmp_path, {}))
    html = claim_table([row("uq/claim_2", kind="claim", state="lacking", missing="its <source>")], "uq/index", behind)
    assert "not tested" in html and "its &lt;source&gt;" in html
