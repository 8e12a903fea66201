"""Kernels over their own protocol: the one server of this file forks a few; notebooks are in test_execute.py."""

import ast
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from proctor.workflow import kernels
from proctor.workflow.kernels import KernelServer

from .helpers import alive, wait_until

LIGHT = """
import sys
from pathlib import Path
sys.path[0] = {folder!r}
import kernels
kernels.STACK = ("ipykernel.kernelapp", "matplotlib", "numpy")
kernels.serve(Path(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def light(tmp_path_factory):
    """The server's script with the part of its stack that these kernels need."""
    path = tmp_path_factory.mktemp("light") / "kernels.py"
    path.write_text(LIGHT.format(folder=str(kernels.SCRIPT.parent)))
    return path


@pytest.fixture(scope="module")
def server(light):
    """It is started by a user with a matplotlibrc of his own."""
    light.with_name("matplotlibrc").write_text("lines.linewidth: 9\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "SCRIPT", light)
        patch.setenv("MATPLOTLIBRC", str(light.parent))
        with KernelServer() as server:
            yield server


def script(text: str, tmp_path) -> list[str]:
    """Arguments that make a kernel run `text` before it would open its sockets."""
    (tmp_path / "profile").mkdir(exist_ok=True)
    return [f"--IPKernelApp.exec_lines={text}", f"--IPKernelApp.connection_file={tmp_path}/kernel.json"]


def start(server, tmp_path, text: str, **environment):
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path), **environment}
    return server.start(script(text, tmp_path), environment, tmp_path, tmp_path / "stderr")


def child_of(tmp_path) -> int:
    """The pid of the process that LEAVES_A_CHILD started."""
    wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    return int((tmp_path / "pid").read_text())


LEAVES_A_CHILD = "import subprocess; open('pid', 'w').write(str(subprocess.Popen(['sleep', '300']).pid))"


TELL = """
import matplotlib, numpy, os
told = os.environ['WORD'], matplotlib.rcParams['lines.linewidth'], numpy.random.random()
open('told', 'w').write(repr(told)); os._exit(7)
"""


def test_each_kernel_has_its_environment_and_random_numbers_and_no_matplotlibrc_of_the_user(server, tmp_path):
    drawn = set()
    for word in ("one", "two"):
        (tmp_path / word).mkdir()
        kernel = start(server, tmp_path / word, "; ".join(TELL.strip().splitlines()), WORD=word)
        assert kernel.wait() == 0 and kernel.poll() == 0
        told, width, number = ast.literal_eval((tmp_path / word / "told").read_text())
        assert (told, width) == (word, 1.5) and "WORD" not in os.environ
        drawn.add(number)
    assert len(drawn) == 2


def test_what_a_kernel_started_dies_with_it(server, tmp_path):
    kernel = start(server, tmp_path, f"{LEAVES_A_CHILD}; import os; os._exit(0)")
    assert kernel.wait() == 0
    wait_until(lambda: not alive(child_of(tmp_path)))


def test_closing_a_kernel_kills_it_and_what_it_started(server, tmp_path):
    kernel = start(server, tmp_path, f"{LEAVES_A_CHILD}; import time; time.sleep(300)")
    child = child_of(tmp_path)
    kernel.close()
    wait_until(lambda: not alive(child) and not alive(kernel.pid))


OWNER = """
import os, sys, time
from pathlib import Path
from proctor.workflow import kernels
from proctor.workflow.kernels import KernelServer
kernels.SCRIPT = Path(sys.argv.pop(1))
server = KernelServer()
print(server.folder, flush=True)
folder = Path(sys.argv[1])
kernel = server.start(sys.argv[2:], {**os.environ, "IPYTHONDIR": str(folder)}, folder, folder / "stderr")
time.sleep(300)
"""


def test_a_killed_run_leaves_neither_processes_nor_temporary_files(light, tmp_path):
    arguments = script(f"{LEAVES_A_CHILD}; import time; time.sleep(300)", tmp_path)
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(light), str(tmp_path), *arguments],
        env=os.environ | {"PYTHONPATH": str(Path(kernels.__file__).parents[2])},
        stdout=subprocess.PIPE,
        text=True,
    )
    folder, child = Path(owner.stdout.readline().strip()), child_of(tmp_path)
    assert folder.is_dir()
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    wait_until(lambda: not alive(child) and not folder.exists())


def test_a_server_that_has_ended_is_told(light, tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "SCRIPT", light)
    server = KernelServer()
    server.process.kill()
    with pytest.raises(OSError, match="process that forks kernels"):
        start(server, tmp_path, "pass")
    server.__exit__()


LOOK = """
import json, os, sys
sys.path.insert(0, {folder!r})
import kernels
kernels.import_stack()
import numpy as np, scipy.linalg, threading
tasks = lambda: [open(f"/proc/self/task/{{t}}/comm").read().strip() for t in os.listdir("/proc/self/task")]
a = np.arange(360_000.0).reshape(600, 600) / 1e5
before, parent = (a @ a).sum(), [threading.active_count(), *tasks()]
if pid := os.fork():
    sys.exit(os.waitpid(pid, 0)[1])
child, found = tasks(), []
thread = threading.Thread(target=lambda: found.append((a @ a).sum()))
thread.start()
thread.join(60)
modules = {{name.partition(".")[0] for name in sys.modules}}
print(json.dumps(dict(
    equal=bool(np.isclose(before, found[0])), solved=bool(np.isfinite(scipy.linalg.lu(a)[0]).all()),
    parent=parent, child=child, modules=sorted(modules), context=sys.modules["zmq"].Context._instance is not None,
    missing=[name for name in kernels.STACK if name not in sys.modules], environment=dict(os.environ))))
"""


def test_a_fork_of_the_imported_stack_computes_and_has_no_thread_or_context_of_its_parent():
    result = subprocess.run(
        [sys.executable, "-c", LOOK.format(folder=os.path.dirname(kernels.__file__))],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert result.returncode == 0, result.stderr
    fork = json.loads(result.stdout)
    assert fork["missing"] == [] and "proctor" not in fork["modules"]
    assert not fork["context"] and fork["parent"][0] == 1 and "jemalloc_bg_thd" not in fork["parent"]
    assert fork["child"] == ["python"]
    assert fork["equal"] and fork["solved"]  # matrix products, and threads
    # what is set while the packages are imported is not handed down
    assert "JE_ARROW_MALLOC_CONF" not in fork["environment"] and fork["environment"]["OPENBLAS_NUM_THREADS"] == "2"
