import subprocess
import sys
import tomllib

import pytest
from proctor import __version__, cli, paths


def test_help_lists_the_commands_and_imports_nothing_heavy():
    code = "import sys, proctor.cli\nassert not {'numpy', 'pandas', 'matplotlib', 'papermill'} & set(sys.modules)\n"
    command = [sys.executable, "-c", f"{code}sys.argv[1:] = ['--help']\nproctor.cli.main()"]
    done = subprocess.run(command, cwd=paths.ROOT / "lib", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in "exam validate leaderboard compare candidates coverage audit run status".split():
        assert f"\n  {name} " in done.stdout
    assert "proctor.cli import main" in (paths.ROOT / "lib/proctor/__main__.py").read_text()


def show(words: str, capsys) -> str:
    with pytest.raises(SystemExit):
        cli.main(words.split())
    return "".join(capsys.readouterr())


HELP = ["", "exam", "sweep", "export", "import", "how-many", "how-many items", "logs", "dataset", "platform load"]


@pytest.mark.parametrize("command", HELP)
@pytest.mark.parametrize(("started", "name"), [("bin/proctor", "proctor"), ("__main__.py", "python -m proctor")])
def test_usage_names_the_program_as_it_was_started(command, started, name, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [started])
    assert f"usage: {name} {command}".strip() in show(f"{command} --help", capsys).replace("Usage", "usage")


def test_the_package_declares_its_command_and_the_command_says_its_version(capsys):
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"proctor": "proctor.cli:main"}
    assert show("--version", capsys) == f"proctor {project['version']}\n" == f"proctor {__version__}\n"
