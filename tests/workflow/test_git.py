import subprocess

import pytest
from proctor.workflow import git
from proctor.workflow.notebook import WorkflowError


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with one commit of figures/a.csv, and `run(*words)` for git's own command."""
    monkeypatch.setattr(git, "ROOT", tmp_path)

    def run(*words: str) -> None:
        author = ["-c", "user.name=A", "-c", "user.email=a@b"]
        subprocess.run(["git", "-C", str(tmp_path), *author, *words], check=True, capture_output=True)

    run("init", "-q")
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/a.csv").write_text("x\n1\n")
    run("add", "."), run("commit", "-qm", "one")
    return tmp_path, run


def test_contents_of_a_commit_are_read_whatever_lies_in_the_checkout(repository):
    root, run = repository
    (root / "figures/ü b.csv").write_bytes(b"x\n\x00\n")
    run("add", "."), run("commit", "-qm", "two")
    (root / "figures/a.csv").unlink()
    assert git.tables(git.commit("HEAD")) == {"figures/a.csv": b"x\n1\n", "figures/ü b.csv": b"x\n\x00\n"}
    assert list(git.tables("HEAD~1")) == ["figures/a.csv"]


def test_what_differs_from_the_commit_is_named(repository):
    root, _ = repository
    assert git.changed() == []
    (root / "figures/a.csv").write_text("x\n2\n"), (root / "new file").write_text("")
    assert git.changed() == ["figures/a.csv", "new file"]


def test_an_unknown_commit_and_a_folder_that_is_no_repository_are_told(repository, tmp_path, monkeypatch):
    for name in ("v9", "--all", "HEAD~5", ""):
        with pytest.raises(WorkflowError, match="git knows no commit"):
            git.commit(name)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setattr(git, "ROOT", tmp_path / "elsewhere")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    with pytest.raises(WorkflowError, match="not a git repository"):
        git.commit("HEAD")
