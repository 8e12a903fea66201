import subprocess
import sys

import pandas as pd
import pytest
from proctor import paths
from proctor.report import catalog, provenance
from proctor.report.catalog import Row, check, files, promised, read, status_table, without_row, write_status
from proctor.report.claims import as_row, judge

HEADER = ",".join(Row._fields)
TABLE = "hle/t,hle,table,A table,hle/2_evaluation,hle/t.csv,published,HLE Table 1,exact,done,"
FIGURE = 'uq/f,uq,notebook-output,"A figure, ours",uq/3_validators,uq/f.svg,published + simulated,,,done,'
PLANNED = "uq/g,uq,figure,Later,uq/1_dataset,,,,,planned,"
STAND_IN = TABLE.replace("done,", "stand-in,the paper has 500 items; ours 20")
STAND_IN_NEEDS = {"outputs": "hle/t.csv", "evidence": "published", "notebook": "hle/2_evaluation"}
LACKING = "kina/h,kina,figure,Never,,,,,,lacking,its data"


@pytest.fixture
def written(tmp_path):
    def write(*lines, header=HEADER):
        path = tmp_path / "catalog.csv"
        path.write_text("\n".join([header, *lines]) + "\n")
        return path

    return write


@pytest.fixture
def rows(written):
    return read(written(TABLE, FIGURE, PLANNED, LACKING))


@pytest.fixture
def folder(tmp_path, rows, monkeypatch):
    """A folder of figures that agrees with the catalog."""
    figures = tmp_path / "figures"
    monkeypatch.setattr(paths, "OWN_FIGURES", figures)
    for name, evidence, suffixes in (
        ("hle/t", "published", (".csv", ".md")),
        ("uq/f", ("simulated", "published"), (".svg", ".png")),
    ):
        record = provenance.describe(name, evidence=evidence, seed=0)
        provenance.write(record, dict.fromkeys(suffixes, "x"))
    return figures


def test_the_committed_figures_are_what_the_catalog_promises():
    rows = read()
    assert check(rows, paths.ROOT / "figures") == [] and without_row(rows) == []
    assert status_table(rows) in (paths.ROOT / "docs" / "status.md").read_text(encoding="utf-8")


def test_a_published_artifact_without_a_row_is_named(tmp_path, rows, monkeypatch):
    monkeypatch.setattr(paths, "PUBLISHED", tmp_path)
    (tmp_path / "hle").mkdir()
    (tmp_path / "hle/facts.csv").write_text("paper,artifact\nhle,t\nhle,claim_new\nhle,claim_new\n")
    (line,) = without_row(rows)
    assert line == "hle/claim_new is in data/published/hle/facts.csv and has no row; give it one"


def test_rows_are_read_as_they_stand_and_promise_files(rows, tmp_path):
    assert [row.id for row in rows] == ["hle/t", "uq/f", "uq/g", "kina/h"]
    assert rows[1].title == "A figure, ours" and rows[1].evidence == ("published", "simulated")
    assert files(rows[1]) == ["uq/f.svg", "uq/f.png", "uq/f.json"] and files(rows[2]) == []
    assert promised("hle/2_evaluation", rows, tmp_path) == [
        tmp_path / f"hle/t{end}" for end in (".csv", ".md", ".json")
    ]
    assert promised("uq/1_dataset", rows, tmp_path) == []


@pytest.mark.parametrize(
    "line, column",
    [
        (TABLE.replace("hle,table", "hal,table"), "paper"),
        (TABLE.replace(",table", ",tabel"), "kind"),
        (TABLE.replace("A table", ""), "title"),
        (TABLE.replace("hle/2_evaluation", ""), "notebook"),
        (TABLE.replace("hle/2_evaluation", "hle/2_evaluation.ipynb"), "notebook"),
        (TABLE.replace("hle/t.csv", ""), "outputs"),
        (TABLE.replace("hle/t.csv", "hle/t"), "outputs"),
        (TABLE.replace("hle/t.csv", "hle/t.csv;../t.svg"), "outputs"),
        (TABLE.replace("hle/t.csv", "hle/t.csv;hle/t.svg"), "outputs"),
        (TABLE.replace("published", "guessed"), "evidence"),
        (TABLE.replace("published", ""), "evidence"),
        (TABLE.replace("exact", "about"), "tolerance"),
        (TABLE.replace("HLE Table 1", ""), "compared_with"),
        (TABLE.replace("done", "finished"), "state"),
        (LACKING.replace("its data", ""), "missing"),
        (TABLE.replace("hle/t,hle", "uq/t,hle"), "id"),
        (STAND_IN.replace("the paper has 500 items; ours 20", ""), "missing"),
        *((STAND_IN.replace(cell, ""), name) for name, cell in STAND_IN_NEEDS.items()),
    ],
)
def test_a_fault_names_file_row_and_column(written, line, column):
    path = written(PLANNED, line)
    with pytest.raises(ValueError) as error:
        read(path)
    assert f"{path}, row 3, column {column}: " in str(error.value)


def test_every_fault_is_told_at_once(written):
    with pytest.raises(ValueError) as error:
        read(written(PLANNED, PLANNED, TABLE.replace("done", "finished"), TABLE + ",too,many"))
    for part in ("row 3, column id", "row 4, column state", "row 5: 13 cells"):
        assert part in str(error.value)
    with pytest.raises(ValueError, match="row 1: columns are id, state"):
        read(written(header="id,state"))


def test_two_rows_cannot_promise_the_same_file(written):
    with pytest.raises(ValueError, match="row 3, column outputs: hle/t is also in row 2"):
        read(written(TABLE, TABLE.replace("hle/t,", "hle/u,", 1)))
    # a stand-in may point at the figure of another row, and what is no artifact at where it is tested
    others = [STAND_IN, *(TABLE.replace(",table,", f",{kind},") for kind in ("claim", "formal", "protocol", "prompt"))]
    rows = read(written(TABLE, *(line.replace("hle/t,", f"hle/{n},", 1) for n, line in enumerate(others))))
    assert len(rows) == 6


NO_RECORD = "hle/t: t.json is not a provenance record"


@pytest.mark.parametrize(
    "file, content, problem",
    [
        ("hle/t.md", None, "hle/t: missing hle/t.md; run notebooks/hle/2_evaluation.ipynb"),
        ("uq/f.json", None, "uq/f: missing uq/f.json; run notebooks/uq/3_validators.ipynb"),
        ("uq/old.svg", "x", "uq/old.svg belongs to no done row of the catalog; add the row or delete the file"),
        (
            "hle/t.json",
            '{"artifact": "hle/t", "evidence": "measured"}',
            "hle/t: t.json says measured, the catalog says published",
        ),
        *(("hle/t.json", content, NO_RECORD) for content in ("{", "[]", "{}", '{"evidence": "guessed"}')),
    ],
)
def test_each_disagreement_with_the_figures_is_named(rows, folder, file, content, problem):
    (folder / file).unlink(missing_ok=True)
    if content is not None:
        (folder / file).write_text(content)
    (found,) = check(rows, folder)
    assert found == problem or problem == NO_RECORD and found.startswith(problem)


@pytest.mark.parametrize("text", ["", "<!-- status -->", "<!-- /status --><!-- status -->"])
def test_only_the_block_between_the_status_marks_changes(tmp_path, rows, text):
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- status -->\nold\n<!-- /status -->\nafter\n")
    for _ in range(2):
        write_status(readme, rows)
        assert readme.read_text() == f"before\n<!-- status -->\n\n{status_table(rows)}\n<!-- /status -->\nafter\n"
    readme.write_text(text)
    with pytest.raises(ValueError, match="README.md: put one line"):
        write_status(readme, rows)
    assert readme.read_text() == text


@pytest.fixture
def run(tmp_path, written, folder, monkeypatch, capsys):
    """`run(arguments)`: (exit code, what is printed) of the command in a checkout that has `folder`."""
    (tmp_path / "docs").mkdir()
    for name, path in (("ROOT", ""), ("CATALOG", "catalog.csv"), ("FIGURES", "figures"), ("BUILD", "build")):
        monkeypatch.setattr(paths, name, tmp_path / path)
    monkeypatch.setattr(paths, "PUBLISHED", tmp_path / "published")
    written(TABLE, FIGURE, PLANNED, LACKING)

    def main(*arguments):
        code, said = catalog.main(list(arguments)), capsys.readouterr()
        return code, said.out + said.err

    return main


def test_the_command_prints_rows_counts_and_problems(run, folder):
    code, told = run()
    assert code == 0 and "lacking   kina/h" in told and "its data" in told and "agree." in told
    assert "| all | 3 | 1 | 0 | 1 | 1 |" in told
    (folder / "hle/t.md").unlink()
    code, told = run()
    assert code == 0 and "hle/t: missing hle/t.md" in told


@pytest.mark.parametrize("arguments, message", [(["--status"], "status.md"), (["--help"], "--status")])
def test_the_command_tells_what_it_cannot_do(run, arguments, message):
    code, told = run(*arguments)
    assert code == 2 and message in told


def test_the_command_imports_nothing_slow():
    code = (
        "import runpy, sys\n"
        "slow = {'pandas', 'numpy', 'matplotlib', 'pydantic', 'scipy', 'seaborn'}\n"
        "try: runpy.run_module('proctor.report.catalog', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "print('SLOW', sorted(slow & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines()[-1] == "SLOW []"


CLAIM = "uq/c,uq,claim,A claim,uq/3_validators,uq/claims_3_validators.csv,measured,,,done,"


OTHER, AGAIN = (CLAIM.replace("uq/c,", f"uq/{name},", 1) for name in ("d", "again"))


@pytest.mark.parametrize(
    "lines, evidence_of, problems",
    [
        (  # a row is held against its own claims, not against the whole file
            [CLAIM, OTHER.replace("measured", "published")],
            {"uq/c": "measured", "uq/d.x": "published", "uq/d.y": "published"},
            [],
        ),
        (
            [CLAIM],
            {"uq/c.x": "measured", "uq/c.y": "published"},
            ["uq/c: its claims rest on published + measured, the catalog says measured"],
        ),
        (
            [CLAIM],
            {"uq/cc": "measured"},
            ["uq/c: no claim of this id", "claim uq/cc of notebooks/uq/3_validators.ipynb has no row"],
        ),
        ([CLAIM, AGAIN], {"uq/c.x": "measured"}, []),  # a sentence that repeats a finding rests on its claims
        ([CLAIM, OTHER], {"uq/c.x": "measured"}, ["uq/d: no claim of this id"]),
    ],
)
def test_a_claims_row_and_its_claims_are_held_against_each_other(
    tmp_path, written, monkeypatch, lines, evidence_of, problems
):
    monkeypatch.setattr(catalog, "_finding_of", lambda: {"uq/again": "uq/c"})
    monkeypatch.setattr(paths, "OWN_FIGURES", tmp_path / "claimed")
    how = dict(notebook="uq/3_validators", holds=True, exact="counted")
    made = [as_row(judge(id, "It holds", evidence=evidence, **how)) for id, evidence in evidence_of.items()]
    record = provenance.describe("uq/claims_3_validators", evidence=["published", "measured"])
    provenance.write(record, {".csv": pd.DataFrame(made).to_csv(index=False), ".md": "x"})
    found = check(read(written(*lines)), tmp_path / "claimed")
    assert len(found) == len(problems) and all(one.startswith(other) for one, other in zip(found, problems))
    (tmp_path / "claimed/uq/claims_3_validators.csv").write_text("id\nuq/c\n")
    (problem,) = check([], tmp_path / "claimed")
    assert "not a claim" in problem
