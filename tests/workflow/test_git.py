"""What git holds, and the numbers that changed between two commits, or between a commit and the files here."""

import math

import pytest
from proctor import cli
from proctor.report import claims
from proctor.workflow import git
from proctor.workflow.notebook import WorkflowError

from .helpers import commit_all


def claim(id: str = "uq/gain", estimate: float = 5.0, interval=(1.0, 9.0), **how) -> claims.Claim:
    """A claim "> 0" of that estimate; how: what else `claims.judge` takes."""
    usual = dict(sentence="It gains", says="> 0", n=10, of="items", notebook="uq/x", evidence="measured")
    return claims.judge(id, estimate=estimate, interval=interval, **usual | how)


def claims_csv(*made: claims.Claim) -> str:
    """The file of these claims."""
    rows = [claims.as_row(each) for each in made]
    return "\n".join([",".join(rows[0]), *(",".join(f'"{cell}"' for cell in row.values()) for row in rows)]) + "\n"


ONE = {
    "uq/claims_x.csv": claims_csv(
        claim("uq/flips", 5), claim("uq/moves", 5), claim("uq/stays", 5), claim("uq/goes", 5)
    ),
    "uq/t.csv": "model,low\na | b,0.25\nc,0.5\n",
    "uq/ü b.csv": "x\n1\n",
    "uq/same.csv": "model,low\na,0.25\n",
    "uq/old.csv": "x\n1\n",
}
TWO = {
    "uq/claims_x.csv": claims_csv(
        claim("uq/flips", 5, (-1.0, 9.0)),
        claim("uq/moves", 7),
        claim("uq/stays", 5, sentence="It wins"),
        claim("uq/comes", 5),
    ),
    "uq/t.csv": "model,low\na | b,0.26\nc,0.5\nd,1\n",
    "uq/ü b.csv": "x\n1\n",
    "uq/same.csv": "model,low\na,0.250000000001\n",
    "uq/new.csv": "x\n1\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """Two commits; here the figures are as in the second."""
    root = tmp_path_factory.mktemp("repository")
    for files in (ONE, TWO):
        write(root, files)
        commit_all(root)
    return root


def write(root, files) -> None:
    for path in root.glob("figures/*/*"):
        path.unlink()
    for name, text in files.items():
        (root / "figures" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "figures" / name).write_text(text)


@pytest.fixture
def changelog(repository, monkeypatch):
    monkeypatch.setattr(git, "ROOT", repository)
    monkeypatch.setattr(git, "COMMITTED", repository / "figures")
    return git.changelog


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| claim")]


def test_claims_and_cells_that_changed_are_told(changelog):
    text = changelog("HEAD~1", "HEAD")
    assert "1 with another verdict, 1 with other numbers, 1 with other words alone, 1 added, 1 removed." in text
    assert lines(text) == [
        "| uq/flips | holds | cannot tell | +5.0 [+1.0, +9.0], n = 10 items | +5 [-1, +9], n = 10 items |",
        "| uq/moves | +5.0 [+1.0, +9.0], n = 10 items | +7.0 [+1.0, +9.0], n = 10 items | 0.25 widths | 0 |",
        "| uq/comes | holds | +5.0 [+1.0, +9.0], n = 10 items |",
        "| uq/goes | holds | +5.0 [+1.0, +9.0], n = 10 items |",
        "| table | cells changed | largest change at | from → to | relative | rows and columns |",
        "| uq/t | 3 of 6 | a \\| b, low | 0.25 → 0.26 | 0.0385 | 1 row added |",
    ]
    assert "1 changed, 1 added, 1 removed." in text and "Added: uq/new." in text and "Removed: uq/old." in text


COUNTED = dict(interval=None, n=None, exact="counted")  # a number that no interval measures


@pytest.mark.parametrize(
    "before, after, kind, moved",
    [
        (claim(), claim(estimate=5.0000001), None, []),
        (claim(), claim(interval=(2.0, 9.0)), "numbers", ["0", "0.12 widths"]),
        (claim(), claim(estimate=math.nan, interval=(math.nan, math.nan)), "verdict", []),
        (claim(estimate=3.0, **COUNTED), claim(estimate=4.0, **COUNTED), "numbers", ["exact", "exact"]),
    ],
)
def test_how_a_claim_changes(before, after, kind, moved):
    changes = {kind: rows for kind, rows in git.changed_claims([before], [after]).items() if rows}
    assert list(changes) == [kind] * bool(kind)
    assert not moved or changes[kind][0][3:] == moved


def test_a_commit_is_compared_with_the_files_here(changelog, repository):
    here = changelog("HEAD~1")
    assert here.partition("\n")[2] == changelog("HEAD~1", "HEAD").partition("\n")[2]
    assert "to the files here" in here.splitlines()[0]
    same = changelog("HEAD")
    assert "No claim changed." in same and "0 changed, 0 added, 0 removed." in same and not lines(same)
    assert git.changed() == []
    (repository / "figures/uq/claims_x.csv").write_text("id\nuq/x\n")
    (repository / "figures/uq/ü b.csv").write_text("")
    text = changelog("HEAD")
    assert git.changed() == ["figures/uq/claims_x.csv", "figures/uq/ü b.csv"]
    write(repository, TWO)
    assert "figures/uq/claims_x.csv could not be read as claims" in text and "4 removed" in text


def test_the_command_tells_an_unknown_commit_in_a_line(changelog, repository, capsys, monkeypatch):
    cli.app(["diff", "HEAD~1", "HEAD"], standalone_mode=False)
    assert capsys.readouterr().out.startswith("# Numbers from HEAD~1 (")
    for name in ("v9", "--all", "HEAD~5", ""):
        with pytest.raises(SystemExit) as stopped:
            cli.main(["diff", "--", name])
        assert stopped.value.code == 2 and f"git knows no commit {name!r}" in capsys.readouterr().err
    (repository / "elsewhere").mkdir()
    monkeypatch.setattr(git, "ROOT", repository / "elsewhere")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository))
    with pytest.raises(WorkflowError, match="not a git repository"):
        changelog("HEAD")
