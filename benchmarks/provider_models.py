"""Run every notebook that asks models on models of a local server: both interfaces, and four kinds of models.

    python benchmarks/provider_models.py [NOTEBOOK ...]

The kinds (tests/notebooks/many_shapes.py): two that reply in many shapes; one alone that says nothing readable, one
that is always right, one that is always wrong. Prints a line a run, and the error of those that fail. About 20 minutes.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
for name, path in (("faulty_server", "models/faulty_server.py"), ("many_shapes", "notebooks/many_shapes.py")):
    spec = importlib.util.spec_from_file_location(name, TESTS / path)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])

from many_shapes import ManyShapes, asking_notebooks, provider_values  # noqa: E402
from proctor import paths  # noqa: E402
from proctor.exam import recorded  # noqa: E402

LINES = (["mixed", "mixed-2"], ["mute"], ["right"], ["wrong"])


def served_keys() -> dict[str, str]:
    """The right answers that a server of ManyShapes needs, by question."""
    return {question.question: question.answer for question in [*recorded.families(1), *recorded.exam_questions(12)]}


def main(names: list[str]) -> int:
    failed = 0
    with ManyShapes(served_keys()) as server, tempfile.TemporaryDirectory() as folder:
        places = {"PROCTOR_REPLIES": f"{folder}/replies.sqlite", "PROCTOR_FIGURES": f"{folder}/figures"}
        for name in names:
            for kind in ("openai", "anthropic"):
                for models in LINES:
                    if name == "kina/4_scaling_cost_tools" and len(models) < 2:
                        models = [models[0], f"{models[0]}-2"]  # a slope needs two
                    given = [
                        f"-p\0{key}\0{value!r}"
                        for key, value in provider_values(name, server.url, kind, models).items()
                    ]
                    command = [
                        sys.executable,
                        "-m",
                        "proctor.workflow.run",
                        f"notebooks/{name}.ipynb",
                        f"{folder}/out.ipynb",
                    ]
                    command += ["--params", "params/quick.yaml", *(part for one in given for part in one.split("\0"))]
                    start = time.monotonic()
                    run = subprocess.run(
                        command, cwd=paths.ROOT, env=os.environ | places, capture_output=True, text=True
                    )
                    failed += run.returncode != 0
                    said = "ok" if run.returncode == 0 else f"FAILED\n{run.stderr}"
                    print(
                        f"{name:34} {kind:9} {' '.join(models):15} {time.monotonic() - start:5.1f} s  {said}",
                        flush=True,
                    )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or asking_notebooks()))
