"""Run every command that the docs name, in a fresh clone, against a local model server.

    python benchmarks/docs_commands.py [--venv .venv] [--whole] [--only TEXT] [--out table.csv]

The docs are README.md, CONTRIBUTING.md, docs/, the Markdown in data/, the comments of params/, the docstrings of
examples/ and the text of the notebooks. A command is a line of a `sh` block, or inline code that begins with a
program's name. `INSTEAD` says what is typed where a command names files of the reader's own or runs all notebooks
(--whole runs these as written); `NOT_HERE` says what can't be run here and why. tests/test_docs_commands.py holds both
against the docs. Prints a row a command: document, line, command, exit status, seconds; exits 1 where one failed.
"""

import argparse
import ast
import csv
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = re.compile(r"(make|python|git|pip|nbstripout|papermill|podman|vllm|\.venv/bin/\w+) [^ ]")
ONE = "NOTEBOOK=uq/6_agreement"
OPENED = "--no-browser --allow-root --IdentityProvider.token= --port={port}"  # of JupyterLab
KEYS = "python -m proctor keys data/examples/exam_answers.csv"
INSTEAD = {
    'make run P="keys answers.csv"': 'make run P="keys data/examples/exam_answers.csv --review 15"',
    'make run P="judge labels.csv verdicts.csv"': (
        'make run P="judge data/examples/judge_labels.csv data/examples/judge_verdicts.csv --width 10"'
    ),
    "python -m proctor keys results.csv --answers items.csv --review 5%": f"{KEYS} --review 5%",
    "python -m proctor keys results.csv --answers items.csv --decisions decisions.csv": (
        f"{KEYS} --decisions data/examples/exam_decisions.csv"
    ),
    "python -m proctor keys run1.eval run2.eval --answers items.csv --review 5%": f"{KEYS} --review 5%",
    "python -m proctor keys run1.eval run2.eval --answers items.csv --decisions decisions.csv": (
        f"{KEYS} --decisions data/examples/exam_decisions.csv"
    ),
    "python -m proctor judge labels.csv verdicts.csv": (
        "python -m proctor judge data/examples/judge_labels.csv data/examples/judge_verdicts.csv"
    ),
    "python -m proctor judge labels.csv verdicts.csv --licence-for openai/o3 --prompt my-prompt-3": (
        "python -m proctor judge data/examples/judge_labels.csv data/examples/judge_verdicts.csv "
        "--licence-for qwen2.5-coder-0.5b --prompt p"
    ),
    "python -m proctor validate new.jsonl --questions q.jsonl --judges openai/o3 --licence licence.json --budget 5": (
        "python -m proctor validate data/examples/answers.jsonl --questions data/examples/exam_questions.jsonl "
        "--judges qwen2.5-coder-0.5b --validator C --licence build/runs/judge-judge_verdicts/licence.json"
    ),
    "make reproduce": f"make reproduce {ONE}",
    'make reproduce P="-p seed 7"': f'make reproduce {ONE} P="-p seed 7"',
    "make reproduce NOTEBOOK=...": f"make reproduce {ONE}",
    "make verify": f"make verify {ONE}",
    "make verify NOTEBOOK=...": f"make verify {ONE}",
    'make verify P="-- --profile params/cluster/slurm"': f'make verify {ONE} P="-- --profile params/cluster/here"',
    'make sweep P="..."': 'make sweep P="uq/6_agreement --seed 1 2"',
    'make sweep P="--seed 20260101 7"': 'make sweep P="uq/6_agreement --seed 20260101 7"',
    "make crate": f"make crate {ONE}",
    'make record P="--sample 200"': 'make record P="--sample 10 --models smollm2-135m"',
    ".venv/bin/python -m proctor.workflow.grade returned": "python -m proctor.workflow.grade build/assignments",
    'make run P="exam mine.jsonl --model openai/gpt-4o --budget 5"': (
        'make run P="exam data/examples/exam_questions.jsonl --model smollm2-135m --budget 5"'
    ),
    "make test": ".venv/bin/python -m pytest -q tests/test_house.py",
    "make lab": f'make lab LAB_ARGS="{OPENED}"',
    "make lab NOTEBOOK=uq/6_agreement": f'make lab NOTEBOOK=uq/6_agreement LAB_ARGS="{OPENED}"',
    "make platform": 'make platform P="--port {port}"',
    "python -m proctor platform": "python -m proctor platform --port {port}",
    "python -m proctor platform moderator NAME": "python -m proctor platform moderator ada",
    "python -m proctor sweep uq/6_agreement --seed 1 2 3 -- --profile params/cluster/slurm": (
        "python -m proctor sweep uq/6_agreement --seed 1 2 -- --profile params/cluster/here"
    ),
    "python -m proctor diff A B": "python -m proctor diff HEAD~20 HEAD",
    "python -m proctor audit /your/table.csv -n 500 --positives 65 --column recall=Sensitivity": (
        "python -m proctor audit data/examples/reported_metrics.csv -n 500 --positives 65"
    ),
    "pip install .": "pip install . --no-deps --no-build-isolation --target build/installed",
    "nbstripout --keep-id": "nbstripout --keep-id notebooks/uq/6_agreement.ipynb",
    "python -m proctor dataset filter-llm": "python -m proctor dataset filter-llm --help",
    "python -m proctor exam mine.jsonl --model openai/o3 --judge openai/gpt-4o --budget 5": (
        "python -m proctor exam data/examples/exam_questions.jsonl --model openai/o3 --judge openai/gpt-4o --budget 5"
    ),
    "python -m proctor candidates mine.jsonl --neighbours related.jsonl --model openai/o3 --rollouts 16 --budget 20": (
        "python -m proctor candidates data/examples/candidates.jsonl --neighbours data/examples/neighbours.jsonl "
        "--model openai/o3 --rollouts 16 --budget 20"
    ),
    "python -m proctor coverage items.csv --k 50": (
        "python -m proctor coverage data/examples/exam_questions.jsonl --k 5"
    ),
    "python -m proctor leaderboard results.csv --own my-system --pair my-system --pair the-best": (
        'python -m proctor leaderboard data/examples/leaderboard.csv --own "a model at 45.0 %" '
        '--pair "a model at 45.0 %" --pair "a model at 53.2 %"'
    ),
    "python -m proctor validate answers.jsonl --questions questions.jsonl "
    '--validator "(C x3|U)" --judges openai/o3 --budget 5': (
        "python -m proctor validate data/examples/answers.jsonl --questions data/examples/exam_questions.jsonl "
        '--validator "(C x3|U)" --judges openai/o3 --budget 50'
    ),
    ".venv/bin/python -m proctor.workflow.reproduce -- --profile params/cluster/here": (
        ".venv/bin/python -m proctor.workflow.reproduce --notebook uq/6_agreement -- --profile params/cluster/here"
    ),
}
NOT_HERE = {
    '.venv/bin/pip install ".[cluster]"': "only for those who have a cluster",
    ".venv/bin/python -m proctor.workflow.reproduce -- --profile params/cluster/slurm": "needs SLURM",
    ".venv/bin/python -m proctor.workflow.reproduce -- --profile params/cluster/kubernetes": "needs Kubernetes",
    "vllm run-batch -i q.jsonl -o replies.jsonl --model m": "needs vLLM and a GPU",
    "make logs": "fetches from repositories outside of the package registry",
    "make lock": "asks PyPI for digests",
    "make record": "asks the small models everything again: hours",
    "python -m proctor.recordings.parallel record --studies cbu.all_arms --slots 16": "hours, and weights not fetched",
}
FIRST = ("make setup", "make reproduce")  # what all others rest on
STOPPED = re.compile(r"make (lab|platform)|-m proctor platform --port")  # runs until it is stopped
PASSWORD = "a password of the desk\n" * 2
SECONDS = 3600.0  # for one command


class Command(NamedTuple):
    document: str
    line: int  # of a notebook: the cell
    text: str


class Done(NamedTuple):
    status: int
    seconds: float
    told: str


def commands(root: Path = ROOT) -> list[Command]:
    """Every command of the docs, in reading order; a command that is named twice is there twice."""
    documents = [root / "README.md", root / "CONTRIBUTING.md"]
    for folder, ending in (
        ("docs", "md"),
        ("data", "md"),
        ("params", "yaml"),
        ("examples", "py"),
        ("notebooks", "ipynb"),
    ):
        documents += sorted((root / folder).rglob(f"*.{ending}"))
    return [
        Command(path.relative_to(root).as_posix(), line, text)
        for path in documents
        for line, text in _found(path)
        if PROGRAM.match(text)
    ]


def _found(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of what may be a command."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for number, line in enumerate((ast.get_docstring(ast.parse(text)) or "").splitlines(), 1):
            yield number, re.split(r"\s{3,}", line.strip())[0]
    elif path.suffix == ".ipynb":
        for number, cell in enumerate(json.loads(text)["cells"], 1):
            if cell["cell_type"] == "markdown":
                yield from ((number, found) for _, found in _of_markdown("".join(cell["source"])))
    else:
        yield from _of_markdown(text)


def _of_markdown(text: str) -> Iterator[tuple[int, str]]:
    for block in re.finditer(r"^```(\w*)\n(.*?)^```|`([^`]+)`", text, re.S | re.M):
        line = text[: block.start()].count("\n") + 1
        if block[3]:
            yield line, re.sub(r"\s+(# )?", " ", block[3])
        elif block[1] in ("sh", ""):
            for number, typed in enumerate(block[2].splitlines(), line + 1):
                yield number, typed.partition(" #")[0].strip()


def typed(command: str, whole: bool = False) -> str:
    """What is typed for a command of the docs; {port} stands in it for a free one."""
    as_written = whole and INSTEAD.get(command, "").find(ONE) > 0
    return command if as_written else INSTEAD.get(command, command)


def fresh_clone(folder: Path, venv: Path | None = None) -> Path:
    """A clone of this checkout in `folder`. venv: an environment to use in place of one from the registry, with the
    fetched files of this checkout."""
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    if venv:
        (folder / ".venv").symlink_to(venv.resolve())
        (folder / ".cache").mkdir()
        (folder / ".cache/fetched").symlink_to((ROOT / ".cache/fetched").resolve())
        for name in ("requirements.txt", "pyproject.toml", "lib/proctor/data/fetch.py"):
            os.utime(folder / name, (0, 0))  # else `make` would install and fetch again
    return folder


def environment(clone: Path, **more: str) -> dict[str, str]:
    """Of a reader's shell: no settings of ours, and `python` is .venv/bin/python, as the README says."""
    ours = {name: text for name, text in os.environ.items() if not name.startswith(("PROCTOR_", "PYTHON", "MAKE"))}
    path = f"{clone}/.venv/bin:{os.environ['PATH']}"
    return ours | {"PATH": path, "PYTHONPATH": f"{clone}/lib", "PYTHONNOUSERSITE": "1"} | more


def run(command: str, clone: Path, seconds: float = SECONDS, **more: str) -> Done:
    """Run a command line in the clone; at the time limit it is stopped, with all that it started. One that serves is
    asked for its first page instead, and then stopped."""
    port = free_port()
    start = time.monotonic()
    serves = STOPPED.search(command)
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(
            ["bash", "-c", command.replace("{port}", str(port))],
            cwd=clone, env=environment(clone, **more), text=True, stdin=subprocess.PIPE, stdout=out, stderr=out,
            start_new_session=True,
        )  # fmt: skip
        status = None
        try:
            if serves:
                status = 0 if answers(f"http://127.0.0.1:{port}/api", process) else 1
            else:
                process.communicate(PASSWORD, timeout=seconds)
                status = process.returncode
        except subprocess.TimeoutExpired:
            status = 124
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
        out.seek(0)
        return Done(status, time.monotonic() - start, out.read())


def free_port() -> int:
    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        return own.getsockname()[1]


def answers(url: str, process: subprocess.Popen, seconds: float = 300) -> bool:
    """Whether a server answers there (a page that it lacks is an answer, too) while its process lives."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=10).close()
            return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            time.sleep(0.5)
    return False


@contextmanager
def providers(clone: Path) -> Iterator[dict[str, str]]:
    """Providers' models that the docs name are served here; what the environment needs for that."""
    from provider_models import ManyShapes, served_keys

    with ManyShapes(served_keys()) as server:
        entries = {
            name: {
                "kind": "openai",
                "model": name.partition("/")[2],
                "base_url": f"{server.url}/v1",
                "key_env": "OPENAI_API_KEY",
            }
            for name in ("openai/o3", "openai/gpt-4o", "openai/gpt-4o-mini")
        }
        (clone / "params/my_models.yaml").write_text(json.dumps(entries))
        yield {"OPENAI_API_KEY": "a-key-of-nobody"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=Path, help="an environment to use; none: `make setup` makes one")
    parser.add_argument("--whole", action="store_true", help="all notebooks where the docs say so: hours")
    parser.add_argument("--only", default="", help="only commands that hold this text")
    parser.add_argument("--out", type=Path, help="write the table as CSV, a row for each place")
    options = parser.parse_args()
    places: dict[str, list[Command]] = {}
    for command in commands():
        if options.only in command.text:
            places.setdefault(command.text, []).append(command)
    rows, failed = [], 0
    with tempfile.TemporaryDirectory(prefix="docs-") as folder:
        clone = fresh_clone(Path(folder) / "proctor", options.venv)
        with providers(clone) as more:
            for text in sorted(places, key=FIRST.__contains__, reverse=True):
                command, outcome, seconds = typed(text, options.whole), NOT_HERE.get(text, ""), ""
                if not outcome:
                    done = run(command, clone, **more)
                    outcome, seconds = str(done.status), f"{done.seconds:.1f}"
                    failed += done.status != 0
                    print(done.told[-3000:] if done.status else "", end="", file=sys.stderr)
                as_typed = command if command != text else ""
                rows += [(*place, as_typed, outcome, seconds) for place in places[text]]
                document, line, _ = places[text][0]
                print(f"{document}:{line}", text, as_typed and f"as {as_typed}", outcome, seconds, sep="  ", flush=True)
    if options.out:
        with options.out.open("w", newline="") as file:
            csv.writer(file).writerows([["document", "line", "command", "typed", "status", "seconds"], *rows])
    ran = len(places) - len(NOT_HERE.keys() & places)
    print(f"{len(rows)} commands in the docs, {len(places)} different ones, {ran} run, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
