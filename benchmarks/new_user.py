"""What a new user does, step by step in a fresh clone, each step with a check of what it left.

    python benchmarks/new_user.py [--venv .venv] [--start live] [--out table.csv]

The README's commands, the start notebook, one notebook of a paper, then the user's own: an exam and a leaderboard
(first with a malformed row each), a model on a local server that wants a key, and a figure. Without --venv the first
step, `make setup`, builds the environment from the package registry. Prints a row a step: what, command, outcome,
seconds; exits 1 where one failed.
"""

import argparse
import csv
import json
import secrets
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from docs_commands import Done, commands, fresh_clone, run
from provider_models import ManyShapes

KEY = f"sk-{secrets.token_hex(12)}"  # must be written nowhere
PYTHON = ".venv/bin/python -m "
OWN_CELLS = [
    "n: int = 200  # answers that two people judged\nseed: int = 1",
    "from proctor.report.figures import axes\nfrom proctor.report.output import Output\n"
    "from proctor.stats.proportions import wilson\n\nout = Output(evidence='simulated')",
    "agreed = int((out.rng().random(n) < 0.8).sum())\nlow, high = wilson(agreed, n)\n"
    "claim = out.claim('uq/my_agreement', 'Two people agree on more than half of the answers', says='> 50', unit='%',\n"
    "                  estimate=100 * agreed / n, interval=(100 * low, 100 * high), n=n, of='answers')",
    "fig, ax = axes()\nax.plot([100 * low, 100 * high], [0, 0])\n"
    "ax.set(xlim=(0, 100), yticks=[], xlabel='agreement (%)')\n"
    "out.figure(fig, 'uq/my_figure', claim=claim, alt='How often two people agree, with its interval, above a half')",
]


class Steps:
    """The steps of one user in a clone; `rows` holds what, command, whether all was as it should be, seconds."""

    def __init__(self, clone: Path):
        self.clone, self.rows = clone, []

    def step(
        self, what: str, command: str, *checks: Callable[[Done], bool] | str, status: int = 0, **more: str
    ) -> None:
        """Run a command. checks: of what it did; a text must be told by it, or is a file that it must leave."""
        done = run(command, self.clone, **more)
        wrong = [] if done.status == status else [f"exit {done.status}, not {status}"]
        for check in checks:
            met = check(done) if callable(check) else check in done.told or (self.clone / check).is_file()
            wrong += [] if met else [f"not so: {check if isinstance(check, str) else check.__doc__}"]
        self.rows.append([what, command, "; ".join(wrong) or "ok", f"{done.seconds:.1f}"])
        print(*self.rows[-1], sep="  ", flush=True)
        if wrong:
            print(done.told[-3000:], file=sys.stderr, flush=True)


def first_steps(steps: Steps, start: str) -> None:
    steps.step("set up", "make setup", ".venv/bin/python", ".cache/fetched/manifest.json")
    steps.step("the list of commands", "make", "make reproduce")
    for command in commands(steps.clone):
        if command.document == "README.md" and command.text.startswith(PYTHON + "proctor "):
            steps.step("a command of the README", command.text, lambda done: bool(done.told.strip()))
    steps.step(
        "the start notebook",
        f"{PYTHON}proctor.workflow.run notebooks/00_start_here.ipynb -p ask_mode {start}",
        "build/own/notebooks/00_start_here.ipynb",
        labelled(steps.clone, "start/twelve_answers", "measured"),
    )
    steps.step(
        "a notebook of a paper",
        "make reproduce NOTEBOOK=uq/6_agreement PARAMS=params/quick.yaml",
        "build/own/notebooks/uq/6_agreement.ipynb",
        labelled(steps.clone, "uq/kappa_and_prevalence", "simulated"),
    )


def own_data_and_model(steps: Steps, server: ManyShapes) -> None:
    rows = [{"question": text, "answer": answer, "category": "mine"} for text, answer in server.keys.items()]
    lines = [json.dumps(row) for row in rows[:12]]
    (steps.clone / "mine.jsonl").write_text("\n".join([*lines[:2], '{"question": "", "answer": 7}', *lines[2:]]))
    (steps.clone / "params/my_models.yaml").write_text(
        f"mine:\n  kind: openai\n  model: right-model\n  base_url: {server.url}/v1\n  key_env: MY_SERVER_KEY\n"
    )
    exam = f"{PYTHON}proctor exam mine.jsonl --model mine --max-calls 50"

    def asked(n: int) -> Callable[[Done], bool]:
        def check(done: Done) -> bool:
            return server.arrived == n

        check.__doc__ = f"the server was asked {n} times"
        return check

    steps.step("an exam with a bad row", exam, "mine.jsonl, row 3, column question", "Fill it in", asked(0), status=2)
    (steps.clone / "mine.jsonl").write_text("\n".join(lines))
    steps.step("a model without its key", exam, "MY_SERVER_KEY", asked(0), status=2)
    steps.step("what it would cost", exam.replace("exam", "plan exam", 1), "12 to ask", asked(0), MY_SERVER_KEY=KEY)
    results = "build/runs/exam-mine/hle/your_exam_results.csv"
    steps.step("an exam of one's own", exam, results, asked(12), MY_SERVER_KEY=KEY)
    steps.step("the same again", exam, "0 new calls", asked(12), MY_SERVER_KEY=KEY)
    steps.step("the key is written nowhere", f"grep -rIl -e {KEY} . ; test $? = 1")

    scores = [["item", "model A", "model B"], *([n, int(n % 3 > 0), int(n % 2 > 0)] for n in range(60))]
    board, command = steps.clone / "board.csv", f"{PYTHON}proctor leaderboard board.csv"
    board.write_text("\n".join(",".join(map(str, row)) for row in [*scores[:5], [99, "seven", 1], *scores[5:]]))
    steps.step("a leaderboard with a bad row", command, "board.csv, row 6, column model A", "seven", status=2)
    board.write_text("\n".join(",".join(map(str, row)) for row in scores))
    steps.step("a leaderboard of one's own", command, "model A", "build/runs/leaderboard-board/kina/own_ranking.png")


def own_figure(steps: Steps) -> None:
    """A copy of a notebook, with the user's own cells."""
    own = "notebooks/uq/my_figure.ipynb"
    notebook = steps.clone / own
    book = json.loads((steps.clone / "notebooks/uq/6_agreement.ipynb").read_text())
    kinds = [["parameters"], [], [], []]
    book["cells"] = [
        dict(cell_type="code", id=f"c{n}", metadata={"tags": tags}, outputs=[], execution_count=None, source=source)
        for n, (tags, source) in enumerate(zip(kinds, OWN_CELLS))
    ]
    book["metadata"]["proctor"] = {"data": []}
    notebook.write_text(json.dumps(book))
    made = labelled(steps.clone, "uq/my_figure", "simulated")
    steps.step("a figure of one's own", f"{PYTHON}proctor.workflow.run {own} -p n 300", made)
    (steps.clone / "build/figures/uq/my_figure.json").unlink(missing_ok=True)
    plain = f".venv/bin/papermill -p n 400 {own} build/my_figure.ipynb"
    steps.step("the same by papermill, unnamed", plain, "say Output(notebook='uq/3_validators')", status=1)
    notebook.write_text(notebook.read_text().replace("'simulated')", "'simulated', notebook='uq/my_figure')"))
    steps.step("the same by papermill, named", plain, made, "build/my_figure.ipynb")
    bad = f"{PYTHON}proctor.workflow.run {own} -p m 300"
    steps.step("a parameter that it has not", bad, "no parameter `m`", status=2)


def labelled(clone: Path, figure: str, evidence: str) -> Callable[[Done], bool]:
    def check(done: Done) -> bool:
        place = clone / f"build/figures/{figure}"
        known = place.with_suffix(".png").is_file() and place.with_suffix(".json").is_file()
        return known and evidence in json.loads(place.with_suffix(".json").read_text())["evidence"]

    check.__doc__ = f"build/figures/{figure}.png is there, its evidence is {evidence}"
    return check


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=Path, help="an environment to use; none: `make setup` makes one")
    parser.add_argument("--start", choices=("live", "replay"), default="live", help="ask_mode of the start notebook")
    parser.add_argument("--out", type=Path, help="write the table as CSV, too")
    options = parser.parse_args()
    keys = {f"What is {n} + {n}?": str(2 * n) for n in range(12)}
    with tempfile.TemporaryDirectory(prefix="user-") as folder, ManyShapes(keys) as server:
        steps = Steps(fresh_clone(Path(folder) / "proctor", options.venv))
        first_steps(steps, options.start)
        own_data_and_model(steps, server)
        own_figure(steps)
        steps.step("what git holds is as it was", "git diff --exit-code")
    if options.out:
        with options.out.open("w", newline="") as file:
            csv.writer(file).writerows([["step", "command", "outcome", "seconds"], *steps.rows])
    failed = sum(outcome != "ok" for _, _, outcome, _ in steps.rows)
    print(f"{len(steps.rows)} steps, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
