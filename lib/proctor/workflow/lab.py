"""JupyterLab on this checkout, opened at one notebook: make lab NOTEBOOK=uq/6_agreement LAB_ARGS="--port 9999"

    python -m proctor.workflow.lab [NOTEBOOK] [OPTIONS OF JUPYTERLAB]

NOTEBOOK: a name (default 00_start_here), or the path of a copy of yours. The kernels reload what is edited in lib/
before each cell (IPython's autoreload), so that a cell run again draws the new figure.

Exit codes: 1 there is no such notebook, else JupyterLab's own.
"""

import json
import os
import sys
from collections.abc import Sequence
from urllib.parse import quote

from proctor.files import write_atomic
from proctor.paths import BUILD, ROOT
from proctor.workflow.notebook import WorkflowError, all_notebooks, chosen

START = "00_start_here"
JUPYTER = BUILD / "jupyter"  # found before the kernels that are registered on this machine
KERNEL = {
    "argv": [
        *("python", "-m", "ipykernel_launcher", "-f", "{connection_file}"),
        *("--IPKernelApp.extensions=autoreload", "--IPKernelApp.exec_lines=%autoreload 2"),
    ],
    "display_name": "Python 3 (ipykernel)",
    "language": "python",
    "metadata": {"debugger": True},
}


def main(arguments: list[str] | None = None) -> int:
    name, *options = (sys.argv[1:] if arguments is None else arguments) or [""]
    try:
        command = lab_command(name, options)
    except WorkflowError as error:
        print(error, file=sys.stderr)
        return 1
    os.chdir(ROOT)
    os.environ["JUPYTER_PATH"] = write_kernel()
    os.execv(sys.executable, [sys.executable, *command])


def lab_command(name: str, options: Sequence[str] = ()) -> list[str]:
    """Python's arguments that start JupyterLab at the notebook. Raises WorkflowError where there is no such one."""
    if name.endswith(".ipynb") and (ROOT / name).is_file():
        path = name
    else:
        path = f"notebooks/{chosen([name or START], all_notebooks())[0].name}.ipynb"
    root = ["--allow-root"] if os.geteuid() == 0 else []
    url = f"--LabApp.default_url=/lab/tree/{quote(path)}"
    return ["-m", "jupyterlab", "--ServerApp.root_dir=.", url, *root, *options]


def write_kernel() -> str:
    """Leave the description of the kernels in build/jupyter; returns JUPYTER_PATH with that folder before all others.

    The kernel is called python3, as the notebooks call theirs.
    """
    write_atomic(JUPYTER / "kernels" / "python3" / "kernel.json", json.dumps(KERNEL, indent=1) + "\n")
    return os.pathsep.join(filter(None, [str(JUPYTER), os.environ.get("JUPYTER_PATH")]))


if __name__ == "__main__":
    sys.exit(main())
