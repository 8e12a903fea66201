"""What every notebook keeps to: its cells, its results box, what it promises, what its figures may say."""

import ast
import csv
import re
from collections import defaultdict
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image
from proctor import log_files, paths
from proctor.report import catalog
from proctor.report.claims import read_claims, verdict
from proctor.report.roles import role
from proctor.uq.table_s10 import JUDGES
from proctor.workflow.notebook import all_notebooks
from proctor.workflow.params import declared
from proctor.workflow.receipts import records

NOTEBOOKS = {notebook.name: notebook for notebook in all_notebooks()}
CELLS, LINES, WIDTH = 30, 40, 120
FIGURES = paths.ROOT / "figures"
RECORDS = records(FIGURES)
CLAIMS = {claim.id: claim for claim in read_claims(FIGURES)}
FIGURE_NAMES = sorted(name for name in RECORDS if (FIGURES / f"{name}.png").exists())
CLAIMS_OF, RECORDS_OF = defaultdict(list), defaultdict(dict)
for _claim in CLAIMS.values():
    CLAIMS_OF[_claim.notebook].append(_claim)
for _name, _record in RECORDS.items():
    RECORDS_OF[_record["code"]["notebook"]][_name] = _record

WITH_ALL_NUMBERS = {
    *(f"uq/{name}" for name in ("1_dataset", "1_review_and_releases", "4_bias_and_ranking", "6_agreement")),
    *(f"uq/{name}" for name in ("7_evaluation", "8_platform", "8_reviewers")),
    *(f"kina/{name}" for name in ("3_subject_profiles", "4_scaling_cost_tools", "5_how_many_items")),
}
CLAIM_ID = r"`([a-z_]+/\w+(?:\.[\w.-]+)?)`"

each = pytest.mark.parametrize("name", NOTEBOOKS)


def markdown(name: str) -> list[str]:
    cells = NOTEBOOKS[name].content["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]


def box(name: str) -> str:
    return " ".join(line[1:].strip() for line in markdown(name)[0].splitlines() if line.startswith(">"))


def intervals(text: str) -> list[tuple[float, float]]:
    number = r"([-+−–]?[\d.]+) ?%?"
    found = re.findall(rf"\[{number}, ?{number}\]", text)
    return [tuple(float(re.sub("[−–]", "-", limit)) for limit in pair) for pair in found]


def tree(source: str) -> ast.AST:
    return compile(source, "cell", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def nodes(name: str) -> list[ast.AST]:
    return [node for cell in NOTEBOOKS[name].code for node in ast.walk(tree(cell.source))]


@each
def test_cells_are_few_and_short_and_hold_parameters_first(name):
    code = NOTEBOOKS[name].code
    long = {cell.number: n for cell in code if (n := len(cell.source.splitlines())) > LINES}
    assert len(code) <= CELLS and not long
    assert max(len(line) for cell in code for line in cell.source.splitlines()) <= WIDTH
    assert "parameters" in code[0].tags and declared(NOTEBOOKS[name])
    assert all(isinstance(line, ast.AnnAssign) for line in tree(code[0].source).body)


@each
def test_it_opens_with_a_title_and_a_results_box_and_ends_with_exercises(name):
    first, last = markdown(name)[0], markdown(name)[-1]
    bullets = re.findall(r"^> ?[-*] ", first, re.MULTILINE)
    assert first.startswith("# ") and 2 <= len(bullets) <= 6
    assert not re.search(r"\bBOX\d*\b|TODO", first), "a number that nobody filled in"
    assert NOTEBOOKS[name].content["cells"][0]["cell_type"] == "markdown"
    assert re.search(r"^#+ .*exercises", last, re.MULTILINE | re.IGNORECASE)


@each
def test_one_that_asks_models_plans_and_asks_through_one_helper(name):
    """The only call of a model in it is `ask_all`, so that the plan holds all calls, and the budget and settings too.
    And `-p budget 5` for all notebooks changes no other number."""
    known = declared(NOTEBOOKS[name])
    assert "mode" in known or "budget" not in known
    if "mode" in known:
        assert {"budget", "settings"} <= set(known) and known["budget"].default is None
        assert known["settings"].default == {} and {"models", "judges", "millions"} & set(known)
        found = nodes(name)
        studies = [node for node in found if isinstance(node, ast.AsyncFunctionDef)]  # of its own: `ask_all` plans them
        inside = {id(node) for study in studies for node in ast.walk(study)}
        awaits = [ast.unparse(one.value) for one in found if isinstance(one, ast.Await) and id(one) not in inside]
        [asking] = [call for call in awaits if "planted_loop" not in call]  # which asks no model
        assert re.fullmatch(r"ask_all\(.*mode=mode, budget=budget, settings=settings\)", asking, re.DOTALL)
        assert "Session" not in "".join(cell.source for cell in NOTEBOOKS[name].code)


@pytest.mark.parametrize("name", [name for name in NOTEBOOKS if not name.endswith("/exercises")])
def test_it_makes_claims(name):
    paper, _, notebook = name.rpartition("/")
    assert (FIGURES / (paper or "start") / f"claims_{notebook}.csv").is_file()


@each
def test_each_bullet_of_the_results_box_names_its_claims_their_numbers_and_their_verdicts(name):
    """A bullet ends with `paper/claim` and *verdict*, so that the prose can't drift from the intervals; and each number
    with an interval stands, as printed, among the notebook's claims."""
    said, known = box(name), {claim.id: claim for claim in CLAIMS_OF[name]}
    assert set(intervals(said)) <= {pair for claim in known.values() for pair in intervals(claim.numbers)}
    for bullet in re.split(r"(?:^| )- (?=\*\*)", said)[1:] if re.search(CLAIM_ID, said) else []:
        named = re.findall(CLAIM_ID, bullet)
        assert named, bullet
        for claim in named:
            assert f"*{known[claim].verdict}*" in bullet, f"{claim} {known[claim].verdict}: {bullet}"
            numbers = re.split(", (?:n =|exact:)", known[claim].numbers)[0] if known[claim].says else ""
            assert numbers in bullet or name not in WITH_ALL_NUMBERS, f"{claim} {numbers}: {bullet}"


@pytest.mark.parametrize("name", [name for name in NOTEBOOKS if "your_" not in name])  # whose data are the user's
def test_its_literal_claims_expect_a_verdict(name):
    """So that prose can't drift: a run at the default parameters stops where a verdict is another one."""
    calls = [one for one in nodes(name) if isinstance(one, ast.Call) and ast.unparse(one.func) == "out.claim"]
    named = [{keyword.arg for keyword in call.keywords} for call in calls]
    assert [ast.unparse(call.args[0]) for call, names in zip(calls, named) if not names & {"expect", None}] == []


@each
def test_its_verdicts_are_those_of_the_intervals(name):
    for claim in CLAIMS_OF[name]:
        assert not claim.says or verdict(claim.low, claim.high, claim.says) == claim.verdict, claim.id
        assert claim.exact or claim.level >= 1 - 0.05 / claim.family - 1e-9, claim.id
        sampled = {"measured", "logged", "simulated"} & set(str(claim.evidence).split(" + "))
        assert not sampled or claim.exact or claim.low is not None, claim.id


@pytest.mark.parametrize("figure", FIGURE_NAMES)
def test_a_figure_has_an_alt_text_and_a_title_that_reads_at_once_and_says_no_more_than_its_claims(figure):
    """Short, a finding and no test's sentence. A title of its own has no number that its claims or its picture don't
    have, and says what is undecided."""
    record, width = RECORDS[figure], Image.open(FIGURES / f"{figure}.png").width
    title, most = record["claim"], 70 if width > 1000 else 55
    assert record["alt"].strip() and len(title) <= most, f"{len(title)} letters, at most {most}: {title}"
    assert title[0].isupper() or title[0].isdigit() or title.startswith("o3"), title
    assert not title.startswith(("Cannot tell", "Does not hold")) and " less " not in title, title
    claims = [CLAIMS[claim] for claim in record["claim_ids"]]
    if claims and title != claims[0].finding:
        drawn = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", (FIGURES / f"{figure}.svg").read_text()))
        drawn = drawn.replace(title, "") + f" {record['alt']} {record['note']}"
        known = [number for claim in claims for number in numbers_of(claim)] + read_numbers(drawn)
        for text in NUMBER.findall(title):
            near = min(abs(abs(one) - float(text.replace(",", ""))) for one in known)
            half = 0.5 * 10.0 ** -len(text.partition(".")[2])
            assert near <= 1.01 * half, f"{figure}: {text} of the title is no number of its claims"
        assert claims[0].verdict != "cannot tell" or UNDECIDED.search(title), f"{figure}: {title} is undecided"
    if claims and claims[0].estimate is not None:
        named = any(abs(one - abs(claims[0].estimate)) < 0.5 for one in read_numbers(title))
        assert record["estimate_drawn"] or not named, f"the number of the title is not drawn: {title}"


NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")
UNDECIDED = re.compile(r"\b(may|open|undecided|no sign|not shown|none shows|whether|can't|too few)\b", re.IGNORECASE)


def read_numbers(text) -> list[float]:
    return [float(one.replace(",", "")) for one in NUMBER.findall(text)]


def numbers_of(claim) -> list[float]:
    """Those of a claim: its quantity, also in hundredths, and all that its texts name."""
    texts = " ".join([claim.sentence, claim.finding, claim.exact, claim.says, claim.of])
    quantity = [one for one in (claim.estimate, claim.low, claim.high, claim.n) if one is not None]
    return [*quantity, *(one / 100 for one in quantity), *read_numbers(texts)]


@pytest.mark.parametrize("judge", JUDGES)
def test_a_judge_of_table_s10_has_one_colour_in_all_figures(judge):
    """Where its name is written in colour; o3 and o3-mini once swapped looks between two figures."""
    name = re.compile(rf'fill: (#\w+)"[^>]*>{re.escape(JUDGES[judge].short)}(?![-\w])')
    of_roles = {role(other).colour.lower() for other in ("paper", "truth", "baseline", "muted")} | {"#1a1a1a"}
    found = {fill for figure in FIGURE_NAMES for fill in name.findall((FIGURES / f"{figure}.svg").read_text())}
    assert found - of_roles == {JUDGES[judge].colour.lower()}


def test_records_and_claims_are_of_notebooks_and_those_on_logs_name_a_commit_and_no_place_of_this_machine():
    assert {*CLAIMS_OF, *RECORDS_OF} <= set(NOTEBOOKS)
    for name, record in RECORDS.items():
        logs = NOTEBOOKS[record["code"]["notebook"]].logs
        assert not logs or any("@" in each["path"] for each in record["inputs"]), name
        assert not re.search("/work|/home|/root", (FIGURES / f"{name}.json").read_text()), name


@pytest.mark.parametrize("name", [name for name, notebook in NOTEBOOKS.items() if notebook.logs])
def test_no_item_of_its_logs_is_committed(name, needs_logs):
    needs_logs(*NOTEBOOKS[name].logs)
    columns = []
    for file in [file for each in NOTEBOOKS[name].logs for file in log_files.files(each)]:
        table = pd.read_csv(file, dtype=str, usecols=lambda column: column in ("id", "item", "problem"))
        columns += [table[column].unique() for column in table]
    items = {item for column in columns for item in column if len(item) > 8}  # a number says nothing
    for figure in RECORDS_OF[name]:
        files = [path for path in (FIGURES / figure).parent.glob(f"{Path(figure).name}.*") if path.suffix != ".png"]
        named = {word for file in files for word in re.findall(r"[-\w/#:.]+", file.read_text(encoding="utf-8"))}
        assert not named & items, figure
        head = {word for file in files if file.suffix == ".csv" for word in next(csv.reader(file.open()))}
        assert "claims_" in figure or not head & {"id", "item", "question_id"}, figure


@each
def test_limits_hold_their_estimates_and_what_is_simulated_names_no_real_model(name):
    for one, record in RECORDS_OF[name].items():
        picture, table = (FIGURES / f"{one}.{ending}" for ending in ("svg", "csv"))
        numbers = pd.read_csv(table).select_dtypes("number") if table.exists() else ()
        for column in [column for column in numbers if {f"{column}_low", f"{column}_high"} <= set(numbers)]:
            low, middle, high = (numbers[f"{column}{end}"] for end in ("_low", "", "_high"))
            counts = middle.dtype.kind == "i" != low.dtype.kind  # its limits are a share's
            assert counts or not ((low > middle + 1e-9) | (middle > high + 1e-9)).any(), f"{one}: {column}"
        for file in (picture, table):
            if record["evidence"] == "simulated" and "claims_" not in one and file.exists():
                text = re.sub(r"<metadata>.*?</metadata>", "", file.read_text(), flags=re.DOTALL)
                assert not re.search(r"GPT-|Claude|Gemini|Grok|DeepSeek|Qwen3|\bo[134]\b", text), file


def test_every_claim_row_of_the_catalog_points_at_a_claim_of_its_finding():
    for row in catalog.read():
        if row.kind == "claim" and row.state in ("done", "stand-in"):
            files = [output for output in row.outputs if Path(output).name.startswith("claims_")]
            assert files, f"{row.id}: its outputs are {row.outputs}"
            ids = {line["id"] for file in files for line in csv.DictReader(open(FIGURES / file, encoding="utf-8"))}
            assert ids & {claim.id for claim in catalog.claims_of(row, CLAIMS.values())}, row.id
