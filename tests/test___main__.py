import subprocess
import sys

from proctor import paths


def test_help_lists_the_commands_and_imports_nothing_heavy():
    code = "import sys, proctor.cli\nassert not {'numpy', 'pandas', 'matplotlib', 'papermill'} & set(sys.modules)\n"
    command = [sys.executable, "-c", f"{code}sys.argv[1:] = ['--help']\nproctor.cli.main()"]
    done = subprocess.run(command, cwd=paths.ROOT / "lib", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in (
        "exam",
        "validate",
        "leaderboard",
        "compare",
        "candidates",
        "coverage",
        "audit",
        "run",
        "plan",
        "status",
    ):
        assert f"\n  {name} " in done.stdout
    assert "proctor.cli import main" in (paths.ROOT / "lib/proctor/__main__.py").read_text()
