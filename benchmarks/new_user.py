"""What new users do, step by step in a fresh clone, each step with a check of what it left.

    python benchmarks/new_user.py [--venv .venv] [--walk explore ...] [--start live] [--out table.csv]

first     the README's commands, the start notebook, a notebook of a paper, then the user's own: an exam and a board
          (first with a malformed row each), a model on a local server that wants a key, and a figure
explore   (a) JupyterLab: cells edited and run again, a figure changed, a copy elsewhere, a module of lib/ edited
engineer  (b) the installed package in an empty folder, with endpoints, questions, judges, files of any form, a budget
lecturer  (c) slides, assignments, students' notebooks marked, the figures that the lessons show
reviewer  (d) a number verified, traced, changed on purpose, another seed, the run as a package
trial     (e) keys, mark, compare and judge on a log of inspect_ai, samples of lm-eval and tables typed by hand, each
          with three mistakes at first

Without --venv the first step, `make setup`, builds the environment from the package registry. Prints a line a step: ok
or failed, what, seconds, the command, what was seen; exits 1 where one failed.
"""

import argparse
import csv
import json
import re
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from docs_commands import OPENED, Done, commands, fresh_clone, run
from proctor.exam.formats import zipfile
from provider_models import ManyShapes

KEY = f"sk-{secrets.token_hex(12)}"  # must be written nowhere
PYTHON = ".venv/bin/python -m "
ONE = "NOTEBOOK=uq/6_agreement"
SHOWN = 110  # characters of what was seen
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
RELOADED = [  # a module is edited between two cells
    "from pathlib import Path\n\nfrom proctor.stats.proportions import wilson\n\nprint(wilson(5, 10))",
    "module = Path('../lib/proctor/stats/proportions.py')\nkept = module.read_text()\n"
    "module.write_text(kept + '\\n\\ndef wilson(*_):\\n    return \"edited\"\\n')",
    "print(wilson(5, 10))",
    "module.write_text(kept);",
]


class Steps:
    """The steps of a user in a clone; `rows` holds ok or failed, what, seconds, command, what was seen."""

    def __init__(self, clone: Path, server: ManyShapes, start: str):
        self.clone, self.server, self.start, self.rows, self.begun = clone, server, start, [], 0

    def step(
        self, what: str, command: str, *checks: Callable[[Done], bool] | str, status: int = 0, **more: str
    ) -> None:
        """Run a command. checks: of what it did; a text must be told by it, or is a file that it must leave."""
        self.begun = self.server.arrived
        done = run(command, self.clone, **more)
        wrong = [] if done.status == status else [f"exit {done.status}, not {status}"]
        for check in checks:
            met = check(done) if callable(check) else check in done.told or (self.clone / check).is_file()
            wrong += [] if met else [f"not so: {check if isinstance(check, str) else check.__doc__}"]
        told = [line.strip() for line in done.told.splitlines() if line.strip()]
        named = [line for check in checks if isinstance(check, str) for line in told if check in line]
        named += [check.__doc__ for check in checks if callable(check) and check.__doc__]
        seen = "; ".join(wrong) or (named or told[-1:] or ["nothing"])[0]
        self.rows.append(["failed" if wrong else "ok", what, f"{done.seconds:.1f}", command, seen])
        print(*self.rows[-1][:3], command[:SHOWN], seen[:SHOWN], sep="  ", flush=True)
        if wrong:
            print(done.told[-3000:], file=sys.stderr, flush=True)

    def write(self, name: str, text: str) -> None:
        (self.clone / name).parent.mkdir(parents=True, exist_ok=True)
        (self.clone / name).write_text(text)

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.clone / name).read_text()
        if old not in text:
            raise ValueError(f"{name}: there is no {old!r} to edit any more")
        self.write(name, text.replace(old, new, 1))


def rows(records: Iterable[dict]) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def asked(steps: Steps, n: int) -> Callable[[Done], bool]:
    def check(done: Done) -> bool:
        return steps.server.arrived - steps.begun == n

    check.__doc__ = f"the server was asked {n} times"
    return check


def first(steps: Steps) -> None:
    steps.step("the list of commands", "make", "make reproduce")
    for command in commands(steps.clone):
        if command.document == "README.md" and command.text.startswith(PYTHON + "proctor "):
            steps.step("a command of the README", command.text, lambda done: bool(done.told.strip()))
    steps.step(
        "the start notebook",
        f"{PYTHON}proctor run 00_start_here -p ask_mode {steps.start}",
        "build/runs/00_start_here",
        labelled(steps.clone, "start/twelve_answers", "measured", "runs/00_start_here"),
    )
    steps.step(
        "a notebook of a paper",
        f"make reproduce {ONE} PARAMS=params/quick.yaml",
        "build/own/notebooks/uq/6_agreement.ipynb",
        labelled(steps.clone, "uq/kappa_and_prevalence", "simulated"),
    )
    own_data_and_model(steps)
    own_figure(steps)


def own_data_and_model(steps: Steps) -> None:
    lines = list(own_questions(steps.server))
    steps.write("mine.jsonl", "\n".join([*lines[:2], '{"question": "", "answer": 7}', *lines[2:]]))
    steps.write("params/my_models.yaml", f"mine: {entry(steps.server, 'right-model')}\n")
    exam = f"{PYTHON}proctor exam mine.jsonl --model mine --max-calls 50"
    none = asked(steps, 0)
    steps.step("an exam with a bad row", exam, "mine.jsonl, row 3, column question", "Fill it in", none, status=2)
    steps.write("mine.jsonl", "\n".join(lines))
    steps.step("a model without its key", exam, "MY_SERVER_KEY", none, status=2)
    steps.step("what it would cost", f"{exam} --plan", "12 to ask", none, MY_SERVER_KEY=KEY)
    results = "build/runs/exam-mine/hle/your_exam_results.csv"
    steps.step("an exam of one's own", exam, results, asked(steps, 12), MY_SERVER_KEY=KEY)
    steps.step("the same again", exam, "0 new calls", none, MY_SERVER_KEY=KEY)
    steps.step("the key is written nowhere", f"grep -rIl -e {KEY} . ; test $? = 1")

    scores = [["item", "model A", "model B"], *([n, int(n % 3 > 0), int(n % 2 > 0)] for n in range(60))]
    command = f"{PYTHON}proctor leaderboard board.csv"
    steps.write("board.csv", "\n".join(",".join(map(str, row)) for row in [*scores[:5], [99, "seven", 1], *scores[5:]]))
    steps.step("a leaderboard with a bad row", command, "board.csv, row 6, column model A", "seven", status=2)
    steps.write("board.csv", "\n".join(",".join(map(str, row)) for row in scores))
    steps.step("a leaderboard of one's own", command, "model A", "build/runs/leaderboard-board/kina/own_ranking.png")


def own_questions(server: ManyShapes, n: int = 12) -> Iterable[str]:
    for text, answer in [*server.keys.items()][:n]:
        yield json.dumps({"question": text, "answer": answer, "category": "mine"})


def entry(server: ManyShapes, model: str) -> str:
    return f"{{kind: openai, model: {model}, base_url: '{server.url}/v1', key_env: MY_SERVER_KEY}}"


def own_figure(steps: Steps) -> None:
    """A notebook with the user's own cells."""
    own = "notebooks/uq/my_figure.ipynb"
    steps.write(own, notebook_of(steps, OWN_CELLS))
    made = labelled(steps.clone, "uq/my_figure", "simulated")
    ran = labelled(steps.clone, "uq/my_figure", "simulated", "runs/uq-my_figure")
    steps.step("a figure of one's own", f"{PYTHON}proctor run {own} -p n 300", ran)
    plain = f".venv/bin/papermill -p n 400 {own} build/my_figure.ipynb"
    steps.step("the same by papermill, unnamed", plain, "say Output(..., notebook='uq/3_validators')", status=1)
    steps.edit(own, "'simulated')", "'simulated', notebook='uq/my_figure')")
    steps.step("the same by papermill, named", plain, made, "build/my_figure.ipynb")
    bad = f"{PYTHON}proctor run {own} -p m 300"
    steps.step("a parameter that it has not", bad, "no parameter `m`", status=2)
    (steps.clone / own).unlink()


def notebook_of(steps: Steps, sources: list[str]) -> str:
    book = json.loads((steps.clone / "notebooks/uq/6_agreement.ipynb").read_text())
    book["cells"] = [
        dict(cell_type="code", id=f"c{n}", metadata={"tags": ["parameters"] if n == 0 else []}, outputs=[],
             execution_count=None, source=source)
        for n, source in enumerate(sources)
    ]  # fmt: skip
    book["metadata"]["proctor"] = {"data": []}
    return json.dumps(book)


def labelled(clone: Path, figure: str, evidence: str, folder: str = "figures") -> Callable[[Done], bool]:
    def check(done: Done) -> bool:
        place = clone / f"build/{folder}/{figure}"
        known = place.with_suffix(".png").is_file() and place.with_suffix(".json").is_file()
        return known and evidence in json.loads(place.with_suffix(".json").read_text())["evidence"]

    check.__doc__ = f"build/{folder}/{figure}.png is there, its evidence is {evidence}"
    return check


# (a) Someone who explores and changes a figure


def explore(steps: Steps) -> None:
    steps.step("a notebook that is not there", "make lab NOTEBOOK=uq/nonsense", "did you mean", status=1)
    steps.step("JupyterLab opens", f'make lab {ONE} LAB_ARGS="{OPENED}"', "build/jupyter/kernels/python3/kernel.json")
    validators, agreement = "uq/3_validators", "uq/6_agreement"
    run_cells(steps, "run all cells", validators, seen=["Accuracy rewards refusing"])
    rows = "table = table_s10.load_rows(out.rng(), resamples)"
    without = f"{rows}.query(\"model != 'o3'\")"
    run_cells(steps, "take rows away", validators, (rows, without), seen=["not in the table"])
    bound = ('says="within 0.41..0.60"', 'says="within -1..1"')
    run_cells(steps, "change a claim's bound", agreement, bound, seen=["expected cannot tell, found holds"])
    size = ("out.figure(fig", "fig.set_size_inches(6, 4)\nout.figure(fig")
    run_cells(steps, "a figure six inches wide", agreement, size, seen=["width is 6 inches"])
    limits = (size[0], f"fig.axes[0].set_xlim(0, 0.5)\n{size[0]}")
    run_cells(steps, "a figure's limits", agreement, limits, seen=["image/png"])
    level = ("resamples: int = 2000", "resamples: int = 300")
    run_cells(steps, "another value of a parameter", agreement, level, seen=["of 300 resamples"])
    run_cells(steps, "a copy in another folder", agreement, place="scratch/mine.ipynb", seen=["image/png"])
    steps.write("scratch/reload.ipynb", notebook_of(steps, RELOADED))
    run_cells(steps, "edit a module, run the cell again", "", place="scratch/reload.ipynb", seen=["edited"])
    steps.step("one run with another seed, at first", f'make reproduce {ONE} P="-p seed 8"', "1 run, 0 failed", quiet())


def run_cells(
    steps: Steps, what: str, name: str, *edits: tuple[str, str], place: str = "", seen: Iterable[str] = ()
) -> None:
    """All cells of a notebook, with some text edited, in a kernel as `make lab` starts it. seen: on its page then."""
    place = place or f"notebooks/{name.replace('/', '/copy_of_')}.ipynb"
    if name:
        book = json.loads((steps.clone / f"notebooks/{name}.ipynb").read_text())
        for old, new in edits:
            cells = [cell for cell in book["cells"] if old in "".join(cell["source"]) and cell["cell_type"] == "code"]
            if not cells:
                raise ValueError(f"{name} has no cell with {old!r}: this walk was written for an older notebook")
            cells[0]["source"] = "".join(cells[0]["source"]).replace(old, new, 1)
        steps.write(place, json.dumps(book))

    def check(done: Done) -> bool:
        cells = json.loads((steps.clone / place).read_text())["cells"]
        page = json.dumps([cell.get("outputs") for cell in cells], ensure_ascii=False)
        return all(text in page for text in seen)

    check.__doc__ = f"the page shows {', '.join(seen)}"
    kernel = f"JPY_SESSION_NAME=$PWD/{place} JUPYTER_PATH=$PWD/build/jupyter"
    steps.step(what, f"{kernel} .venv/bin/jupyter execute --inplace {place}", check)
    (steps.clone / place).unlink()


def quiet() -> Callable[[Done], bool]:
    def check(done: Done) -> bool:
        return not re.search(r"\bkept\s+\w+/", done.told)

    check.__doc__ = "no other notebook is named"
    return check


# (b) An engineer with endpoints, questions, a judge and a budget; the package is installed, no checkout


def engineer(steps: Steps) -> None:
    install = "pip install -q . --no-deps --no-build-isolation --target build/site && rm -rf build/lib build/bdist*"
    steps.step("install the package", install, "build/site/bin/proctor")
    site, here = steps.clone / "build/site", "engineer"
    steps.write(f"{here}/config/proctor/my_models.yaml", "".join(
        f"{name}: {entry(steps.server, f'{name}-model')}\n" for name in ("right", "wrong", "mute", "mixed")
    ))  # fmt: skip
    prices = "".join(f"{name}: {{input: 1, output: 2}}\n" for name in ("right", "wrong", "mute"))
    steps.write(f"{here}/config/proctor/my_prices.yaml", prices)
    places = {f"XDG_{kind}_HOME": str(steps.clone / here / kind.lower()) for kind in ("CONFIG", "CACHE")}
    own = places | {"PYTHONPATH": str(site), "MY_SERVER_KEY": KEY}

    def proctor(what: str, words: str, *checks: Callable[[Done], bool] | str, **more) -> None:
        steps.step(what, f"cd {here} && ../build/site/bin/proctor {words}", *checks, **own | more)

    questions = [json.loads(line) for line in own_questions(steps.server)]
    steps.write(f"{here}/q.jsonl", "\n".join(map(json.dumps, questions)))
    lines = [f'q{n};"{one["question"]}";{one["answer"]}' for n, one in enumerate(questions)]
    steps.write(f"{here}/europe.csv", "\n".join(["nr;prompt;gold", *lines]))
    proctor("its version", "--version", "proctor ")
    proctor("a formula", "how-many items --rates 0.6 0.5", "408 items")
    exam, none = "exam q.jsonl --model right", asked(steps, 0)
    proctor("an exam without a budget", exam, "Give --budget DOLLARS", none, status=2)
    proctor("the plan", f"{exam} --plan", "12 to ask", "at most $", none)
    proctor("an exam within a budget", f"{exam} --budget 1 --name right", "100.0%", asked(steps, 12))
    proctor("the same again", f"{exam} --budget 1 --name right", "0 new calls", none)
    dear = "exam q.jsonl --model wrong --budget 0.000001 --name dear"
    proctor("a budget that is too small", dear, "budget", none, status=1)
    unpriced = "exam q.jsonl --model mixed --budget 1"
    proctor("a model without a price", unpriced, "my_prices.yaml", none, status=2)
    proctor("none is right", "exam q.jsonl --model mute --budget 1 --name mute", "0.0%", "unreadable")
    proctor("another model", "exam q.jsonl --model wrong --budget 1 --name wrong", "0.0%")
    answers = "build/runs/{}/hle/your_exam_answers.csv"
    proctor("compare two runs", f"compare {answers.format('right')} {answers.format('wrong')}", "right", "wrong")
    proctor("a file of other columns", "exam europe.csv --model right --plan", "prompt", "--column", status=2)
    columns = "--column id=nr --column question=prompt --column answer=gold"
    proctor("its columns named", f"exam europe.csv --model right --plan {columns}", "12 cached")
    named = [{"id": f"q{n}"} | question for n, question in enumerate(questions)]
    steps.write(f"{here}/q.jsonl", rows(named))
    steps.write(f"{here}/a.jsonl", rows({"question_id": one["id"], "text": one["answer"]} for one in named))
    steps.write(f"{here}/c.jsonl", rows({"question_id": one["id"], "text": text} for one in named[:6] for text in "ab"))
    near = ({"id": f"n{n}", "neighbour_of": f"q{n}", "question": f"{n} + 1?", "answer": n + 1} for n in range(6))
    steps.write(f"{here}/n.jsonl", rows(near))
    validate = "validate a.jsonl --questions q.jsonl --judges right"
    for validator in ("C", "(C x3|U)", "CC => FLC => C"):
        words = f'{validate} --validator "{validator}" --export v.jsonl'
        proctor(f"first requests of {validator}", words, "12 requests in v.jsonl", none)
    proctor("two judges, the validator unsaid", f"{validate} --judges wrong --budget 1 --name two", "two")
    words = (
        "candidates c.jsonl --neighbours n.jsonl --questions q.jsonl --model right --rollouts 2 --budget 1 --name six"
    )
    proctor("candidates to half of the questions", words, "runs/six")
    words = "run hle/your_exam -p models \"['right']\" -p mode auto -p question_file $PWD/q.jsonl -p judge ''"
    proctor("a notebook on kept replies", words, "0 to ask", none)
    anew = f'{words} -p settings "{{temperature: 0.5}}"'
    proctor("a notebook without a budget", anew, "Give --budget DOLLARS", none, status=1)
    proctor("a notebook within a budget", f"{anew} --budget 1", "12 to ask", asked(steps, 12))
    steps.step("the key is written nowhere", f"grep -rIl -e {KEY} . ; test $? = 1")


# (c) A lecturer


def lecturer(steps: Steps) -> None:
    teaching = (steps.clone / "docs/teaching.md").read_text()
    shown = [name for name in re.findall(r"\]\(\.\./([^)#]+)", teaching) if not (steps.clone / name).exists()]
    steps.step("what the lessons show is there", f"test -z '{' '.join(shown)}'")
    steps.step("slides of each lesson", "make slides", "build/slides/")
    steps.step("exercises to hand out", "make assignments", "build/assignments/uq/exercises.ipynb")
    steps.step("no solution is in them", "! grep -l show_solutions build/assignments/*/exercises.ipynb")
    solved = f"{PYTHON}proctor run uq/exercises -p show_solutions true"
    steps.step("all solutions", solved, "build/runs/uq-exercises")
    steps.step(
        "what students return", "mkdir -p returned && cp build/assignments/uq/exercises.ipynb returned/ada.ipynb"
    )
    steps.step("marks", f"{PYTHON}proctor.workflow.grade returned", "ada,uq/1,empty")
    logs = f"{PYTHON}proctor run hle/4_frontier_runs"
    steps.step("a notebook whose logs are not here", logs, "make logs", status=2)
    for name in (".binder/postBuild", ".devcontainer/devcontainer.json"):
        steps.step("a launch file", f"test -f {name}", name)


# (d) A reviewer of a number


def reviewer(steps: Steps) -> None:
    steps.step("a number comes out again", f"make verify {ONE}", " same bytes. Tol")
    steps.step("where a table was printed", "grep -c . data/published/sources.csv", "6")
    steps.edit("data/published/uq/table_S9.csv", "92", "88")
    steps.step(
        "a digit changed in a published table",
        f"make verify {ONE}",
        "its input data/published/uq/table_S9.csv has changed",
        status=2,
    )
    steps.step("taken back", "git checkout -q data && make verify " + ONE, " same bytes. Tol")
    steps.step("a run", f"make reproduce {ONE}", "1 run, 0 failed")
    steps.step("and a quick one", f"make reproduce {ONE} PARAMS=params/quick.yaml", "1 run, 0 failed")
    steps.step("the first as a package", f"make crate {ONE}", "build/ro-crate")
    steps.step("what is regenerated", "make status", without("Problems"))
    steps.step("another seed", 'make sweep P="uq/6_agreement --seed 20260101 7"', "verdict")
    steps.step("what changed since", f"{PYTHON}proctor diff HEAD", "claim")
    steps.step("kills of the desk are on record", "grep -c 'lost, doubled or torn: 0' benchmarks/desk_faults.txt", "3")


def without(text: str) -> Callable[[Done], bool]:
    def check(done: Done) -> bool:
        return text not in done.told

    check.__doc__ = f"it does not say {text}"
    return check


# (e) Someone with an exam, kept replies and a judge

RIGHT = {f"item-{n:02}": "ABCD"[n % 4] for n in range(40)}
FALSE_KEY = "item-08"  # whose key in the user's file is B; it should be A


def trial(steps: Steps) -> None:
    keys = [[name, "B" if name == FALSE_KEY else letter] for name, letter in RIGHT.items()]
    inspect_log(steps.clone / "run.eval")
    steps.write("samples_mine.jsonl", rows(lm_eval_lines()))
    by_hand = [[name, "by-hand", letter if n % 8 else "C"] for n, (name, letter) in enumerate(RIGHT.items(), start=1)]
    steps.write("replies.csv", table(["item", "model", "answer"], by_hand))
    logs, chosen = "run.eval samples_mine.jsonl", "--score choice --score exact_match --filter flexible-extract"
    mark = f"{PYTHON}proctor mark {logs} --keys keys.csv"

    typed = [[*key, "multipleChoice"] for key in keys]
    typed[2][0], typed[5][1], typed[9][1] = typed[1][0], "7", ""
    steps.write("keys.csv", table(["id", "answer", "answer_type"], typed))
    steps.step(
        "keys with three mistakes",
        mark,
        "3 problems:",
        "keys.csv, row 4, column id: 'item-01' is the id of row 3 too. Give each question one key.",
        "keys.csv, row 7, column answer: '7' is no letter",
        "keys.csv, row 11, column answer: empty or missing. Give every row its id and its key.",
        status=2,
    )
    steps.write("keys.csv", table(["id", "answer"], keys))
    two = "run.eval, column scores: choice, model_graded_qa. Choose one, such as --score choice."
    steps.step("a log with two scorers", mark, two, status=2)
    two = (
        "samples_mine.jsonl, column filter: strict-match, flexible-extract. Choose one, such as --filter strict-match."
    )
    steps.step("samples with two filters", f"{mark} --score choice --score exact_match", two, status=2)
    steps.step(
        "kept replies under the keys",
        f"{mark} {chosen}",
        "gpt-x: 87.5% [73.9, 94.5], 35 right, 0 undecided, of 40 questions",
        "marked in the file too: 40; 90.0% there, 87.5% now; 0 turned right, 1 turned wrong, p = 1 (McNemar's exact",
        "samples_mine: 75.0% [59.8, 85.8], 30 right, 0 undecided, of 40 questions",
        "marked in the file too: 40; 77.5% there, 75.0% now; 0 turned right, 1 turned wrong",
        "build/runs/mark-keys/marks.csv",
    )
    steps.step("the two runs compared", f"{PYTHON}proctor compare {logs} {chosen} --name two", "12 [", "40 items")

    steps.step(
        "which key is wrong",
        f"{PYTHON}proctor keys {logs} replies.csv --answers keys.csv {chosen} --review 4",
        "40 items, 3 systems: gpt-x, samples_mine, by-hand",
        "build/runs/keys-run/cases.csv",
        first_suspect(steps, "build/runs/keys-run/hle_verified/your_exam_suspects.csv"),
    )
    wide = [[name, letter, letter, letter] for name, letter in RIGHT.items()]
    wide[4][0], wide[7][3], wide[9][1] = wide[3][0], "7", ""
    steps.write("wide.csv", table(["item", "key", "alpha", "beta"], wide))
    steps.step(
        "a table of answers with three mistakes",
        f"{PYTHON}proctor keys wide.csv",
        "3 problems:",
        "wide.csv, row 6, column item: 'item-03' is the item of row 5 too.",
        "wide.csv, row 9, column beta: '7' is a number, the keys are letters.",
        "wide.csv, row 11, column key: empty. Give the item its key, or delete the row.",
        status=2,
    )
    judged_by_hand(steps)


def judged_by_hand(steps: Steps) -> None:
    """The judge accepts 20 of 40 answers; of the 20 labelled ones 9 of 10 right ones and 1 of 10 wrong ones."""
    accepts = [n % 2 == 0 for n in range(40)]
    labels = [[f"a{n:02}", "yes" if accepts[n] != (n in (4, 5)) else "no"] for n in range(20)]
    verdicts = [[f"a{n:02}", "accept" if accepts[n] else "reject"] for n in range(40)]
    steps.write("verdicts.csv", table(["answer_id", "verdict"], verdicts))
    judge = f"{PYTHON}proctor judge labels.csv verdicts.csv"
    typed = [*labels[:1], ["a00", "no"], ["a02", "7"], ["", "yes"], *labels[4:]]
    steps.write("labels.csv", table(["answer_id", "correct"], typed))
    steps.step(
        "labels with three mistakes",
        judge,
        "3 problems:",
        "labels.csv, row 3, column correct: an earlier row says otherwise of 'a00'. Give each answer one label.",
        "labels.csv, row 4, column correct: '7' is no label. Write yes or no, or leave it empty.",
        "labels.csv, row 5, column answer_id: empty. Name the answer.",
        status=2,
    )
    steps.write("labels.csv", table(["answer_id", "correct"], labels))
    steps.step(
        "how far the judge can be trusted",
        judge,
        lines_of(
            "judge labelled sensitivity specificity precision kappa",
            "judge 20 90 [60, 98] 90 [60, 98] 90 [60, 98] 0.80",
        ),
        lines_of("judge answers labelled accepted right", "judge 40 20 50 50 ["),
    )
    licence = f"{judge} --licence-for judge --prompt my-prompt"
    steps.step("its licence", licence, "licence of judge, for ", "build/runs/judge-verdicts/licence.json")


def inspect_log(path: Path) -> None:
    """A log as inspect_ai 0.3.285 writes it, of gpt-x with two scorers; right on 36 of 40 items."""
    header = {"version": 2, "status": "success", "eval": {"model": "gpt-x", "task": "mine"}}
    summaries = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_ZSTANDARD) as file:
        file.writestr("_journal/start.json", json.dumps(header))
        for n, (name, letter) in enumerate(RIGHT.items()):
            said = letter if n % 10 != 1 else "A"
            choice = {"message": {"role": "assistant", "content": f"Answer: {said}"}, "stop_reason": "stop"}
            scores = {
                "choice": {"value": "C" if said == letter else "I", "answer": said},
                "model_graded_qa": {"value": "C", "answer": said, "explanation": "It reads well."},
            }
            sample = {"id": name, "epoch": 1, "input": "?", "target": letter, "scores": scores}
            summaries.append(dict(sample))
            sample["output"] = {"model": "gpt-x", "choices": [choice]}
            file.writestr(f"samples/{name}_epoch_1.json", json.dumps(sample))
        file.writestr("summaries.json", json.dumps(summaries))
        file.writestr("header.json", json.dumps(header))


def lm_eval_lines() -> Iterable[dict]:
    """Lines as lm-eval writes them, by two filters; the lenient one finds 31 of 40 right answers."""
    for filter in ("strict-match", "flexible-extract"):
        for n, (name, letter) in enumerate(RIGHT.items()):
            said = letter if n % 4 or name == FALSE_KEY else "D"
            found = said if filter == "flexible-extract" else "[invalid]"
            yield {
                "doc_id": n,
                "doc": {"id": name, "question": "?"},
                "target": letter,
                "arguments": {"gen_args_0": {"arg_0": "?", "arg_1": {"until": ["Q:"]}}},
                "resps": [[f"So it is {said}"]],
                "filtered_resps": [found],
                "filter": filter,
                "metrics": ["exact_match"],
                "exact_match": float(found == letter),
            }


def table(header: list[str], lines: list[list[str]]) -> str:
    return "".join(",".join(line) + "\n" for line in [header, *lines])


def first_suspect(steps: Steps, name: str) -> Callable[[Done], bool]:
    def check(done: Done) -> bool:
        with (steps.clone / name).open(newline="") as file:
            return next(csv.DictReader(file))["item"] == FALSE_KEY

    check.__doc__ = f"{FALSE_KEY} is the first suspect"
    return check


def lines_of(*wanted: str) -> Callable[[Done], bool]:
    def check(done: Done) -> bool:
        told = [" ".join(line.split()) for line in done.told.splitlines()]
        return all(any(line.startswith(text) for line in told) for text in wanted)

    check.__doc__ = f"it says {wanted[-1]}"
    return check


WALKS = {walk.__name__: walk for walk in (first, explore, engineer, lecturer, reviewer, trial)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=Path, help="an environment to use; none: `make setup` makes one")
    parser.add_argument("--walk", choices=WALKS, nargs="+", default=list(WALKS), help="default: all")
    parser.add_argument("--start", choices=("live", "replay"), default="live", help="ask_mode of the start notebook")
    parser.add_argument("--out", type=Path, help="write the table as CSV, too")
    options = parser.parse_args()
    keys = {f"What is {n} + {n}?": str(2 * n) for n in range(12)}
    with tempfile.TemporaryDirectory(prefix="user-") as folder, ManyShapes(keys) as server:
        steps = Steps(fresh_clone(Path(folder) / "proctor", options.venv), server, options.start)
        steps.step("set up", "make setup", ".venv/bin/python", ".cache/fetched/.complete")
        for name in options.walk:
            print(f"{name}:", flush=True)
            WALKS[name](steps)
            steps.step("what git holds is as it was", "git diff --exit-code")
    if options.out:
        with options.out.open("w", newline="") as file:
            csv.writer(file).writerows([["outcome", "step", "seconds", "command", "seen"], *steps.rows])
    failed = sum(outcome != "ok" for outcome, *_ in steps.rows)
    print(f"{len(steps.rows)} steps, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
