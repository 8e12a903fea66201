"""Run every notebook that asks models on models of a local server: both interfaces, and four kinds of models.

    python benchmarks/provider_models.py [--live] [NOTEBOOK ...]

The kinds (tests/notebooks/many_shapes.py): two that reply in many shapes; one alone that says nothing readable, one
that is always right, one that is always wrong. Prints a line a run, and the error of those that fail, or what is wrong
with their page. Over an hour for all on two cores; name notebooks to run a part.

--live walks through params/live.yaml instead, in a fresh clone, with a model that has a price, the interfaces in turns.
Each notebook is killed after some replies, run again to its end, and then run once more with a budget of nothing.
Told are replies before the kill, replies after it, and requests that were asked twice: no more than were in flight, and
the second run must say that it goes on. The third must be refused before any call, although every reply is kept.
"""

import argparse
import contextlib
import importlib.util
import itertools
import os
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from docs_commands import environment, fresh_clone

TESTS = Path(__file__).resolve().parents[1] / "tests"
for name, path in (("faulty_server", "models/faulty_server.py"), ("conftest", "notebooks/conftest.py")):
    spec = importlib.util.spec_from_file_location(name, TESTS / path)  # the latter brings many_shapes
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])

from conftest import page_faults  # noqa: E402
from many_shapes import ManyShapes, asking_notebooks, provider_values  # noqa: E402
from proctor import paths  # noqa: E402
from proctor.exam import recorded  # noqa: E402
from proctor.files import write_atomic  # noqa: E402
from proctor.models.cache import Cache  # noqa: E402
from proctor.workflow import params  # noqa: E402
from proctor.workflow.jobs import Job  # noqa: E402
from proctor.workflow.notebook import Notebook, all_notebooks  # noqa: E402

KINDS = ("openai", "anthropic")
LINES = (["mixed", "mixed-2"], ["mute"], ["right"], ["wrong"])
MODELS = LINES[0]  # of the walk through live.yaml
REPLIES = 12  # after which a run is killed
IN_FLIGHT = 8  # calls at once, of a session


def served_keys() -> dict[str, str]:
    """The right answers that a server of ManyShapes needs, by question."""
    return {question.question: question.answer for question in [*recorded.families(1), *recorded.exam_questions(12)]}


def command(
    name: str, folder: str, profile: str, server: ManyShapes, kind: str, models: list[str], **more
) -> list[str]:
    """A process that runs the notebook with `models` of the server in the place of those that it names: what it leaves
    goes to folder/figures and folder/out.ipynb."""
    if name == "kina/4_scaling_cost_tools" and len(models) < 2:
        models = [models[0], f"{models[0]}-2"]  # a slope needs two
    values = params.resolve(all_notebooks(), paths.PARAMS / profile)[name]
    given = {key: value for key, value in provider_values(name, server.url, kind, models).items() if key != "mode"}
    place = Path(folder)
    job = Job(Notebook(f"notebooks/{name}.ipynb"), values | given | more, place / "out.ipynb", place / "figures",
              receipt=place / "r.json")  # fmt: skip
    place = write_atomic(place / "job", pickle.dumps(job))
    return [sys.executable, "-m", "proctor.workflow.jobs", str(place)]


def every_kind(names: list[str]) -> int:
    failed = 0
    with ManyShapes(served_keys()) as server, tempfile.TemporaryDirectory() as folder:
        own = os.environ | {"PROCTOR_REPLIES": f"{folder}/replies.sqlite"}
        for name, kind, models in itertools.product(names, KINDS, LINES):
            place = f"{folder}/{kind}-{models[0]}"  # no figure of another run of the notebook is taken for its own
            asked = command(name, place, "quick.yaml", server, kind, models, mode="auto")
            start = time.monotonic()
            run = subprocess.run(asked, cwd=paths.ROOT, env=own, capture_output=True, text=True)
            wrong = [run.stderr] if run.returncode else page_faults(name, Path(place))
            failed += bool(wrong)
            said = "\n".join(["FAILED", *wrong]) if wrong else "ok"
            print(f"{name:34} {kind:9} {' '.join(models):15} {time.monotonic() - start:5.1f} s  {said}", flush=True)
    print(f"{len(names)} notebooks, {len(names) * len(KINDS) * len(LINES)} runs, {failed} failed")
    return int(failed > 0)


def live(names: list[str]) -> int:
    failed = 0
    with ManyShapes(served_keys()) as server, tempfile.TemporaryDirectory() as folder:
        clone = fresh_clone(Path(folder) / "proctor", Path(sys.prefix))
        with (clone / "params/prices.yaml").open("a") as prices:
            for served in (
                (f"openai/{m}@{server.url}/v1" for m in MODELS),
                (f"anthropic/{m}@{server.url}" for m in MODELS),
            ):
                prices.writelines(f"{model}: {{input: 1, output: 2}}\n" for model in served)
        for number, name in enumerate(names):
            kind, out = KINDS[number % 2], Path(folder) / "1000/out.ipynb"
            out.unlink(missing_ok=True)
            cache, start = Path(folder) / f"replies_{number}.sqlite", time.monotonic()
            places = environment(clone, PROCTOR_REPLIES=str(cache), PROCTOR_FIGURES=f"{folder}/figures")
            asked, poor = (
                command(name, f"{folder}/{budget}", "live.yaml", server, kind, MODELS, budget=budget)
                for budget in (1000, 0.000001)
            )
            how = dict(cwd=clone, env=places, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            begun = server.arrived
            killed = kill_after(subprocess.Popen(asked, **how), server, begun + REPLIES)
            before = server.arrived - begun
            second = subprocess.run(asked, **how)
            after = server.arrived - begun - before
            twice = before + after - len(Cache(cache))
            page = out.read_text() if out.exists() else ""
            third = subprocess.run(poor, **how)
            wrong = {
                "the run after the kill failed": second.returncode != 0,
                "it does not say that it goes on": killed and "live: goes on with the run" not in page,
                f"{twice} requests were asked twice": twice > IN_FLIGHT * killed,
                "no plan is shown": "to ask (about" not in page,
                "it was not refused over its budget": "nothing was asked: this may need" not in third.stdout,
                "it asked over its budget": server.arrived != begun + before + after,
            }
            said = "; ".join(text for text, is_so in wrong.items() if is_so)
            failed += bool(said)
            counts = f"{before:4} replies{', killed,' if killed else ', ended,'} {after:4} after, {twice} twice"
            print(f"{name:34} {kind:9} {counts} {time.monotonic() - start:5.1f} s  {said or 'ok'}", flush=True)
            if said:
                print(second.stdout[-2000:], third.stdout[-1000:], file=sys.stderr, flush=True)
    print(f"{len(names)} notebooks, {failed} failed")
    return int(failed > 0)


def kill_after(process: subprocess.Popen, server: ManyShapes, arrived: int) -> bool:
    """Kill the process, and all that it started, when so many requests have arrived. False where it ended before."""
    server.latency = 0.1  # else it is done before we look
    while process.poll() is None and server.arrived < arrived:
        time.sleep(0.02)
    alive = process.poll() is None
    for each in [*psutil.Process(process.pid).children(recursive=True), process] if alive else []:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    process.communicate()
    server.latency = 0.0
    time.sleep(0.5)  # what was in flight comes home
    return alive


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--live", action="store_true", help="walk through params/live.yaml")
    parser.add_argument("notebook", nargs="*", help="default: all that ask models")
    options = parser.parse_args()
    return (live if options.live else every_kind)(options.notebook or asking_notebooks())


if __name__ == "__main__":
    sys.exit(main())
