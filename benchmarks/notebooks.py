"""What a notebook costs in CPU through our workflow, beside bare Python and other tools on the same code.

    python benchmarks/notebooks.py [--notebooks 8] [--jobs 2]

First the start alone: a process that imports ipykernel and the packages, beside a kernel forked by `kernel_server`,
ready to run and with the same imports. Then whole notebooks: bare Python, `make reproduce`, papermill's command,
Snakemake around that command, and nbmake where it is installed.

Small typical notebooks are made in a scratch folder; each imports pandas, matplotlib, seaborn and statsmodels,
fits a line and draws it. User and system seconds of all processes are counted, children included, so the
ratios hardly depend on what else the machine is doing. Wall-clock seconds are shown, but do.
"""

import argparse
import importlib.util
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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


def make(folder: Path, count: int) -> list[Path]:
    """A scratch repository with `count` notebooks, and beside each a script of the same code."""
    shutil.copytree(ROOT / "lib", folder / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Snakefile", "requirements.txt"):
        shutil.copy(ROOT / name, folder)
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
            for number, source in enumerate(CELLS)
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

    environment = os.environ | {"PYTHONPATH": str(folder / "lib"), "MPLBACKEND": "agg"}
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notebooks", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
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
