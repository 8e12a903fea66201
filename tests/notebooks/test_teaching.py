"""The teaching pages quote the committed claims as they stand, and point at what there is."""

import json
import re
from pathlib import Path

import pytest
from proctor import paths
from proctor.report.claims import read_claims
from proctor.workflow.notebook import Notebook
from statsmodels.stats.inter_rater import cohens_kappa

DOCS = paths.ROOT / "docs"
CLAIMS = {claim.id: claim for claim in read_claims()}
CITED = re.compile(r"\(`([a-z_]+/[\w.-]+)`: \*([a-z ]+)\*(?:, (.+?))?; ([a-z +]+)\)")
INTERVAL = re.compile(r"\[[-+−∞\d.]+, ?[-+−∞\d.]+\]")
PLACE = re.compile(r"\[[\w/]+\]\(\.\./(notebooks/[\w/]+\.ipynb)\),\s+section (\d)(?:,\s+figure\s+\[?`([\w/]+)`)?")

pages = pytest.mark.parametrize("page", ["teaching", "misreadings", "glossary"])


LESSONS = (DOCS / "teaching.md").read_text(encoding="utf-8").split("\n## ")


def rows(lesson: str) -> list[list[str]]:
    """The cells of the lesson's table, row by row, without its head."""
    lines = re.findall(r"^\| (\d.*) \|$", lesson, re.MULTILINE)
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def claims_of(figure: str) -> list[str]:
    """The claims that a figure is of."""
    return json.loads((paths.FIGURES / f"{figure}.json").read_text(encoding="utf-8"))["claim_ids"]


def text(page: str) -> str:
    return " ".join((DOCS / f"{page}.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("page", ["teaching", "misreadings", "glossary", "../README"])
def test_every_quoted_claim_has_its_verdict_numbers_and_evidence(page):
    for name, verdict, numbers, evidence in CITED.findall(text(page)):
        claim = CLAIMS[name]
        quantity = re.split(r", (?=n = |exact: |[\d.]+ % interval)", claim.numbers)[0] if claim.says else ""
        assert (verdict, evidence) == (claim.verdict, claim.evidence), name
        assert numbers.startswith(quantity) and numbers in claim.numbers, f"{name}: {numbers}; now {claim.numbers}"


def test_the_kappas_of_two_raters_who_err_on_5_percent_are_kappas():
    half, rare = (two_raters(right, wrong) for right, wrong in ((5_000, 5_000), (400, 9_600)))
    assert "they agree on 90.5 % in both" in text("teaching")
    assert f"With 50 % right answers it is {half:.2f}, with 4 % it is {rare:.2f}," in text("teaching")


def two_raters(right: int, wrong: int) -> float:
    """Their kappa: each errs on 5 % of the answers, independently, so 0.25 % are both's errors and 9.5 % one's."""
    one = 0.0475 * (right + wrong)
    return cohens_kappa(
        [[0.9025 * right + 0.0025 * wrong, one], [one, 0.0025 * right + 0.9025 * wrong]], return_results=False
    )


def test_the_readme_opens_with_three_findings_that_hold_and_a_picture_of_each():
    opening = text("../README").partition(" ## ")[0]
    found = [name for name, verdict, *_ in CITED.findall(opening) if verdict == "holds"]
    drawn = [path for path in re.findall(r"\]\(figures/([\w/]+)\.png\)", opening)]
    assert len(found) == 3
    assert [name in claims_of(figure) for name, figure in zip(found, drawn, strict=True)] == [True] * 3


@pages
def test_no_interval_stands_without_its_claim(page):
    quoted = [part for _, _, numbers, _ in CITED.findall(text(page)) for part in INTERVAL.findall(numbers)]
    assert INTERVAL.findall(text(page)) == quoted


@pages
def test_every_place_named_is_there(page):
    for notebook, section, figure in PLACE.findall(text(page)):
        cells = Notebook(paths.ROOT / notebook).content["cells"]
        said = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        assert re.search(rf"^## {section}\. ", said, re.MULTILINE), f"{notebook} has no section {section}"
        drawn = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        assert f'"{figure}"' in drawn if figure else True, f"{notebook} draws no {figure}"


def test_the_launch_links_open_a_notebook_of_ours_in_a_copy_that_the_reader_names():
    page = text("teaching")
    [place] = re.findall(r"https://mybinder\.org/v2/gh/<owner>/<repository>/HEAD\?urlpath=lab/tree/([\w/.]+)", page)
    assert (paths.ROOT / place).is_file() and "https://codespaces.new/<owner>/<repository>" in page
    devcontainer = json.loads((paths.ROOT / ".devcontainer/devcontainer.json").read_text())
    assert 8888 in devcontainer["forwardPorts"] and devcontainer["postCreateCommand"] == "make setup"


def test_each_of_twelve_misreadings_says_what_why_what_the_notebook_shows_and_where():
    parts = (DOCS / "misreadings.md").read_text(encoding="utf-8").split("\n## ")[1:]
    assert [part.partition(".")[0] for part in parts] == [str(n) for n in range(1, 13)]
    for part in parts:
        line = " ".join(part.split())
        assert re.findall(r"\*\*(\w+)", line) == ["Misread", "Why", "What", "Show"]
        assert CITED.search(line) and PLACE.search(line), line[:60]


def test_the_minutes_of_each_lesson_add_up_and_laptops_run_what_needs_no_logs():
    lessons = {lesson.partition(":")[0]: lesson for lesson in LESSONS[1:]}
    for name, minutes in {"One hour": 60, "Half a day": 240, "Ninety minutes": 90}.items():
        steps = rows(lessons[name])
        assert sum(int(step[0]) for step in steps) == minutes
        for _, shown, place, *_ in steps:
            assert shown.partition(",")[0] in ("laptop", "projector", "book", "")
            names = re.findall(r"\((\.\./notebooks/[\w/]+\.ipynb)\)", place)
            if shown.startswith("laptop"):
                assert names and not any(Notebook(DOCS / name).logs for name in names), place
            elif "figure" in place:
                assert re.search(r"\(\.\./figures/[\w/]+\.png\)", place), place
    assert sum(int(minutes) for minutes, shown, *_ in rows(lessons["One hour"]) if not shown) >= 8
    assert [int(minutes) for _, minutes, *_ in rows(lessons["A term's project"])] == [90] * 12


SOLVED = re.findall(
    r"```python\n(.*?)```\n\n```text\n(.*?)```", (DOCS / "solutions.md").read_text(encoding="utf-8"), re.S
)


@pytest.mark.parametrize(("code", "printed"), SOLVED)
def test_a_solution_prints_what_the_page_shows(code, printed, capsys):
    exec(code, {})
    assert capsys.readouterr().out == printed and printed


def test_each_solution_is_of_an_exercise_that_there_is():
    for name, number in re.findall(r"^## ([\w/]+), (\d): ", (DOCS / "solutions.md").read_text(encoding="utf-8"), re.M):
        cells = Notebook(paths.ROOT / f"notebooks/{name}.ipynb").content["cells"]
        last = "".join(cells[-1]["source"]).partition("xercises")[2]
        assert re.search(rf"^{number}\. ", last, re.MULTILINE), f"{name} has no exercise {number}"


def test_learning_goals_name_notebooks_that_there_are():
    table = (DOCS / "teaching.md").read_text(encoding="utf-8").partition("## Learning goals")[2]
    rows = re.findall(r"^\| (\w[\w/, ]*) \| ", table, re.MULTILINE)
    names = []
    for row in rows[1:]:
        folder = row.rpartition(", ")[0].partition("/")[0] or row.partition("/")[0]
        names += [name if "/" in name or name.startswith("00") else f"{folder}/{name}" for name in row.split(", ")]
    assert len(names) > 40
    assert [name for name in names if not Path(paths.ROOT / "notebooks" / f"{name}.ipynb").exists()] == []
