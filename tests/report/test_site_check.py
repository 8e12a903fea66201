"""The check must find what is wrong; that it finds nothing on a good site, test_site.py shows."""

import pytest
from proctor.report import site_check

PAGE = "<!doctype html><html lang=en><title>x</title><main class='bd-article'><h1>x</h1>{}</main>"


@pytest.fixture(scope="module")
def window(browser):
    return browser.new_context(viewport=dict(width=390, height=900))


@pytest.mark.parametrize(
    "html, said",
    [
        ("<p>fine</p>", ""),
        ("<div style='width:500px'>wide</div>", "118 pixels wider"),
        (
            "<div style='width:90px;overflow:hidden;white-space:nowrap'>a long line of text that is cut</div>",
            "is cut off",
        ),
        ("<img src=gone.png alt=x>", "gone.png does not show"),
        ("<script>console.error('oh')</script>", "console: oh"),
        ("<script>gone()</script>", "script: gone is not defined"),
        ("<p style='color:#bbb'>pale</p>", "axe, serious: color-contrast"),
        ("<link rel=stylesheet href='http://127.0.0.1:9/x.css'>", "elsewhere: http://127.0.0.1:9/x.css"),
    ],
)
def test_what_is_wrong_is_seen(window, tmp_path, html, said):
    (tmp_path / "page.html").write_text(PAGE.format(html))
    wrong = site_check.look(window.new_page(), tmp_path / "page.html", axe="pale" in html or "fine" in html)
    assert (wrong == []) if not said else any(said in line for line in wrong)


def test_pages_are_chosen_by_name(tmp_path):
    for name in ("index", "uq/a", "_static/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.html").write_text("")
    assert [path.stem for path in site_check.pages(tmp_path)] == ["index", "a"]
    assert [path.stem for path in site_check.pages(tmp_path, "uq/*")] == ["a"]
