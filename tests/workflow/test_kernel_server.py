"""What the process that forks kernels holds, and what a fork of it can do; its kernels are in test_kernels.py."""

import json
import os
import subprocess
import sys

from proctor.workflow import kernel_server

LOOK = """
import json, os, sys
sys.path.insert(0, {folder!r})
import kernel_server
kernel_server.import_stack()
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
    missing=[name for name in kernel_server.STACK if name not in sys.modules], environment=dict(os.environ))))
"""


def test_a_fork_of_the_imported_stack_computes_and_has_no_thread_or_context_of_its_parent():
    result = subprocess.run(
        [sys.executable, "-c", LOOK.format(folder=os.path.dirname(kernel_server.__file__))],
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
