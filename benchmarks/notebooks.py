"""What a notebook costs in CPU through our workflow, beside bare Python and other tools on the same code.

    python benchmarks/notebooks.py [--notebooks 8] [--jobs 2]
    python benchmarks/notebooks.py --profile [uq/6_agreement ...]

First the start alone: a process that imports ipykernel and the packages, beside a kernel forked by `kernels`,
ready to run and with the same imports. Then whole notebooks: bare Python, `make reproduce`, papermill's command,
Snakemake around that command, and nbmake where it is installed.

Small typical notebooks are made in a scratch folder; each imports pandas, matplotlib, seaborn and statsmodels,
fits a line and draws it. User and system seconds of all processes are counted, children included, so the
ratios hardly depend on what else the machine is doing. Wall-clock seconds are shown, but do.

--profile: where the CPU seconds of this checkout's notebooks go, by kind (`KINDS`) and by notebook, and which of
figures/ came out with other bytes. It runs their cells as a kernel would, into a scratch folder.
"""

import argparse
import filecmp
import importlib
import importlib.util
import inspect
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMPORTS = "import matplotlib.pyplot, numpy, pandas, seaborn, scipy.stats, statsmodels.api"
SNAKEFILE = """
rule all:
    input: expand("made/{{name}}.ipynb", name={names})
rule notebook:
    input: "notebooks/{{name}}.ipynb"
    output: "made/{{name}}.ipynb"
    shell: "{python} -m papermill --no-progress-bar {{input}} {{output}}"
"""
CELLS = [
    "seed: int = {seed}  # of the simulated data",
    "import matplotlib.pyplot as plt\nimport numpy as np\nimport pandas as pd\nimport seaborn as sns\n"
    "import statsmodels.api as sm",
    "rng = np.random.default_rng(seed)\ndata = pd.DataFrame({{'x': rng.normal(size=200), 'e': rng.normal(size=200)}})\n"
    "data['y'] = 2 * data.x + data.e",
    "fit = sm.OLS(data.y, sm.add_constant(data.x)).fit()\nprint(fit.params.round(2).to_dict())",
    "fig, ax = plt.subplots(figsize=(4, 3))\nsns.regplot(data=data, x='x', y='y', ax=ax)\n"
    "fig.savefig('figure_{seed}.svg')\nfig.savefig('figure_{seed}.png')\nplt.close(fig)",
    "assert abs(fit.params['x'] - 2) < 0.5",
]
KINDS = {  # kind: the calls that it is made of, each (module, name)
    "imports of our library": [("builtins", "__import__")],
    "replies": [("proctor.models.studies", "ask_all"), ("proctor.exam.run_exam", "run_exam")],
    "figures": [("proctor.report.output", "Output.figure")],
    "tables": [("proctor.report.output", "Output.table")],
    "claims": [("proctor.report.output", "Output.claim")],
}
OWN, KERNEL, ONCE = "own computing", "kernel: start, cells, end", "Snakemake and server, once a run"


def make(folder: Path, count: int, sources: list[str] = CELLS) -> list[Path]:
    """A scratch repository with `count` notebooks, and beside each a script of the same code."""
    shutil.copytree(ROOT / "lib", folder / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "requirements.txt", folder)
    (folder / "data").mkdir()
    (folder / "data" / "catalog.csv").write_text((ROOT / "data" / "catalog.csv").read_text().splitlines()[0] + "\n")
    (folder / "notebooks").mkdir()
    made = []
    for seed in range(count):
        cells = [
            {
                "cell_type": "code",
                "id": f"cell-{number}",
                "metadata": {},
                "outputs": [],
                "execution_count": None,
                "source": source.format(seed=seed),
            }
            for number, source in enumerate(sources)
        ]
        cells[0]["metadata"]["tags"] = ["parameters"]
        made.append(folder / "notebooks" / f"n{seed}.ipynb")
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        made[-1].write_text(json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))
        made[-1].with_suffix(".py").write_text("\n".join(cell["source"] for cell in cells))
    return made


def measure(commands: list[list[str]], jobs: int, folder: Path) -> tuple[float, float]:
    """(CPU seconds, wall-clock seconds) of the commands, `jobs` at a time, with all their children."""

    def run(command: list[str]) -> None:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")

    environment = {name: value for name, value in os.environ.items() if not name.startswith("PROCTOR_")}
    environment |= {"PYTHONPATH": str(folder / "lib"), "MPLBACKEND": "agg"}
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, commands))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start


def start() -> None:
    """Print the CPU and wall seconds until a kernel has imported the packages, in a process of its own and forked."""
    sys.path.insert(0, str(ROOT / "lib"))
    from proctor.workflow.kernels import KernelServer

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def of_server(number: int) -> float:  # 13: its own, 15: of the kernels that have ended (proc_pid_stat)
        fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[number - 2]) + int(fields[number - 1])) / os.sysconf("SC_CLK_TCK")

    rows, runs = [], 5
    before, began = spent(), time.monotonic()
    for _ in range(runs):
        subprocess.run([sys.executable, "-c", f"import ipykernel.kernelapp; {IMPORTS}"], check=True)
    rows.append(("a process of its own", (spent() - before) / runs, (time.monotonic() - began) / runs))
    with KernelServer() as server:
        for number in range(runs + 1):  # the first waits for the server's own imports
            if number == 1:
                before, began = of_server(15), time.monotonic()
            arguments = [f"--IPKernelApp.exec_lines={IMPORTS}; import os; os._exit(0)", "--IPKernelApp.transport=ipc"]
            arguments.append(f"--IPKernelApp.connection_file={server.folder}/{number}.json")
            server.start(arguments, os.environ, server.folder, server.folder / "stderr").wait()
        rows.append(("forked", (of_server(15) - before) / runs, (time.monotonic() - began) / runs))
        once = of_server(13)
    print(f"{'a kernel with imports':24}{'CPU s':>18}{'times own':>12}{'wall s':>9}")
    for name, cpu, wall in rows:
        print(f"{name:24}{cpu:18.2f}{cpu / rows[0][1]:12.2f}{wall:9.2f}")
    print(f"{'(server, once a run)':24}{once:18.2f}\n", flush=True)


class Meter:
    """CPU seconds by kind. A call of one kind within another's counts for its own kind alone."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._within = 0.0  # what calls within the present one have taken

    @contextmanager
    def during(self, kind: str) -> Iterator[None]:
        began, outside, self._within = cpu(), self._within, 0.0
        try:
            yield
        finally:
            took = cpu() - began
            self.spent[kind] += took - self._within
            self._within = outside + took

    def watch(self, kind: str, module: str, name: str) -> None:
        """Count the calls of a function, or of a method ("Output.figure"), from now on."""
        *path, last = name.split(".")
        place: Any = importlib.import_module(module)
        for part in path:
            place = getattr(place, part)
        setattr(place, last, self._timed(kind, getattr(place, last)))

    def _timed(self, kind: str, function: Callable) -> Callable:
        async def later(*given: Any, **named: Any) -> Any:
            with self.during(kind):
                return await function(*given, **named)

        def now(*given: Any, **named: Any) -> Any:
            with self.during(kind):
                return function(*given, **named)

        return later if inspect.iscoroutinefunction(function) else now


def cpu() -> float:
    """CPU seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def profile(names: list[str], jobs: int) -> None:
    """Print where the CPU seconds of the notebooks go; all where none is named."""
    sys.path.insert(0, str(ROOT / "lib"))
    from proctor.workflow import kernels

    listed = subprocess.run(
        [sys.executable, "-c", LIST, *names], env=here(), capture_output=True, text=True, check=True
    )
    kernels.import_stack()
    spent: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        figures = shutil.copytree(ROOT / "figures", Path(scratch, "figures"))  # some notebooks read others' claims
        for name, values, cells in json.loads(listed.stdout):
            told = Path(scratch, "spent.json")
            if not (pid := os.fork()):
                run_cells(name, values, cells, figures, told)
            if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
                sys.exit(f"{name} failed")
            spent[name] = Counter(json.loads(told.read_text()))
            print(f"{name:40}{spent[name].total():8.2f}", flush=True)
        written = [path.relative_to(figures) for path in sorted(figures.glob("*/*"))]
        other = [str(path) for path in written if not (ROOT / "figures" / path).is_file()]
        other += filecmp.cmpfiles(ROOT / "figures", figures, [path for path in written], shallow=False)[1]
    total = sum(spent.values(), Counter[str]())
    one, many = (empty(count, jobs) for count in (1, 9))
    total[KERNEL] = (many - one) / 8 * len(spent)
    total[ONCE] = one - (many - one) / 8
    print(f"\n{'kind':36}{'CPU s':>8}{'a notebook':>12}{'share':>8}")
    for kind in (OWN, *KINDS, KERNEL, ONCE):
        a_notebook = f"{total[kind] / len(spent):12.2f}" if kind != ONCE else " " * 12
        print(f"{kind:36}{total[kind]:8.1f}{a_notebook}{total[kind] / total.total():8.0%}")
    print(f"{f'all of {len(spent)} notebooks':36}{total.total():8.1f}{total.total() / len(spent):12.2f}")
    print(*(f"other bytes than in figures/: {path}" for path in other), sep="\n")


LIST = """
import json, sys
from proctor.workflow import notebook, params, receipts
every = notebook.all_notebooks()
values = params.resolve(every, params.DEFAULT, {"all": {}})
found = [each for each in notebook.chosen(sys.argv[1:], every) if not each.missing_logs()]
found.sort(key=lambda each: bool(receipts.reads_results_of(each)))
print(json.dumps([[each.name, values[each.name], each.code] for each in found]))
"""


def run_cells(name: str, values: dict[str, Any], cells: list[Any], figures: Path, told: Path) -> None:
    """In a forked process: run the cells as a kernel would, write what was spent to `told`, and end the process."""
    os.environ |= here() | {"PROCTOR_NOTEBOOK": name, "PROCTOR_FIGURES": str(figures)}
    os.chdir(ROOT)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
    import matplotlib
    from IPython.core.interactiveshell import InteractiveShell

    matplotlib.rcParams["backend"] = "module://matplotlib_inline.backend_inline"
    shell, meter = InteractiveShell.instance(), Meter()
    with meter.during(OWN):
        for kind, calls in KINDS.items():
            for call in calls:
                meter.watch(kind, *call)
        for _, source, tags in cells:
            if not shell.run_cell(source).success:
                os._exit(1)
            shell.push(values if "parameters" in tags else {})
    told.write_text(json.dumps(meter.spent))
    os._exit(0)


def here() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT / "lib"), "PROCTOR_ROOT": str(ROOT)}


def empty(count: int, jobs: int) -> float:
    """CPU seconds of `make reproduce` with so many notebooks of empty cells, as many as ours have on average."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        make(folder, count, ["seed: int = {seed}", *["pass"] * 14])
        return measure([[sys.executable, "-m", "proctor.workflow.reproduce", "--jobs", str(jobs)]], jobs, folder)[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notebooks", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--profile", nargs="*", metavar="NAME", help="of these notebooks, or of all")
    options = parser.parse_args()
    if options.profile is not None:
        return profile(options.profile, options.jobs)
    start()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        notebooks = make(folder, options.notebooks)
        scripts = [[sys.executable, str(path.with_suffix(".py"))] for path in notebooks]
        measure(scripts, options.jobs, folder)  # fills the caches of bytecode and fonts for all
        ways = {
            "bare Python processes": scripts,
            "make reproduce": [[sys.executable, "-m", "proctor.workflow.reproduce", "--jobs", str(options.jobs)]],
            "papermill's command": [
                [sys.executable, "-m", "papermill", "--no-progress-bar", str(path), str(path.with_suffix(".out"))]
                for path in notebooks
            ],
        }
        snakefile = folder / "plain.smk"
        snakefile.write_text(SNAKEFILE.format(names=[path.stem for path in notebooks], python=sys.executable))
        snakemake = [sys.executable, "-m", "snakemake", "--cores", str(options.jobs), "-s", str(snakefile)]
        ways["Snakemake + papermill"] = [snakemake]
        if importlib.util.find_spec("nbmake"):
            ways["nbmake"] = [[sys.executable, "-m", "pytest", "-q", "--nbmake", f"-n{options.jobs}", "notebooks"]]
        else:
            print("nbmake is not installed: no row for it")
        print(f"{options.notebooks} notebooks, {options.jobs} at once")
        print(f"{'':24}{'CPU s a notebook':>18}{'times bare':>12}{'wall s':>9}")
        bare = None
        for name, commands in ways.items():
            cpu, wall = measure(commands, options.jobs, folder)
            bare = bare or cpu
            print(f"{name:24}{cpu / options.notebooks:18.2f}{cpu / bare:12.2f}{wall:9.1f}", flush=True)


if __name__ == "__main__":
    main()
