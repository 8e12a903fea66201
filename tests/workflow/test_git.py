import pytest
from proctor.workflow import git
from proctor.workflow.notebook import WorkflowError

from .helpers import commit_all


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A repository with one commit of figures/a.csv."""
    monkeypatch.setattr(git, "ROOT", tmp_path)
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/a.csv").write_text("x\n1\n")
    commit_all(tmp_path)
    return tmp_path


def test_contents_of_a_commit_are_read_whatever_lies_in_the_checkout(root):
    (root / "figures/ü b.csv").write_bytes(b"x\n\x00\n")
    commit_all(root)
    (root / "figures/a.csv").unlink()
    assert git.tables(git.commit("HEAD")) == {"figures/a.csv": b"x\n1\n", "figures/ü b.csv": b"x\n\x00\n"}
    assert list(git.tables("HEAD~1")) == ["figures/a.csv"]


def test_what_differs_from_the_commit_is_named(root):
    assert git.changed() == []
    (root / "figures/a.csv").write_text("x\n2\n"), (root / "new file").write_text("")
    assert git.changed() == ["figures/a.csv", "new file"]


def test_an_unknown_commit_and_a_folder_that_is_no_repository_are_told(root, monkeypatch):
    for name in ("v9", "--all", "HEAD~5", ""):
        with pytest.raises(WorkflowError, match="git knows no commit"):
            git.commit(name)
    (root / "elsewhere").mkdir()
    monkeypatch.setattr(git, "ROOT", root / "elsewhere")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(root))
    with pytest.raises(WorkflowError, match="not a git repository"):
        git.commit("HEAD")
